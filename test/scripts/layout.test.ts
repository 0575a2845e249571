/** Scripts find slices in both layouts: flat, and in rings. */
import { expect, it } from 'vitest'
import { coreTests, findSlice, isUnitTest, sliceOf } from '../../scripts/parts/layout.mjs'
import { tempDir, write } from '../support/project.ts'

it('a file belongs to a slice, in a ring or without one', () => {
  const files = [
    'src/edit/disk/undo.ts',
    'src/core/edit/disk/undo.ts',
    'src/extras/agents/claude/line.ts',
    'test/doors/cli/golden.test.ts',
    'test/dist.test.ts',
    'scripts/build.mjs',
  ]

  expect(files.map(sliceOf)).toEqual(['edit', 'core/edit', 'extras/agents/claude', 'doors/cli', '', ''])
})

it('the folder of a slice is found by its name, with its ring or without', () => {
  const root = tempDir()
  for (const folder of ['core/edit', 'extras/agents/claude', 'text']) write(`${root}/src/${folder}/a.ts`, '')
  const find = (slice: string): string | null => findSlice(root, 'src', slice)

  expect(['edit', 'core/edit', 'claude', 'text', 'gone'].map(find)).toEqual([
    'src/core/edit',
    'src/core/edit',
    'src/extras/agents/claude',
    'src/text',
    null,
  ])
})

it('the tests of kernel and core are two folders, or those of their slices', () => {
  const [rings, flat] = [tempDir(), tempDir()]
  for (const folder of ['kernel/text', 'core/edit', 'doors/cli']) write(`${rings}/test/${folder}/a.test.ts`, '')
  for (const folder of ['text', 'edit', 'cli']) write(`${flat}/test/${folder}/a.test.ts`, '')

  expect(coreTests(rings)).toEqual(['test/kernel', 'test/core'])
  expect(coreTests(flat)).toEqual(['test/text', 'test/edit'])
})

it('a test of the host, of Windows or of the whole page is none that npm test runs', () => {
  const tests = ['test/host/a.test.ts', 'test/page/open.test.ts', 'test/windows/a.test.ts', 'test/support/a.ts']

  expect(tests.filter(isUnitTest)).toEqual([])
  expect(['test/page/pure.test.ts', 'test/edit/undo.test.ts', 'test/dist.test.ts'].every(isUnitTest)).toBe(true)
})
