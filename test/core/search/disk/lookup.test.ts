/** Whatever has an id is found by it, with its neighbours and what it was made from. */

import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { addFacts } from '../../../../src/core/knowledge/fact-add.ts'
import { formatItems } from '../../../../src/core/knowledge/facts-file.ts'
import type { NewFact } from '../../../../src/core/knowledge/item.ts'
import { NO_ITEMS } from '../../../../src/core/knowledge/items.ts'
import { saveNote } from '../../../../src/core/notes/disk/notes.ts'
import { lookUp } from '../../../../src/core/search/disk/lookup.ts'
import { timelineOf } from '../../../../src/core/search/disk/timeline.ts'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { locked, TRUE_NOTE } from '../../../support/notes.ts'
import { NOW, quietProject, storeOf, type TestProject } from '../../../support/project.ts'
import { finishHere, LATER, work } from '../../../support/world.ts'

const ARCHIVE = 'memory_20260113_080000.md'
const FACT: NewFact = {
  kind: 'decision',
  text: 'Errors are values.',
  reason: 'they are typed',
  status: null,
  resolution: null,
  at: '2026-01-13T09:00:01.010Z',
  session: '00000001',
  evidence: { entry: 3, quote: 'question 1' },
  files: ['src/a.ts'],
  concept: null,
  state: 'superseded',
  by: 'extractive',
}

const SUMMARY = {
  generatedAt: NOW,
  overallSummary: 'Parsing began.',
  themes: [],
  keyDecisions: [],
  issues: [{ issue: 'It hangs.', status: 'resolved' }],
}

let project: TestProject
let store: Store

/** Three turns told in a note, one more that waits for its own. */
beforeAll(async () => {
  project = quietProject({ summarizer: 'agent', saveInterval: 3 })
  work(project, 0, 3)
  await finishHere(project, { for: 'note' })
  store = storeOf(project)
  locked(store, () => saveNote(store, { delta: '00000001-0-9', text: TRUE_NOTE, author: 'agent' }, NOW))
  work(project, 3, 4)
  await finishHere(project, { for: 'end', session: '00000001-0000-4000-8000-000000000000' }, { now: () => LATER })
  store = storeOf(project)
  store.perform([
    { do: 'write', path: ARCHIVE, text: '# Memory\n\n## 2026-01-12\nThe parser accepts empty lines.\n' },
    { do: 'write', path: 'facts.json', text: formatItems(addFacts(NO_ITEMS, [FACT])) },
    { do: 'write', path: 'project.md', text: '# Project\n\nA parser.\n\n## State\n\nIt works.\n\n## Words\n\nUnit.\n' },
    { do: 'write', path: 'memory_20260112_080000.summary.json', text: JSON.stringify(SUMMARY) },
    { do: 'write', path: 'sessions/week-2026-02.md', text: '# Week 2\n\nMuch was parsed.\n' },
  ])
})

function idsOf(id: string, context = 0): string[] | undefined {
  return lookUp(store, id, context)?.parts.map((part) => part.id)
}

describe('an entry', () => {
  it('is found with its neighbours, as far as there are any', () => {
    expect(idsOf('L1:00000001#4')).toEqual(['L1:00000001#4'])
    expect(idsOf('L1:00000001#0', 1)).toEqual(['L1:00000001#0', 'L1:00000001#1'])
    expect(idsOf('L1:00000001#2-3', 1)).toHaveLength(4)
    expect(idsOf(' [L1:00000001#4] ')).toEqual(['L1:00000001#4'])
  })

  it('says who speaks, and how a command ended', () => {
    const parts = lookUp(store, 'L1:00000001#0-2', 0)?.parts

    expect(parts?.map(({ kind }) => kind)).toEqual(['prompt', 'tool Bash (ok)', 'answer'])
    expect(parts?.[1]?.text).toBe('echo 0\noutput 0')
    expect(parts?.[0]).toMatchObject({ at: '2026-01-13T09:00:01.000Z', text: 'question 0' })
  })

  it('that is not there is told with what there is', () => {
    expect(lookUp(store, 'L1:00000001#99', 2)).toMatchObject({
      parts: [],
      title: expect.stringContaining('12 entries'),
    })
  })
})

describe('a session', () => {
  it('is found whole, by its short and by its long id', () => {
    expect(idsOf('00000001')).toHaveLength(12)
    expect(idsOf('00000001-0000-4000-8000-000000000000')).toHaveLength(12)
  })

  it('has a summary that leads to its entries', () => {
    const found = lookUp(store, 'S:00000001', 0)

    expect(found?.parts).toMatchObject([{ id: 'S:00000001', kind: 'session', at: '2026-01-13T09:00:01.000Z' }])
    expect(found?.parts[0]?.text).toContain('question')
    expect(found?.source).toContain('00000001')
  })
})

describe('a note', () => {
  it('is found with or without its letter, and names the entries it tells of', () => {
    for (const id of ['n-00000001-0-9', '00000001-0-9'])
      expect(lookUp(store, id, 2)).toMatchObject({
        parts: [{ id: 'n-00000001-0-9', kind: 'note', text: TRUE_NOTE }],
        source: expect.stringContaining('L1:00000001#0-8'),
      })
  })

  it('that nobody wrote is the range it would tell of', () => {
    expect(idsOf('00000001-1-3')).toEqual(['L1:00000001#1', 'L1:00000001#2'])
  })
})

describe('a fact', () => {
  it('is found in any case, with its details and the entries that prove it', () => {
    const found = lookUp(store, 'D001', 1)

    expect(found?.parts.map(({ id }) => id)).toEqual(['d001', 'L1:00000001#2', 'L1:00000001#3', 'L1:00000001#4'])
    expect(found?.parts[0]?.text).toBe(
      'Errors are values.\nbecause: they are typed\nstate: superseded\nsaid as: "question 1"\nfiles: src/a.ts',
    )
  })
})

describe('a file', () => {
  it('is a page, memory.md or an archive', () => {
    expect(lookUp(store, 'page:Project', 0)?.parts).toMatchObject([
      { id: 'page:project', kind: 'page', text: expect.stringContaining('A parser.') },
    ])
    expect(lookUp(store, ARCHIVE, 0)?.parts.at(-1)?.text).toContain('empty lines')
    expect(idsOf('memory.md')).toContain('n-00000001-0-9')
  })

  it.each([
    'page:none',
    'page:../../x',
    '../memory.md',
    'memory-index.json',
    'facts.json',
    '/etc/passwd',
    'ffffffff',
    'n-nothing',
    'd999',
    't999',
    'S:ffffffff',
    'no id at all',
    '',
  ])('%j is none', (id) => {
    expect(lookUp(store, id, 2)).toBeNull()
  })

  it('that is a link is not followed', () => {
    const other = quietProject()
    work(other, 0, 1)
    fs.writeFileSync(path.join(other.home, 'secret.md'), 'secret')
    fs.symlinkSync(path.join(other.home, 'secret.md'), path.join(other.memory, 'project.md'))
    fs.symlinkSync(path.join(other.home, 'secret.md'), path.join(other.memory, ARCHIVE))

    expect(lookUp(storeOf(other), 'page:project', 0)).toBeNull()
    expect(lookUp(storeOf(other), ARCHIVE, 0)).toBeNull()
  })
})

describe('a section', () => {
  it('is found with those beside it in the same file', () => {
    expect(idsOf('page:project#2')).toEqual(['page:project#2'])
    expect(idsOf('page:project#2', 5)).toEqual(['page:project#1', 'page:project#2', 'page:project#3'])
    expect(lookUp(store, 'week-2026-02.md#1', 0)?.parts).toMatchObject([
      { kind: 'tier', text: expect.stringContaining('parsed') },
    ])
    expect(lookUp(store, 'memory_20260112_080000.summary.json#2', 0)?.parts).toMatchObject([
      { kind: 'summary, resolved', text: 'It hangs.', at: NOW },
    ])
  })

  it('comes with all others of its file when the file alone is named', () => {
    expect(idsOf('memory_20260112_080000.summary.json')).toHaveLength(2)
    expect(idsOf('week-2026-02.md')).toEqual(['week-2026-02.md#1'])
    expect(idsOf('week-2026-02.md#2')).toBeUndefined()
  })
})

describe('the timeline', () => {
  const rows = (around: string, more: { days?: number; limit?: number } = {}) =>
    timelineOf(store, { around, limit: 40, now: NOW, ...more })?.rows.map(({ kind, id }) => `${kind} ${id}`)

  it('of a day has its session, prompts, decisions and notes in their order', () => {
    expect(rows('2026-01-13')).toEqual([
      'session 00000001',
      'prompt L1:00000001#3',
      'decision d001',
      'prompt L1:00000001#6',
      'note n-00000001-0-9',
      'prompt L1:00000001#9',
      'note n-00000001-9-12',
    ])
    expect(rows('2026-01-12')).toEqual([])
    expect(rows('2026-01-12', { days: 1 })).toHaveLength(7)
    expect(rows('today')).toHaveLength(7)
  })

  it('around an id has what is nearest to it', () => {
    expect(rows('L1:00000001#6', { limit: 1 })).toEqual(['prompt L1:00000001#6'])
    expect(rows('d001', { limit: 3, days: 0 })).toEqual(['prompt L1:00000001#3', 'decision d001'])
    expect(rows('00000001')?.[0]).toBe('session 00000001')
  })

  it('of no time in particular ends with what is remembered last', () => {
    expect(rows('', { days: 0 })).toHaveLength(1)
    expect(rows('')).toHaveLength(7)
  })

  it('is none for what is neither a time nor an id', () => {
    expect(timelineOf(store, { around: 'whenever', limit: 5, now: NOW })).toBeNull()
    expect(timelineOf(store, { around: 'ffffffff', limit: 5, now: NOW })).toBeNull()
  })
})
