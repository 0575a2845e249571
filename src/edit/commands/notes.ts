/** `note`, `remember`, `notes`: notes saved, listed, shown with their source, edited, removed; `page`: texts kept by hand that are injected when a session starts. */

import path from 'node:path'
import { toRemember } from '../../knowledge/fact-draft.ts'
import { type Command, inProject, type Option } from '../../memory/commands/command.ts'
import { type Context, change, handOf, limitOf } from '../../memory/commands/context.ts'
import { bad, bold, bytes, count, dim, harmless, oneLine, table } from '../../memory/commands/output.ts'
import { findNote, type ListedNote, listNotes } from '../../notes/disk/note-list.ts'
import { type Saved, saveNote } from '../../notes/disk/notes.ts'
import { readPage, readPages } from '../../pages/disk/pages.ts'
import { isUntouchedTemplate, pageText } from '../../pages/page.ts'
import { readText } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { MEMORY_FILE } from '../../platform/layout.ts'
import { entryId } from '../../transcript/session.ts'
import { checkedPageName, noNote, rangeOf, writtenNote } from '../disk/hand-notes.ts'
import { changeOfId, listed, minute, perform } from './by-hand.ts'

interface TextOptions {
  text?: string
}

/** Below so many columns, session and author are left out. */
const NARROW = 90

const WRITTEN_BY = {
  agent: 'Claude, as agent',
  headless: 'Claude, in the background',
  extractive: 'code',
  user: 'you',
}

function runNote(context: Context, options: TextOptions & { delta?: string }): number {
  const { delta } = options
  const text = givenText(context, options)
  if (delta === undefined) return perform(context, { do: 'add-note', text })
  const given = { delta, text, author: 'agent' } as const
  return printSaved(
    context,
    change(context, (store): Saved => saveNote(store, given, context.world.now())),
  )
}

/** Never empty: an agent's second empty note would make code write it. */
function givenText({ world }: Context, { text }: TextOptions): string {
  if (text === undefined && world.isStdinTerminal) {
    throw new KeeperError('usage', 'Give the text with --text "…", or on standard input.')
  }
  return writtenNote(text ?? world.readStdin())
}

/** The first line is the note's id, for scripts. */
function printSaved({ out, isDryRun }: Context, saved: Saved): number {
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
    refused:
      'Nothing was saved. Mend the note and save it again; after a second refusal of an open delta code writes the note instead.',
    'given-up': `That was the second refusal: code wrote the note instead, ${note?.id}. memory-keeper note --delta ${note?.id} puts a better one in its place.`,
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
  const isUser = handOf(context) === 'user'
  // Only the user makes a rule; Claude proposes one.
  if (kind === 'rule') return perform(context, { do: isUser ? 'add-rule' : 'propose-rule', text })
  const code = kind === 'note' ? runNote(context, { text }) : perform(context, { do: 'add-fact', type: kind, text })
  if (code === 0 && !isDryRun)
    out.say(
      dim(
        `Kept as ${kind === 'issue' ? 'an' : 'a'} ${kind} of ${isUser ? 'yours' : "Claude's"}; the next session is told it. memory-keeper undo takes it back.`,
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
  const rows = shown.map(({ id, at, author, session, text }) => ({
    cells: [bold(id), minute(at), ...(world.columns < NARROW ? [] : [author, session ?? '–'])],
    text,
  }))
  out.say(...listed(rows, world.columns))
  if (byHand > 0) out.say(dim(`${count(byHand, 'more paragraph')} in ${MEMORY_FILE}, written by hand.`))
  return 0
}

export function runNotesShow({ store, out }: Context, id: string): number {
  const note = findNote(store, id)
  if (note === null) throw noNote(id)
  const { session, from, to } = note
  const source =
    session === null ? null : { session, first: entryId(session, from), last: entryId(session, Math.max(from, to - 1)) }
  out.json({ note, source })
  out.say(
    ...listedNoteLines(note),
    source === null
      ? dim('It is about no session.')
      : `It tells ${count(to - from, 'entry', 'entries')} of session ${session}: ${source.first} to ${source.last}.\nThe source: memory-keeper show ${rangeOf(note)}`,
  )
  return 0
}

export function listedNoteLines(note: ListedNote): string[] {
  const written = `${minute(note.at)} UTC, by ${WRITTEN_BY[note.author]}, in ${note.file}`
  return [`${bold(note.id)} ${dim(written)}`, harmless(note.text), '']
}

const NOTE_TEXT: Option = { flags: '--text <text>', about: 'the text; without this it is read from stdin' }

export const NOTES_COMMANDS: readonly Command[] = [
  {
    usage: 'note',
    about: 'save the note about a delta, checked against it; without a delta a note of your own',
    options: [
      NOTE_TEXT,
      {
        flags: '--delta <id>',
        about: 'the delta it is about, as memory-keeper delta names it, or a note that code wrote',
      },
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
  changeOfId(
    'notes remove',
    'remove-note',
    'delete a note from memory.md; its entries do not get another note',
    'n-1a2b3c4d-0-57',
  ),
]

interface PageSetOptions {
  text?: string
  file?: string
  append?: boolean
}

function runPageGet({ store, out }: Context, given: string): number {
  const name = checkedPageName(given)
  const page = readPage(store, name)
  if (page === null) {
    const others = readPages(store).map((other) => other.name)
    const rest = others.length === 0 ? 'There are no pages yet.' : `There are: ${others.join(', ')}.`
    throw new KeeperError(
      'no-page',
      `There is no page ${name} in ${store.dir}. ${rest} To write it: memory-keeper page set ${name} --text "…"`,
    )
  }
  out.json(page)
  out.say(harmless(page.text.replace(/\n$/, '')))
  if (page.bytes > Buffer.byteLength(page.text) + 3) {
    out.warn(`Only the first 64 KB are shown and used; the page has ${bytes(page.bytes)}.`)
  }
  return 0
}

function runPageList({ store, out }: Context): number {
  const pages = readPages(store).map((page) => ({
    name: page.name,
    bytes: page.bytes,
    isEmpty: isUntouchedTemplate(page.name, page.text) || pageText(page.text) === '',
    about: oneLine(pageText(page.text).replace(/^#.*$/gm, ''), 60),
  }))
  out.json({ pages })
  if (pages.length === 0) out.say('No pages yet. memory-keeper init writes templates; memory-keeper page set project')
  else {
    out.say(
      ...table(
        pages.map((page) => [page.name, bytes(page.bytes), dim(page.isEmpty ? 'not filled in: not told' : page.about)]),
      ),
    )
  }
  return 0
}

function givenPage({ world }: Context, { text, file }: PageSetOptions): string {
  if (text !== undefined && file !== undefined)
    throw new KeeperError('usage', 'Give either --text or --file, not both.')
  if (text === undefined && file === undefined && world.isStdinTerminal)
    throw new KeeperError('usage', 'Give the text with --text "…" or --file FILE, or on standard input.')
  const said = text ?? (file === undefined ? world.readStdin() : fromFile(path.resolve(world.cwd, file)))
  if (said.trim() !== '') return said
  throw new KeeperError(
    'empty-page',
    'The text is empty: nothing was changed. Give it with --text, --file or on stdin.',
  )
}

function fromFile(file: string): string {
  const text = readText(file)
  if (text === null)
    throw new KeeperError('no-file', `${file} is not there or not a file. Give a text file with --file.`)
  if (text.includes('\u0000')) throw new KeeperError('not-text', `${file} is not a text file. Give one with --file.`)
  return text
}

export const PAGE_COMMANDS: readonly Command[] = [
  {
    usage: 'page set <name>',
    about: 'write a page: a text about the project that is injected when a session starts',
    options: [
      { flags: '--text <text>', about: 'the text; without this and --file it is read from stdin' },
      { flags: '--file <file>', about: 'a file with the text' },
      { flags: '--append', about: 'add it to the end of the page' },
    ],
    writes: true,
    example: 'memory-keeper page set project --text "A web shop for bicycle parts."',
    run: inProject((context, options: PageSetOptions, [name = '']) =>
      perform(context, {
        do: 'set-page',
        name: checkedPageName(name),
        text: givenPage(context, options),
        how: options.append === true ? 'append' : 'replace',
      }),
    ),
  },
  {
    usage: 'page get <name>',
    isVerbatim: true,
    about: 'print a page',
    example: 'memory-keeper page get architecture',
    run: inProject((context, _, [name = '']) => runPageGet(context, name)),
  },
  {
    usage: 'page list',
    about: 'the pages, and which of them say something',
    example: 'memory-keeper page list',
    run: inProject(runPageList),
  },
]
