/** Where sessions are captured while the state of a project's memory cannot be read: in home storage. */
import path from 'node:path'
import { openStore, type Store } from '../../memory/disk/store.ts'
import { disk, statOf } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { MEANWHILE_FILE, STATE_FILE } from '../../platform/layout.ts'

export interface Meanwhile {
  /** There was no memory at home before: it goes when its sessions have joined the project's. */
  isAlone: boolean
}

/** The memory that holds the captured sessions: this one, or the one at home. Nothing is written. */
export function capturedIn(store: Store, now: () => string): Store {
  if (store.isStateReadable()) return store
  const home = openStore(store.places, { now, atHome: true })
  // What the project's own settings redact is redacted there, too.
  return { ...home, dir: home.dir, config: store.config }
}

/** The same, for who is about to capture: the memory at home is marked, so that its sessions join the project's later. */
export function captureInto(store: Store, now: () => string): Store {
  const into = capturedIn(store, now)
  const file = sessionsMark(store.places)
  if (into === store || statOf(file) !== null) return into
  const mark: Meanwhile = { isAlone: statOf(path.join(store.places.atHome, STATE_FILE)) === null }
  disk.replace(file, `${JSON.stringify({ version: 1, ...mark })}\n`)
  return into
}

export function sessionsMark({ atHome }: Places): string {
  return path.join(atHome, MEANWHILE_FILE)
}
