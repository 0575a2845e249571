/** `show`: whatever has an id: a session, entries of it, a note, a fact, a concept, a summary, a page. */

import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, wholeNumber } from '../../memory/commands/context.ts'
import { bold, count, dim, harmless } from '../../memory/commands/output.ts'
import { findNote, listNotes } from '../../notes/disk/note-list.ts'
import { KeeperError } from '../../platform/error.ts'
import { renderFound } from '../../search/commands/search-text.ts'
import { lookUp } from '../../search/disk/lookup.ts'
import { parseDeltaId } from '../../sessions/delta.ts'
import { readSession } from '../../sessions/disk/lineage.ts'
import { findSessionFile } from '../../sessions/disk/sessions.ts'
import { type Entry, entryId, outcomeOf, parseEntryId, type Tombstone, whyNotUsers } from '../../transcript/session.ts'
import { runFactsShow } from './facts.ts'
import { runConceptsShow } from './facts-change.ts'
import { listedNoteLines, runNotesShow } from './notes.ts'

function runShow(context: Context, given: string, options: { context?: string }): number {
  const id = given.trim()
  const around = wholeNumber('--context', options.context ?? '0')
  const range = parseDeltaId(id)
  if (id.startsWith('n-') || (range !== null && findNote(context.store, id) !== null)) {
    return around === 0 ? runNotesShow(context, id) : showNotesAround(context, id, around)
  }
  // What still waits for its note is named like the note.
  if (range !== null) return showEntries(context, range.session, range.from - around, range.to + around)
  const wanted = parseEntryId(id)
  if (wanted === null) {
    if (/^c\d+$/i.test(id)) return runConceptsShow(context, id)
    return isFactId(id) ? runFactsShow(context, id, options) : showOther(context, id, around)
  }
  const { id8, n } = wanted
  if (n === null) return showEntries(context, id8, 0, Number.POSITIVE_INFINITY)
  return showEntries(context, id8, n - around, (wanted.to ?? n) + around + 1, n)
}

/** Notes stand in the order in which they were written, whatever file they are in by now. */
function showNotesAround(context: Context, id: string, around: number): number {
  const { notes } = listNotes(context.store)
  const at = notes.findIndex((note) => note.id === id || note.id === `n-${id}`)
  if (at < 0) return runNotesShow(context, id)
  const shown = notes.slice(Math.max(0, at - around), at + around + 1).toReversed()
  context.out.json({ notes: shown })
  context.out.say(
    ...shown.flatMap(listedNoteLines),
    `The source of one of them: memory-keeper show ${notes[at]?.id ?? id}`,
  )
  return 0
}

/** Summaries, pages, rules, tiers. */
function showOther({ store, out }: Context, id: string, around: number): number {
  const found = lookUp(store, id, around)
  if (found === null) throw noSuchThing(id)
  if (found.parts.length === 0) throw new KeeperError('not-found', harmless(found.title))
  out.json({ id, ...found })
  out.say(...renderFound(found))
  return 0
}

/** From, up to and not including; `first` must be there. */
function showEntries({ store, out }: Context, id8: string, from: number, to: number, first = from): number {
  const file = findSessionFile(store, id8)
  if (file === null) {
    throw new KeeperError('not-found', `There is no session ${id8} in this project. memory-keeper sessions lists them.`)
  }
  const entries = readSession(store, file)
  if (entries.length === 0) {
    throw new KeeperError(
      'unreadable',
      `${file} holds nothing that can be read. memory-keeper verify tells whether it can be captured again.`,
    )
  }
  if (first >= entries.length) {
    throw new KeeperError(
      'not-found',
      `Session ${id8} has ${count(entries.length, 'entry', 'entries')}, numbered from 0; there is no #${first}.`,
    )
  }
  const shown = entries.map((entry, n) => ({ id: entryId(id8, n), ...entry })).slice(Math.max(0, from), to)
  out.json({ session: id8, file, entries: shown })
  out.say(...shown.map(renderEntry))
  return 0
}

function renderEntry(entry: (Entry | Tombstone) & { id: string }): string {
  if (entry.role === 'tombstone') return dim(`${entry.id}  removed`)
  const who =
    entry.role === 'subagent'
      ? `subagent ${entry.agent}`
      : entry.role === 'teammate'
        ? `message from ${harmless(entry.from)}`
        : entry.role === 'user' && whyNotUsers(entry) !== ''
          ? `prompt (${harmless(whyNotUsers(entry))})`
          : entry.role
  const head = `${bold(entry.id)} ${dim(entry.ts)} ${who}`
  if ('text' in entry) return `${head}\n${harmless(entry.text)}\n`
  const { output = '', cut } = entry
  const printed = output === '' ? '' : `\n${dim(harmless(cut === true ? `${output} …` : output))}`
  return `${head} ${entry.name} (${outcomeOf(entry)})\n${harmless(entry.cmd)}${printed}\n`
}

function isFactId(id: string): boolean {
  return /^[dpi]\d+$/i.test(id)
}

function noSuchThing(id: string): KeeperError {
  if (/^r\d+$/i.test(id)) {
    return new KeeperError('not-found', `There is no permanent memory ${id}. memory-keeper rules lists what there is.`)
  }
  return new KeeperError(
    'usage',
    `"${harmless(id)}" is no id. Use one of a session (like 1a2b3c4d), an entry (L1:1a2b3c4d#5), a range (L1:1a2b3c4d#5-9), a note (n-1a2b3c4d-0-57), a fact (d001), a concept (c001), a session's summary (S:1a2b3c4d) or a page (page:project); memory-keeper sessions, memory-keeper notes list and memory-keeper search show them.`,
  )
}

export const SHOW_COMMANDS: readonly Command[] = [
  {
    usage: 'show <id>',
    about:
      'show whatever has an id: a session (1a2b3c4d), entries (L1:1a2b3c4d#5-9), a note, a fact (d001), a concept (c001), a page',
    options: [{ flags: '--context <n>', about: 'with so many entries before and after' }],
    example: 'memory-keeper show L1:1a2b3c4d#5 --context 2',
    run: inProject((context, options, [id = '']) => runShow(context, id, options)),
  },
]
