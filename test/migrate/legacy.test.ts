import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layoutOf, legacyKindOf } from '../../src/migrate/legacy.ts'

describe('files of earlier versions', () => {
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
    expect(legacyKindOf(path)).toBe(kind)
  })

  it('every name is of some kind, and a link out of the memory of none that is read', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (name) => {
        expect(legacyKindOf(name)).toBeTypeOf('string')
        expect(['page', 'unknown', 'own', 'marker', 'lines', 'session-facts', 'prose', 'config']).toContain(
          legacyKindOf(`../${name.replace(/\//g, '')}x`),
        )
      }),
    )
  })
})

describe('a layout', () => {
  it.each([
    [['memory.md', 'counter.txt', 'sessions/2026-01-10_1530.md'], null, 'v3'],
    [['memory.md', 'facts.json', 'counter.txt'], null, 'v4'],
    [['memory.md', 'facts.json', 'concepts.json'], null, 'v12'],
    [['memory.md', 'memory-index.json'], 1, 'v13'],
    [['memory.md', 'memory-index.json', 'counter.txt'], 2, 'current'],
    [[], null, null],
    [['config.json', '.owner'], null, null],
  ] as const)('%j with state version %s is %s', (paths, version, layout) => {
    expect(layoutOf(paths, version)).toBe(layout)
  })
})
