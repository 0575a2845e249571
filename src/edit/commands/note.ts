/** `note` and `remember`: saves the note about a delta after checking it, or a note of the person's own; inside Claude Code, one of Claude's. */

import { toRemember } from '../../knowledge/fact-own.ts'
import { type Command, inProject, type Option } from '../../memory/commands/command.ts'
import { type Context, change, handOf } from '../../memory/commands/context.ts'
import { bad, dim, harmless } from '../../memory/commands/output.ts'
import type { NoteAuthor } from '../../memory/note.ts'
import { type Saved, saveNote } from '../../notes/disk/notes.ts'
import { KeeperError } from '../../platform/error.ts'
import { writtenNote } from '../disk/hand-notes.ts'
import { perform } from './by-hand.ts'
import { runFactsAdd } from './facts-change.ts'

export interface TextOptions {
  text?: string
  author?: string
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
  return tellSaved(
    context,
    saved,
    'Nothing was saved. Mend the note and save it again; after a second refusal code writes the note instead.',
  )
}

/** Who wants a note must say something; an agent's second empty note would make code write it. */
export function givenText({ world }: Context, { text }: TextOptions): string {
  if (text === undefined && world.isStdinTerminal) {
    throw new KeeperError('usage', 'Give the text with --text "…", or on standard input.')
  }
  return writtenNote(text ?? world.readStdin())
}

/** What `--author` takes. */
const AUTHORS: readonly NoteAuthor[] = ['user', 'agent']

export function noteAuthor({ author }: TextOptions, usual: NoteAuthor): NoteAuthor {
  if (author === undefined) return usual
  const known = AUTHORS.find((one) => one === author)
  if (known !== undefined) return known
  throw new KeeperError('usage', `--author is ${AUTHORS.join(' or ')}, not "${harmless(author)}".`)
}

/** What became of it; after a refusal what to do. The first line is the note's id, for scripts. */
export function tellSaved({ out, isDryRun }: Context, saved: Saved, afterRefusal: string): number {
  if (saved.is === 'saved') {
    out.json({ note: saved.note, replaced: saved.isReplaced, dryRun: isDryRun })
    const done = saved.isReplaced ? 'replaces the note that code wrote' : 'saved in memory.md'
    out.say(saved.note.id, dim(isDryRun ? `would be kept: it ${saved.isReplaced ? done : 'passes'}` : done))
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
  const { kind, text } = toRemember(words.trim() === '' ? fromStdin(context) : words)
  const code = kind === 'note' ? runNote(context, { text }) : runFactsAdd(context, kind, text, {})
  if (code === 0 && !context.isDryRun) context.out.say(dim(told(context, kind)))
  return code
}

function told(context: Context, kind: string): string {
  const whose = handOf(context) === 'user' ? 'yours' : "Claude's"
  return `Kept as ${kind === 'issue' ? 'an' : 'a'} ${kind} of ${whose}; the next session is told it. memory-keeper undo takes it back.`
}

function fromStdin({ world }: Context): string {
  const text = world.isStdinTerminal ? '' : world.readStdin()
  if (text.trim() !== '') return text
  throw new KeeperError('usage', 'Say what is to be remembered: memory-keeper remember "We deploy on Tuesdays only."')
}

export const NOTE_TEXT: Option = { flags: '--text <text>', about: 'the text; without this it is read from stdin' }

export const AUTHOR: Option = { flags: '--author <who>', about: 'user or agent', values: { of: AUTHORS } }

export const NOTE_COMMANDS: readonly Command[] = [
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
]
