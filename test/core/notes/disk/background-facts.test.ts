/** A piece by the headless child: one call extracts, one audits, and no failure costs more than the telling. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConcepts, readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { reflectAll, refreshOwed } from '../../../../src/core/knowledge/disk/reflection.ts'
import type { Draft } from '../../../../src/core/knowledge/fact-draft.ts'
import { type Fact, isTold } from '../../../../src/core/knowledge/item.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { readCalls } from '../../../../src/core/model/disk/model-calls.ts'
import { judgeRecurring, writeNotes } from '../../../../src/core/notes/disk/background.ts'
import { addOwnNote } from '../../../../src/core/notes/disk/notes.ts'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { type Note, notesIn } from '../../../../src/kernel/memory/note.ts'
import { allSessions } from '../../../../src/kernel/memory/state.ts'
import { type Answer, type Auditor, fakeClaude, type Stage, stageIn } from '../../../support/claude.ts'
import { decide, EXPORT, INVENTED, MONEY, NOTE, STORAGE } from '../../../support/decided.ts'
import { listed } from '../../../support/fact.ts'
import { archivesOf, locked, memoryOf } from '../../../support/notes.ts'
import { fastDir, NOW, now, quietProject, sessionId, storeOf } from '../../../support/project.ts'
import { namesOf } from '../../../support/work.ts'

/** Says nothing about the model: no pause follows. */
const KILLED: Answer = { dies: 143 }
const BROKEN: Answer = { failsWith: 'API Error: 529 overloaded', status: 529 }

function stage(answers: readonly Answer[], auditor: Auditor = {}, settings: object = {}): Stage {
  const project = quietProject({ summarizer: 'auto', ...settings }, fastDir())
  decide(storeOf(project), project)
  return stageIn(project, answers, auditor)
}

const SENTENCES = [
  { sentence: 'The user had the invoices moved to PostgreSQL because SQLite locks the whole file.', entry: 0 },
  { sentence: 'The export was repaired so that it skips invoices without a customer.', entry: 4 },
  { sentence: 'All amounts are stored in cents now.', entry: 6 },
]
const STANDS = { text: 'Nothing is open; all amounts are stored in cents now.', entry: 6 }

function answer(facts: readonly Draft[], more: object = {}): Answer {
  return { object: { note: SENTENCES, stands: STANDS, facts, rules: [], settles: [], ...more } }
}

function textsOf(store: Store, isWanted: (fact: Fact) => boolean = () => true): string[] {
  return allFacts(readFacts(store))
    .filter((fact) => fact.by === 'headless' && isWanted(fact))
    .map(({ text }) => text)
    .sort()
}

function noteOf({ project }: Stage): Partial<Note> {
  const [note, ...others] = notesIn(memoryOf(project))
  expect(others).toEqual([])
  return note ?? {}
}

function standsOf({ store }: Stage): object | undefined {
  return allSessions(store.readState())[0]?.[1].stands
}

describe('a piece', () => {
  it('takes two calls: one extracts, the other one audits every claim with the entries around it', async () => {
    const made = stage([answer([STORAGE, EXPORT, MONEY])])
    await writeNotes(made.store, made.around)
    const [audit] = made.claude.audits()

    expect(made.claude.calls()).toHaveLength(1)
    expect(made.claude.audits()).toHaveLength(1)
    expect(audit?.stdin.match(/^claim \d+: /gm)).toHaveLength(1 + SENTENCES.length + 3)
    expect(audit?.stdin).toContain(`quote: ${STORAGE.quote}`)
    expect(audit?.stdin).toContain('#0 [User]: We decided to keep the invoices in PostgreSQL')
    expect(audit?.argv).toContain('--json-schema')
    expect(noteOf(made)).toMatchObject({ author: 'headless', text: SENTENCES.map((one) => one.sentence).join(' ') })
    expect(noteOf(made)).not.toHaveProperty('unaudited')
    expect(textsOf(made.store, isTold)).toEqual([STORAGE, EXPORT, MONEY].map(({ text }) => text).sort())
    expect(readConcepts(made.store).concepts).toHaveLength(3)
    expect(standsOf(made)).toEqual({ text: STANDS.text, to: 7, by: 'headless' })
    expect(namesOf(made.store.readState(), 'facts')).toEqual([])
  })

  it('loses what the audit denies: a fact, a sentence, the line about its end', async () => {
    const made = stage([answer([STORAGE, MONEY])], { no: [MONEY.text, 'll amounts are stored in cents now.'] })
    await writeNotes(made.store, made.around)

    expect(textsOf(made.store)).toEqual([STORAGE.text])
    expect(noteOf(made).text).toBe(`${SENTENCES[0]?.sentence} ${SENTENCES[1]?.sentence}`)
    expect(standsOf(made)).toMatchObject({ by: 'extractive' })
  })

  it('whose note the audit denies as a whole gets the one of structure', async () => {
    const made = stage([answer([STORAGE])], { no: SENTENCES.map((one) => one.sentence) })
    await writeNotes(made.store, made.around)

    expect(noteOf(made)).toMatchObject({ author: 'extractive', fingerprint: expect.any(String) })
    expect(noteOf(made)).not.toHaveProperty('unaudited')
  })

  it('keeps of what is unclear only what the user said, untold', async () => {
    const claude: Draft = {
      type: 'pattern',
      text: 'The nightly job passes again.',
      quote: 'the nightly job passes again',
    }
    const made = stage([answer([STORAGE, claude])], { unclear: [STORAGE.text, claude.text] })
    await writeNotes(made.store, made.around)

    expect(textsOf(made.store)).toEqual([STORAGE.text])
    expect(textsOf(made.store, isTold)).toEqual([])
    expect(made.claude.audits()).toHaveLength(1)
  })

  it('whose audit fails is kept unaudited, and judged by the next background call', async () => {
    const made = stage([answer([STORAGE])], { fails: BROKEN })
    await writeNotes(made.store, made.around)

    expect(textsOf(made.store)).toEqual([STORAGE.text])
    expect(textsOf(made.store, isTold)).toEqual([])
    expect(noteOf(made)).toMatchObject({ author: 'headless', unaudited: true })
    expect(standsOf(made)).toMatchObject({ by: 'extractive' })
    fakeClaude(made.project.base, [BROKEN], { no: ['repaired'] })
    await writeNotes(made.store, { ...made.around, now: () => '2026-01-13T18:00:00.000Z' })

    expect(textsOf(made.store, isTold)).toEqual([STORAGE.text])
    expect(noteOf(made)).not.toHaveProperty('unaudited')
    expect(noteOf(made).text).toBe(`${SENTENCES[0]?.sentence} ${SENTENCES[2]?.sentence}`)
    expect(made.claude.calls()).toHaveLength(1)
  })

  it('whose note rotated away before its audit is judged in its archive, which tells only what was confirmed', async () => {
    const summary = { themes: [], keyDecisions: [], issues: [], overallSummary: 'All amounts are stored in cents now.' }
    const made = stage([answer([STORAGE])], { fails: BROKEN }, { rotationThresholdTokens: 1000, carryoverTokens: 0 })
    await writeNotes(made.store, made.around)
    const filler = 'The report was printed, checked twice, and sent to everybody who had asked for it. '.repeat(60)
    locked(made.store, () => addOwnNote(made.store, filler, NOW))
    const [archive = ''] = archivesOf(made.project)
    const archived = (): Note[] => notesIn(fs.readFileSync(path.join(made.project.memory, archive), 'utf8'))
    expect(archived()).toMatchObject([{ author: 'headless', unaudited: true }, { author: 'user' }])
    fakeClaude(made.project.base, [{ object: summary }], { no: ['repaired'] })
    await writeNotes(made.store, { ...made.around, now: () => '2026-01-13T18:00:00.000Z' })

    expect(archived()[0]).not.toHaveProperty('unaudited')
    expect(archived()[0]?.text).toBe(`${SENTENCES[0]?.sentence} ${SENTENCES[2]?.sentence}`)
    expect(made.claude.calls().at(-1)?.stdin).not.toContain('repaired')
    expect(notesIn(memoryOf(made.project))).toEqual([])
  })

  it('whose archive is summed up before the audit has its unaudited note left out', async () => {
    const summary = { themes: [], keyDecisions: [], issues: [], overallSummary: 'The report was printed.' }
    const made = stage([answer([STORAGE])], { fails: KILLED }, { rotationThresholdTokens: 1000, carryoverTokens: 0 })
    await writeNotes(made.store, made.around)
    locked(made.store, () => addOwnNote(made.store, 'The report was printed, and checked twice. '.repeat(90), NOW))
    fakeClaude(made.project.base, [{ object: summary }], { fails: KILLED })
    await writeNotes(made.store, { ...made.around, now: () => '2026-01-13T18:00:00.000Z' })

    expect(made.claude.calls().at(-1)?.stdin).toContain('The report was printed')
    expect(made.claude.calls().at(-1)?.stdin).not.toContain('PostgreSQL')
  })

  it('settles the open issues that the audit confirms', async () => {
    const open: Draft = { ...EXPORT, status: 'open' }
    const settles = [{ issue: 'i002', how: 'The export skips invoices without a customer.', entry: 4 }]
    const made = stage([answer([STORAGE, open]), answer([], { settles })])
    await writeNotes(made.store, made.around)
    expect(listed(readFacts(made.store)).issues).toMatchObject([{ id: 'i002', status: 'open' }])
    decide(made.store, made.project, sessionId(2))
    await writeNotes(made.store, made.around)

    expect(made.claude.audits()[1]?.stdin).toContain(`The issue "${open.text}" is settled: The export skips`)
    expect(listed(readFacts(made.store)).issues).toMatchObject([
      { id: 'i002', status: 'resolved', closedBy: { session: '00000002', entry: 4 } },
    ])
  })

  it('proposes the instructions of the user that the audit does not deny', async () => {
    const rules = [
      { text: 'Store all amounts in cents, never as floats.', quote: 'store all amounts in cents, never as floats' },
      { text: 'Keep the invoices in PostgreSQL.', quote: 'keep the invoices in PostgreSQL' },
    ]
    const made = stage([answer([], { rules })], { no: ['The user wants, beyond this session: Keep'] })
    await writeNotes(made.store, made.around)

    expect(listed(readFacts(made.store)).permanent.rules).toMatchObject([
      { state: 'proposed', text: 'Store all amounts in cents, never as floats.' },
    ])
  })
})

describe('a third call', () => {
  it('is not made for a fact that is refused beside others that hold', async () => {
    const made = stage([answer([STORAGE, INVENTED])])
    await writeNotes(made.store, made.around)

    expect(made.claude.calls()).toHaveLength(1)
    expect(textsOf(made.store)).toEqual([STORAGE.text])
  })

  it('corrects an answer whose facts or whose note do not hold, once', async () => {
    const made = stage([answer([INVENTED]), answer([INVENTED, MONEY])])
    await writeNotes(made.store, made.around)

    expect(made.claude.calls()).toHaveLength(2)
    expect(made.claude.calls()[1]?.argv.at(-1)).toMatch(/refused: Fact 1: .*MongoDB/)
    expect(textsOf(made.store, isTold)).toEqual([MONEY.text])
    expect(readCalls(made.project.keeper).map(({ kind }) => kind)).toEqual(['note', 'note', 'audit'])
  })

  it('that fails costs neither the note nor the facts that hold', async () => {
    const made = stage([answer([STORAGE, INVENTED, { ...INVENTED, text: 'Invoices go to MongoDB.' }]), BROKEN])
    await writeNotes(made.store, made.around)

    expect(noteOf(made)).toMatchObject({ author: 'headless' })
    expect(textsOf(made.store)).toEqual([STORAGE.text])
  })
})

it('an answer that is a plain note is kept as one, sentence by sentence as far as it is confirmed', async () => {
  const made = stage([{ note: NOTE }], {})
  await writeNotes(made.store, made.around)

  expect(noteOf(made)).toMatchObject({ text: NOTE, author: 'headless' })
})

it('an audit is not made when the day has no calls left', async () => {
  const made = stage([answer([STORAGE])], {}, { modelCallsPerDay: 1 })
  await writeNotes(made.store, made.around)

  expect(made.claude.audits()).toEqual([])
  expect(textsOf(made.store)).toEqual([STORAGE.text])
  expect(textsOf(made.store, isTold)).toEqual([])
})

it('a first call that fails leaves the piece to the next call', async () => {
  const made = stage([BROKEN, answer([STORAGE])])
  await writeNotes(made.store, made.around)
  expect(textsOf(made.store)).toEqual([])
  await writeNotes(made.store, { ...made.around, now: () => '2026-01-13T18:00:00.000Z' })

  expect(textsOf(made.store, isTold)).toEqual([STORAGE.text])
})

describe('what recurs', () => {
  it('is not asked about when nothing waits for a verdict', async () => {
    const made = stage([{ object: { verdicts: [] } }])
    reflectAll(made.store, { now, isLate: () => false, waitMs: 1_000 })
    locked(made.store, () => refreshOwed(made.store))
    await judgeRecurring(made.store, made.around)

    expect(made.claude.calls()).toEqual([])
  })
})
