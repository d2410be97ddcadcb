/** For builds that carry no WebAssembly text: the engine then answers in JavaScript. */
export function coreSource(): WebAssembly.Module | Uint8Array<ArrayBuffer> {
  throw new Error('this build carries no WebAssembly module')
}
