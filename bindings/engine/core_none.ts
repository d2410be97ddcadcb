/** For builds that carry no WebAssembly text: the engine then answers in JavaScript. */
export function coreSource(): WebAssembly.Module | Uint8Array<ArrayBuffer> {
  throw new Error('this build carries no WebAssembly module')
}

/** Stands for the loader in these builds: there is nothing to load. */
export const instantiateSync = coreSource
