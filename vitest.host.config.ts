import { defineConfig } from 'vitest/config'

/** The host tests start the real Claude Code binary: two files at a time keep two processors busy; the limits are long. */
export default defineConfig({
  test: {
    include: ['test/host/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
