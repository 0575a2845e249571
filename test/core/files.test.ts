import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileKindOf } from '../../src/core/files.ts'
import { joinLines } from '../../src/kernel/memory/file-kind.ts'

describe('a file of a memory', () => {
  it.each([
    ['memory.md', 'memory'],
    ['memory_20260113_120000.md', 'archive'],
    ['memory_20260113_120000.summary.json', 'archive-summary'],
    ['counter.txt', 'marker'],
    ['sessions/2026-01-10_1530.md', 'prose'],
    ['sessions/2026-01-10_1530.raw.md', 'prose'],
    ['sessions/2026-01-10_1530.l1.jsonl', 'lines'],
    ['sessions/2026-01-10_1530.l2.json', 'session-facts'],
    ['sessions/week-03.md', 'prose'],
    ['sessions/week-2026-03.md', 'week'],
    ['sessions/archive/2026-01.md', 'month'],
    ['sessions/.l4-done', 'marker'],
    ['sessions/20260110_063000_1a2b3c4d.l1.jsonl', 'session'],
    ['sessions/20260110_063000_1a2b3c4d.md', 'of-session'],
    ['project.md', 'page'],
    ['rules.md', 'rules'],
    ['.owner', 'own'],
    ['journal/recalls.jsonl', 'own'],
    ['sessions/picture.png', 'unknown'],
  ])('%s is %s', (path, kind) => {
    expect(fileKindOf(path)).toBe(kind)
  })

  it('every name is of some kind, and a link out of the memory of none that is read', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (name) => {
        expect(fileKindOf(name)).toBeTypeOf('string')
        expect(['page', 'unknown', 'own', 'marker', 'lines', 'session-facts', 'prose', 'config']).toContain(
          fileKindOf(`../${name.replace(/\//g, '')}x`),
        )
      }),
    )
  })
})

it('that gets the lines of another one loses none, and gets none twice', () => {
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
