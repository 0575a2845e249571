/** The tools the model may call; answers are small, ids first, details on request. */
import { type Entry, entryId, parseEntryId, type Tombstone } from '../core/session.ts'
import { readSession } from '../store/lineage.ts'
import { findSessionFile, listSessions } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'

/** The host replaces longer results by a preview. */
const MAX_CHARS = 45_000
const RECENT = 10

export interface Answer {
  text: string
  isError: boolean
}

export function memoryStatus(store: Store): Answer {
  const rows = listSessions(store)
  const recent = rows
    .slice(0, RECENT)
    .map(
      (row) =>
        `${row.id} ${row.startedAt.slice(0, 16)} ${row.prompts} prompts, ${row.tools} tool uses: ${oneLine(row.goal)}`,
    )
  return fine(
    [
      `${rows.length} sessions remembered in this project.`,
      ...(recent.length > 0 ? ['Newest first:', ...recent] : []),
    ].join('\n'),
  )
}

export function getMemory(store: Store, id: string, context: number): Answer {
  const wanted = parseEntryId(id)
  if (wanted === null) return wrong(`"${id}" is no id: use a session's (1a2b3c4d) or an entry's (L1:1a2b3c4d#5).`)
  const file = findSessionFile(store, wanted.id8)
  if (file === null) return wrong(`There is no session ${wanted.id8} in this project.`)
  const entries = readSession(store, file)
  const from = wanted.n === null ? 0 : Math.max(0, wanted.n - context)
  const to = wanted.n === null ? entries.length : (wanted.to ?? wanted.n) + context + 1
  const lines = entries.slice(from, to).map((entry, i) => render(entryId(wanted.id8, from + i), entry))
  if (lines.length === 0) return wrong(`Session ${wanted.id8} has ${entries.length} entries, numbered from 0.`)
  return fine(withinLimit(lines))
}

function render(id: string, entry: Entry | Tombstone): string {
  if (entry.role === 'tombstone') return `${id} removed`
  const head = `${id} ${entry.ts} ${entry.role}`
  if ('text' in entry) return `${head}: ${entry.text}`
  const outcome = entry.ok === null ? 'no result' : entry.ok ? 'ok' : 'failed'
  return `${head} ${entry.name} (${outcome}): ${entry.cmd}${entry.output ? `\n  ${entry.output}` : ''}`
}

function withinLimit(lines: readonly string[]): string {
  let text = ''
  for (const [i, line] of lines.entries()) {
    if (text.length + line.length > MAX_CHARS)
      return `${text}… ${lines.length - i} more entries: ask for a single entry's id.`
    text += `${line}\n`
  }
  return text.trimEnd()
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 120)
}

function fine(text: string): Answer {
  return { text, isError: false }
}

function wrong(text: string): Answer {
  return { text, isError: true }
}
