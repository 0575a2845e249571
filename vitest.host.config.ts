import { defineConfig } from 'vitest/config'

/** The host tests start the real Claude Code binary: they wait for it a third of the time, so three files at a time on two processors, with long limits. */
export default defineConfig({
  test: {
    include: ['test/host/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    maxWorkers: 3,
  },
})
