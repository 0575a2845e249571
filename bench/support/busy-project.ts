/** A project of somebody who works in it every day: sessions with all kinds of entries, their state, notes, archives, facts and times of hooks. */

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { formatItems } from '../../src/core/knowledge/facts-file.ts'
import type { Fact } from '../../src/core/knowledge/item.ts'
import { NO_ITEMS } from '../../src/core/knowledge/items.ts'
import { formatSummary, standInSummary } from '../../src/core/notes/summary.ts'
import { noteHookTime } from '../../src/core/receipts/disk/journal.ts'
import { formatNote, type Note } from '../../src/kernel/memory/note.ts'
import { newSession, type SessionState } from '../../src/kernel/memory/session-state.ts'
import { EMPTY_STATE, formatState, type State } from '../../src/kernel/memory/state.ts'
import { archiveFile, SESSIONS_DIR, sessionFile, summaryFileOf } from '../../src/kernel/platform/layout.ts'
import { estimateTokens } from '../../src/kernel/text/tokens.ts'
import { type Entry, formatEntry } from '../../src/kernel/transcript/session.ts'
import { itemsOf } from '../../test/support/fact.ts'
import type { Place } from './corpus.ts'
import { createSpeaker } from './generated.ts'
import { createRandom } from './random.ts'

const HOUR_MS = 3_600_000
/** The last session ends about then. */
const LAST = Date.UTC(2026, 10, 30)
const NOTES_PER_ARCHIVE = 60
const FACTS_PER_SESSION = 3
const QUERIES = 200
const HOOKS = ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'] as const
const TOOLS = [
  'Bash',
  'Bash',
  'Read',
  'Edit',
  'Edit',
  'Grep',
  'Write',
  'WebFetch',
  'mcp__tracker__list_issues',
] as const
const FOLDERS = ['src/core', 'src/store', 'src/web', 'test', 'docs'] as const

export interface Busy {
  bytes: number
  /** Questions of some words of one entry. */
  queries: string[]
}

export function makeBusy({ store }: Place, sessions: number, entriesEach: number): Busy {
  const random = createRandom(sessions)
  const speak = createSpeaker(random)
  const dir = path.join(store.dir, SESSIONS_DIR)
  mkdirSync(dir, { recursive: true })
  const busy: Busy = { bytes: 0, queries: [] }
  const known: [string, SessionState][] = []
  const notes: Note[] = []
  const facts: Fact[] = []
  for (let n = 0; n < sessions; n++) {
    const began = LAST - (sessions - n) * 5 * HOUR_MS
    const id8 = (0x10000000 + n).toString(16)
    const entries = Array.from({ length: entriesEach }, (_, i) => entryOf(i, speak(), began, random))
    const file = sessionFile(new Date(began).toISOString(), id8)
    const text = entries.map(formatEntry).join('')
    writeFileSync(path.join(dir, file), text, { mode: 0o600 })
    busy.bytes += Buffer.byteLength(text)
    known.push([`${id8}-0000-4000-8000-000000000000`, stateOf(file, entries, text)])
    notes.push(noteOf(id8, entries, speak))
    facts.push(...factsOf(id8, entries, facts.length))
    if (n % Math.ceil(sessions / QUERIES) === 0) busy.queries.push(askedOf(entries, random))
  }
  keepNotes(store.dir, { ...EMPTY_STATE, sessions: Object.fromEntries(known) }, notes)
  writeFileSync(path.join(store.dir, 'facts.json'), formatItems(itemsOf({ decisions: facts })), { mode: 0o600 })
  noteHooks(store.dir, Math.min(sessions, 500), random)
  return busy
}

/** A prompt, some tools, an answer; now and then a subagent. */
function entryOf(n: number, words: readonly string[], began: number, random: () => number): Entry {
  const ts = new Date(began + n * 20_000).toISOString()
  const text = words.join(' ')
  if (n % 8 === 0) return { role: 'user', ts, text }
  if (n % 8 === 7) return { role: 'assistant', ts, text }
  if (n % 40 === 20) return { role: 'subagent', agent: 'Explore', ts, text }
  const name = TOOLS[Math.floor(random() * TOOLS.length)] ?? 'Bash'
  const file = `${FOLDERS[Math.floor(random() * FOLDERS.length)]}/${words[0]?.slice(0, 3) ?? 'a'}.ts`
  const isFile = ['Read', 'Edit', 'Write'].includes(name)
  return { role: 'tool', ts, name, cmd: isFile ? file : words.slice(0, 6).join(' '), ok: random() > 0.1, output: text }
}

function stateOf(file: string, entries: readonly Entry[], text: string): SessionState {
  const count = entries.length
  return { ...newSession(''), file, entries: count, bytes: Buffer.byteLength(text), watermark: count, summed: count }
}

function noteOf(id8: string, entries: readonly Entry[], speak: () => string[]): Note {
  const at = entries.at(-1)?.ts ?? ''
  const text = Array.from({ length: 4 }, () => `${speak().join(' ')}.`).join(' ')
  return { id: `n-${id8}-0-${entries.length}`, at, session: id8, from: 0, to: entries.length, author: 'headless', text }
}

function factsOf(id8: string, entries: readonly Entry[], before: number): Fact[] {
  const said = entries.flatMap((entry, n) => (entry.role === 'assistant' ? [{ entry, n }] : []))
  return said.slice(0, FACTS_PER_SESSION).map(({ entry, n }, i) => ({
    id: `d${String(before + i + 1).padStart(3, '0')}`,
    kind: 'decision',
    text: entry.text.slice(0, 120),
    reason: null,
    status: null,
    resolution: null,
    at: entry.ts,
    session: id8,
    evidence: { entry: n, quote: entry.text.slice(0, 120), by: 'assistant' },
    files: [],
    concept: null,
    state: 'fresh',
    by: 'headless',
  }))
}

function keepNotes(dir: string, state: State, notes: readonly Note[]): void {
  const write = (name: string, text: string): void => writeFileSync(path.join(dir, name), text, { mode: 0o600 })
  const textOf = (some: readonly Note[]): string => some.map((note) => formatNote(note, 'UTC')).join('')
  const rotatedFiles: State['rotatedFiles'] = []
  let at = 0
  for (; at + NOTES_PER_ARCHIVE < notes.length; at += NOTES_PER_ARCHIVE) {
    const some = notes.slice(at, at + NOTES_PER_ARCHIVE)
    const rotatedAt = some.at(-1)?.at ?? ''
    const file = archiveFile(rotatedAt)
    write(file, textOf(some))
    write(summaryFileOf(file), formatSummary(standInSummary(file, rotatedAt, some, NO_ITEMS)))
    const tokenCount = estimateTokens(textOf(some))
    rotatedFiles.push({ file, rotatedAt, tokenCount, summary: summaryFileOf(file), summaryGenerated: false })
  }
  write('memory.md', `# Memory\n\n${textOf(notes.slice(at))}`)
  write('memory-index.json', formatState({ ...state, rotatedFiles }))
}

function noteHooks(dir: string, sessions: number, random: () => number): void {
  for (let n = 0; n < sessions; n++)
    for (const event of HOOKS) {
      const at = new Date(LAST - (sessions - n) * 5 * HOUR_MS).toISOString()
      const session = `${(0x10000000 + n).toString(16)}-0000-4000-8000-000000000000`
      noteHookTime(dir, { at, event, ms: Math.round(30 + random() * 90), session, told: { rules: 700 } })
    }
}

function askedOf(entries: readonly Entry[], random: () => number): string {
  const words = entries.flatMap((entry) => ('text' in entry ? [entry.text.split(' ')] : []))
  const some = words[Math.floor(random() * words.length)] ?? []
  return Array.from({ length: 3 }, () => some[Math.floor(random() * some.length)] ?? '').join(' ')
}
