/** All changes that a person makes to facts, concepts, notes, rules, lessons and pages: decided, written, and recorded for undo. Notes and pages are not checked: their author is responsible. */

import path from 'node:path'
import { COMMAND_WAIT_MS, type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { parseDeltaId } from '../../../kernel/memory/work-item.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { MEMORY_FILE } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { count, bytes as size } from '../../../kernel/text/figures.ts'
import { shown } from '../../../kernel/text/shorten.ts'
import { isFirstStepDue, runFirstSteps } from '../../extra.ts'
import { repairMemory } from '../../notes/disk/memory.ts'
import { findNote, findSameOwn, type ListedNote, missingNotes, waiveNotes } from '../../notes/disk/note-list.ts'
import { addOwnNote, planOwnNote } from '../../notes/disk/notes.ts'
import { dropRenders, renderAgain } from '../../notes/disk/tiers.ts'
import { editNoteIn, removeNoteFrom } from '../../notes/note-check.ts'
import { withoutUnread } from '../../notes/unread.ts'
import { LESSONS_PAGE } from '../../pages/page.ts'
import { FACT_CHANGES } from './hand-facts.ts'
import {
  type Decided,
  type Edit,
  fileOfPage,
  type Hand,
  readHandMemory,
  withPage,
  writeHandMemory,
} from './hand-memory.ts'
import { RULE_CHANGES } from './hand-rules.ts'
import { changeFiles, syncedLines } from './undo.ts'

export type { Hand } from './hand-memory.ts'

/** Notes are read at every session start; longer texts belong on a page. */
const MAX_CHARS = 20_000

const NOTE_CHANGES = {
  'add-note': ({ store, hand }: Edit, given: { text: string }): Decided => {
    const text = writtenNote(given.text)
    const same = findSameOwn(store, text, hand.by)
    if (same !== null)
      return {
        what: '',
        said: [same.id, 'already says exactly this: nothing was added'],
        json: { note: same, replaced: false, known: true },
      }
    const { note, memory } = planOwnNote(store, text, hand.now, hand.by)
    const said = [note.id, 'saved in memory.md']
    return { after: { notes: memory }, what: `add ${note.id}`, said, json: { note, replaced: false } }
  },
  'edit-note': ({ store, memory, redacted }: Edit, given: { id: string; text: string }): Decided => {
    const { id } = noteInMemory(store, given.id)
    const text = redacted(writtenNote(given.text).trim())
    const edited = editNoteIn(memory.notes, id, { text, author: 'user' }, store.config.timezone)
    if (edited === null) throw noNote(id)
    const said = [id, 'changed; it is yours now, and no model replaces it']
    return { after: { notes: edited.memory }, what: `edit ${id}`, said, json: { note: edited.note } }
  },
  /** The entries of the note still count as noted: no note is written about them again. */
  'remove-note': ({ store, memory }: Edit, given: { id: string }): Decided => {
    const note = noteInMemory(store, given.id)
    const notes = removeNoteFrom(memory.notes, note.id)
    if (notes === null) throw noNote(note.id)
    const left =
      note.session === null
        ? 'It is about no session: only memory-keeper undo restores it.'
        : `Its entries still count as noted: no note is written about them again. The session still contains them: memory-keeper show ${note.id.replace(/^n-/, '')}`
    const said = [note.id, `deleted from ${MEMORY_FILE}`, left]
    return { after: { notes }, what: `remove ${note.id}`, said, json: { removed: note } }
  },
  'set-page': (
    { store, memory, redacted }: Edit,
    { name, text, how }: { name: string; text: string; how: 'replace' | 'append' },
  ): Decided => {
    const file = fileOfPage(store, name)
    const before = how === 'append' ? (memory.files[file] ?? '') : ''
    const after = withLineEnd(before) + withLineEnd(redacted(text))
    const where = path.join(store.dir, file)
    const bytes = Buffer.byteLength(after)
    return {
      after: withPage(memory, file, after),
      what: how === 'append' ? `page ${name}: text added` : `page ${name}: written`,
      said: [`Wrote ${where} (${size(bytes)}).`],
      json: { name, file: where, bytes },
    }
  },
}

const CHANGES = { ...FACT_CHANGES, ...NOTE_CHANGES, ...RULE_CHANGES }

type Changes = typeof CHANGES

/** The name of a change, and the arguments of its function. */
export type Change = { [K in keyof Changes]: { do: K } & Parameters<Changes[K]>[1] }[keyof Changes]

export interface ByHand {
  /** What was done, or would be done, as lines for a person. */
  said: string[]
  /** For programs. */
  json: Record<string, unknown>
}

/** Takes the lock itself. Throws errors for the user: no such fact, nothing to change, another process is writing. */
export function changeByHand(store: Store, change: Change, hand: Hand): ByHand {
  const pages = [LESSONS_PAGE, ...(change.do === 'set-page' ? [change.name] : [])].map((name) =>
    fileOfPage(store, name),
  )
  // The file of 0.6 is read before it is changed: what the user does now must not be taken for a part of it.
  if (change.do in RULE_CHANGES && !hand.isDryRun && isFirstStepDue(store))
    store.whileLocked(COMMAND_WAIT_MS, () => runFirstSteps(store, hand.now, (_, work) => work()))
  // Taking the lock creates the directory: a refused change must not.
  const planned = decide(store, change, hand, pages)
  if (hand.isDryRun) return planned
  // A note proves that its entries are noted: the watermark must be past them before the note is removed.
  if (change.do.endsWith('-note')) store.whileLocked(COMMAND_WAIT_MS, () => repairMemory(store, hand.now))
  let dropped: ReadonlySet<string> = new Set()
  const done = changeFiles(store, hand, pages, (keep) => {
    const made = decide(store, change, hand, pages)
    if (change.do === 'add-note') {
      if (made.after !== undefined)
        addOwnNote(store, writtenNote(change.text), hand.now, () => keep(made.what), hand.by)
      return made
    }
    if (made.after?.notes !== undefined) dropped = dropRenders(store, made.after.notes)
    const synced = writeHandMemory(store, made.before, { ...made.before, ...made.after }, hand.now)
    keep(made.what)
    if (change.do === 'remove-note') waiveNote(store, change.id)
    if (synced === null) return made
    return { said: [...made.said, ...syncedLines(store, synced)], json: { ...made.json, claudeMd: synced } }
  })
  renderAgain(store, dropped, hand.now)
  return done
}

function decide(
  store: Store,
  change: Change,
  hand: Hand,
  pages: readonly string[],
): ByHand & Pick<Decided, 'after' | 'what'> & { before: Edit['memory'] } {
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
  const hidden = secrets > 0 ? [`${count(secrets, 'secret')} redacted.`] : []
  return { ...made, said: [...made.said, ...hidden], json: { ...made.json, redactions: secrets }, before: memory }
}

/** The user removed the note: no model reads its range again, and `doctor` must not report it as missing. */
function waiveNote(store: Store, note: string): void {
  const range = parseDeltaId(note)
  if (range === null) return
  const state = store.readState()
  const read = withoutUnread(state, range)
  if (read !== state) store.perform([stateEffect(read)])
  const missing = missingNotes(store).filter(
    ({ id8, from, to }) => id8 === range.session && from < range.to && range.from < to,
  )
  waiveNotes(store, missing)
}

/** Keeps line breaks and tabs; removes terminal escapes and other control characters. */
export function writtenNote(given: string): string {
  const text = given
    .replace(/\r\n?/g, '\n')
    .replace(/\u001b\[[0-?]*[ -/]*[@-~]/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
  if (text.trim() === '')
    throw new KeeperError('empty-note', 'The text is empty: nothing was changed. Give it with --text "…" or on stdin.')
  if (text.length <= MAX_CHARS) return text
  throw new KeeperError(
    'too-large',
    `The text has ${count(text.length, 'character')}, a note at most ${MAX_CHARS.toLocaleString('en-US')}: nothing was changed. A long text belongs on a page: memory-keeper page set NAME --file FILE`,
  )
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** Notes in archives are not changed. */
function noteInMemory(store: Store, id: string): ListedNote {
  const note = findNote(store, id)
  if (note === null) throw noNote(id)
  if (note.file === MEMORY_FILE) return note
  throw new KeeperError(
    'archived',
    `${note.id} is in the archive ${note.file}, which no command changes. Edit that file by hand if you must.`,
  )
}

function noNote(id: string): KeeperError {
  return new KeeperError('not-found', `There is no note ${shown(id)}. memory-keeper notes list shows them.`)
}
