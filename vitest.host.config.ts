import { defineConfig } from 'vitest/config'

/** The host tests start the real Claude Code binary: they mostly wait for it, so two files at a time, with long limits. */
export default defineConfig({
  test: {
    include: ['test/host/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
