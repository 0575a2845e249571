/** Which tests `npm run check:fast` runs for a changed file. */
import { describe, expect, it } from 'vitest'
import { importersOf, relatedTests } from '../../scripts/parts/related.mjs'

const uses = (...files: string[]): string => files.map((file) => `import { a } from '${file}'\n`).join('')
const importers = importersOf([
  ['src/core/notes/tier.ts', uses('../../kernel/text/words.ts')],
  ['src/core/notes/disk/tiers.ts', uses('../tier.ts', 'vitest')],
  ['test/kernel/text/words.test.ts', uses('../../../src/kernel/text/words.ts')],
  ['test/core/notes/tier.test.ts', uses('../../../src/core/notes/tier.ts')],
  ['test/core/notes/slow.test.ts', uses('../../../src/core/notes/tier.ts')],
  ['test/core/notes/disk/tiers.test.ts', uses('../../../../src/core/notes/disk/tiers.ts')],
  ['test/doors/cli/notes.test.ts', uses('../../../src/core/notes/disk/tiers.ts')],
  ['test/doors/cli/tier.test.ts', uses('../../../src/core/notes/tier.ts')],
  ['test/host/tier.test.ts', uses('../../src/core/notes/tier.ts')],
])
const NOTES = ['test/core/notes/slow.test.ts', 'test/core/notes/disk/tiers.test.ts']
const took = new Map([['test/core/notes/slow.test.ts', 9_000]])

describe('the tests of a changed file', () => {
  it('are its namesake, those that import it, and those of its slice that reach it', () => {
    expect(relatedTests(['src/core/notes/tier.ts'], importers, took)).toEqual([
      'test/core/notes/tier.test.ts',
      'test/doors/cli/tier.test.ts',
      'test/core/notes/slow.test.ts',
      'test/architecture.test.ts',
      'test/core/notes/disk/tiers.test.ts',
    ])
  })

  it('are not all tests of the project for a file that everything uses', () => {
    const found = relatedTests(['src/kernel/text/words.ts'], importers)

    expect(found).toEqual(['test/kernel/text/words.test.ts', 'test/architecture.test.ts'])
    expect(NOTES.some((test) => found.includes(test))).toBe(false)
  })

  it('are the test itself, and of a document the test of documents', () => {
    expect(relatedTests(['test/doors/cli/notes.test.ts', 'test/host/tier.test.ts'], importers)).toEqual([
      'test/doors/cli/notes.test.ts',
    ])
    expect(relatedTests(['docs/FILES.md', 'README.md'], importers)).toEqual(['test/docs.test.ts'])
  })
})
