import type { Socket } from 'node:net'
import { takeRest, type UnitDecoder } from '../core/decoder'
import { WireError } from '../core/error'
import { usageError } from '../core/errors'
import { bytesArgument, objectArgument } from '../core/options'
import { giveBackReadWindow, takeReadWindow } from '../engine/load'
import { readsWindow } from '../websocket/decode'

/** What becomes of the units of a socket. */
export interface Handlers<T> {
  /**
   * The next unit. Of a Decoder with `bytes: 'view'` on a socket that is read directly, payloads point into a window that all
   * sockets of the thread share: they are good until the handler returns.
   */
  unit(unit: T): void
  /** The bytes are wrong, or end inside a unit: nothing more is read. The socket is left open, for an answer by `error.status`. */
  error(error: WireError): void
  /** The other end has ended, between units. */
  end?(): void
}

/** A socket that is read by `attach`. */
export interface Attachment {
  /** Whether bytes are read straight into the memory of the kernels. */
  readonly direct: boolean
  /** Stops reading from the socket, and handing out units: back-pressure. */
  pause(): void
  /** Goes on after `pause`: first the units that wait, then the socket. */
  resume(): void
  /**
   * Lets go of the socket, leaves it paused and returns what was read from it and not handed out: the next reader takes these
   * bytes first, then those that wait in the socket. Units that were ready stand in them as they would be sent anew: frames
   * with their shortest header, WebSocket messages in one frame, inflated, so that a context of compression goes on only in
   * this Decoder. Nothing after a fault or a close is in them, nor are pieces that were handed out of a message (`emit`:
   * 'chunks', 'frames') that goes on. Empty the second time.
   */
  detach(): Uint8Array
}

/** What Node keeps under symbols for sockets made with `onread`. There is no other way to them for an accepted socket. */
interface Internals {
  readonly buffer: symbol
  readonly callback: symbol
  readonly generator: symbol
}
interface Handle {
  useUserBuffer?(buffer: Uint8Array): void
  reading?: boolean
}
type Fields = Record<symbol, unknown> & { readonly _handle?: Handle | null }
interface DirectDecoder {
  [readsWindow]?(): void
}

function internalsOf(socket: Socket): Internals | undefined {
  const found = new Map<string, symbol>()
  for (const symbol of Object.getOwnPropertySymbols(socket)) {
    if (symbol.description !== undefined) found.set(symbol.description, symbol)
  }
  const buffer = found.get('kBuffer')
  const callback = found.get('kBufferCb')
  const generator = found.get('kBufferGen')
  if (!buffer || !callback || !generator) return undefined
  return { buffer, callback, generator }
}

/**
 * Has the socket read into `window`; false where this version of Node, or this kind of socket, does not offer that.
 * `onBytes` is given what came; it may say false to stop.
 */
function readInto(
  socket: Socket,
  window: Uint8Array,
  onBytes: (length: number, buffer: Uint8Array) => boolean,
): boolean {
  // TLS decrypts a record at a time into whatever buffer it is given, and goes on when told to stop; nor may it have a handle of its own.
  if ('encrypted' in socket) return false
  const fields = socket as unknown as Fields
  const handle = fields._handle
  const internals = internalsOf(socket)
  if (!handle || typeof handle.useUserBuffer !== 'function' || !internals) return false
  // A socket that has an `onread` of its own is someone else's.
  if (fields[internals.buffer]) return false
  try {
    handle.useUserBuffer(window)
  } catch {
    return false
  }
  fields[internals.buffer] = window
  fields[internals.callback] = onBytes
  fields[internals.generator] = null
  return true
}

/** Bytes of the unit that a paused reader keeps become its own: the window is read into again. */
function kept<T>(unit: T): T {
  if (typeof unit !== 'object' || unit === null) return unit
  for (const [name, value] of Object.entries(unit)) {
    if (value instanceof Uint8Array) return { ...unit, [name]: value.slice() }
  }
  return unit
}

function checkArguments(socket: unknown, decoder: unknown, handlers: unknown, options: unknown): void {
  const { protocol = 'websocket', push } = (decoder ?? {}) as Partial<UnitDecoder<unknown>>
  if (typeof push !== 'function') throw usageError(protocol, 'decoder must be a Decoder')
  const { on, pause } = (socket ?? {}) as Partial<Socket>
  if (typeof on !== 'function' || typeof pause !== 'function') throw usageError(protocol, 'socket must be a socket')
  objectArgument(protocol, 'handlers', handlers)
  const { unit, error, end } = handlers as Partial<Handlers<unknown>>
  if (typeof unit !== 'function' || typeof error !== 'function' || (end !== undefined && typeof end !== 'function')) {
    throw usageError(protocol, 'handlers must have functions unit and error, and may have end')
  }
  objectArgument(protocol, 'options', options)
  const { head } = options as { readonly head?: unknown }
  if (head !== undefined) bytesArgument(protocol, 'head', head)
}

/**
 * Decodes what a socket receives: accepted, connected or upgraded, plain or TLS. Where Node lets it, bytes of a plain socket
 * are read straight into a window of the kernels' memory and neither copied nor allocated for; else by 'data' events, with the
 * same result. `head`: bytes that came with the handshake. The socket must not be read by anyone else meanwhile; writing to it
 * is the caller's business, and so are its 'error' and 'close' events. Throws WT_USAGE where an argument is not what it must
 * be.
 */
export function attach<T>(
  socket: Socket,
  decoder: UnitDecoder<T>,
  handlers: Handlers<T>,
  options: { readonly head?: Uint8Array | undefined } = {},
): Attachment {
  checkArguments(socket, decoder, handlers, options)
  let paused = false
  let over = false
  /** Units that were made before reading was paused. */
  let waiting: T[] = []
  let waitingAt = 0
  let handing = false
  let ended = false
  let detached = false
  let window: Uint8Array<ArrayBuffer> | undefined

  const stop = (): void => {
    if (over) return
    over = true
    socket.off('data', onData)
    socket.off('end', onEnd)
    socket.pause()
  }
  const fail = (error: unknown): void => {
    stop()
    if (!WireError.is(error)) throw error
    handlers.error(error)
  }

  /** Hands units out until there are none, or reading is paused. */
  const hand = (): void => {
    if (handing) return
    handing = true
    try {
      while (!paused && !over) {
        let unit: T | undefined
        if (waitingAt < waiting.length) {
          unit = waiting[waitingAt++]
          if (waitingAt === waiting.length) {
            waiting = []
            waitingAt = 0
          }
        } else {
          try {
            unit = decoder.read()
          } catch (error) {
            fail(error)
            break
          }
        }
        if (unit === undefined) {
          if (ended) {
            stop()
            handlers.end?.()
          }
          break
        }
        handlers.unit(unit)
      }
    } finally {
      handing = false
    }
  }

  /** What is left of the window must be out of it before it is read into again. */
  const empty = (): void => {
    if (over) return
    try {
      for (let unit = decoder.read(); unit !== undefined; unit = decoder.read()) waiting.push(kept(unit))
    } catch {
      // The decoder throws it again when the units before it are out.
    }
  }

  const onWindow = (length: number, buffer: Uint8Array): boolean => {
    // The system goes on reading into the window: to others what comes is passed on as any socket would.
    if (detached) return socket.push(Buffer.from(buffer.subarray(0, length)))
    if (over) return false
    try {
      decoder.push(buffer.subarray(0, length))
      hand()
    } finally {
      empty()
    }
    return !paused && !over
  }
  const onData = (chunk: Uint8Array): void => {
    decoder.push(chunk)
    hand()
  }
  const onEnd = (): void => {
    decoder.end()
    ended = true
    hand()
  }
  /** The system holds the window's address as long as the socket lives. */
  const release = (): void => {
    if (!window) return
    window = undefined
    giveBackReadWindow()
  }

  const { head } = options
  // A copy: of a Buffer `slice` would be none, and the decoder may unmask it in place.
  if (head && head.length > 0) decoder.push(new Uint8Array(head))
  const begun = socket.readableLength > 0 ? (socket.read() as Uint8Array | null) : null
  if (begun) decoder.push(begun)

  const readsDirectly = (decoder as DirectDecoder)[readsWindow]
  let direct = false
  if (readsDirectly && !socket.destroyed) {
    window = takeReadWindow()
    if (window) {
      direct = readInto(socket, window, onWindow)
      if (direct) readsDirectly.call(decoder)
      else release()
    }
  }
  if (!direct) socket.on('data', onData)
  socket.on('end', onEnd)
  socket.on('close', release)
  // Units of the head come after `attach` has returned, as all others do.
  process.nextTick(() => {
    if (over) return
    // The end may have come to the reader before: it is not said twice.
    if (socket.readableEnded && !ended) onEnd()
    else hand()
    if (!over && !paused) socket.resume()
  })

  return {
    direct,
    pause() {
      if (over) return
      paused = true
      socket.pause()
    },
    resume() {
      if (over || !paused) return
      paused = false
      hand()
      if (!over && !paused) socket.resume()
    },
    detach() {
      if (detached) return new Uint8Array(0)
      stop()
      detached = true
      const rest = decoder[takeRest]?.(waiting.slice(waitingAt)) ?? new Uint8Array(0)
      waiting = []
      waitingAt = 0
      return rest
    },
  }
}
