/** Captures sessions in home storage while the state of a project's memory cannot be read; they are merged into it later. */
import path from 'node:path'
import { COMMAND_WAIT_MS, openStore, type Store, sessionPath, stateEffect } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { allSessions, sessionIn, withSessions } from '../../memory/state.ts'
import { disk, readOwnText, removeTree, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { withLock } from '../../platform/disk/lock.ts'
import { parseObject } from '../../platform/json.ts'
import { LOCK_FILE, MEANWHILE_FILE, STATE_FILE } from '../../platform/layout.ts'
import { entryKey, parseEntry } from '../../transcript/session.ts'
import { adoptFile } from './cursor.ts'
import { readSessionBytes, unpackEffects } from './session-archive.ts'

interface Meanwhile {
  /** There was no memory at home before: it is deleted after its sessions are merged. */
  isAlone: boolean
}

/** The memory with the captured sessions: this one, or the one at home. Writes nothing. */
export function capturedIn(store: Store, now: () => string): Store {
  if (store.isStateReadable()) return store
  const home = openStore(store.places, { now, atHome: true })
  // The project's own redaction settings apply there too.
  return { ...home, dir: home.dir, config: store.config }
}

/** As `capturedIn`, before capturing: marks the memory at home, so that its sessions are merged later. */
export function captureInto(store: Store, now: () => string): Store {
  const into = capturedIn(store, now)
  const file = sessionsMark(store.places)
  if (into === store || statOf(file) !== null) return into
  const mark: Meanwhile = { isAlone: statOf(path.join(store.places.atHome, STATE_FILE)) === null }
  disk.replace(file, `${JSON.stringify({ version: 1, ...mark })}\n`)
  return into
}

function sessionsMark({ atHome }: Places): string {
  return path.join(atHome, MEANWHILE_FILE)
}

/**
 * Adds the entries that the project lacks and takes over how far transcripts were read. The files at home are deleted last, so that
 * all of it may be repeated. Null: there is nothing to merge, or another process is writing.
 */
export function joinMeanwhile(store: Store, now: () => string): number | null {
  const { atHome } = store.places
  const mark = readOwnText(sessionsMark(store.places))
  if (mark === null || store.dir === atHome || !store.isStateReadable()) return null
  const home = openStore(store.places, { now, atHome: true })
  const done = store.whileLocked(COMMAND_WAIT_MS, () =>
    withLock(path.join(atHome, LOCK_FILE), COMMAND_WAIT_MS, () => {
      const sessions = allSessions(home.readState()).filter(([, { file }]) => file !== '')
      for (const [id, session] of sessions) joinOne(store, home, id, session)
      disk.remove(sessionsMark(store.places))
      return sessions.length
    }),
  )
  const joined = done?.value?.value ?? null
  if (joined !== null && parseObject(mark)?.isAlone === true) removeTree(atHome)
  return joined
}

/** Afterwards the transcript is read again; entries that the session contains are recognised and not repeated. */
function joinOne(store: Store, home: Store, id: string, theirs: SessionState): void {
  const state = store.readState()
  const ours = sessionIn(state, id)
  const file = ours?.file || theirs.file
  const settled = linesOf(store, file)
  const known = new Set(settled.map(keyOf))
  const fresh = linesOf(home, theirs.file).filter((line) => !known.has(keyOf(line)))
  if (ours !== undefined && fresh.length === 0) return
  const text = [...settled, ...fresh].map((line) => `${line}\n`).join('')
  store.perform([...unpackEffects(store.dir, file), { do: 'write', path: sessionPath(file), text }])
  const read = adoptFile(store, file, theirs.transcript)
  // Home storage writes no notes: the project's own progress counts.
  const { watermark = 0, due = 0, mined = 0, summed = 0, waived = 0 } = ours ?? {}
  const { isLive, isEnded, pid } = { ...ours, ...theirs }
  const told = { watermark, due, mined, summed, ...(waived > 0 ? { waived } : {}) }
  const alive = { pid, ...(isLive ? { isLive } : {}), ...(isEnded ? { isEnded } : {}) }
  const counter = state.counter + Math.max(0, read.tools - (ours?.tools ?? 0))
  store.perform([stateEffect(withSessions({ ...state, counter }, [[id, { ...read, ...told, ...alive }]]))])
}

/** Without open entries. */
function linesOf({ dir }: Store, file: string): string[] {
  const lines = (readSessionBytes(dir, file)?.toString('utf8') ?? '').split('\n').slice(0, -1)
  return lines.filter((line) => parseEntry(line) !== null && !/"open":true\}$/.test(line))
}

function keyOf(line: string): string {
  const entry = parseEntry(line)
  return entry === null ? line : entryKey(entry)
}
