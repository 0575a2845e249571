/** `note`, `remember`, `notes`: save, list, edit and remove notes; `page`: texts written by hand that are injected when a session starts. */

import path from 'node:path'
import { type Command, inProject, type Option } from '../../../kernel/memory/commands/command.ts'
import { type Context, change, handOf, limitOf, typed } from '../../../kernel/memory/commands/context.ts'
import { bad, bold, bytes, count, dim, harmless, oneLine } from '../../../kernel/memory/commands/output.ts'
import { readText } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { MEMORY_FILE } from '../../../kernel/platform/layout.ts'
import { listNotes } from '../../notes/disk/note-list.ts'
import { type Saved, saveNote } from '../../notes/disk/notes.ts'
import { readPage, readPages } from '../../pages/disk/pages.ts'
import { isUntouchedTemplate, pageName, pageText } from '../../pages/page.ts'
import { writtenNote } from '../disk/by-hand.ts'
import { toRemember } from '../remember.ts'
import { perform, printList } from './by-hand.ts'

interface TextOptions {
  text?: string
  file?: string
}

/** With fewer columns, session and author are left out. */
const NARROW = 90

function runNote(context: Context, options: TextOptions & { delta?: string }): number {
  const { delta } = options
  // Never empty: after an agent's second empty note, code would write the note.
  const text = writtenNote(givenText(context, options))
  if (delta === undefined) return perform(context, { do: 'add-note', text })
  const given = { delta, text, author: 'agent' } as const
  return printSaved(
    context,
    change(context, (store): Saved => saveNote(store, given, context.world.now())),
  )
}

/** From an option, a file or standard input. */
function givenText({ world }: Context, { text, file }: TextOptions): string {
  if (text !== undefined && file !== undefined)
    throw new KeeperError('usage', 'Give either --text or --file, not both.')
  if (text !== undefined) return text
  if (file !== undefined) return fromFile(path.resolve(world.cwd, file))
  if (!world.isStdinTerminal) return world.readStdin()
  throw new KeeperError('usage', 'Give the text with --text "…", or on standard input.')
}

function fromFile(file: string): string {
  const text = readText(file)
  if (text === null)
    throw new KeeperError('no-file', `${file} is not there or not a file. Give a text file with --file.`)
  if (text.includes('\u0000')) throw new KeeperError('not-text', `${file} is not a text file. Give one with --file.`)
  return text
}

/** The first line is the note's id, for scripts. */
function printSaved({ out }: Context, saved: Saved): number {
  if (saved.is === 'saved') {
    out.json({ note: saved.note, replaced: saved.isReplaced })
    out.say(saved.note.id, dim(saved.isReplaced ? 'replaces the note that code wrote' : 'saved in memory.md'))
    return 0
  }
  const { is: code, reason } = saved
  const notFound = code === 'refused' ? saved.notFound : []
  const note = code === 'given-up' ? saved.note : null
  const next = {
    refused:
      'Nothing was saved. Correct the note and save it again; after a second refusal, code writes the note of an open delta.',
    'given-up': `That was the second refusal: code wrote the note instead, ${note?.id}. memory-keeper note --delta ${note?.id} puts a better one in its place.`,
    'not-open': 'Nothing was saved.',
  }[code]
  out.json({ error: { code, message: reason }, notFound, note })
  out.warn(`${bad('memory-keeper:')} ${harmless(reason)}`)
  for (const name of notFound) out.warn(`  not found: ${harmless(name)}`)
  out.warn(next)
  return 1
}

export function runRemember(context: Context, words: string): number {
  const { world } = context
  const given = words.trim() !== '' || world.isStdinTerminal ? words : world.readStdin()
  if (given.trim() === '')
    throw new KeeperError('usage', 'Give the text to remember: memory-keeper remember "We deploy on Tuesdays only."')
  const { kind, text } = toRemember(given)
  const isUser = handOf(context) === 'user'
  // Only the user adds a rule; Claude proposes one.
  if (kind === 'rule') return perform(context, { do: isUser ? 'add-rule' : 'propose-rule', text })
  const saved = `Saved as ${isUser ? 'your' : "Claude's"} ${kind}. ${typed(world, 'undo')} takes it back.`
  return perform(context, kind === 'note' ? { do: 'add-note', text } : { do: 'add-fact', type: kind, text }, saved)
}

function runNotesList(context: Context, options: { limit?: string }): number {
  const { store, world, clock } = context
  const { notes, byHand } = listNotes(store)
  const shown = notes.slice(0, limitOf(options.limit))
  const rows = shown.map(({ id, at, author, session, text }) => ({
    cells: [bold(id), harmless(clock.minute(at)), ...(world.columns < NARROW ? [] : [author, session ?? '–'])],
    text,
  }))
  return printList(context, { notes: shown, total: notes.length, byHand }, rows, [
    ...(notes.length === 0
      ? ['No notes yet. They are written as you work; memory-keeper delta shows what waits for one.']
      : []),
    ...(byHand > 0 ? [dim(`${count(byHand, 'more paragraph')} in ${MEMORY_FILE}, written by hand.`)] : []),
  ])
}

const TEXT: Option = { flags: '--text <text>', about: 'the text; without this it is read from stdin' }

export const NOTES_COMMANDS: readonly Command[] = [
  {
    usage: 'note',
    stdin: '--text',
    about: 'save the note about a delta, checked against it; without a delta a note of your own',
    options: [
      TEXT,
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
]

function runPageSet(
  context: Context,
  options: TextOptions & { append?: boolean },
  [given = '', ...words]: readonly string[],
): number {
  const name = checkedPageName(given)
  if (words.length > 0 && (options.text ?? options.file) !== undefined)
    throw new KeeperError('usage', 'Give the text once: behind the name, with --text or with --file.')
  const text = words.length > 0 ? words.join(' ') : givenText(context, options)
  if (text.trim() === '')
    throw new KeeperError(
      'empty-page',
      'The text is empty: nothing was changed. Give it with --text, --file or on stdin.',
    )
  return perform(context, { do: 'set-page', name, text, how: options.append === true ? 'append' : 'replace' })
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

function checkedPageName(given: string): string {
  const name = pageName(given)
  if (name !== null) return name
  throw new KeeperError(
    'usage',
    `"${harmless(given)}" cannot be the name of a page. Use letters, digits and hyphens, like api-notes; memory, rules, claude and names that Windows reserves for devices are not allowed.`,
  )
}

function runPageList(context: Context): number {
  const pages = readPages(context.store).map((page) => ({
    name: page.name,
    bytes: page.bytes,
    isEmpty: isUntouchedTemplate(page.name, page.text) || pageText(page.text) === '',
    about: oneLine(pageText(page.text).replace(/^#.*$/gm, ''), 60),
  }))
  const rows = pages.map((page) => ({
    cells: [page.name, bytes(page.bytes)],
    text: page.isEmpty ? 'not filled in: not injected' : page.about,
  }))
  const none =
    'No pages yet. To write one: memory-keeper page set project --text "…"; memory-keeper init writes templates.'
  return printList(context, { pages }, rows, pages.length === 0 ? [none] : [])
}

export const PAGE_COMMANDS: readonly Command[] = [
  {
    usage: 'page set <name> [text...]',
    stdin: 'words',
    about: 'write a page: a text about the project that is injected when a session starts',
    options: [
      TEXT,
      { flags: '--file <file>', about: 'a file with the text' },
      { flags: '--append', about: 'add it to the end of the page' },
    ],
    writes: true,
    example: 'memory-keeper page set project "A web shop for bicycle parts."',
    run: inProject((context, options, args) => runPageSet(context, options, args)),
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
    about: 'the pages, and which of them have text',
    example: 'memory-keeper page list',
    run: inProject(runPageList),
  },
]
