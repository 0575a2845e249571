/** Every change that a person makes to facts, concepts, notes, rules, lessons and pages: decided, written, recorded for undo. */

import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import { repairMemory } from '../../notes/disk/memory.ts'
import { missingNotes, waiveNotes } from '../../notes/disk/note-list.ts'
import { addOwnNote } from '../../notes/disk/notes.ts'
import { LESSONS_PAGE } from '../../pages/page.ts'
import { redactorFor } from '../../redact/redact.ts'
import { parseDeltaId } from '../../sessions/delta.ts'
import { count } from '../../text/figures.ts'
import { FACT_CHANGES } from './hand-facts.ts'
import {
  type Decided,
  dimLine,
  type Edit,
  fileOfPage,
  type Hand,
  type HandLine,
  readHandMemory,
  writeHandMemory,
} from './hand-memory.ts'
import { NOTE_CHANGES, writtenNote } from './hand-notes.ts'
import { RULE_CHANGES } from './hand-rules.ts'
import { changeFiles, syncedLines } from './undo.ts'

export type { Hand, HandLine } from './hand-memory.ts'

const CHANGES = { ...FACT_CHANGES, ...NOTE_CHANGES, ...RULE_CHANGES }

type Changes = typeof CHANGES

/** The name of a change, and what its function takes. */
export type Change = { [K in keyof Changes]: { do: K } & Parameters<Changes[K]>[1] }[keyof Changes]

export interface ByHand {
  /** What was done, or would be, in plain lines for a person. */
  said: string[]
  /** The same, with what a terminal may paint. */
  lines: HandLine[]
  /** For programs. */
  json: Record<string, unknown>
}

/** Takes the lock itself. Throws what a person must know: no such fact, nothing to change, another process writes. */
export function changeByHand(store: Store, change: Change, hand: Hand): ByHand {
  const pages = [LESSONS_PAGE, ...(change.do === 'set-page' ? [change.name] : [])].map((name) =>
    fileOfPage(store, name),
  )
  // Taking the lock makes the directory: a change that is refused must not.
  const planned = decide(store, change, hand, pages)
  if (hand.isDryRun) return told(planned)
  // A note proves that its entries are noted: the watermark must be past them before the note is removed.
  if (change.do.endsWith('-note')) store.whileLocked(COMMAND_WAIT_MS, () => repairMemory(store, hand.now))
  return changeFiles(store, hand, pages, (keep) => {
    const made = decide(store, change, hand, pages)
    if (change.do === 'add-note') {
      if (made.after !== undefined)
        addOwnNote(store, writtenNote(change.text), hand.now, () => keep(made.what), hand.by)
      return told(made)
    }
    const synced = writeHandMemory(store, made.before, { ...made.before, ...made.after }, hand.now)
    keep(made.what)
    if (change.do === 'remove-note') waiveNote(store, change.id)
    if (synced === null) return told(made)
    const lines = [...made.lines, ...syncedLines(store, synced)]
    return told({ ...made, lines, json: { ...made.json, claudeMd: synced } })
  })
}

function decide(
  store: Store,
  change: Change,
  hand: Hand,
  pages: readonly string[],
): Decided & { before: Edit['memory'] } {
  const redact = redactorFor(store.config)
  let secrets = 0
  const redacted = (text: string): string => {
    const done = redact(text)
    secrets += done.count
    return done.text
  }
  const typed = (text: string): string =>
    redacted(text)
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim()
  const memory = readHandMemory(store, pages)
  const made = (CHANGES[change.do] as (edit: Edit, given: Change) => Decided)(
    { store, memory, hand, typed, redacted },
    change,
  )
  const hidden = secrets > 0 ? [dimLine(`${count(secrets, 'secret')} redacted.`)] : []
  const json = { ...made.json, redactions: secrets, dryRun: hand.isDryRun === true }
  return { ...made, lines: [...made.lines, ...hidden], json, before: memory }
}

/** The user removed the note: `doctor` does not report it as missing. */
function waiveNote(store: Store, note: string): void {
  const range = parseDeltaId(note)
  if (range === null) return
  const missing = missingNotes(store).filter(
    ({ id8, from, to }) => id8 === range.session && from < range.to && range.from < to,
  )
  waiveNotes(store, missing)
}

function told({ lines, json }: Pick<Decided, 'lines' | 'json'>): ByHand {
  const painted = lines.map((line) => (typeof line === 'string' ? { text: line } : line))
  return { said: painted.map(({ text }) => text), lines: painted, json }
}
