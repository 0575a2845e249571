/** What waits in a memory of this version, while the released 0.6.1 runs in between: no model is asked twice, and nothing stops waiting. */

import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../src/core/knowledge/disk/knowledge.ts'
import { allFacts } from '../../../src/core/knowledge/items.ts'
import { writeNotes } from '../../../src/core/notes/disk/background.ts'
import { handOut } from '../../../src/core/notes/disk/handout.ts'
import { stateEffect } from '../../../src/kernel/memory/disk/store.ts'
import { withWork } from '../../../src/kernel/memory/work.ts'
import { newItem, workName } from '../../../src/kernel/memory/work-item.ts'
import { PIECE_TOKENS } from '../../../src/kernel/sessions/delta.ts'
import { type FakeClaude, stageIn } from '../../support/claude.ts'
import { decide, MONEY, PIECE, STORAGE } from '../../support/decided.ts'
import { locked, notesOf } from '../../support/notes.ts'
import { envOf, runNode } from '../../support/process.ts'
import {
  append,
  linesFor,
  NOW,
  quietProject,
  sessionId,
  storeOf,
  story,
  type TestProject,
} from '../../support/project.ts'
import { type ReleasedProgram, releasedDist, releasedProgram } from '../../support/released-program.ts'
import { finishHere } from '../../support/world.ts'

const dist = releasedDist('0.6.1')
if (dist === null) console.warn('The commit of 0.6.1 is not in this repository: skipped.')

const SENTENCES = [
  { sentence: 'The user had the invoices moved to PostgreSQL because SQLite locks the whole file.', entry: 0 },
  { sentence: 'The export was repaired so that it skips invoices without a customer.', entry: 4 },
]
const SAID = { note: SENTENCES, stands: null, facts: [STORAGE, MONEY], rules: [], settles: [] }

function oldFinisher(project: TestProject, { bin }: FakeClaude): void {
  const env = { ...envOf(project), PATH: `${bin}:/bin:/usr/bin` }
  expect(runNode([path.join(dist ?? '', 'keeper.cjs'), 'catch-up', project.root], project.base, env)).toMatchObject({
    err: '',
    code: 0,
  })
}

const waiting = (project: TestProject): string[] =>
  storeOf(project)
    .readState()
    .work.filter(({ kind }) => kind !== 'rules')
    .map((item) => `${item.kind} ${workName(item)} ${item.from}-${item.to} ${item.by} ${item.tries}`)
    .sort()

describe.skipIf(dist === null || process.platform === 'win32')('work that waits', () => {
  it('asks no model again, neither in 0.6.1 nor in this version after it', async () => {
    const project = quietProject({ summarizer: 'headless' })
    const { store, claude, around } = stageIn(project, [{ object: SAID }])
    decide(store, project)
    await writeNotes(store, around)
    const [facts, notes] = [readFacts(store), notesOf(project)]
    const asked = claude.calls().length
    expect([asked > 0, allFacts(facts).length, notes.map(({ author }) => author)]).toEqual([true, 2, ['headless']])
    oldFinisher(project, claude)
    oldFinisher(project, claude)

    expect(claude.calls()).toHaveLength(asked)
    expect(readFacts(storeOf(project))).toEqual(facts)
    await writeNotes(storeOf(project), around)
    await finishHere(project, { for: 'catch-up' })
    expect(claude.calls()).toHaveLength(asked)
    expect(notesOf(project)).toEqual(notes)
    expect(readFacts(storeOf(project))).toEqual(facts)
  })

  it('is done once by 0.6.1, where it may ask a model', async () => {
    const project = quietProject({ summarizer: 'headless' })
    const { store, claude, around } = stageIn(project, [{ object: SAID }])
    decide(store, project)
    oldFinisher(project, claude)
    const [asked, facts, notes] = [claude.calls().length, readFacts(storeOf(project)), notesOf(project)]
    expect([asked > 0, allFacts(facts).length, notes.map(({ author }) => author)]).toEqual([true, 2, ['headless']])
    await writeNotes(storeOf(project), around)

    expect(waiting(project)).toEqual([])
    expect(claude.calls()).toHaveLength(asked)
    expect([readFacts(storeOf(project)), notesOf(project)]).toEqual([facts, notes])
  })

  describe('for Claude, and for a background call', () => {
    function stage(): { project: TestProject; old: ReleasedProgram } {
      const project = quietProject({ summarizer: 'agent' })
      const store = storeOf(project)
      decide(store, project)
      locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, NOW))
      const read = newItem({ kind: 'read', about: '00000009', to: 4, by: 'headless', tries: 1 })
      const again = newItem({ kind: 'again', about: '00000009', from: 4, to: 8, by: 'headless' })
      locked(store, () => store.perform([stateEffect(withWork(store.readState(), [read, again]))]))
      return { project, old: releasedProgram(dist ?? '', project, NOW) }
    }
    const others = ['again 00000009-4-8 4-8 headless 0', 'read 00000009-0-4 0-4 headless 1']

    it('still waits after 0.6.1 has captured a turn', () => {
      const { project, old } = stage()
      expect(waiting(project)).toEqual([...others, `facts ${PIECE} 0-7 agent 0`, `note ${PIECE} 0-7 agent 0`].sort())
      append(project.transcriptOf(sessionId(2)), story(linesFor(sessionId(2), project.root), 0))
      const payload = { hook_event_name: 'Stop', session_id: sessionId(2), stop_hook_active: false }
      expect(old.hook(payload)).toMatchObject({ err: '', code: 0 })

      // Nobody has the note any more: it is handed out again.
      expect(waiting(project)).toEqual([...others, `facts ${PIECE} 0-7 agent 0`, 'note  0-7 null 0'].sort())
    })

    it('is done when 0.6.1 did it', () => {
      const { project, old } = stage()
      expect(old.cli('final')).toMatchObject({ err: '', code: 0 })
      const notes = notesOf(project)
      expect(notes).toMatchObject([{ id: `n-${PIECE}`, author: 'extractive' }])
      expect(waiting(project).filter((one) => one.startsWith('note'))).toEqual([])
      locked(storeOf(project), () => handOut(storeOf(project), 'agent', PIECE_TOKENS.agent, NOW))
      expect(notesOf(project)).toEqual(notes)
    })
  })
})
