/** `note`, `remember` and `notes`: notes saved, listed, shown with their source, edited, removed, and those by code replaced. */

import { toRemember } from '../../knowledge/fact-own.ts'
import { type Command, inProject, type Option } from '../../memory/commands/command.ts'
import { type Context, change, handOf, limitOf } from '../../memory/commands/context.ts'
import { bad, bold, count, dim, harmless, oneLine, table, width } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store } from '../../memory/disk/store.ts'
import type { NoteAuthor } from '../../memory/note.ts'
import { repairMemory } from '../../notes/disk/memory.ts'
import { findNote, type ListedNote, listNotes } from '../../notes/disk/note-list.ts'
import { type Saved, saveNote } from '../../notes/disk/notes.ts'
import { KeeperError } from '../../platform/error.ts'
import { MEMORY_FILE } from '../../platform/layout.ts'
import { entryId } from '../../transcript/session.ts'
import { inMemory, noNote, rangeOf, writtenNote } from '../disk/hand-notes.ts'
import { changeFiles } from '../disk/undo.ts'
import { handIn, perform } from './by-hand.ts'
import { runFactsAdd } from './facts-change.ts'

interface TextOptions {
  text?: string
  author?: string
}

/** Below so many columns, session and author are left out. */
const NARROW = 90
const LEAST_WORDS = 20
/** What `--author` takes. */
const AUTHORS: readonly NoteAuthor[] = ['user', 'agent']

const WRITTEN_BY = {
  agent: 'Claude, as agent',
  headless: 'Claude, in the background',
  extractive: 'code',
  user: 'you',
}

function runNote(context: Context, options: TextOptions & { delta?: string }): number {
  const { delta } = options
  const author = noteAuthor(options, delta === undefined ? handOf(context) : 'agent')
  if (delta === undefined && author !== handOf(context)) {
    throw new KeeperError(
      'usage',
      'A note by an agent is about a delta: name it with --delta ID. memory-keeper delta shows what waits.',
    )
  }
  const text = givenText(context, options)
  if (delta === undefined) return perform(context, { do: 'add-note', text })
  const saved = change(context, (store): Saved => saveNote(store, { delta, text, author }, context.world.now()))
  return printSaved(
    context,
    saved,
    'Nothing was saved. Mend the note and save it again; after a second refusal code writes the note instead.',
  )
}

/** Never empty: an agent's second empty note would make code write it. */
function givenText({ world }: Context, { text }: TextOptions): string {
  if (text === undefined && world.isStdinTerminal) {
    throw new KeeperError('usage', 'Give the text with --text "…", or on standard input.')
  }
  return writtenNote(text ?? world.readStdin())
}

function noteAuthor({ author }: TextOptions, usual: NoteAuthor): NoteAuthor {
  if (author === undefined) return usual
  const known = AUTHORS.find((one) => one === author)
  if (known !== undefined) return known
  throw new KeeperError('usage', `--author is ${AUTHORS.join(' or ')}, not "${harmless(author)}".`)
}

/** The first line is the note's id, for scripts. */
function printSaved({ out, isDryRun }: Context, saved: Saved, afterRefusal: string): number {
  if (saved.is === 'saved') {
    out.json({ note: saved.note, replaced: saved.isReplaced, dryRun: isDryRun })
    const done = saved.isReplaced ? 'replaces the note that code wrote' : 'saved in memory.md'
    out.say(saved.note.id, dim(isDryRun ? `would be saved: it ${saved.isReplaced ? done : 'passes'}` : done))
    return 0
  }
  const { is: code, reason } = saved
  const notFound = code === 'refused' ? saved.notFound : []
  const note = code === 'given-up' ? saved.note : null
  const next = {
    refused: afterRefusal,
    'given-up': `That was the second refusal: code wrote the note instead, ${note?.id}. memory-keeper notes replace ${note?.id} puts a better one in its place.`,
    'not-open': 'Nothing was saved.',
  }[code]
  out.json({ error: { code, message: reason }, notFound, note, dryRun: isDryRun })
  out.warn(`${bad('memory-keeper:')} ${harmless(reason)}`)
  for (const name of notFound) out.warn(`  not found: ${harmless(name)}`)
  out.warn(next)
  return 1
}

export function runRemember(context: Context, words: string): number {
  const { world, out, isDryRun } = context
  const given = words.trim() !== '' || world.isStdinTerminal ? words : world.readStdin()
  if (given.trim() === '')
    throw new KeeperError('usage', 'Say what is to be remembered: memory-keeper remember "We deploy on Tuesdays only."')
  const { kind, text } = toRemember(given)
  // Only the user makes a rule; Claude proposes one.
  if (kind === 'rule') return perform(context, { do: handOf(context) === 'user' ? 'add-rule' : 'propose-rule', text })
  const code = kind === 'note' ? runNote(context, { text }) : runFactsAdd(context, kind, text, {})
  const whose = handOf(context) === 'user' ? 'yours' : "Claude's"
  if (code === 0 && !isDryRun)
    out.say(
      dim(
        `Kept as ${kind === 'issue' ? 'an' : 'a'} ${kind} of ${whose}; the next session is told it. memory-keeper undo takes it back.`,
      ),
    )
  return code
}

function runNotesList({ store, out, world }: Context, options: { limit?: string }): number {
  const { notes, byHand } = listNotes(store)
  const shown = notes.slice(0, limitOf(options.limit))
  out.json({ notes: shown, total: notes.length, byHand })
  if (notes.length === 0) {
    out.say('No notes yet. They are written as you work; memory-keeper delta shows what waits for one.')
  }
  const heads = table(
    shown.map((note) => [
      bold(note.id),
      minute(note.at),
      ...(world.columns < NARROW ? [] : [note.author, note.session ?? '–']),
    ]),
  )
  const room = Math.max(LEAST_WORDS, world.columns - 2 - Math.max(0, ...heads.map(width)))
  out.say(...table(shown.map((note, i) => [heads[i] ?? '', oneLine(note.text, room)])))
  if (byHand > 0) out.say(dim(`${count(byHand, 'more paragraph')} in ${MEMORY_FILE}, written by hand.`))
  return 0
}

export function runNotesShow({ store, out }: Context, id: string): number {
  const note = findNote(store, id)
  if (note === null) throw noNote(id)
  const source = sourceOf(note)
  out.json({ note, source })
  out.say(
    ...listedNoteLines(note),
    source === null
      ? dim('It is about no session.')
      : `It tells ${count(note.to - note.from, 'entry', 'entries')} of session ${note.session}: ${source.first} to ${source.last}.\nThe source: memory-keeper show ${rangeOf(note)}`,
  )
  return 0
}

export function listedNoteLines(note: ListedNote): string[] {
  return [
    `${bold(note.id)} ${dim(`${minute(note.at)} UTC, by ${WRITTEN_BY[note.author]}, in ${note.file}`)}`,
    harmless(note.text),
    '',
  ]
}

function runNotesReplace(context: Context, id: string, options: TextOptions): number {
  const { store, isDryRun } = context
  const text = givenText(context, options)
  const author = noteAuthor(options, 'agent')
  const hand = handIn(context)
  const note = inMemory(findNote(store, id), id)
  if (note.author !== 'extractive')
    throw notReplaceable(note.id, `was not written by code but by ${WRITTEN_BY[note.author]}`)
  const replace = (to: Store, keep: (what: string) => void = () => undefined): Saved => {
    const done = saveNote(to, { delta: note.id, text, author }, hand.now)
    keep(`replace ${note.id}`)
    if (done.is !== 'not-open') return done
    throw notReplaceable(note.id, 'is no longer as code wrote it, or its session is gone')
  }
  if (!isDryRun) store.whileLocked(COMMAND_WAIT_MS, () => repairMemory(store, hand.now))
  const saved = isDryRun ? change(context, replace) : changeFiles(store, hand, [], (keep) => replace(store, keep))
  return printSaved(
    context,
    saved,
    'Nothing was changed. Mend the text and try again; until then the note stays as code wrote it.',
  )
}

function notReplaceable(id: string, why: string): KeeperError {
  return new KeeperError('not-replaceable', `${id} ${why}. To change it: memory-keeper notes edit ${id}`)
}

function sourceOf({ session, from, to }: ListedNote): { session: string; first: string; last: string } | null {
  if (session === null) return null
  return { session, first: entryId(session, from), last: entryId(session, Math.max(from, to - 1)) }
}

function minute(at: string): string {
  return harmless(at).slice(0, 16).replace('T', ' ')
}

const NOTE_TEXT: Option = { flags: '--text <text>', about: 'the text; without this it is read from stdin' }
const AUTHOR: Option = { flags: '--author <who>', about: 'user or agent', values: { of: AUTHORS } }

export const NOTES_COMMANDS: readonly Command[] = [
  {
    usage: 'note',
    about: 'save the note about a delta, checked against it; without a delta a note of your own',
    options: [
      NOTE_TEXT,
      { flags: '--delta <id>', about: 'the delta it is about, as memory-keeper delta names it' },
      AUTHOR,
    ],
    writes: true,
    example: 'memory-keeper note --text "We deploy on Tuesdays only."',
    run: inProject(runNote),
  },
  {
    usage: 'notes list',
    about: 'the notes, also those in archives, newest first',
    options: [{ flags: '--limit <n>', about: 'at most so many' }],
    example: 'memory-keeper notes list --limit 10',
    run: inProject(runNotesList),
  },
  {
    usage: 'notes edit <id>',
    about: 'replace a note by your own text; it is not checked',
    options: [NOTE_TEXT],
    writes: true,
    example: 'memory-keeper notes edit n-1a2b3c4d-0-57 --text "Prices are kept in cents."',
    run: inProject((context, options, [id = '']) =>
      perform(context, { do: 'edit-note', id, text: givenText(context, options) }),
    ),
  },
  {
    usage: 'notes replace <id>',
    about: 'replace a note that code wrote by a better text, checked against its delta',
    options: [NOTE_TEXT, AUTHOR],
    writes: true,
    example: 'memory-keeper notes replace n-1a2b3c4d-0-57 < note.txt',
    run: inProject((context, options, [id = '']) => runNotesReplace(context, id, options)),
  },
  {
    usage: 'notes remove <id>',
    about: 'delete a note from memory.md; its entries do not get another note',
    writes: true,
    example: 'memory-keeper notes remove n-1a2b3c4d-0-57',
    run: inProject((context, _, [id = '']) => perform(context, { do: 'remove-note', id })),
  },
]
