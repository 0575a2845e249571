/** Every change that a person makes by hand to facts, concepts, notes, rules, lessons and pages, in one place: decided, kept for undo, written. */

import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { repairMemory } from '../../notes/disk/memory.ts'
import { addOwnNote } from '../../notes/disk/notes.ts'
import { missingNotes, waiveNotes } from '../../notes/disk/notes-missing.ts'
import { checkWholePage, lessonsFile } from '../../outgoing/disk/lessons.ts'
import { currentStanding, upcomingStanding } from '../../outgoing/disk/standing-collect.ts'
import type { HandMemory } from '../../outgoing/undo-things.ts'
import { whyNotSynced } from '../../pages/disk/claude-md.ts'
import { KeeperError } from '../../platform/error.ts'
import { parseDeltaId } from '../../sessions/delta.ts'
import { type ConceptChange, decideConcept } from './hand-concepts.ts'
import { decideFact, type FactChange } from './hand-facts.ts'
import { type Decided, dimLine, type Hand, type HandLine } from './hand-line.ts'
import { isUnchanged, readHandMemory, writeHandMemory } from './hand-memory.ts'
import { decideNote, type NoteChange, writtenNote } from './hand-notes.ts'
import { decidePage, fileOfPage, type PageChange } from './hand-pages.ts'
import { decideRule, type RuleChange } from './hand-rules.ts'
import { decideVerdict, isPermanentId, type VerdictChange } from './hand-verdicts.ts'
import { keepForUndo } from './undo.ts'

export type { Hand, HandLine } from './hand-line.ts'

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

/** Takes the lock itself. Throws what a person must know: no such fact, nothing to change, somebody else writes. */
export function changeByHand(store: Store, change: Change, hand: Hand): ByHand {
  const plan = (): Planned => {
    const before = readFor(store, change, hand)
    return { before, decided: decide(store, before, change, hand) }
  }
  if (needsStanding(change) && !hand.isDryRun) currentStanding(store, () => hand.now)
  // Comparing with thousands of facts takes longer than a hook waits for the lock.
  const ahead = plan()
  if (hand.isDryRun) return told(ahead.decided.lines, ahead.decided.json)
  const done = store.whileLocked(COMMAND_WAIT_MS, () => perform(store, change, hand, ahead, plan))
  if (done !== null) return done.value
  throw new KeeperError(
    'busy',
    `${store.dir} is in use by another process. Try again in a moment; memory-keeper doctor shows who holds it.`,
  )
}

function perform(store: Store, change: Change, hand: Hand, ahead: Planned, plan: () => Planned): ByHand {
  // Before a note, which proves that something is told, is gone, the watermark must be past it.
  const isNote = change.do === 'add-note' || change.do === 'edit-note' || change.do === 'remove-note'
  if (isNote) repairMemory(store, hand.now)
  const { before, decided } = isUnchanged(store, ahead.before) ? ahead : plan()
  const { memory, what } = decided
  if (change.do === 'add-note') {
    const keep = (notes: string): void => keepForUndo(store, before, { ...before, notes }, what, hand)
    if (memory.notes !== before.notes) addOwnNote(store, writtenNote(change.text), hand.now, keep, hand.by)
    return told(decided.lines, decided.json)
  }
  keepForUndo(store, before, memory, what, hand)
  const synced = writeHandMemory(store, before, memory, hand.now)
  if (change.do === 'remove-note') waiveNote(store, change.id)
  if (synced === null) return told(decided.lines, decided.json)
  const more: HandLine[] =
    synced === 'written' || synced === 'removed'
      ? [dimLine(`CLAUDE.md: rules ${synced}.`)]
      : synced === 'damaged' || synced === 'refused'
        ? [{ text: whyNotSynced(store), tone: 'warn' }]
        : []
  return told([...decided.lines, ...more], { ...decided.json, claudeMd: synced })
}

/** The user's own doing: nobody misses it. */
function waiveNote(store: Store, note: string): void {
  const told = parseDeltaId(note)
  if (told === null) return
  const missing = missingNotes(store).filter(
    ({ id8, from, to }) => id8 === told.session && from < told.to && told.from < to,
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
    case 'remove-lesson':
      checkWholePage(store)
      return decideRule(memory, change, hand, places)
    case 'add-rule':
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

/** What the sessions said since is known before it is judged; a look writes nothing. */
function readFor(store: Store, change: Change, { isDryRun }: Hand): HandMemory {
  const memory = readHandMemory(store, change.do === 'set-page' ? [fileOfPage(store, change.name)] : [])
  return isDryRun && needsStanding(change) ? { ...memory, standing: upcomingStanding(store) } : memory
}

function needsStanding(change: Change): boolean {
  return (change.do === 'accept' || change.do === 'decline') && !isPermanentId(change.id)
}
