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
    // Hooks keep silent when they run out of time, which a busy machine may bring about once. A story that fails twice fails.
    retry: 1,
  },
})
