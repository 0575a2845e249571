/** How much earlier history of a project the machine has: transcripts are listed, and of each unknown directory one is looked into. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { elsewhereTest, storedIn } from '../../memory/state.ts'
import { perKey } from '../../text/once.ts'
import { belongingIn, listCandidates, type TranscriptFile } from './transcripts.ts'

export interface EarlierHistory {
  sessions: number
  /** Between the first and the last, at least one. */
  days: number
}

const DAY_MS = 24 * 60 * 60_000

/**
 * Null: there is none. Sessions that a hook has seen are no history. `except`: the session that starts. `isComplete`: everything is
 * read, and what is not captured is no session of this project or has no entry.
 */
export function earlierHistory(
  store: Store,
  { except, isComplete }: { except: string; isComplete: boolean },
): EarlierHistory | null {
  const state = store.readState()
  const isElsewhere = elsewhereTest(state)
  const isWanted = (id: string): boolean => id !== except && !isElsewhere(id) && storedIn(state, id)?.isLive !== true
  const listed = listCandidates(store.places, state, isWanted)
  const unread = isComplete
    ? []
    : listed.filter(({ session, size }) => size > 0 && storedIn(state, session) === undefined)
  // A session without entries has no file.
  const captured = listed.filter(({ session }) => storedIn(state, session)?.file)
  const isOwn = ownDirTest(unread, belongingIn(store.places, state))
  const times = [...captured, ...unread.filter(isOwn)].map(({ mtimeMs }) => mtimeMs)
  if (times.length === 0) return null
  const spanMs = times.reduce((a, b) => Math.max(a, b)) - times.reduce((a, b) => Math.min(a, b))
  return { sessions: times.length, days: Math.max(1, Math.ceil(spanMs / DAY_MS)) }
}

/** The host's directory of `/a/b-c` may hold transcripts of `/a/b/c`, too: its newest one decides for all that are not read yet. */
function ownDirTest(
  files: readonly TranscriptFile[],
  belongingOf: ReturnType<typeof belongingIn>,
): (file: TranscriptFile) => boolean {
  const newest = new Map<string, TranscriptFile>()
  for (const file of files.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) newest.set(path.dirname(file.path), file)
  const isOwnDir = perKey((dir: string) => belongingOf(newest.get(dir) as TranscriptFile) === 'own')
  return (file) => isOwnDir(path.dirname(file.path))
}
