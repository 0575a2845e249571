/**
 * The ends of the newest transcripts, for the first start in a project with more history than a start can read. Nothing is written; the
 * import goes on in the background.
 */
import type { Store } from '../../memory/disk/store.ts'
import { elsewhereTest, type State, storedIn } from '../../memory/state.ts'
import { readPart } from '../../platform/disk/files.ts'
import { unlessRefused } from '../../platform/disk/locate.ts'
import { id8OfFile, id8sOf } from '../../platform/layout.ts'
import { compareText } from '../../text/memory-words.ts'
import { theAgent } from '../../transcript/agent.ts'
import type { Numbered } from '../../transcript/session.ts'
import { withTombstones } from '../forget-record.ts'
import {
  type FileEnd,
  goesOnIn,
  hasPrompt,
  isSentLine,
  isTyped,
  parseTail,
  type Tail,
  withoutOrphans,
} from '../tail.ts'
import { refineOptions } from './addition.ts'
import { isBehind } from './capture.ts'
import { readForgotten } from './tombstones.ts'
import { belongingIn, listCandidates, type TranscriptFile } from './transcripts.ts'

export interface TailSession {
  /** The id under which the session is stored, or will be. */
  id8: string
  /** The transcript. */
  file: string
  /** The time of the last entry. */
  at: string
  /** Numbered within the tail: these are the session's own numbers only where it is whole. */
  entries: Numbered[]
  /** The file was read from its beginning. */
  isWhole: boolean
  branch: string
  /** The memory contains all of the session: it need not be told from here. */
  isCaptured: boolean
}

export interface TailOptions {
  /** The session that starts. */
  except?: string
  /** Sessions that the memory contains are left out; they count among the newest all the same. */
  isBehindOnly?: boolean
  /** Checked between files. */
  isLate?: () => boolean
}

const MOST_SESSIONS = 5
/** Most of so many are runs of programs, of which little is read. */
const MOST_FILES = 200
/** Of one file, with the look at its head. */
const TAIL_BYTES = 256 * 1024
const HEAD_BYTES = 8 * 1024
/** Shows whether a person resumed what a program had started. */
const LAST_BYTES = 16 * 1024
/** A file whose end contains no prompt is read back this far. */
const LONG_TAIL_BYTES = 1024 * 1024
/** Of all files together, those that are left included. */
const MOST_BYTES = MOST_SESSIONS * LONG_TAIL_BYTES

/** The tails for a session that starts: empty if the memory is up to date with all transcripts. */
export function tailsForStart(
  store: Store,
  start: { session: string; source: string; isComplete: boolean; isLate?: () => boolean },
): TailSession[] {
  const { session, source, isComplete, isLate } = start
  if (isComplete || source === 'compact' || store.whyReadOnly() !== null) return []
  // A memory that began with us tells what it contains. One that is still being imported tells nothing yet.
  const isBehindOnly = store.readState().beganAt !== null
  return readTails(store, { except: session, isBehindOnly, ...(isLate ? { isLate } : {}) })
}

/** The newest sessions in which a person typed, newest first. */
export function readTails(store: Store, options: TailOptions = {}): TailSession[] {
  const state = store.readState()
  const isElsewhere = elsewhereTest(state)
  const isWanted = (session: string): boolean => session !== options.except && !isElsewhere(session)
  const files = listCandidates(store.places, state, isWanted)
    .filter(({ size }) => size > 0)
    .toSorted((a, b) => b.mtimeMs - a.mtimeMs || compareText(a.path, b.path))
    .slice(0, MOST_FILES)
  const belongingOf = belongingIn(store.places, state)
  const reader = newReader()
  const tails: TailSession[] = []
  let left = MOST_SESSIONS
  for (const [looked, file] of files.entries()) {
    if (left === 0 || reader.isEmpty() || (looked > 0 && options.isLate?.())) break
    const isCaptured = storedIn(state, file.session) !== undefined && !isBehind(state, file)
    if (isCaptured && options.isBehindOnly) {
      left--
      continue
    }
    const tail = tailOf(store, file, reader, (launchDir) => belongingOf(file, launchDir) === 'own')
    if (tail === null || tails.some((later) => goesOnIn(tail.entries, later.entries))) continue
    tails.push({ ...tail, id8: idFor(state, file.session, tails), isCaptured })
    left--
  }
  return tails
}

/** As capture names it: two sessions never share an id8. */
function idFor(state: State, session: string, others: readonly TailSession[]): string {
  const stored = id8OfFile(String(storedIn(state, session)?.file ?? ''))
  if (stored !== null) return stored
  let id8 = ''
  for (id8 of id8sOf(session)) if (!others.some((other) => other.id8 === id8)) break
  return id8
}

type StoredTail = Omit<TailSession, 'isCaptured' | 'id8'>

/** Null: it is not this project's, or nobody typed in it. */
function tailOf(
  store: Store,
  file: TranscriptFile,
  reader: Reader,
  isOwn: (launchDir: string) => boolean,
): StoredTail | null {
  const { parseHead, isSentThroughout } = theAgent()
  const head = file.size > HEAD_BYTES + LAST_BYTES ? reader.read(file.path, 0, HEAD_BYTES) : null
  const named = (head && parseHead(head).cwd) ?? ''
  if (named !== '' && !isOwn(named)) return null
  if (head !== null && isSentThroughout(head)) {
    const last = reader.end(file, LAST_BYTES)
    if (last === null || isSentThroughout(last.bytes)) return null
  }
  const end = reader.end(file, TAIL_BYTES - (head?.length ?? 0))
  if (end === null) return null
  const { options } = refineOptions(store, file.path, null)
  const parse = (read: FileEnd): Tail => parseTail(read, named, options)
  const short = parse(end)
  const isEnough = end.isWhole || hasPrompt(short.entries) || isSentLine(short.entries)
  const longer = isEnough ? null : reader.longer(file, end)
  const [tail, { isWhole }] = longer === null ? [short, end] : [parse(longer), longer]
  // Where the host names the launch directory late, the lines at the end name the one it works in.
  const isKnownOwn = named !== '' || (tail.launchDir !== '' && isOwn(tail.launchDir))
  return isKnownOwn && isTyped(tail.entries) ? storedTail(store, file, tail, isWhole) : null
}

/** Without forgotten entries, as capture would store it. Null: nothing is left. */
function storedTail(
  store: Store,
  file: TranscriptFile,
  { entries, branch }: Tail,
  isWhole: boolean,
): StoredTail | null {
  const stored = withTombstones(entries, file.session, 0, readForgotten(store))
  const kept = isWhole ? stored : withoutOrphans(stored)
  const last = kept.findLast((entry) => entry.role !== 'tombstone')
  if (last === undefined) return null
  return { file: file.path, at: last.ts, entries: kept.map((entry, n) => ({ n, entry })), isWhole, branch }
}

interface Reader {
  read: (file: string, from: number, length: number) => Buffer | null
  end: (file: TranscriptFile, length: number) => FileEnd | null
  /** The same end and what comes before it; null: it cannot be read, or too much was read already. */
  longer: (file: TranscriptFile, end: FileEnd) => FileEnd | null
  isEmpty: () => boolean
}

/** All reads together stay within one limit, whatever the files contain. */
function newReader(): Reader {
  let left = MOST_BYTES
  const read: Reader['read'] = (file, from, length) => {
    const bytes = length > left ? null : unlessRefused(() => readPart(file, from, length))
    left -= bytes?.length ?? 0
    return bytes
  }
  return {
    read,
    isEmpty: () => left < TAIL_BYTES,
    end: ({ path, size }, length) => {
      const from = Math.max(0, size - length)
      const bytes = read(path, from, size - from)
      return bytes && { bytes, isWhole: from === 0 }
    },
    longer: ({ path, size }, { bytes: known }) => {
      const to = size - known.length
      const from = Math.max(0, size - LONG_TAIL_BYTES)
      if (to <= from) return null
      const before = read(path, from, to - from)
      if (before === null || before.length < to - from) return null
      return { bytes: Buffer.concat([before, known]), isWhole: from === 0 }
    },
  }
}
