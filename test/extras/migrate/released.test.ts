/** A memory that the released 0.5.1 wrote, opened by this version without `migrate`. */

import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { renderBriefing } from '../../../src/core/briefing/briefing.ts'
import { gatherBriefing } from '../../../src/core/briefing/disk/briefing.ts'
import { takeFirstSteps } from '../../../src/core/extra.ts'
import { readConcepts, readFacts, writeFacts } from '../../../src/core/knowledge/disk/knowledge.ts'
import { findQuote } from '../../../src/core/knowledge/evidence.ts'
import { parseItems } from '../../../src/core/knowledge/facts-file.ts'
import { type Fact, isLegacy } from '../../../src/core/knowledge/item.ts'
import { allFacts } from '../../../src/core/knowledge/items.ts'
import { listNotes } from '../../../src/core/notes/disk/note-list.ts'
import { readPages } from '../../../src/core/pages/disk/pages.ts'
import { readRules } from '../../../src/core/pages/disk/rules.ts'
import { fillAuthors } from '../../../src/extras/migrate/disk/fill-authors.ts'
import { earlierMemory } from '../../../src/extras/migrate/disk/migrate-files.ts'
import { openStore, type Store } from '../../../src/kernel/memory/disk/store.ts'
import { allSessions } from '../../../src/kernel/memory/state.ts'
import { isSound } from '../../../src/kernel/sessions/disk/cursor.ts'
import { readSessionText } from '../../../src/kernel/sessions/disk/session-archive.ts'
import { type Entry, parseSession } from '../../../src/kernel/transcript/session.ts'
import { itemsOf, listed } from '../../support/fact.ts'
import { runCommand, runCommandJson } from '../../support/process.ts'
import { type TestProject, treeOf } from '../../support/project.ts'
import { RELEASED_NOW, releasedProject } from '../../support/released.ts'

const CENTS = 'We decided to keep all amounts in integer cents, because floats lost half a cent in the March report.'
const EXPORT = 'The nightly export runs at 02:30 Seoul time.'

let project: TestProject
let store: Store
beforeEach(() => {
  project = releasedProject()
  store = openStore(project.places, { now: () => RELEASED_NOW })
  // As a start, a command or the finisher does before anything else.
  takeFirstSteps(store, RELEASED_NOW, 1_000)
})

const sessionFiles = (): string[] => allSessions(store.readState()).map(([, { file }]) => file)
const entriesOf = (file: string): Entry[] =>
  parseSession(readSessionText(store.dir, file) ?? '').entries.filter((entry) => entry.role !== 'tombstone')

describe('a memory of 0.5.1', () => {
  it('is not announced as one that has to be migrated', () => {
    expect(earlierMemory(store)).toBeNull()
    expect(runCommand(project, ['migrate']).out).toContain('Nothing to migrate')
  })

  it('has all its sessions, and nothing of the transcripts is missing', () => {
    expect(sessionFiles().map((file) => [file.slice(16, 24), entriesOf(file).length])).toEqual([
      ['a1000001', 8],
      ['a2000002', 6],
      ['a3000003', 4],
      ['a4000004', 16],
      ['a5000005', 13],
    ])
    const before = treeOf(path.join(project.memory, 'sessions'))
    expect(runCommand(project, ['import']).out).toContain('Nothing new')
    expect(treeOf(path.join(project.memory, 'sessions'))).toEqual(before)
    expect(runCommand(project, ['verify']).code).toBe(0)
  })

  it('has its notes with their authors, pages, rules and settings', () => {
    const authors = listNotes(store).notes.map(({ author }) => author)
    expect(authors.toSorted()).toEqual([
      'agent',
      'extractive',
      'extractive',
      'extractive',
      'extractive',
      'user',
      'user',
    ])
    expect(readPages(store).map(({ name }) => name)).toEqual(expect.arrayContaining(['glossary', 'lessons', 'project']))
    expect(readRules(store)).toEqual(expect.arrayContaining(['Answer in short sentences.']))
    expect(store.config).toMatchObject({
      saveInterval: 10,
      rawBackup: true,
      carryoverTokens: 300,
      timezone: 'Asia/Seoul',
      summarizer: 'extractive',
    })
  })

  it('has its facts by hand and by an agent as they were, with pins, resolutions and concepts', () => {
    const facts = allFacts(readFacts(store))
    const told = facts.filter((fact) => !isLegacy(fact))
    expect(told.map(({ id, by, concept }) => [id, by, concept])).toEqual([
      ['d005', 'user', 'c001'],
      ['d010', 'agent', 'c003'],
      ['p006', 'user', 'c001'],
      ['i007', 'user', 'c002'],
    ])
    expect(told[0]).toMatchObject({ text: EXPORT, pinned: true, reason: 'The bank closes its interface at 03:00.' })
    expect(told[3]).toMatchObject({ status: 'resolved', resolution: 'Files are split at 3 MB.' })
    expect(readConcepts(store).concepts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['nightly export', 'bank files', 'payment reminder']),
    )
  })
})

describe('facts that 0.5.1 made from wording', () => {
  const told = (): string =>
    renderBriefing(gatherBriefing(store, store.readState(), { session: '', compacted: null }))?.text ?? ''

  it('are legacy, and stay so when the file is written by this version', () => {
    const legacy = (): string[] =>
      allFacts(readFacts(store))
        .filter(isLegacy)
        .map(({ id }) => id)
    expect(legacy()).toEqual(['d001', 'd002', 'd003', 'd004', 'd008', 'd009'])

    const facts = readFacts(store)
    const { id: _, ...again } = listed(facts).decisions[1] ?? listed(facts).decisions[0] ?? { id: '' }
    const { legacy: __, ...fresh } = again as Fact
    const added = { ...fresh, id: 'd020', text: 'Plan approved: split the files.' }
    writeFacts(
      store,
      facts,
      itemsOf({ ...listed(facts), decisions: [...listed(facts).decisions, added] }),
      RELEASED_NOW,
    )

    expect(parseItems(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8'))?._meta.version).toBe(5)
    expect(legacy()).toEqual(['d001', 'd002', 'd003', 'd004', 'd008', 'd009'])
  })

  it('are not told in a briefing; facts by hand and by an agent are', () => {
    const decisions = told().split('## Core Decisions')[1]?.split('\n## ')[0] ?? ''
    expect(decisions).toContain(EXPORT)
    expect(decisions).toContain('The payment reminder goes out on day ten.')
    expect(decisions).not.toContain('integer cents')
    expect(decisions).not.toContain('two spaces')
  })

  it('are told once a person pins or rewords them', () => {
    runCommand(project, ['pin', 'd002'])
    runCommand(project, ['facts', 'edit', 'd009', '--text', 'Indentation is two spaces.'])

    const decisions = told().split('## Core Decisions')[1]?.split('\n## ')[0] ?? ''
    expect(decisions).toContain(CENTS)
    expect(decisions).toContain('Indentation is two spaces.')
  })

  it('are found by search, and shown as legacy', () => {
    const { hits } = runCommandJson(project, ['search', 'integer cents March report']).json
    expect(hits.find(({ id }: { id: string }) => id === 'd002')).toMatchObject({ state: 'legacy' })
    expect(runCommand(project, ['facts', 'list']).out).toMatch(/d002 .*legacy/)
    expect(runCommand(project, ['show', 'd002']).out).toContain('legacy')
  })

  it('are not recalled', () => {
    const { out } = runCommand(project, [
      'recall',
      'explain',
      'Why did we decide to keep all amounts in integer cents?',
    ])
    expect(out).toContain('half a cent')
    expect(out).not.toContain('d002')
  })
})

describe('entries of 0.5.1', () => {
  const prompts = (id8: string): Entry[] =>
    sessionFiles()
      .filter((file) => file.includes(id8))
      .flatMap(entriesOf)
      .filter(({ role }) => role === 'user')
  const fill = (): number =>
    fillAuthors(
      store,
      (work) => store.whileLocked(1000, work)?.value === true,
      () => false,
    )
  const quoteIn = (id8: string): string | undefined =>
    findQuote(
      prompts(id8).map((entry, n) => ({ n, entry })),
      'Always run the linter before you commit.',
    )?.by

  it('get their author from the transcript where that still exists; without it they are nobody’s words', () => {
    fs.rmSync(project.transcriptOf('a3000003-0000-4000-8000-000000000003'))
    expect(quoteIn('a1000001')).toBe('tool')

    expect(fill()).toBe(4)

    expect(prompts('a1000001').map(({ by }) => by)).toEqual(['user', 'user'])
    expect([quoteIn('a1000001'), quoteIn('a2000002')]).toEqual(['user', 'user'])
    expect(prompts('a3000003').map(({ by }) => by)).toEqual([undefined])
    expect(quoteIn('a3000003')).toBe('tool')
    expect(fill()).toBe(0)
  })

  it('keep their numbers, and the next capture reads nothing again', () => {
    const before = sessionFiles().map((file) =>
      entriesOf(file).map((entry) => ('text' in entry ? entry.text : entry.cmd)),
    )
    fill()

    const after = sessionFiles().map((file) =>
      entriesOf(file).map((entry) => ('text' in entry ? entry.text : entry.cmd)),
    )
    expect(after).toEqual(before)
    for (const [, session] of allSessions(store.readState())) expect(isSound(store, session)).toBe(true)
    expect(runCommand(project, ['import']).out).toContain('Nothing new')
    expect(runCommand(project, ['verify']).code).toBe(0)
  })
})
