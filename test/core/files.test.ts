/** The rows of file kinds: each file has one, and a new kind needs nothing else. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileKindOf, fileKinds, isInFileCopy, kindInPlace, searchedKindOf } from '../../src/core/files.ts'
import { arrivingName } from '../../src/extras/migrate/kinds.ts'
import { joinLines } from '../../src/kernel/memory/file-kind.ts'

describe('a file of a memory', () => {
  it.each([
    ['memory.md', 'memory'],
    ['memory_20260113_120000.md', 'archive'],
    ['memory_20260113_120000.summary.json', 'archive-summary'],
    ['sessions/week-2026-03.md', 'week'],
    ['sessions/archive/2026-01.md', 'month'],
    ['sessions/20260110_063000_1a2b3c4d.l1.jsonl', 'session'],
    ['sessions/archive/20260110_063000_1a2b3c4d.l1.jsonl.gz', 'packed'],
    ['sessions/20260110_063000_1a2b3c4d.md', 'session-summary'],
    ['sessions/20260110_063000_1a2b3c4d.l2.json', 'session-facts'],
    ['sessions/settled/2026-01.jsonl', 'settled'],
    ['project.md', 'page'],
    ['2026-01.md', 'page'],
    ['My own text.md', 'text'],
    ['rules.md', 'rules'],
    ['.owner', 'mark'],
    ['journal/recalls.jsonl', 'journal'],
    ['logs/memory-keeper.log', 'log'],
    ['facts.json.broken-20260113120000', 'set-aside'],
    ['shared/alice/facts.jsonl', 'shared'],
    ['machine/laptop.jsonl', 'others'],
    ['archive/memory_20260113_120000.md', 'archive'],
    ['sessions/2026-01-10_1530.l1.jsonl', 'lines'],
    ['sessions/week-2026-03.md.before-0.7', 'before-0.7'],
    ['sessions/picture.png', undefined],
  ])('%s is %s', (path, kind) => {
    expect(fileKindOf(path)?.name).toBe(kind)
  })

  it('is in a copy in a file only where this version stores it', () => {
    const paths = ['memory.md', 'archive/memory.md', 'sessions/memory.md', '../memory.md', 'delta_temp.txt', '.owner']

    expect(paths.filter(isInFileCopy)).toEqual(['memory.md'])
  })
})

describe('a file of an earlier version', () => {
  it.each([
    ['counter.txt', 'marker'],
    ['sessions/2026-01-10_1530.md', 'prose'],
    ['sessions/2026-01-10_1530.raw.md', 'prose'],
    ['sessions/2026-01-10_1530.l1.jsonl', 'lines'],
    ['sessions/2026-01-10_1530.l2.json', 'earlier-session-facts'],
    ['sessions/week-03.md', 'prose'],
    ['sessions/week-2026-03.md', 'week'],
    ['2026-01.md', 'month'],
    ['sessions/.l4-done', 'marker'],
    ['sessions/20260110_063000_1a2b3c4d.l1.jsonl', 'session'],
    ['project.md', 'page'],
    ['.owner', 'own'],
    ['journal/recalls.jsonl', 'own'],
    ['memory-index.json', 'state'],
    ['delta_temp.txt', 'delta'],
    ['sessions/picture.png', 'unknown'],
  ])('%s is %s', (path, kind) => {
    expect(arrivingName(path)).toBe(kind)
  })

  it('every name is of some kind, and a link out of the memory of none that is read', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (name) => {
        const outside = `../${name.replace(/\//g, '')}x`

        expect(arrivingName(name)).toBeTypeOf('string')
        expect(kindInPlace(outside)?.at).toBeUndefined()
        expect(isInFileCopy(outside)).toBe(false)
        expect(searchedKindOf(outside)).toBeNull()
      }),
    )
  })
})

describe('the rows', () => {
  it('have names of their own', () => {
    const names = fileKinds().map(({ name }) => name)

    expect(new Set(names).size).toBe(names.length)
  })

  it('that a search reads are in the list that it loads, and all rows of changes have a kind', () => {
    const matched = fileKinds().filter(({ match }) => match !== undefined)

    expect(matched).toEqual(fileKinds())
    for (const { name, units } of fileKinds())
      if (units !== undefined)
        expect(SEARCHED[name] ?? '', `${name}: a path of it belongs into SEARCHED, below`).toSatisfy(
          (path: string) => searchedKindOf(path)?.name === name,
        )
  })
})

/** One path of each kind that is searched. */
const SEARCHED: Readonly<Record<string, string>> = {
  'session-summary': 'sessions/20260110_063000_1a2b3c4d.md',
  week: 'sessions/week-2026-03.md',
  month: 'sessions/archive/2026-01.md',
  memory: 'memory.md',
  archive: 'memory_20260113_120000.md',
  'archive-summary': 'memory_20260113_120000.summary.json',
  facts: 'facts.json',
  concepts: 'concepts.json',
  shared: 'shared/alice/facts.jsonl',
  others: 'others/machine/laptop.jsonl',
  rules: 'rules.md',
  host: 'host:MEMORY.md',
  page: 'project.md',
}

it('a file that gets the lines of another one loses none, and gets none twice', () => {
  const text = fc.array(fc.stringMatching(/^[a-c]{0,2}$/), { maxLength: 6 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (ours, theirs) => {
      const joined = joinLines(ours, theirs)

      expect(joined.startsWith(ours)).toBe(true)
      for (const line of theirs.split('\n')) expect(['', ...joined.split('\n')]).toContain(line)
      expect(joinLines(joined, theirs)).toBe(joined)
    }),
  )
})
