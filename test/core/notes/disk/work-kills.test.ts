/** A process that is killed at any write that changes the list of work together with a file: a second run ends as if nothing had happened. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { noteNoticed } from '../../../../src/core/model/disk/model-call.ts'
import { handOut, takeBack } from '../../../../src/core/notes/disk/handout.ts'
import { noteByCode, noteHandedOut, saveNote } from '../../../../src/core/notes/disk/notes.ts'
import { factsOfHistory } from '../../../../src/core/notes/disk/structure-facts.ts'
import { saveSummary } from '../../../../src/core/notes/disk/summaries.ts'
import { settleHistory } from '../../../../src/core/notes/pending.ts'
import { openStore, type Store, stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { withSummary } from '../../../../src/kernel/memory/work.ts'
import { workName } from '../../../../src/kernel/memory/work-item.ts'
import { PIECE_TOKENS } from '../../../../src/kernel/sessions/delta.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { decide, handed, NOTE, PIECE } from '../../../support/decided.ts'
import { Killed, killingDisk } from '../../../support/killing-disk.ts'
import { locked, notesOf } from '../../../support/notes.ts'
import {
  append,
  fastDir,
  linesFor,
  NOW,
  now,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
} from '../../../support/project.ts'

const ARCHIVE = 'memory_20260112_080000.md'
const SUMMARY = {
  themes: [{ name: 'Parser', summary: 'The parser accepts empty lines.' }],
  keyDecisions: [],
  issues: [],
  overallSummary: 'The parser learned to accept empty lines.',
}

interface Case {
  stage: () => TestProject
  /** May run again after a kill. */
  work: (store: Store) => unknown
}

function decided(settings: object = {}): TestProject {
  const project = quietProject({ summarizer: 'headless', ...settings }, fastDir())
  noteNoticed(project.keeper, 'model', NOW)
  decide(storeOf(project), project)
  return project
}

const CASES: Record<string, Case> = {
  'a piece that is handed out': {
    stage: () => decided({ summarizer: 'agent' }),
    work: (store) => locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, NOW)),
  },
  'a piece that goes to another author': {
    stage: () => handed().project,
    work: (store) => locked(store, () => handOut(store, 'headless', PIECE_TOKENS.headless, NOW)),
  },
  'a piece that is taken back': {
    stage: () => handed().project,
    work: (store) => locked(store, () => takeBack(store, PIECE)),
  },
  'a note of a piece': {
    stage: () => handed().project,
    work: (store) => locked(store, () => saveNote(store, { delta: PIECE, text: NOTE, author: 'agent' }, NOW)),
  },
  'a note by code that a model is to read later': {
    stage: decided,
    work: (store) => locked(store, () => noteByCode(store, NOW)),
  },
  'a handed-out piece that code notes': {
    stage: () => {
      const project = decided()
      locked(storeOf(project), () => handOut(storeOf(project), 'headless', PIECE_TOKENS.headless, NOW))
      return project
    },
    work: (store) => locked(store, () => noteHandedOut(store, PIECE, NOW, 'unread')),
  },
  'facts of history by code': {
    stage: () => {
      const project = quietProject({}, fastDir())
      const store = storeOf(project)
      const lines = linesFor(sessionId(1), project.root)
      append(
        project.transcriptOf(sessionId(1)),
        lines.prompt(1, 'Run the tests.') +
          lines.use(2, 'b1', 'Bash', { command: 'npm test' }) +
          lines.result(3, 'b1', '1 failed', true) +
          lines.answer(4, 'It failed.'),
      )
      captureSession(
        store,
        { session: sessionId(1), transcript: project.transcriptOf(sessionId(1)) },
        { waitMs: 5000, now },
      )
      locked(store, () => store.perform([stateEffect(settleHistory(store.readState(), '2026-02-13T12:00:00.000Z', 0))]))
      expect(store.readState().work).toMatchObject([{ kind: 'facts', by: 'code' }])
      return project
    },
    work: (store) => factsOfHistory(store, { now: () => NOW, isLate: () => false, waitMs: 1_000 }),
  },
  'the summary of an archive': {
    stage: () => {
      const project = quietProject({}, fastDir())
      const store = storeOf(project)
      const entry = { file: ARCHIVE, rotatedAt: NOW, tokenCount: 9, summary: ARCHIVE.replace('.md', '.summary.json') }
      locked(store, () =>
        store.perform([
          { do: 'write', path: ARCHIVE, text: '## 2026-01-12\nThe parser accepts empty lines now.\n' },
          stateEffect(
            withSummary(
              { ...store.readState(), rotatedFiles: [{ ...entry, summaryGenerated: false }] },
              ARCHIVE,
              false,
            ),
          ),
        ]),
      )
      return project
    },
    work: (store) => locked(store, () => saveSummary(store, ARCHIVE, JSON.stringify(SUMMARY), NOW)),
  },
}

/** What a later run depends on. */
function seen(project: TestProject): object {
  const store = storeOf(project)
  const file = path.join(project.memory, 'delta_temp.txt')
  const state = store.readState()
  return {
    work: state.work.map((item) => [item.kind, workName(item), item.from, item.to, item.by, item.tries]),
    // What nobody waits for is removed by the next hand-out.
    delta: state.work.some(({ kind, by }) => kind === 'note' && by !== null) && fs.readFileSync(file, 'utf8'),
    notes: notesOf(project),
    facts: allFacts(readFacts(store)).map(({ id, text, by }) => [id, text, by]),
    summaries: state.rotatedFiles.map(({ summaryGenerated }) => summaryGenerated),
  }
}

describe.skipIf(process.platform === 'win32')('a kill', () => {
  it.each(Object.entries(CASES))('at any write of %s changes nothing in the end', (_, { stage, work }) => {
    const whole = stage()
    const before = seen(whole)
    work(storeOf(whole))
    const wanted = seen(whole)
    expect(wanted).not.toEqual(before)
    for (const how of ['before', 'after', 'partial'] as const) {
      let isKilled = true
      for (let after = 0; isKilled; after++) {
        const project = stage()
        isKilled = isKilledIn(openStore(project.places, { now, disk: killingDisk([{ after, how }]) }), work)
        work(storeOf(project))
        expect([how, after, seen(project)]).toEqual([how, after, wanted])
      }
    }
  })
})

function isKilledIn(store: Store, work: Case['work']): boolean {
  try {
    work(store)
    return false
  } catch (error) {
    if (error instanceof Killed) return true
    throw error
  }
}
