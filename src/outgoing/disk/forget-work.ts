/** The files that say what is forgotten, one by one: looked at without the lock, changed under it. */
import path from 'node:path'
import {
  forgetArchive,
  forgetInSession,
  forgetInSettled,
  forgetInState,
  upcomingInSession,
} from '../../forget/disk/forget-sessions.ts'
import type { Forgetting, Gone, Outcome } from '../../forget/forget-context.ts'
import { type ForgetAround, forgetInFile } from '../../forget/forget-file.ts'
import { allBelow, filesBelow, type OurPlace, placesOf } from '../../memory/disk/our-files.ts'
import { COMMAND_WAIT_MS, type Store, sessionPath } from '../../memory/disk/store.ts'
import { codeOf, type Disk, disk, MOST_FILE_BYTES, readOwnText, readPart, statOf } from '../../platform/disk/files.ts'
import { isAlive } from '../../platform/disk/lock.ts'
import {
  FORGOTTEN_FILE,
  id8OfFile,
  isArchiveFile,
  isSettledFile,
  SESSIONS_DIR,
  SETTLED_DIR,
  STATE_FILE,
} from '../../platform/layout.ts'
import { allSessionFiles, packedPath, unpackedName } from '../../sessions/disk/session-archive.ts'
import type { ForgetSurroundings } from './forget-context.ts'

/** A file in which something goes. */
export interface FileWork {
  file: string
  gone: Gone[]
  place: OurPlace
  /** Below its place, with slashes. */
  name: string
  is: 'text' | 'session' | 'raw' | 'state'
  /** Holds what was asked for; all others were made from it. */
  isSource: boolean
}

type Found = Omit<FileWork, 'isSource'>

const RAW = /_([0-9a-z]{8})\.raw\.jsonl\.gz$/

/** In the order in which it is to be done: copies, what was made of it, what it was made from. */
export function lookThrough(store: Store, context: ForgetSurroundings, sources: ReadonlySet<string>): FileWork[] {
  const work = placesOf(store).flatMap((place) => lookIn(store, place, context))
  const isSource = ({ place, name, is }: Found): boolean =>
    place.root === store.dir && (is === 'session' || sources.has(name))
  const rank = ({ place, name, is }: Found): number => {
    // Why a line was told is known only beside the text as it was.
    if (name.endsWith('.why.json')) return place.root === store.dir ? 1.5 : -1
    if (place.root !== store.dir) return is === 'session' ? 1 : 0
    if (is === 'session') return 4
    return sources.has(name) ? 5 : is === 'state' ? 3 : 2
  }
  return work.toSorted((a, b) => rank(a) - rank(b)).map((one) => ({ ...one, isSource: isSource(one) }))
}

function lookIn(store: Store, place: OurPlace, context: ForgetSurroundings): Found[] {
  const { about } = context
  const texts = filesBelow(place.root).flatMap((file): Found[] => {
    const name = path.relative(place.root, file).split(path.sep).join('/')
    if (
      name === FORGOTTEN_FILE ||
      id8OfFile(path.basename(name)) !== null ||
      unpackedName(path.basename(name)) !== null
    )
      return []
    if (place.is === 'memory' && isStateName(name)) return lookInState(place, file, name, context)
    const isRaw = RAW.test(name)
    if (name.endsWith('.gz') && !isRaw) return []
    const gone = isRaw ? goneInRaw(file, name, about) : goneInText(store, place, name, about)
    const is = isRaw ? 'raw' : 'text'
    return gone.length === 0 ? [] : [{ file, gone, place, name, is }]
  })
  return [...texts, ...lookInSessions(place, about)]
}

function lookInSessions(place: OurPlace, about: Forgetting): Found[] {
  return allSessionFiles(place.root).flatMap((session): Found[] => {
    const isTouched = about.sessions.has(id8OfFile(session) ?? '')
    const gone = isTouched ? upcomingInSession(place.root, session, about) : []
    if (gone.length === 0) return []
    const plain = path.join(place.root, sessionPath(session))
    const file = statOf(plain) === null ? path.join(place.root, packedPath(session)) : plain
    return [{ file, gone, place, name: session, is: 'session' }]
  })
}

const SETTLED = `${SESSIONS_DIR}/${SETTLED_DIR}/`

/** The state, or a file of settled sessions. */
function isStateName(name: string): boolean {
  return name === STATE_FILE || (name.startsWith(SETTLED) && isSettledFile(name.slice(SETTLED.length)))
}

/** It holds words only of what waits for its line. */
function lookInState(place: OurPlace, file: string, name: string, context: ForgetSurroundings): Found[] {
  const look: Disk = { ...disk, replace: () => undefined }
  const isChanged = takeOutOfState(place.root, name, context, look)
  return isChanged ? [{ file, gone: [{ id: '', kind: 'state', text: '' }], place, name, is: 'state' }] : []
}

function takeOutOfState(root: string, name: string, context: ForgetSurroundings, to: Disk): boolean {
  const { about } = context
  return name === STATE_FILE
    ? forgetInState(root, about, isWaiting(context), to)
    : forgetInSettled(root, path.basename(name), about, isWaiting(context), to)
}

function isWaiting({ about, marks }: ForgetSurroundings): (id8: string, mark: string, text: string) => boolean {
  return (id8, mark, text) => about.whole.has(id8) || marks.get(id8)?.has(mark) === true || about.isSaid(text)
}

/** Null: done. Otherwise which file is left, and why. */
export function takeOut(store: Store, work: FileWork, context: ForgetSurroundings, to: Disk): string | null {
  try {
    const held = store.whileLocked(COMMAND_WAIT_MS, () => takeOutNow(store, work, context, to))
    return held === null ? `${work.file}: another process is writing` : null
  } catch (error) {
    // Not allowed, read-only, full: the system refuses this file, and the others go on.
    if (!/^E[A-Z]+$/.test(codeOf(error))) throw error
    return `${work.file}: it cannot be written (${codeOf(error)})`
  }
}

function takeOutNow(store: Store, { file, place, name, is }: FileWork, context: ForgetSurroundings, to: Disk): void {
  const { about } = context
  switch (is) {
    case 'session':
      forgetInSession(place.root, name, about, to)
      return
    case 'raw':
      return to.remove(file)
    case 'state':
      takeOutOfState(place.root, name, context, to)
      return
    case 'text': {
      const outcome = outcomeOf(store, place, name, about)
      if (outcome === null) return
      if (outcome.text === null) to.remove(file)
      else to.replace(file, outcome.text)
      const archive = name.replace(/\.summary\.json$/, '.md')
      if (isArchiveFile(archive)) forgetArchive(place.root, archive, to)
    }
  }
}

function goneInText(store: Store, place: OurPlace, name: string, about: Forgetting): Gone[] {
  const outcome = outcomeOf(store, place, name, about)
  if (outcome === null) return []
  return outcome.gone.length > 0 ? outcome.gone : [{ id: name, kind: 'made anew', text: '' }]
}

/** Null: nothing in it changes, or it is gone meanwhile. */
function outcomeOf(store: Store, { root }: OurPlace, name: string, about: Forgetting): Outcome | null {
  const textOf = (file: string): string | null => readOwnText(path.join(root, file))
  const text = textOf(name)
  const around: ForgetAround = {
    textOf,
    timezone: store.config.timezone,
    summaryMaxTokens: store.config.summaryMaxTokens,
  }
  const outcome = text === null ? null : forgetInFile(name, text, around, about)
  return outcome?.text === text ? null : outcome
}

/** The whole transcript: nobody can tell which of its lines an entry came from, so all of it goes. */
function goneInRaw(file: string, name: string, about: Forgetting): Gone[] {
  const id8 = RAW.exec(name)?.[1] ?? ''
  const isGone = about.sessions.has(id8) || about.isAsked(unpackedText(file))
  return isGone ? [{ id: id8, kind: 'raw backup', text: '' }] : []
}

function unpackedText(file: string): string {
  const packed = readPart(file, 0, MOST_FILE_BYTES, MOST_FILE_BYTES)
  try {
    // Loaded here: hardly anybody has such a backup.
    const { gunzipSync, constants } = process.getBuiltinModule('node:zlib')
    const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MOST_FILE_BYTES }
    return packed === null ? '' : gunzipSync(packed, options).toString('utf8')
  } catch (error) {
    if (codeOf(error) === '') throw error
    return ''
  }
}

/** What killed writers left: it may hold what was forgotten since. */
export function removeStrays(store: Store): void {
  for (const { root } of placesOf(store)) {
    for (const file of allBelow(root)) {
      const pid = Number(/\.(\d+)\.tmp$/.exec(file)?.[1] ?? 0)
      if (pid > 0 && !isAlive(pid)) disk.remove(file)
    }
  }
}
