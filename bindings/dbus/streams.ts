import { type ByteSource, decoderPair, encoderPair, type StreamOptions, streamUnits } from '../core/streams'
import { Decoder } from './decode'
import { Encoder, type Numbered } from './encode'
import type { DecodeOptions, Units } from './types'

/**
 * The messages of a stream of bytes, one after the other, with the options of a Decoder. Stops reading on break, on a fault and
 * when `signal` aborts (rejecting with its reason at once), and cancels the source then unless `preventCancel` is set.
 * `head`: bytes that were read before. Throws what the Decoder throws, WT_TRUNCATED at the end, and what the source throws.
 */
export function decodeStream<M extends keyof Units = 'throw'>(
  source: ByteSource,
  options?: DecodeOptions<M> & StreamOptions,
): AsyncGenerator<Units[M], void, undefined> {
  return streamUnits(new Decoder<M>(options), source, options)
}

/** A pair for `pipeThrough`: bytes in, messages out. A fault errors both sides, after the messages before it were read. */
export class DecoderStream<M extends keyof Units = 'throw'> {
  /** What comes out: read it, or pipe it on. */
  readonly readable: ReadableStream<Units[M]>
  /** Where the bytes go in. A write is over when its units were read. */
  readonly writable: WritableStream<Uint8Array>

  constructor(options?: DecodeOptions<M>) {
    const { readable, writable } = decoderPair(new Decoder<M>(options))
    this.readable = readable
    this.writable = writable
  }
}

/** A pair for `pipeThrough`: messages in, bytes out; those without a serial are counted. What cannot be encoded errors both sides. */
export class EncoderStream {
  /** Where the bytes come out. */
  readonly readable: ReadableStream<Uint8Array>
  /** Where the messages go in. */
  readonly writable: WritableStream<Numbered>

  constructor() {
    const encoder = new Encoder()
    const { readable, writable } = encoderPair<Numbered>((message) => encoder.encodeChunks(message))
    this.readable = readable
    this.writable = writable
  }
}
