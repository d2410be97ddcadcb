import module from './core.wasm'

/** The module as Cloudflare's tools hand it over: workerd compiles no bytes at run time. */
export function coreSource(): WebAssembly.Module | Uint8Array<ArrayBuffer> {
  return module
}
