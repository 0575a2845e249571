/** Two memories become one: nothing of either is lost, nothing comes twice, and the order of merges does not matter. */

import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatConcepts, NO_CONCEPTS, parseConcepts } from '../../../src/core/knowledge/concept.ts'
import { formatItems, parseItems } from '../../../src/core/knowledge/facts-file.ts'
import { allFacts, allPermanent, type Items, NO_ITEMS } from '../../../src/core/knowledge/items.ts'
import { addPermanent } from '../../../src/core/knowledge/permanent.ts'
import { parseRules } from '../../../src/core/pages/rule.ts'
import { planMerge } from '../../../src/core/vault/merge.ts'
import { formatNote, type Note, type NoteAuthor, notesIn } from '../../../src/kernel/memory/note.ts'
import { joinSessions } from '../../../src/kernel/sessions/join.ts'
import { type Entry, entryKey, formatEntry, parseSession } from '../../../src/kernel/transcript/session.ts'
import { fact, factsWith, listed, SAID } from '../../support/fact.ts'

type Files = Readonly<Record<string, string>>

const LIMITS = { fullTokens: 20_000, carryoverTokens: 2_000 }

/** Ours after the merge. */
function merged(ours: Files, theirs: Files, limits = LIMITS): Files {
  const after: Record<string, string> = { ...ours }
  const { effects } = planMerge(
    Object.entries(theirs).map(([name, text]) => ({ path: name, text })),
    {
      textOf: (name) => ours[name] ?? null,
      sessions: Object.keys(ours).filter((name) => name.includes('.l1.jsonl')),
      archives: Object.keys(ours).filter((name) => /^memory_\d/.test(name)),
      known: {
        facts: parseItems(ours['facts.json'] ?? '') ?? NO_ITEMS,
        concepts: parseConcepts(ours['concepts.json'] ?? '') ?? NO_CONCEPTS,
      },
      limits,
      conceptSimilarity: 0.7,
    },
  )
  for (const effect of effects) if (effect.do === 'write') after[effect.path] = effect.text
  return after
}

interface Content {
  facts: string[]
  permanent: string[]
  notes: string[]
  entries: string[]
  rules: string[]
  pages: string[]
}

/** What a memory says, whatever ids and places it has. */
function contentOf(files: Files): Content {
  const facts = parseItems(files['facts.json'] ?? '') ?? NO_ITEMS
  const named = (test: (name: string) => boolean): string[] =>
    Object.entries(files).flatMap(([name, text]) => (test(name) ? [text] : []))
  const unique = (all: readonly string[]): string[] => [...new Set(all)].sort()
  return {
    facts: unique(allFacts(facts).map(({ text }) => text)),
    permanent: unique(allPermanent(facts).map(({ text }) => text)),
    notes: unique(named((name) => name.startsWith('memory')).flatMap((text) => notesIn(text).map((one) => one.text))),
    entries: unique(
      Object.entries(files).flatMap(([name, text]) =>
        name.includes('.l1.jsonl')
          ? parseSession(text).entries.map((entry) => `${path.basename(name)} ${entryKey(entry)}`)
          : [],
      ),
    ),
    rules: unique(named((name) => name === 'rules.md').flatMap(parseRules)),
    pages: unique(named((name) => name.startsWith('project'))),
  }
}

const [FIRST, SECOND] = ['sessions/20260113_090000_1a2b3c4d.l1.jsonl', 'sessions/20260114_090000_0badcafe.l1.jsonl']
const said = (n: number): Entry => ({ role: 'user', ts: `2026-01-13T09:00:${10 + n}.000Z`, text: `prompt ${n}` })
const someSession = fc
  .uniqueArray(fc.nat(6), { maxLength: 5 })
  .map((all) => all.map((n) => formatEntry(said(n))).join(''))
const someNote = fc.record({ n: fc.nat(4), text: fc.constantFrom('one', 'two', 'one\ntwo', 'three') }).map(
  ({ n, text }): Note => ({
    id: `n-1a2b3c4d-${n}-${n + 1}`,
    at: `2026-01-13T09:00:0${n}.000Z`,
    session: '1a2b3c4d',
    from: n,
    to: n + 1,
    author: 'agent',
    text,
  }),
)
const someNotes = fc
  .uniqueArray(someNote, { selector: ({ id }) => id, maxLength: 4 })
  .map((notes) => `# Memory\n\n${notes.map((one) => formatNote(one, 'UTC')).join('')}`)
const someFacts = fc
  .uniqueArray(fc.record({ n: fc.integer({ min: 1, max: 6 }), text: fc.constantFrom('a', 'b', 'c', 'd') }), {
    selector: ({ n }) => n,
    maxLength: 5,
  })
  .map((all) => factsWith(...all.map(({ n, text }) => fact({ id: `d00${n}`, text }))))
const somePermanent = fc.uniqueArray(fc.constantFrom('Ask first.', 'Push late.', 'Lint.'), { maxLength: 2 })
const withPermanent = fc.tuple(someFacts, somePermanent).map(([facts, texts]) =>
  texts.reduce<Items>(
    (all, text) =>
      addPermanent(all, {
        ...{ kind: 'rules', text, at: SAID, usedAt: SAID, by: 'user', state: 'active', concept: null },
        facts: allFacts(all).map(({ id }) => id),
        evidence: [],
      }).items,
    facts,
  ),
)
const someRules = fc.subarray(['Be kind.', 'Be brief.', 'Say why.'], { minLength: 1 })
const someMemory: fc.Arbitrary<Files> = fc
  .record(
    {
      [FIRST]: someSession,
      [SECOND]: someSession,
      'memory.md': someNotes,
      'memory_20260101_000000.md': someNote.map((one) => formatNote({ ...one, id: `n-old-${one.from}` }, 'UTC')),
      'facts.json': withPermanent.map(formatItems),
      'rules.md': someRules.map((rules) => rules.map((one) => `- ${one}\n`).join('')),
      'project.md': fc.constantFrom('A shop.\n', 'A house.\n'),
    },
    { requiredKeys: [] },
  )
  .map((files) => Object.fromEntries(Object.entries(files).flatMap(([name, text]) => (text ? [[name, text]] : []))))

describe('a merge', () => {
  it('of a memory into itself changes nothing', () => {
    fc.assert(fc.property(someMemory, (files) => void expect(merged(files, files)).toEqual(files)))
  })

  it('into an empty memory is that memory', () => {
    fc.assert(fc.property(someMemory, (files) => void expect(merged({}, files)).toEqual(files)))
  })

  it('done twice is the merge done once', () => {
    fc.assert(
      fc.property(someMemory, someMemory, (ours, theirs) => {
        const once = merged(ours, theirs)

        expect(merged(once, theirs)).toEqual(once)
      }),
    )
  })

  it('loses nothing of either side', () => {
    fc.assert(
      fc.property(someMemory, someMemory, (ours, theirs) => {
        const both = contentOf(merged(ours, theirs))
        const [one, other] = [contentOf(ours), contentOf(theirs)]

        for (const name of ['facts', 'permanent', 'entries', 'rules', 'pages'] as const)
          expect(both[name]).toEqual([...new Set([...one[name], ...other[name]])].sort())
        // A note may have become a longer version of itself.
        for (const text of [...one.notes, ...other.notes])
          expect(both.notes.some((words) => text.split('\n').every((line) => words.split('\n').includes(line)))).toBe(
            true,
          )
      }),
    )
  })

  it('gives the same items, notes and entries in whatever order two memories come', () => {
    fc.assert(
      fc.property(someMemory, someMemory, someMemory, (ours, a, b) => {
        const [one, other] = [merged(merged(ours, a), b), merged(merged(ours, b), a)].map(contentOf)
        const linesOf = (content: Content | undefined): string[] =>
          [...new Set(content?.notes.flatMap((text) => text.split('\n')))].sort()

        expect({ ...one, notes: [], pages: [] }).toEqual({ ...other, notes: [], pages: [] })
        expect(linesOf(one)).toEqual(linesOf(other))
        expect(one?.pages).toEqual(other?.pages)
      }),
    )
  })

  it('leaves every fact and permanent item an id of its own, and permanent items name the facts that they named', () => {
    fc.assert(
      fc.property(someMemory, someMemory, (ours, theirs) => {
        const facts = parseItems(merged(ours, theirs)['facts.json'] ?? '') ?? NO_ITEMS
        const ids = facts.list.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)

        const before = parseItems(theirs['facts.json'] ?? '') ?? NO_ITEMS
        const wordsOf = (all: typeof facts, named: readonly string[]): string[] =>
          allFacts(all).flatMap(({ id, text }) => (named.includes(id) ? [text] : []))
        for (const item of allPermanent(before)) {
          const now = allPermanent(facts).filter(({ text }) => text === item.text)
          const isOurs = allPermanent(parseItems(ours['facts.json'] ?? '') ?? NO_ITEMS).some(
            ({ text }) => text === item.text,
          )
          if (!isOurs)
            expect(new Set(wordsOf(facts, now[0]?.facts ?? []))).toEqual(new Set(wordsOf(before, item.facts)))
        }
      }),
    )
  })

  it('splits a memory.md that became too large, each note in one file', () => {
    const notes = (from: number, author: NoteAuthor): string =>
      Array.from({ length: 10 }, (_, n) =>
        formatNote(
          {
            ...{ id: `n-1a2b3c4d-${from + n}-${from + n + 1}`, at: `2026-01-13T09:00:${10 + from + n}.000Z`, author },
            ...{
              session: '1a2b3c4d',
              from: from + n,
              to: from + n + 1,
              text: `Note ${from + n}: ${'word '.repeat(60)}`,
            },
          },
          'UTC',
        ),
      ).join('')
    const after = merged(
      { 'memory.md': notes(10, 'agent') },
      { 'memory.md': notes(0, 'agent') },
      {
        fullTokens: 1_000,
        carryoverTokens: 200,
      },
    )
    const all = Object.values(after).flatMap((text) => notesIn(text).map(({ id }) => id))

    expect(all).toHaveLength(20)
    expect(new Set(all).size).toBe(20)
    expect(Object.keys(after).length).toBeGreaterThan(2)
  })
})

describe('notes of one id', () => {
  const note = (text: string, more: Partial<Note> = {}): string =>
    formatNote(
      { ...{ id: 'n-1a2b3c4d-0-2', at: SAID, session: '1a2b3c4d', from: 0, to: 2 }, author: 'agent', text, ...more },
      'UTC',
    )
  const joined = (ours: string, theirs: string): string[] =>
    notesIn(merged({ 'memory.md': ours }, { 'memory.md': theirs })['memory.md'] ?? '').map(({ text }) => text)

  it('with other words stay both', () => {
    expect(joined(note('They met.'), note('They left.'))).toEqual(['They met.', 'They left.'])
  })

  it('are one where one has all lines of the other', () => {
    expect(joined(note('They met.'), note('They met.\nThey left.'))).toEqual(['They met.\nThey left.'])
    expect(joined(note('They met.\nThey left.'), note('They met.'))).toEqual(['They met.\nThey left.'])
  })

  it('are the one that was audited where the other was not', () => {
    expect(joined(note('They met, I guess.', { unaudited: true }), note('They met.'))).toEqual(['They met.'])
    expect(joined(note('They met.'), note('They met, I guess.', { unaudited: true }))).toEqual(['They met.'])
  })
})

it('text above the first heading of a memory.md does not become part of a note', () => {
  const note = formatNote(
    { id: 'n-x', at: SAID, session: null, from: 0, to: 0, author: 'user', text: 'They met.' },
    'UTC',
  )
  const once = merged({ 'memory.md': `# Memory\n\n${note}` }, { 'memory.md': '# Memory\n\nWe sell shoes.\n\n' })

  expect(notesIn(once['memory.md'] ?? '').map(({ text }) => text)).toEqual(['They met.'])
  expect(once['memory.md']).toContain('We sell shoes.')
})

it('a concept that both have is one, and the facts and permanent items of theirs follow', () => {
  const concept = (id: string, name: string): object => ({
    id,
    name,
    summary: '',
    files: [],
    keywords: [],
    exchanges: [],
  })
  const concepts = (...all: object[]): string =>
    formatConcepts(parseConcepts(JSON.stringify({ concepts: all })) ?? NO_CONCEPTS)
  const item = { text: 'Round once.', at: SAID, usedAt: SAID, by: 'user', state: 'active', concept: 'c001' } as const
  const theirs = {
    'facts.json': formatItems(
      addPermanent(factsWith(fact({ text: 'In cents.', concept: 'c001' })), {
        ...item,
        kind: 'rules',
        facts: [],
        evidence: [],
      }).items,
    ),
    'concepts.json': concepts(concept('c001', 'Money')),
  }
  const ours = {
    'facts.json': formatItems(factsWith(fact({ text: 'Tabs.', concept: 'c001' }))),
    'concepts.json': concepts(concept('c001', 'Style'), concept('c002', 'money')),
  }
  const after = merged(ours, theirs)
  const facts = parseItems(after['facts.json'] ?? '') ?? NO_ITEMS

  expect(parseConcepts(after['concepts.json'] ?? '')?.concepts.map(({ name }) => name)).toEqual(['Style', 'money'])
  expect(listed(facts).decisions.map(({ id, text, concept: of }) => [id, text, of])).toEqual([
    ['d001', 'Tabs.', 'c001'],
    ['d002', 'In cents.', 'c002'],
  ])
  expect(listed(facts).permanent.rules[0]?.concept).toBe('c002')
})

describe('two copies of a session', () => {
  const line = (n: number, more: object = {}): string => `${JSON.stringify({ ...said(n), ...more })}\n`

  it('are the longer one where it continues the other', () => {
    expect(joinSessions(line(1), line(1) + line(2))).toBe(line(1) + line(2))
    expect(joinSessions(line(1) + line(2), line(1))).toBe(line(1) + line(2))
  })

  it('keep the numbers of ours where they went on differently', () => {
    expect(joinSessions(line(1) + line(3), line(1) + line(2))).toBe(line(1) + line(3) + line(2))
  })

  it('end with what is still open, which is not open where it is settled', () => {
    const [open, settled] = [line(2, { open: true }), line(2)]

    expect(joinSessions(line(1) + open, line(1) + line(3))).toBe(line(1) + line(3) + open)
    expect(joinSessions(line(1) + open, line(1) + settled)).toBe(line(1) + settled)
  })

  it('leave a forgotten entry forgotten', () => {
    const gone = `${JSON.stringify({ role: 'tombstone', n: 0, key: entryKey(said(1)) })}\n`

    expect(joinSessions(gone + line(2), line(1) + line(2) + line(3))).toBe(gone + line(2) + line(3))
  })
})
