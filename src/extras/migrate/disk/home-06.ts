/** Joins the sessions that 0.6 captured in home storage while the state of the project's memory could not be read. */
import path from 'node:path'
import { HOOK_WAIT_MS, openStore, type Store, sessionPath, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, sessionIn, withSessions } from '../../../kernel/memory/state.ts'
import { disk, readOwnText, removeTree } from '../../../kernel/platform/disk/files.ts'
import { withLock } from '../../../kernel/platform/disk/lock.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import { HOME_MARK_FILE, LOCK_FILE } from '../../../kernel/platform/layout.ts'
import { adoptFile } from '../../../kernel/sessions/disk/cursor.ts'
import { readSessionBytes, unpackEffects } from '../../../kernel/sessions/disk/session-archive.ts'
import { entryKey, parseEntry } from '../../../kernel/transcript/session.ts'

/**
 * Adds the entries that the project lacks and takes over how far transcripts were read. The files at home are deleted last, so that
 * all of it may be repeated. If another process writes at home, the next start tries again. Call it under the lock.
 */
export function joinSessionsAtHome(store: Store, now: string): void {
  const { atHome, inProject } = store.places
  const file = path.join(atHome, HOME_MARK_FILE)
  const mark = readOwnText(file)
  if (mark === null || store.dir !== inProject) return
  const home = openStore(store.places, { now: () => now, atHome: true })
  const done = withLock(path.join(atHome, LOCK_FILE), HOOK_WAIT_MS, () => {
    for (const [id, session] of allSessions(home.readState()))
      if (session.file !== '') joinOne(store, home, id, session)
    disk.remove(file)
  })
  // There was no memory at home before: nothing but these sessions is in it.
  if (done !== null && parseObject(mark)?.isAlone === true) removeTree(atHome)
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
  const { watermark = 0, summed = 0, waived = 0 } = ours ?? {}
  const { isLive, isEnded, pid } = { ...ours, ...theirs }
  const progress = { watermark, summed, ...(waived > 0 ? { waived } : {}) }
  const alive = { pid, ...(isLive ? { isLive } : {}), ...(isEnded ? { isEnded } : {}) }
  const counter = state.counter + Math.max(0, read.tools - (ours?.tools ?? 0))
  store.perform([stateEffect(withSessions({ ...state, counter }, [[id, { ...read, ...progress, ...alive }]]))])
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
