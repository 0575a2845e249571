/** `scrub` and `dedupe`: mend what earlier versions or other tools left in the session files. */
import path from 'node:path'
import { KeeperError } from '../core/error.ts'
import {
  ARCHIVE_DIR,
  BRIEFINGS_DIR,
  FACTS_FILE,
  JOURNAL_DIR,
  SESSIONS_DIR,
  STANDING_FILE,
  STATE_FILE,
} from '../core/layout.ts'
import { redactorFor } from '../core/redact.ts'
import { entryKey, formatEntry, parseEntry } from '../core/session.ts'
import {
  allSessions,
  type Cursor,
  formatState,
  parseState,
  type SessionState,
  sessionIn,
  withSessions,
} from '../core/state.ts'

import { disk, factsOf, list, readText } from '../store/files.ts'
import { readSession } from '../store/lineage.ts'
import { removeIndex } from '../store/search-index/index.ts'
import { pack, packedPath, readSessionBytes, sessionFacts, unpackedName, unpackFile } from '../store/session-archive.ts'
import { sessionFiles } from '../store/sessions.ts'
import { COMMAND_WAIT_MS, type Store, sessionPath, stateEffect } from '../store/store.ts'
import { fillVault, hasFiles } from '../store/vault.ts'
import { type Context, underLock } from './context.ts'
import { count } from './output.ts'

/** Redacts files written earlier, in memory and vault; entries keep their numbers. */
export function runScrub(context: Context): number {
  const { store, out } = context
  if (store.config.redaction === false) {
    throw new KeeperError(
      'redaction-off',
      'Redaction is switched off. To use it again: memory-keeper config set redaction true',
    )
  }
  const redact = redactorFor(store.config)
  const work = (): { files: number; redactions: number } => {
    const dirs = [store.dir, store.places.vault]
    const done = dirs.flatMap((dir) => [
      ...textFiles(dir).map((name) => scrubFile(path.join(dir, name), redact, context.isDryRun)),
      scrubState(dir, redact, context.isDryRun),
    ])
    return { files: done.filter((n) => n > 0).length, redactions: done.reduce((sum, n) => sum + n, 0) }
  }
  const result = isUntouched(context) ? work() : underLock(store, COMMAND_WAIT_MS, work)
  // Its list of words may hold what was just taken out; the next search makes it anew.
  if (result.redactions > 0 && !context.isDryRun) removeIndex(store, store.places.cacheDir)
  out.json({ ...result, dryRun: context.isDryRun })
  out.say(
    result.redactions === 0
      ? 'No secrets found.'
      : `${context.isDryRun ? 'Would redact' : 'Redacted'} ${count(result.redactions, 'secret')} in ${count(result.files, 'file')}, copies in the vault included.`,
  )
  return 0
}

/** A look only, or nothing there yet: no lock, which would make the directory. */
function isUntouched({ store, isDryRun }: Context): boolean {
  return isDryRun || (factsOf(store.dir) === null && factsOf(store.places.vault) === null)
}

function textFiles(dir: string): string[] {
  const below = (folder: string): string[] => list(path.join(dir, folder)).map((name) => path.join(folder, name))
  const folders = [SESSIONS_DIR, path.join(SESSIONS_DIR, ARCHIVE_DIR), path.join(JOURNAL_DIR, BRIEFINGS_DIR)]
  return [...list(dir), ...folders.flatMap(below)].filter(
    (name) =>
      (/\.(?:md|jsonl|txt|summary\.json)$/.test(name) ||
        name === FACTS_FILE ||
        name === STANDING_FILE ||
        unpackedName(path.basename(name)) !== null) &&
      factsOf(path.join(dir, name))?.kind === 'file',
  )
}

function scrubFile(file: string, redact: Redact, isDryRun: boolean): number {
  if (unpackedName(path.basename(file)) !== null) return scrubPacked(file, redact, isDryRun)
  const text = readText(file) ?? ''
  const clean = file.endsWith('.jsonl')
    ? scrubLines(text, redact)
    : file.endsWith('.json')
      ? scrubJson(text, redact)
      : redact(text)
  if (clean.count > 0 && !isDryRun) disk.replace(file, clean.text)
  return clean.count
}

/** A damaged one is left as it is: nobody reads it either. */
function scrubPacked(file: string, redact: Redact, isDryRun: boolean): number {
  const bytes = unpackFile(file)
  if (bytes === null) return 0
  const clean = scrubLines(bytes.toString('utf8'), redact)
  if (clean.count > 0 && !isDryRun) disk.replace(file, pack(Buffer.from(clean.text)))
  return clean.count
}

/** Text by text, so that it stays JSON; what is none is cleaned as a whole. */
function scrubJson(text: string, redact: Redact): { text: string; count: number } {
  let total = 0
  const cleaned = text.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => {
    const { text: clean, count: n } = redact(parsedText(quoted))
    total += n
    return n === 0 ? quoted : JSON.stringify(clean)
  })
  return { text: cleaned, count: total }
}

function parsedText(quoted: string): string {
  try {
    return JSON.parse(quoted) as string
  } catch {
    return quoted
  }
}

/** Field by field, so that a line stays a line of JSON. */
function scrubLines(text: string, redact: Redact): { text: string; count: number } {
  let total = 0
  const clean = (value: string): string => {
    const { text: cleaned, count: n } = redact(value)
    total += n
    return cleaned
  }
  const lines = text.split('\n').map((line) => {
    const entry = parseEntry(line)
    if (entry === null) return clean(line)
    if (entry.role === 'tombstone') return line
    const scrubbed =
      'text' in entry
        ? { ...entry, text: clean(entry.text) }
        : { ...entry, cmd: clean(entry.cmd), ...(entry.output === undefined ? {} : { output: clean(entry.output) }) }
    return formatEntry(scrubbed).trimEnd()
  })
  return { text: lines.join('\n'), count: total }
}

type Redact = (text: string) => { text: string; count: number }

/** What is still open is told from the state again. After lines changed their length: the same number of entries, other bytes. */
function scrubState(dir: string, redact: Redact, isDryRun: boolean): number {
  const file = path.join(dir, STATE_FILE)
  const state = parseState(readText(file) ?? '')
  if (state === null) return 0
  let total = 0
  const clean = (value: string): string => {
    const { text, count: n } = redact(value)
    total += n
    return text
  }
  const scrubbed = allSessions(state).map(([id, session]): [string, SessionState] => {
    const agents = Object.entries(session.agents).map(([agent, cursor]) => [agent, scrubCursor(cursor, clean)])
    const whole = { ...scrubCursor(session, clean), agents: Object.fromEntries(agents) }
    return [id, { ...whole, bytes: settledBytes(dir, session) }]
  })
  const text = formatState(withSessions(state, scrubbed))
  if (!isDryRun && text !== readText(file)) disk.replace(file, text)
  return total
}

function scrubCursor<T extends Cursor>(cursor: T, clean: (text: string) => string): T {
  const { tools, queue, answer } = cursor.refine
  const started = Object.entries(tools).map(([id, tool]) => [id, { ...tool, cmd: clean(tool.cmd) }])
  const refine = {
    ...cursor.refine,
    tools: Object.fromEntries(started),
    queue: queue.map((prompt) => ({ ...prompt, text: clean(prompt.text) })),
    answer: answer && { ...answer, text: clean(answer.text) },
  }
  return { ...cursor, refine }
}

function settledBytes(dir: string, session: SessionState): number {
  if (session.entries === 0) return 0
  const text = readSessionBytes(dir, session.file)?.toString('utf8') ?? ''
  const lines = text.split('\n').slice(0, session.entries)
  return Buffer.byteLength(lines.map((line) => `${line}\n`).join(''))
}

/** Sessions that are wholly contained in another one (the same transcript taken in twice): the fullest is kept. */
export function runDedupe(context: Context): number {
  const { store, out } = context
  const work = (): Double[] => {
    const doubles = findDoubles(store)
    if (!context.isDryRun && doubles.length > 0) {
      removeSessions(store, doubles)
      removeFromVault(store, doubles)
    }
    return doubles
  }
  const removed = isUntouched(context) ? work() : underLock(store, COMMAND_WAIT_MS, work)
  out.json({ removed, dryRun: context.isDryRun })
  out.say(
    removed.length === 0
      ? 'No session is stored twice.'
      : `${context.isDryRun ? 'Would remove' : 'Removed'} ${count(removed.length, 'session')} contained in others:`,
    ...removed.map(({ file, keptIn }) => `  ${file} (all of it is in ${keptIn})`),
  )
  return 0
}

interface Double {
  file: string
  keptIn: string
}

function findDoubles(store: Store): Double[] {
  const sessions = sessionFiles(store)
    .map((file) => ({ file, keys: readSession(store, file).map(entryKey) }))
    .sort((a, b) => b.keys.length - a.keys.length)
  const kept: { file: string; keys: Set<string>; first: string | undefined }[] = []
  const doubles: Double[] = []
  for (const { file, keys } of sessions) {
    const fuller = kept.find(
      (other) => keys.length > 0 && other.keys.has(keys[0] ?? '') && keys.every((key) => other.keys.has(key)),
    )
    if (fuller) doubles.push({ file, keptIn: fuller.file })
    else kept.push({ file, keys: new Set(keys), first: keys[0] })
  }
  return doubles
}

/** A restore must not bring them back. The vault gets the fuller session first. */
function removeFromVault(store: Store, doubles: readonly Double[]): void {
  if (store.dir !== store.places.inProject || !hasFiles(store.places.vault)) return
  fillVault(store)
  for (const { file, keptIn } of doubles) {
    const isSafe = sessionFacts(store.places.vault, keptIn) !== null
    if (isSafe) for (const copy of bothOf(file)) disk.remove(path.join(store.places.vault, copy))
  }
}

/** Plain and compressed, whichever there is. */
function bothOf(file: string): string[] {
  return [sessionPath(file), packedPath(file)]
}

/** The state forgets the file but not how far its transcript was read: it does not come back. */
function removeSessions(store: Store, doubles: readonly Double[]): void {
  const state = store.readState()
  const idOf = new Map(allSessions(state).map(([id, session]) => [session.file, id]))
  const emptied: [string, SessionState][] = []
  for (const { file, keptIn } of doubles) {
    const id = idOf.get(file)
    const parent = idOf.get(keptIn)
    const session = id === undefined ? undefined : sessionIn(state, id)
    if (id !== undefined && session) {
      emptied.push([
        id,
        {
          ...session,
          file: '',
          entries: 0,
          bytes: 0,
          watermark: 0,
          ...(parent ? { forkOf: { session: parent } } : {}),
        },
      ])
    }
  }
  store.perform([
    stateEffect(withSessions(state, emptied)),
    ...doubles.flatMap(({ file }) => bothOf(file).map((name) => ({ do: 'remove' as const, path: name }))),
  ])
}
