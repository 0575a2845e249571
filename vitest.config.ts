import path from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  oxc: { jsx: { importSource: 'preact' } },
  resolve: {
    alias: [{ find: /^fast-check$/, replacement: path.join(import.meta.dirname, 'test', 'support', 'seeded.ts') }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // Of the page the quick ones only: npm run test:page tells the whole of it.
    exclude: ['test/host/**', 'test/extras/page/browser/!(pure|short).test.ts', '**/node_modules/**'],
    testTimeout: 120_000,
    hookTimeout: 240_000,
    pool: 'forks',
    // By default one is left idle: on two processors that is half of the time.
    maxWorkers: '100%',
    // The core keeps nothing between two calls, the store keeps by file and time, as a server does: the tests share two processes,
    // which load the sources once instead of 280 times. In one project: each of several would compile the sources anew.
    isolate: false,
    setupFiles: ['test/support/tidy.ts'],
    // Screens have local times.
    env: { TZ: 'UTC' },
  },
})
