/** Joins the sessions that 0.6 captured in home storage while the state of the project's memory could not be read. */
import path from 'node:path'
import { arrivingIn, mergeInto } from '../../../core/vault/disk/merge.ts'
import { HOOK_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { disk, readOwnText, removeTree } from '../../../kernel/platform/disk/files.ts'
import { withLock } from '../../../kernel/platform/disk/lock.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import { HOME_MARK_FILE, LOCK_FILE } from '../../../kernel/platform/layout.ts'

/** The files at home are deleted last, so that all of it may be repeated. If another process writes at home, the next start tries again. Call it under the lock. */
export function joinSessionsAtHome(store: Store, now: string): void {
  const { atHome, inProject } = store.places
  const file = path.join(atHome, HOME_MARK_FILE)
  const mark = readOwnText(file)
  if (mark === null || store.dir !== inProject) return
  const done = withLock(path.join(atHome, LOCK_FILE), HOOK_WAIT_MS, () => {
    const source = arrivingIn(atHome)
    const sessions = source.files.filter((one) => one.path.includes('.l1.jsonl'))
    mergeInto(store, { ...source, name: '', files: sessions }, now)
    disk.remove(file)
  })
  // There was no memory at home before: nothing but these sessions is in it.
  if (done !== null && parseObject(mark)?.isAlone === true) removeTree(atHome)
}
