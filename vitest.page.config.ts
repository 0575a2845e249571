import path from 'node:path'
import { defineConfig } from 'vitest/config'

/** The tests of the page drive a real browser: two files at a time, each with a browser of its own. */
export default defineConfig({
  oxc: { jsx: { importSource: 'preact' } },
  resolve: {
    alias: [{ find: /^fast-check$/, replacement: path.join(import.meta.dirname, 'test', 'support', 'seeded.ts') }],
  },
  test: {
    include: ['test/extras/page/browser/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
    hookTimeout: 240_000,
    pool: 'forks',
    maxWorkers: 2,
    setupFiles: ['test/support/tidy.ts'],
  },
})
