import path from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: {
    alias: [{ find: /^fast-check$/, replacement: path.join(import.meta.dirname, 'test', 'support', 'seeded.ts') }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/host/**', '**/node_modules/**'],
    testTimeout: 60_000,
    pool: 'forks',
    // By default one is left idle: on two processors that is half of the time.
    maxWorkers: '100%',
  },
})
