/** How much waits for an audit, and for what, as `status`, `doctor` and `facts` say it. */

import type { Store } from '../../../kernel/memory/disk/store.ts'
import { isToldNote } from '../../../kernel/memory/note.ts'
import { count } from '../../../kernel/text/figures.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { awaitsAudit } from '../../knowledge/item.ts'
import { allFacts } from '../../knowledge/items.ts'
import type { AuditOutlook } from '../../model/audit-outlook.ts'
import { auditOutlookIn } from '../../model/disk/model-call.ts'
import { listNotes } from './note-list.ts'

export interface AwaitingAudit extends AuditOutlook {
  notes: number
  facts: number
  /** Facts and notes that no audit can judge: no session contains the command that saved them. */
  unplaced: number
}

/** Null: nothing waits. */
export function awaitingAudit(store: Store, now: string): AwaitingAudit | null {
  const notes = listNotes(store).notes.filter((note) => !isToldNote(note))
  const facts = allFacts(readFacts(store)).filter(awaitsAudit)
  if (notes.length + facts.length === 0) return null
  const lost = new Set(store.readState().unplaced)
  const waiting = (items: readonly { id: string }[]): number => items.filter(({ id }) => !lost.has(id)).length
  const counts = { notes: waiting(notes), facts: waiting(facts) }
  const unplaced = notes.length + facts.length - counts.notes - counts.facts
  return { ...counts, unplaced, ...auditOutlookIn(store, now) }
}

/** For example `3 notes and 5 facts wait for an audit: modelCallsPerDay is 0`. */
export function awaitingLine({ notes, facts, unplaced, why }: AwaitingAudit): string {
  const what = [notes > 0 ? count(notes, 'note') : '', facts > 0 ? count(facts, 'fact') : ''].filter(
    (one) => one !== '',
  )
  const wait = notes + facts === 1 ? 'waits' : 'wait'
  return [
    ...(what.length === 0 ? [] : [`${what.join(' and ')} ${wait} for an audit: ${why}`]),
    ...(unplaced === 0
      ? []
      : [`${count(unplaced, 'item')} cannot be audited: ${unplaced === 1 ? 'its' : 'their'} command was not found`]),
  ].join('; ')
}
