/** How much waits for an audit, and for what, as `status`, `doctor` and `facts` say it. */

import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, awaitsAudit } from '../../knowledge/fact.ts'
import type { Store } from '../../memory/disk/store.ts'
import { isToldNote } from '../../memory/note.ts'
import type { AuditOutlook } from '../../model/audit-outlook.ts'
import { auditOutlookIn } from '../../model/disk/model-call.ts'
import { count } from '../../text/figures.ts'
import { listNotes } from './note-list.ts'

export interface AwaitingAudit extends AuditOutlook {
  notes: number
  facts: number
}

/** Null: nothing waits. */
export function awaitingAudit(store: Store, now: string): AwaitingAudit | null {
  const notes = listNotes(store).notes.filter((note) => !isToldNote(note)).length
  const facts = allFacts(readFacts(store)).filter(awaitsAudit).length
  return notes + facts === 0 ? null : { notes, facts, ...auditOutlookIn(store, now) }
}

/** For example `3 notes and 5 facts wait for an audit: modelCallsPerDay is 0`. */
export function awaitingLine({ notes, facts, why }: AwaitingAudit): string {
  const what = [notes > 0 ? count(notes, 'note') : '', facts > 0 ? count(facts, 'fact') : '']
  const isOne = notes + facts === 1
  return `${what.filter((part) => part !== '').join(' and ')} ${isOne ? 'waits' : 'wait'} for an audit: ${why}`
}
