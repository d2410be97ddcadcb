import { wasmBase64 } from './wasm_bytes'

/** The module as bytes, decoded by the fastest way that the runtime has (`atob` on a large module costs milliseconds). */
export function coreSource(): WebAssembly.Module | Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64
  if (native) return native.call(Uint8Array, wasmBase64)
  const node = (globalThis as { Buffer?: { from(text: string, encoding: 'base64'): Uint8Array<ArrayBuffer> } }).Buffer
  if (node) return node.from(wasmBase64, 'base64')
  const text = atob(wasmBase64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}
