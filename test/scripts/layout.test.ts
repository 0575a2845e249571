/** Scripts find slices and their tests in the rings. */
import { expect, it } from 'vitest'
import { findSlice, isUnitTest, sliceOf } from '../../scripts/parts/layout.mjs'
import { tempDir, write } from '../support/project.ts'

it('a file belongs to a slice of a ring, or to none', () => {
  const files = [
    'src/core/edit/disk/undo.ts',
    'src/extras/agents/claude/line.ts',
    'test/doors/cli/golden.test.ts',
    'src/core/files.ts',
    'test/dist.test.ts',
    'scripts/build.mjs',
  ]

  expect(files.map(sliceOf)).toEqual(['core/edit', 'extras/agents/claude', 'doors/cli', '', '', ''])
})

it('the folder of a slice is found by its name, with its ring or without', () => {
  const root = tempDir()
  for (const folder of ['core/edit', 'extras/agents/claude']) write(`${root}/src/${folder}/a.ts`, '')
  const find = (slice: string): string | null => findSlice(root, 'src', slice)

  expect(['edit', 'core/edit', 'claude', 'gone'].map(find)).toEqual([
    'src/core/edit',
    'src/core/edit',
    'src/extras/agents/claude',
    null,
  ])
})

it('a test of the host, of Windows or of the whole page is none that npm test runs', () => {
  const page = 'test/extras/page/browser'
  const tests = ['test/host/a.test.ts', `${page}/open.test.ts`, 'test/windows/a.test.ts', 'test/support/a.ts']

  expect(tests.filter(isUnitTest)).toEqual([])
  expect([`${page}/pure.test.ts`, 'test/core/edit/undo.test.ts', 'test/dist.test.ts'].every(isUnitTest)).toBe(true)
})
