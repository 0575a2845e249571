/** A session in which something is decided, breaks and is repaired, waiting for its note and its facts. */
import type { Draft } from '../../src/core/knowledge/fact-draft.ts'
import { handOut } from '../../src/core/notes/disk/handout.ts'
import { cutSession } from '../../src/core/notes/pending.ts'
import { type Store, stateEffect } from '../../src/kernel/memory/disk/store.ts'
import type { State } from '../../src/kernel/memory/state.ts'
import { workOf } from '../../src/kernel/memory/work.ts'
import { workName } from '../../src/kernel/memory/work-item.ts'
import { PIECE_TOKENS } from '../../src/kernel/sessions/delta.ts'
import { captureSession } from '../../src/kernel/sessions/disk/capture.ts'
import { locked } from './notes.ts'
import { append, fastDir, linesFor, NOW, now, quietProject, sessionId, storeOf, type TestProject } from './project.ts'

/** Entry by entry: 0 and 1 about storage, 2 to 5 about a bug, 6 and 7 about money. */
const TOLD = {
  storage: 'We decided to keep the invoices in PostgreSQL, because SQLite locks the whole file.',
  kept: 'I moved the invoices to PostgreSQL.',
  bug: 'The export still fails for invoices without a customer.',
  solved: 'Fixed: the export now skips invoices without a customer, so the nightly job passes again.',
  money: 'From now on store all amounts in cents, never as floats.',
  done: 'All amounts are stored in cents now.',
}

/** Captured and cut: the session's first piece is owed. */
export function decide(store: Store, project: TestProject, session = sessionId(1)): void {
  const lines = linesFor(session, project.root)
  append(
    project.transcriptOf(session),
    [
      lines.prompt(1, TOLD.storage),
      lines.answer(2, TOLD.kept),
      lines.prompt(3, TOLD.bug),
      lines.use(4, 'b1', 'Bash', { command: 'npm run export' }),
      lines.result(5, 'b1', 'exported 40 invoices'),
      lines.answer(6, TOLD.solved),
      lines.prompt(7, TOLD.money),
      lines.answer(8, TOLD.done),
    ].join(''),
  )
  captureSession(store, { session, transcript: project.transcriptOf(session), host: 1 }, { waitMs: 5000, now })
  locked(store, () => store.perform([stateEffect(cutSession(store.readState(), session))]))
}

export const STORAGE: Draft = {
  type: 'decision',
  text: 'Invoices are kept in PostgreSQL.',
  reason: 'SQLite locks the whole file',
  quote: 'keep the invoices in PostgreSQL',
  conceptName: 'invoice storage',
}
export const MONEY: Draft = {
  type: 'decision',
  text: 'All amounts are stored in cents, never as floats.',
  quote: 'store all amounts in cents, never as floats',
  conceptName: 'amounts of money',
}
export const EXPORT: Draft = {
  type: 'issue',
  text: 'The export failed for invoices without a customer.',
  quote: 'The export still fails for invoices without a customer.',
  status: 'resolved',
  resolution: 'The export skips invoices without a customer.',
  conceptName: 'invoice export',
}
/** Nobody said that. */
export const INVENTED: Draft = {
  type: 'decision',
  text: 'Invoices are archived in MongoDB.',
  quote: 'we archive invoices in MongoDB after a year',
  conceptName: 'archive',
}
/** True of the whole session. */
export const NOTE =
  'The user had the invoices moved to PostgreSQL because SQLite locks the whole file, the export was repaired so that it skips invoices without a customer, and all amounts are stored in cents now.'

/** The piece of `decide`. */
export const PIECE = '00000001-0-7'

/** The piece in the agent's hands. `before`: what happens earlier in the session. */
export function handed(
  settings: object = {},
  before?: (project: TestProject) => void,
): { project: TestProject; store: Store } {
  const project = quietProject({ summarizer: 'agent', ...settings }, fastDir())
  const store = storeOf(project)
  before?.(project)
  decide(store, project)
  locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, NOW))
  return { project, store }
}

export function piecesOfClaude(state: State): string[] {
  return workOf(state, 'facts').flatMap((item) => (item.by === 'agent' ? [workName(item)] : []))
}
