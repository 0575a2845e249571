/** Every change that a person makes to facts, concepts, notes, rules, lessons and pages: decided, written, recorded for undo. */

import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { repairMemory } from '../../notes/disk/memory.ts'
import { missingNotes, waiveNotes } from '../../notes/disk/note-list.ts'
import { addOwnNote } from '../../notes/disk/notes.ts'
import { checkWholePage, lessonsFile } from '../../pages/disk/lessons.ts'
import { parseDeltaId } from '../../sessions/delta.ts'
import { type ConceptChange, decideConcept } from './hand-concepts.ts'
import { decideFact, type FactChange } from './hand-facts.ts'
import {
  type Decided,
  type Hand,
  type HandLine,
  type HandMemory,
  isUnchanged,
  readHandMemory,
  writeHandMemory,
} from './hand-memory.ts'
import { decideNote, decidePage, fileOfPage, type NoteChange, type PageChange, writtenNote } from './hand-notes.ts'
import { decideRule, type RuleChange } from './hand-rules.ts'
import { decideVerdict, type VerdictChange } from './hand-verdicts.ts'
import { changeFiles, syncedLines } from './undo.ts'

export type { Hand, HandLine } from './hand-memory.ts'

export type Change = ConceptChange | FactChange | NoteChange | PageChange | RuleChange | VerdictChange

export interface ByHand {
  /** What was done, or would be, in plain lines for a person. */
  said: string[]
  /** The same, with what a terminal may paint. */
  lines: HandLine[]
  /** For programs. */
  json: Record<string, unknown>
}

interface Planned {
  before: HandMemory
  decided: Decided
}

/** Takes the lock itself. Throws what a person must know: no such fact, nothing to change, another process writes. */
export function changeByHand(store: Store, change: Change, hand: Hand): ByHand {
  const pages = change.do === 'set-page' ? [fileOfPage(store, change.name)] : []
  const plan = (): Planned => {
    const before = readHandMemory(store, pages)
    return { before, decided: decide(store, before, change, hand) }
  }
  // Comparing with thousands of facts takes longer than a hook waits for the lock.
  const ahead = plan()
  if (hand.isDryRun) return told(ahead.decided.lines, ahead.decided.json)
  // A note proves that entries are noted: the watermark must be past them before the note is removed.
  if (isNote(change)) store.whileLocked(COMMAND_WAIT_MS, () => repairMemory(store, hand.now))
  return changeFiles(store, hand, [lessonsFile(store), ...pages], (keep) =>
    perform(store, change, hand, isUnchanged(store, ahead.before, pages) ? ahead : plan(), keep),
  )
}

function perform(
  store: Store,
  change: Change,
  { now, by }: Hand,
  { before, decided }: Planned,
  keep: (what: string) => void,
): ByHand {
  const { memory, lines, json, what } = decided
  if (change.do === 'add-note') {
    if (memory !== before) addOwnNote(store, writtenNote(change.text), now, () => keep(what), by)
    return told(lines, json)
  }
  const synced = writeHandMemory(store, before, memory, now)
  keep(what)
  if (change.do === 'remove-note') waiveNote(store, change.id)
  return synced === null
    ? told(lines, json)
    : told([...lines, ...syncedLines(store, synced)], { ...json, claudeMd: synced })
}

/** The user removed it: `doctor` does not report it as missing. */
function waiveNote(store: Store, note: string): void {
  const range = parseDeltaId(note)
  if (range === null) return
  const missing = missingNotes(store).filter(
    ({ id8, from, to }) => id8 === range.session && from < range.to && range.from < to,
  )
  waiveNotes(store, missing)
}

function told(lines: HandLine[], json: Record<string, unknown>): ByHand {
  return { said: lines.map(({ text }) => text), lines, json }
}

function decide(store: Store, memory: HandMemory, change: Change, hand: Hand): Decided {
  const places = { config: store.config, dir: store.dir, lessons: lessonsFile(store) }
  switch (change.do) {
    case 'add-note':
    case 'edit-note':
    case 'remove-note':
      return decideNote(store, memory, change, hand)
    case 'set-page':
      return decidePage(store, memory, change, hand)
    case 'add-lesson':
      checkWholePage(store)
      return decideRule(memory, change, hand, places)
    case 'add-rule':
    case 'init-rules':
    case 'propose-rule':
    case 'remove-rule':
      return decideRule(memory, change, hand, places)
    case 'accept':
    case 'decline':
    case 'promote':
    case 'demote':
      return decideVerdict(memory, change, hand, places)
    case 'merge-concepts':
    case 'rename-concept':
      return decideConcept(store, memory, change, hand)
    default:
      return decideFact(store, memory, change, hand)
  }
}

function isNote(change: Change): boolean {
  return change.do === 'add-note' || change.do === 'edit-note' || change.do === 'remove-note'
}
