/** The vault: a copy of the memory below home, from which a project that lost its files gets them back. */
import path from 'node:path'
import { JOURNAL_DIR, LOCAL_FILES, LOGS_DIR, STATE_FILE } from '../core/layout.ts'
import { allSessions, parseState, type State } from '../core/state.ts'
import { isSound } from './cursor.ts'
import { copyFile, factsOf, list, readText } from './files.ts'
import { type Store, sessionPath, stateEffect } from './store.ts'

/** Copies what changed; the state last, so that it never promises more than the copied sessions hold. Call it under the lock. */
export function fillVault(store: Store): number {
  if (store.dir !== store.places.inProject) return 0
  // A session file that lost its end must not replace the copy that may still have it.
  const damaged = new Set(
    allSessions(store.readState()).flatMap(([, session]) =>
      isSound(store, session) ? [] : [sessionPath(session.file)],
    ),
  )
  let copied = 0
  for (const name of filesBelow(store.dir)) {
    if (damaged.has(name)) continue
    const from = factsOf(path.join(store.dir, name))
    const to = factsOf(path.join(store.places.vault, name))
    if (from === null || (to !== null && to.size === from.size && to.mtimeMs >= from.mtimeMs)) continue
    copyFile(path.join(store.dir, name), path.join(store.places.vault, name))
    copied++
  }
  return copied
}

export function hasFiles(dir: string): boolean {
  return filesBelow(dir).length > 0
}

/** Which files a restore would bring. */
export function missingFrom(store: Store, from: string): string[] {
  return filesBelow(from).filter((name) => name !== STATE_FILE && factsOf(path.join(store.dir, name)) === null)
}

/** Copies what is missing, and adds the sessions the state does not know. What is there stays. Call it under the lock. */
export function adoptFiles(store: Store, from: string): number {
  const missing = missingFrom(store, from)
  for (const name of missing) copyFile(path.join(from, name), path.join(store.dir, name))
  const text = readText(path.join(from, STATE_FILE))
  const theirs = text === null ? null : parseState(text)
  if (theirs !== null) store.perform([stateEffect(merge(store, theirs))])
  return missing.length
}

function merge(store: Store, theirs: State): State {
  const hasOwn = factsOf(path.join(store.dir, STATE_FILE)) !== null
  const ours = hasOwn ? store.readState() : theirs
  return { ...ours, sessions: { ...theirs.sessions, ...ours.sessions } }
}

/** Everything but what belongs to this machine and this directory; the state file last. */
function filesBelow(dir: string): string[] {
  const names: string[] = []
  const visit = (folder: string): void => {
    for (const name of list(path.join(dir, folder))) {
      const relative = path.join(folder, name)
      if (LOCAL_FILES.includes(name) || name.endsWith('.tmp') || relative === LOGS_DIR || relative === JOURNAL_DIR)
        continue
      const kind = factsOf(path.join(dir, relative))?.kind
      if (kind === 'dir') visit(relative)
      else if (kind === 'file' && relative !== STATE_FILE) names.push(relative)
    }
  }
  visit('')
  if (factsOf(path.join(dir, STATE_FILE))?.kind === 'file') names.push(STATE_FILE)
  return names
}
