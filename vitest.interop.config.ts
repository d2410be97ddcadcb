import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** Tests against other programs; see test/interop. They need what `npm run setup:peers` installs. */
export default defineConfig({
  ...base,
  test: { include: ['test/interop/**/*.interop.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
})
