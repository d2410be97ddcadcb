import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** The packed tarball on every runtime; see test/runtime. It needs what `npm run setup:runtimes` installs. */
export default defineConfig({
  ...base,
  test: {
    include: ['test/runtime/**/*.runtime.ts'],
    globalSetup: ['test/runtime/global_setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
})
