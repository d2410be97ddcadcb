import { type ByteSource, decoderPair, encoderPair, type StreamOptions, streamUnits } from '../core/streams'
import type { MessageInput } from './messages'
import { Decoder, type DecoderOptions, Encoder, type EncoderOptions, type Units } from './session'

/**
 * The messages of a stream of frames, one after the other, with the options of a Decoder. Stops reading on break, on a fault and
 * when `signal` aborts (rejecting with its reason at once), and cancels the source then unless `preventCancel` is set.
 * `head`: bytes that were read before. Throws what the Decoder throws, WT_TRUNCATED at the end, and what the source throws.
 */
export function decodeStream<M extends keyof Units = 'messages'>(
  source: ByteSource,
  options: DecoderOptions<M> & StreamOptions,
): AsyncGenerator<Units[M], void, undefined> {
  return streamUnits(new Decoder<M>(options), source, options)
}

/** A pair for `pipeThrough`: bytes in, messages out. A fault errors both sides, after the messages before it were read. */
export class DecoderStream<M extends keyof Units = 'messages'> {
  /** What comes out: read it, or pipe it on. */
  readonly readable: ReadableStream<Units[M]>
  /** Where the bytes go in. A write is over when its units were read. */
  readonly writable: WritableStream<Uint8Array>

  constructor(options: DecoderOptions<M>) {
    const { readable, writable } = decoderPair(new Decoder<M>(options))
    this.readable = readable
    this.writable = writable
  }
}

/** A pair for `pipeThrough`: messages in, frames out. What cannot be encoded errors both sides. */
export class EncoderStream {
  /** Where the bytes come out. */
  readonly readable: ReadableStream<Uint8Array>
  /** Where the messages go in. */
  readonly writable: WritableStream<MessageInput>

  constructor(options: EncoderOptions) {
    const encoder = new Encoder(options)
    const { readable, writable } = encoderPair<MessageInput>((message) => encoder.encode(message))
    this.readable = readable
    this.writable = writable
  }
}
