/** Fills in the authors of entries that a version before 0.6 captured, from transcripts that still exist. */
import path from 'node:path'
import { type Store, sessionPath, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { sessionIn, withSessions } from '../../../kernel/memory/state.ts'
import { readPart, sizeOf } from '../../../kernel/platform/disk/files.ts'
import { entriesInTranscript } from '../../../kernel/sessions/disk/addition.ts'
import { isPacked, pack, packedPath, readSessionText } from '../../../kernel/sessions/disk/session-archive.ts'
import { type Entry, entryKey, formatEntry, parseEntry } from '../../../kernel/transcript/session.ts'

/** A session begins with a prompt; only this much is searched for it. */
const HEAD_BYTES = 65_536

type Prompt = Extract<Entry, { role: 'user' }>

/** `lock` runs its work under the lock, once per session. Returns how many sessions were filled. */
export function fillAuthors(store: Store, lock: (work: () => boolean) => boolean, isLate: () => boolean): number {
  let filled = 0
  for (const id of Object.keys(store.readState().sessions)) {
    if (isLate()) break
    // As stored: parsing thousands of sessions for two names would double what is in memory.
    const { file, transcript } = store.readState().sessions[id] ?? {}
    if (typeof file !== 'string' || typeof transcript !== 'string' || !isUnfilled(store, { file, transcript })) continue
    const authors = authorsIn(store, transcript)
    if (lock(() => fillOne(store, id, authors))) filled++
  }
  return filled
}

/** Judged by the first prompt: either all entries of a capture have authors, or none. */
function isUnfilled(store: Store, { file, transcript }: Pick<SessionState, 'file' | 'transcript'>): boolean {
  if (file === '' || sizeOf(transcript) === null) return false
  const head = isPacked(store.dir, file)
    ? readSessionText(store.dir, file)
    : readPart(path.join(store.dir, sessionPath(file)), 0, HEAD_BYTES)?.toString()
  const first = (head ?? '').split('\n').find((line) => line.includes('"role":"user"'))
  const entry = first === undefined ? null : parseEntry(first)
  return entry?.role === 'user' && entry.by === undefined
}

/** The prompts of a transcript as this version reads them, by key. */
function authorsIn(store: Store, transcript: string): Map<string, Prompt> {
  const authors = new Map<string, Prompt>()
  for (const entry of entriesInTranscript(store, transcript))
    if (entry.role === 'user') authors.set(entryKey(entry), entry)
  return authors
}

/**
 * Writes the state first: after a kill before the file is written, the file is shorter than the state says, and the next capture
 * counts again. Entries keep their numbers and keys.
 */
function fillOne(store: Store, id: string, authors: ReadonlyMap<string, Prompt>): boolean {
  const state = store.readState()
  const session = sessionIn(state, id)
  const text = session === undefined ? null : readSessionText(store.dir, session.file)
  // Open entries are still being written: try again later.
  if (session === undefined || text === null || Buffer.byteLength(text) !== session.bytes) return false
  const after = text.replace(/^.+$/gm, (line) => filledLine(line, authors))
  if (after === text) return false
  const bytes = Buffer.byteLength(after)
  store.perform([stateEffect(withSessions(state, [[id, { ...session, bytes }]]))])
  store.perform([
    isPacked(store.dir, session.file)
      ? { do: 'writeBytes', path: packedPath(session.file), bytes: pack(Buffer.from(after)) }
      : { do: 'write', path: sessionPath(session.file), text: after },
  ])
  return true
}

function filledLine(line: string, authors: ReadonlyMap<string, Prompt>): string {
  const entry = line.includes('"role":"user"') ? parseEntry(line) : null
  if (entry?.role !== 'user' || entry.by !== undefined) return line
  const { by, via, sent, plan } = authors.get(entryKey(entry)) ?? {}
  if (by === undefined) return line
  return formatEntry({
    ...entry,
    by,
    ...(via ? { via } : {}),
    ...(sent ? { sent } : {}),
    ...(plan ? { plan } : {}),
  }).trimEnd()
}
