import { defineConfig } from 'vitest/config'

/** The host tests start the real Claude Code binary: one file at a time, long time limits. */
export default defineConfig({
  test: {
    include: ['test/host/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    fileParallelism: false,
  },
})
