import { WireError } from '../core/error'
import { commonError } from '../core/errors'
import { type JsonForm, jsonForm } from '../core/json_form'
import { type DecodeOptions, Decoder, type Message } from '../dbus'
import { readOne } from '../dbus/decode'
import { dbusError, ERRORS } from '../dbus/errors'
import { resolve, type Settings } from '../dbus/settings'
import type { UnitReader } from './format'
import { CaptureFault, CaptureReader, isCapture, LINKTYPE_DBUS, type Packet } from './packets'

/** What a record may have around its packet, options of the recorder among them. */
const RECORD_BYTES = 65_536

/** A recorded message: printed with the time at which it was seen. */
class Recorded {
  readonly #time: string | undefined
  readonly #message: Message

  constructor(time: string | undefined, message: Message) {
    this.#time = time
    this.#message = message
  }

  [jsonForm](): JsonForm {
    return { value: { time: this.#time, ...(this.#message[jsonForm]().value as object) } }
  }
}

/** Messages of a stream of bytes as it stands on a socket, or of a pcap or pcapng file. */
export class MessageReader implements UnitReader {
  readonly #options: DecodeOptions<'report' | 'throw'>
  readonly #settings: Settings
  #start = new Uint8Array(0)
  #decoder: Decoder<'report' | 'throw'> | undefined
  #capture: CaptureReader | undefined
  #units: (Recorded | WireError)[] = []
  #fault: WireError | undefined

  constructor(options: DecodeOptions<'report' | 'throw'>) {
    this.#options = options
    this.#settings = resolve(options)
  }

  push(chunk: Uint8Array): void {
    if (this.#decoder) this.#decoder.push(chunk)
    else if (this.#capture) this.#record(chunk)
    else {
      const start = new Uint8Array(this.#start.length + chunk.length)
      start.set(this.#start)
      start.set(chunk, this.#start.length)
      this.#start = start
      this.#choose(isCapture(start))
    }
  }

  end(): void {
    if (!this.#capture) this.#choose(false)
    this.#decoder?.end()
    this.#guard(() => this.#capture?.end())
  }

  readAll(): readonly unknown[] {
    if (this.#decoder) return this.#decoder.readAll()
    const units = this.#units
    this.#units = []
    if (units.length === 0 && this.#fault) throw this.#fault
    return units
  }

  #choose(capture: boolean | undefined): void {
    if (capture === undefined || this.#decoder) return
    const start = this.#start
    if (capture) {
      this.#capture = new CaptureReader(LINKTYPE_DBUS, this.#settings.limits.maxBufferedBytes + RECORD_BYTES)
      this.#record(start)
    } else this.#decoder = new Decoder(this.#options).push(start)
  }

  #record(chunk: Uint8Array): void {
    this.#guard(() => this.#capture!.push(chunk, (packet) => this.#message(packet)))
  }

  /** What is wrong with the file itself ends it. */
  #guard(step: () => void): void {
    if (this.#fault) return
    try {
      step()
    } catch (error) {
      if (error instanceof CaptureFault) {
        this.#fault = dbusError('capture', { offset: error.offset, detail: error.message, cause: error })
      } else if (WireError.is(error)) this.#fault = error
      else throw error
    }
  }

  #message({ bytes, offset, time, missing }: Packet): void {
    try {
      const one = missing === 0 ? readOne(bytes, 0, offset, this.#settings) : undefined
      if (one === undefined) {
        const detail = missing > 0 ? `the capture leaves out the last ${missing} bytes of a message` : undefined
        throw commonError('dbus', 'truncated', { offset: offset + bytes.length, detail })
      }
      if (one.end < bytes.length) throw commonError('dbus', 'trailing', { offset: offset + one.end })
      this.#units.push(new Recorded(time, one.value))
    } catch (error) {
      if (!WireError.is(error)) throw error
      if (error.code === ERRORS.unknownType.code) return
      if (!this.#settings.report) throw error
      this.#units.push(error)
    }
  }
}
