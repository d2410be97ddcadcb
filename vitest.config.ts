import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^lib\//, replacement: at('./bindings/portable/') },
      { find: '#core', replacement: at('./bindings/engine/core_inline.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/interop/**', 'test/runtime/**', '**/node_modules/**'],
    testTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['assembly/**/*.ts', 'bindings/**/*.ts'],
      exclude: ['assembly/lib/**', 'assembly/index.ts', 'bindings/engine/wasm_bytes.ts'],
      reporter: ['text'],
    },
  },
})
