/*
 * What an object of the language is, whatever it says: instanceof and Symbol.toStringTag can be made up, and the first does not
 * hold for values of another realm. Memory that was taken away (a detached ArrayBuffer) is empty, as on the web platform.
 */
type Getter = (this: unknown) => unknown

const getter = (prototype: object, name: PropertyKey): Getter =>
  Object.getOwnPropertyDescriptor(prototype, name)!.get as Getter

const nameOf = getter(Object.getPrototypeOf(Uint8Array.prototype) as object, Symbol.toStringTag)
const lengthOf = getter(ArrayBuffer.prototype, 'byteLength')
const viewLength = getter(DataView.prototype, 'byteLength')
const timeOf = Date.prototype.getTime as Getter

const EMPTY = new Uint8Array(0)

/** Name of a typed array's class; undefined for anything else, also for a DataView. */
export const viewName = (value: unknown): string | undefined => nameOf.call(value) as string | undefined

export const isBytes = (value: unknown): value is Uint8Array => viewName(value) === 'Uint8Array'

/** The bytes of a view of any kind. */
export function bytesOf(view: ArrayBufferView): Uint8Array {
  // A DataView whose memory was taken away does not even say that it has none.
  if (viewName(view) === undefined && numberBy(viewLength, view) === undefined) return EMPTY
  const { buffer, byteOffset, byteLength } = view
  return byteLength === 0 ? EMPTY : new Uint8Array(buffer, byteOffset, byteLength)
}

/** What a getter or method gives of a value, as long as it is a number; undefined where the value is not of its class. */
function numberBy(get: Getter, value: unknown): number | undefined {
  try {
    const number = get.call(value)
    return typeof number === 'number' ? number : undefined
  } catch {
    return undefined
  }
}

/** The bytes of an ArrayBuffer or SharedArrayBuffer; undefined for anything else. */
export function bufferBytes(value: object): Uint8Array | undefined {
  const shared =
    typeof SharedArrayBuffer === 'undefined' ? undefined : getter(SharedArrayBuffer.prototype, 'byteLength')
  const length = numberBy(lengthOf, value) ?? (shared && numberBy(shared, value))
  if (length === undefined) return undefined
  return length === 0 ? EMPTY : new Uint8Array(value as ArrayBuffer)
}

/** Number of elements of an array; undefined where a proxy of one says anything else. */
export function arrayLength({ length }: readonly unknown[]): number | undefined {
  return Number.isInteger(length) && length >= 0 ? length : undefined
}

/** Milliseconds of a Date, NaN where it is invalid; undefined for anything else. */
export const dateTime = (value: unknown): number | undefined => numberBy(timeOf, value)

/** Number of entries of a Map, or of what stands in for one; undefined where it cannot say. */
export const mapSize = (value: object): number | undefined =>
  numberBy(function () {
    return (this as Map<unknown, unknown>).size
  }, value)
