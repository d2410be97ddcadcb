/** First address above the static data; the engine refuses a module where it passes the memory map's tables. */
export function heapBase(): u32 {
  return <u32>__heap_base
}
