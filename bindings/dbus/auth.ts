import { usageError } from '../core/errors'
import { bytesArgument, objectArgument } from '../core/options'
import { dbusError } from './errors'

/** How to authenticate. */
export interface AuthenticatorOptions {
  /**
   * User id for EXTERNAL: the one that the socket's peer sees, `process.getuid()`. Default: the mechanism is tried without it.
   */
  readonly uid?: number | undefined
  /** ANONYMOUS, in place of EXTERNAL. Default false. */
  readonly anonymous?: boolean | undefined
  /** Ask for the passing of file descriptors. Default false. */
  readonly unixFds?: boolean | undefined
}

const ascii = new TextEncoder()
/** A line of this protocol is short; whoever sends more without a line end is no bus. */
const MOST = 16_384
const CR = 13
const LF = 10

const hexOf = (text: string): string => Array.from(ascii.encode(text), (b) => b.toString(16).padStart(2, '0')).join('')

/**
 * The client's side of the authentication that comes before the first message (specification, "Authentication Protocol"),
 * without I/O: send `hello`, push what comes, send `reply` whenever there is one, until `push` returns the bytes that follow.
 */
export class Authenticator {
  /** What the client sends first: a zero byte and the AUTH line. */
  readonly hello: Uint8Array
  readonly #unixFds: boolean
  #line: number[] = []
  #state: 'auth' | 'fds' | 'done' = 'auth'
  #reply: Uint8Array | undefined
  #guid: string | undefined
  #agreed = false

  constructor(options: AuthenticatorOptions = {}) {
    objectArgument('dbus', 'options', options)
    const { uid, anonymous = false, unixFds = false } = options
    if (uid !== undefined && !(Number.isSafeInteger(uid) && uid >= 0)) throw usageError('dbus', 'uid must be a user id')
    const words = anonymous
      ? `ANONYMOUS ${hexOf('wiretape')}`
      : `EXTERNAL${uid === undefined ? '' : ` ${hexOf(String(uid))}`}`
    this.hello = ascii.encode(`\0AUTH ${words}\r\n`)
    this.#unixFds = unixFds
  }

  /** The server's id, when it has accepted. */
  get guid(): string | undefined {
    return this.#guid
  }

  /** Whether descriptors may be passed: they were asked for, and the server agreed. */
  get unixFds(): boolean {
    return this.#agreed
  }

  /** Bytes to be sent now, once; undefined: none. */
  get reply(): Uint8Array | undefined {
    const reply = this.#reply
    this.#reply = undefined
    return reply
  }

  /**
   * Takes what the server sends. Returns undefined while the dialogue goes on; then the bytes that follow it, for a Decoder,
   * after `reply` was sent. Throws WT_DBUS_AUTH_REJECTED or WT_DBUS_AUTH.
   */
  push(chunk: Uint8Array): Uint8Array | undefined {
    bytesArgument('dbus', 'chunk', chunk)
    if (this.#state === 'done') return chunk
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (byte !== LF) {
        if (this.#line.length === MOST) throw dbusError('auth', { detail: 'a line without end' })
        this.#line.push(byte)
        continue
      }
      if (this.#line.pop() !== CR) throw dbusError('auth', { detail: 'a line must end with CR LF' })
      const line = String.fromCharCode(...this.#line)
      this.#line = []
      if (this.#take(line)) return chunk.subarray(at + 1)
    }
    return undefined
  }

  /** One line of the server; true: nothing more is to be said but `reply`. */
  #take(line: string): boolean {
    const [word, argument = ''] = line.split(' ', 2) as [string, string?]
    if (this.#state === 'auth') {
      if (word === 'REJECTED') throw dbusError('authRejected', { detail: line.slice(9, 109) })
      if (word === 'DATA') {
        this.#send('DATA')
        return false
      }
      if (word !== 'OK' || !/^[0-9a-fA-F]{32}$/.test(argument))
        throw dbusError('auth', { detail: 'OK and a guid expected' })
      this.#guid = argument
      if (!this.#unixFds) return this.#begin()
      this.#state = 'fds'
      this.#send('NEGOTIATE_UNIX_FD')
      return false
    }
    if (word !== 'AGREE_UNIX_FD' && word !== 'ERROR')
      throw dbusError('auth', { detail: 'AGREE_UNIX_FD or ERROR expected' })
    this.#agreed = word === 'AGREE_UNIX_FD'
    return this.#begin()
  }

  #begin(): true {
    this.#state = 'done'
    this.#send('BEGIN')
    return true
  }

  #send(line: string): void {
    this.#reply = ascii.encode(`${line}\r\n`)
  }
}
