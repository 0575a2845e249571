/** A word in every kind of file of ours: after forget no byte of it is left, and what stands beside it stays. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ForgetWhat, performForget, planForget } from '../../../../src/core/forget/disk/forget.ts'
import { readFacts, writeFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { addOwnNote } from '../../../../src/core/notes/disk/notes.ts'
import { openIndex } from '../../../../src/core/search/disk/memory-index.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { catchUp } from '../../../../src/kernel/sessions/disk/catch-up.ts'
import { packSessions } from '../../../../src/kernel/sessions/disk/session-archive.ts'
import { spokenIn } from '../../../../src/kernel/transcript/session.ts'
import { fact, itemsOf, listed } from '../../../support/fact.ts'
import { filesWith, live, type Said } from '../../../support/forget.ts'
import { runCommand } from '../../../support/process.ts'
import {
  entriesIn,
  fastDir,
  madeOnce,
  makeProject,
  NOW,
  now,
  sessionId,
  storeOf,
  type TestProject,
  write,
} from '../../../support/project.ts'
import { RELEASED_NOW, releasedProject } from '../../../support/released.ts'

const SAID = 'The cormorant importer sleeps behind the boathouse until the tide turns.'
const BESIDE = 'Invoices are written in integer cents.'
const WORDS = ['cormorant', 'boathouse']

const SESSIONS: readonly Said[] = [
  {
    session: sessionId(1),
    transcript: (l) => l.prompt(0, `${SAID} Why?`) + l.answer(1, 'We decided to wake the cormorant importer at noon.'),
  },
  { session: sessionId(2), transcript: (l) => l.prompt(0, `${BESIDE} Please check.`) + l.answer(1, 'I checked.') },
  {
    session: sessionId(3),
    transcript: (l) =>
      l.prompt(0, 'What do you know?') + l.answer(1, `As we said: ${SAID}`) + l.answer(2, 'Now I know.'),
  },
]

const record = (text: string): string => `${JSON.stringify({ at: NOW, session: sessionId(9), text })}\n`
const undone = (text: string): string =>
  `${JSON.stringify({ id: 'u1', at: NOW, what: 'edit', by: 'user', files: [{ path: 'memory.md', before: text, after: '' }] })}\n`

/** By its path in the memory: what is written there, and what of it must stay. */
const PLANTED: Readonly<Record<string, { text: string; stays?: string }>> = {
  'rules.md': { text: `- ${SAID} Ask first.\n- ${BESIDE}\n`, stays: `- Ask first.\n- ${BESIDE}\n` },
  'architecture.md': { text: `# Architecture\n\n${SAID}\n${BESIDE}\n`, stays: `# Architecture\n\n${BESIDE}\n` },
  'wrapped.md': { text: `${BESIDE}\n\n${SAID.replace('behind ', 'behind\n')}\n`, stays: BESIDE },
  'journal/undo.jsonl': { text: undone(SAID) + undone(BESIDE), stays: undone(BESIDE) },
  'journal/undo/1.txt': { text: SAID },
  'journal/undo/2.txt': { text: BESIDE, stays: BESIDE },
  'journal/recall-texts.jsonl': { text: record(SAID) + record(BESIDE), stays: record(BESIDE) },
  'journal/recalls.jsonl': { text: record(SAID) + record(BESIDE), stays: record(BESIDE) },
  'journal/hooks.jsonl': { text: record('Stop') + record(SAID), stays: record('Stop') },
  'journal/briefings/aaaaaaaa-1.txt': { text: `- d001: ${SAID}\n` },
  'journal/briefings/aaaaaaaa-1.why.json': { text: '{"version":1}\n' },
  'journal/briefings/bbbbbbbb-1.txt': { text: `- d002: ${BESIDE}\n`, stays: BESIDE },
  'journal/rules/1.txt': { text: `- ${SAID}\n` },
  'journal/rules/2.txt': { text: `- ${BESIDE}\n`, stays: BESIDE },
  'notices.json': { text: JSON.stringify({ shown: [SAID, BESIDE], last: SAID }), stays: BESIDE },
  'facts.json.broken-20260101000000': { text: `{"text":"${SAID}"},\n{"text":"${BESIDE}"}\n`, stays: BESIDE },
  'standing.json': {
    text: JSON.stringify({
      standing: [SAID, BESIDE].map((text, n) => ({ id: `t00${n}`, text, session: 'x', entry: 0 })),
    }),
    stays: BESIDE,
  },
  'memory_20251231_120000.md': { text: `# Memory\n\n${SAID}\n\n${BESIDE}\n`, stays: BESIDE },
  'memory_20251231_120000.summary.json': { text: JSON.stringify({ overallSummary: `About the cormorant.` }) },
  'delta_temp.txt': { text: `# Delta 00000009-0-3: by nobody\n\n${SAID}\n` },
  'sessions/20251201_120000_99999999.md': { text: `# Session 99999999\n\nResult: ${SAID}\n` },
  'sessions/20251201_120000_99999999.l2.json': {
    text: JSON.stringify({ facts: [SAID, BESIDE].map((text, n) => ({ id: `d00${n}`, type: 'decision', text })) }),
    stays: BESIDE,
  },
  'sessions/archive/2025-12.md': { text: `# Mine\n\n${SAID}\n${BESIDE}\n`, stays: BESIDE },
  'sessions/week-2025-50.md': { text: `# Mine\n\n${SAID}\n${BESIDE}\n`, stays: BESIDE },
}

const plantedOnce = madeOnce((): TestProject => {
  const project = makeProject('app', fastDir())
  const store = live(project, SESSIONS)
  store.whileLocked(COMMAND_WAIT_MS, () => {
    addOwnNote(store, `${SAID} ${BESIDE}`, NOW)
    const before = readFacts(store)
    const byHand = [SAID, BESIDE].map((text, n) =>
      fact({ id: `d90${n}`, text, by: 'user', session: '', evidence: { entry: -1, quote: '' } }),
    )
    writeFacts(store, before, itemsOf({ ...listed(before), decisions: [...listed(before).decisions, ...byHand] }), NOW)
  })
  // Before: a command takes over what 0.5 left.
  expect(runCommand(project, ['share', '--as', 'bob']).code).toBe(0)
  for (const [name, { text }] of Object.entries(PLANTED))
    for (const dir of [
      project.memory,
      project.places.vault,
      path.join(project.keeper, 'backups', `${project.places.project.key}-1`),
    ])
      write(path.join(dir, name), text)
  write(path.join(project.keeper, 'logs', 'memory-keeper.log'), `${NOW} ${SAID}\n${NOW} ${BESIDE}\n`)
  const packed = fs.readdirSync(path.join(project.memory, 'sessions')).filter((name) => /0000000[13]\.l1/.test(name))
  expect(packSessions(store, packed.slice(0, 1), COMMAND_WAIT_MS, () => true)).toHaveLength(1)
  const index = openIndex(store, { cacheDir: store.places.cacheDir, now })
  index.refresh()
  index.close()
  return project
})

function planted(): { project: TestProject; store: Store } {
  const project = plantedOnce()
  return { project, store: storeOf(project) }
}

const released = madeOnce(releasedProject)

describe('a word in every kind of file', () => {
  it.each<[string, ForgetWhat, string[]]>([
    ['by a word', { is: 'query', query: 'cormorant' }, ['cormorant']],
    ['by its session', { is: 'session', session: sessionId(1) }, WORDS],
    ['by its entries', { is: 'id', id: 'L1:00000001#0-1' }, WORDS],
  ])('leaves no byte when it is forgotten %s', (_, what, words) => {
    const { project, store } = planted()
    const found = new Set(filesWith(project, words).map((one) => one.replace(/.* in /, '')))
    for (const [name, { text }] of Object.entries(PLANTED))
      if (text.includes('cormorant'))
        expect([...found].filter((file) => file.endsWith(`/${name}`)).length, name).toBe(3)
    for (const part of ['l1.jsonl.gz', 'raw.jsonl.gz', '/shared/bob/', '/rows/', 'memory-keeper.log'])
      expect([...found].join('\n')).toContain(part)
    const shown = planForget(store, what).items
    expect(shown).toContainEqual(expect.objectContaining({ id: 'L1:00000003#1', text: `As we said: ${SAID}` }))
    expect(shown).toContainEqual(expect.objectContaining({ where: 'rules.md', text: SAID }))
    expect(shown).toContainEqual(expect.objectContaining({ id: 'd900', kind: 'decision' }))
    expect(filesWith(project, words).length).toBeGreaterThan(60)

    expect(performForget(store, { what }, NOW).left).toEqual([])
    expect(filesWith(project, words)).toEqual([])
    for (const [name, { stays }] of Object.entries(PLANTED)) {
      const file = path.join(project.memory, name)
      const left = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null
      if (stays === undefined) expect(left, name).toBeNull()
      else expect(left, name).toContain(stays)
    }
    const again = storeOf(project)
    expect(allFacts(readFacts(again)).map(({ text }) => text)).toContain(BESIDE)
    expect(entriesIn(project.memory).map(spokenIn)).toEqual(expect.arrayContaining(['Now I know.', 'I checked.']))
    catchUp(again, { waitMs: COMMAND_WAIT_MS, now, look: 'all' })
    expect(filesWith(project, words)).toEqual([])
  })
})

describe('a memory that 0.5.1 made', () => {
  it.each([
    'Kupfergraben',
    'Marta',
    'dunning',
    'SQLite',
    'half a cent',
    'payment reminder',
    'nightly export',
    'linter',
    'March report',
    'early returns',
  ])('loses every byte of %s', (query) => {
    const project = released()
    expect(filesWith(project, [query]).length).toBeGreaterThan(0)
    expect(performForget(storeOf(project), { what: { is: 'query', query } }, RELEASED_NOW).left).toEqual([])
    expect(filesWith(project, [query])).toEqual([])
    catchUp(storeOf(project), { waitMs: COMMAND_WAIT_MS, now: () => RELEASED_NOW, look: 'all' })
    expect(filesWith(project, [query])).toEqual([])
  })

  it.each([
    ['a1000001', ['half cents in test', 'VAT', '14 passed'], ['SQLite']],
    ['a2000002', ['since the archive runs on one laptop', '1f2e3d4', 'two exports run at once'], ['March report']],
    ['a5000005', ['on the phone', 'day ten', 'on paper', 'two spaces'], ['SQLite']],
  ])('loses every byte that only session %s has', (session, gone, stays) => {
    const project = released()
    for (const word of gone) expect(filesWith(project, [word]).length, word).toBeGreaterThan(0)
    expect(performForget(storeOf(project), { what: { is: 'session', session } }, RELEASED_NOW).left).toEqual([])
    expect(filesWith(project, gone)).toEqual([])
    expect(filesWith(project, stays).length).toBeGreaterThan(0)
  })
})
