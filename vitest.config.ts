import path from 'node:path'
import { defineConfig } from 'vitest/config'

const pure = 'test/core/**/*.test.ts'
/** What these keep between two calls they keep by file and time, as a server does. One is left out: it loads modules anew. */
const shared = ['test/{cli,dashboard,hooks,mcp}/**/*.test.ts', 'test/store/!(session-rows).test.ts']

export default defineConfig({
  resolve: {
    alias: [{ find: /^fast-check$/, replacement: path.join(import.meta.dirname, 'test', 'support', 'seeded.ts') }],
  },
  test: {
    testTimeout: 60_000,
    pool: 'forks',
    // By default one is left idle: on two processors that is half of the time.
    maxWorkers: '100%',
    projects: [
      // The core keeps nothing between two calls: its tests may share a process, and load it once instead of 150 times.
      { extends: true, test: { name: 'core', include: [pure], isolate: false } },
      {
        extends: true,
        test: { name: 'shared', include: shared, isolate: false, setupFiles: ['test/support/tidy.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'all else',
          include: ['test/**/*.test.ts'],
          // Of the page the quick ones only: npm run test:page tells the whole of it.
          exclude: [pure, ...shared, 'test/host/**', 'test/page/!(pure|short).test.ts', '**/node_modules/**'],
        },
      },
    ],
  },
})
