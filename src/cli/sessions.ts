/** `sessions` and `show`: what is remembered, session by session and entry by entry. */
import { KeeperError } from '../core/error.ts'
import { type Entry, entryId, parseEntryId, type Tombstone } from '../core/session.ts'
import { readSession } from '../store/lineage.ts'
import { findSessionFile, listSessions, type SessionRow } from '../store/sessions.ts'
import { type Context, wholeNumber } from './context.ts'
import { bold, count, dim, harmless, oneLine, table, width } from './output.ts'
import { onlyInVault } from './status.ts'

/** Below so many columns, the counts are left out. */
const NARROW = 72
const LEAST_GOAL = 10

export function runSessions(context: Context, options: { limit?: string }): number {
  const rows = listSessions(context.store)
  const limit = options.limit === undefined ? rows.length : wholeNumber('--limit', options.limit)
  const shown = rows.slice(0, limit)
  context.out.json({ sessions: shown })
  if (rows.length === 0) {
    const inVault = onlyInVault(context.store)
    context.out.say(
      inVault > 0
        ? `No sessions here, but ${count(inVault, 'session')} in the vault: memory-keeper restore brings them back.`
        : 'No sessions yet. They are captured as you work; memory-keeper import takes in earlier ones.',
    )
  }
  context.out.say(...renderRows(shown, context.world.columns))
  return 0
}

/** One line each; a narrow terminal gets less of it. */
function renderRows(rows: readonly SessionRow[], columns: number): string[] {
  const counts = (row: SessionRow): string[] => [count(row.prompts, 'prompt'), count(row.tools, 'tool use')]
  const heads = table(
    rows.map((row) => [
      bold(row.id),
      row.startedAt.slice(0, 16).replace('T', ' ') || '–',
      ...(columns < NARROW ? [] : counts(row)),
    ]),
  )
  const taken = Math.max(0, ...heads.map(width)) + 2
  return table(rows.map((row, i) => [heads[i] ?? '', oneLine(row.goal, Math.max(LEAST_GOAL, columns - taken))]))
}

export function runShow(context: Context, id: string, options: { context?: string }): number {
  const wanted = parseEntryId(id)
  if (wanted === null) {
    throw new KeeperError(
      'usage',
      `"${id}" is no id. Use a session's (like 1a2b3c4d) or an entry's (like L1:1a2b3c4d#5); memory-keeper sessions lists them.`,
    )
  }
  const file = findSessionFile(context.store, wanted.id8)
  if (file === null) {
    throw new KeeperError(
      'not-found',
      `There is no session ${wanted.id8} in this project. memory-keeper sessions lists them.`,
    )
  }
  const entries = readSession(context.store, file)
  const around = wholeNumber('--context', options.context ?? '0')
  if (entries.length === 0) {
    throw new KeeperError(
      'unreadable',
      `${file} holds nothing that can be read. memory-keeper verify tells whether it can be captured again.`,
    )
  }
  if (wanted.n !== null && wanted.n >= entries.length) {
    throw new KeeperError(
      'not-found',
      `Session ${wanted.id8} has ${count(entries.length, 'entry', 'entries')}, numbered from 0; there is no #${wanted.n}.`,
    )
  }
  const from = wanted.n === null ? 0 : Math.max(0, wanted.n - around)
  const to = wanted.n === null ? entries.length : wanted.n + around + 1
  const shown = entries.map((entry, n) => ({ id: entryId(wanted.id8, n), ...entry })).slice(from, to)
  context.out.json({ session: wanted.id8, file, entries: shown })
  context.out.say(...shown.map(renderEntry))
  return 0
}

function renderEntry(entry: (Entry | Tombstone) & { id: string }): string {
  if (entry.role === 'tombstone') return dim(`${entry.id}  removed`)
  const who = entry.role === 'subagent' ? `subagent ${entry.agent}` : entry.role
  const head = `${bold(entry.id)} ${dim(entry.ts)} ${who}`
  if ('text' in entry) return `${head}\n${harmless(entry.text)}\n`
  const outcome = entry.ok === null ? 'no result' : entry.ok ? 'ok' : 'failed'
  return `${head} ${entry.name} (${outcome})\n${harmless(entry.cmd)}${entry.output ? `\n${dim(harmless(entry.output))}` : ''}\n`
}
