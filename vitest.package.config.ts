import { defineConfig } from 'vitest/config'

/** Tests of the packed tarball, as someone gets it who installs the package. */
export default defineConfig({
  test: { include: ['test/package/**/*.package.ts'], testTimeout: 120_000, hookTimeout: 300_000 },
})
