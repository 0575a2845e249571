/** The rules for files of a project: made from its sessions, written into its checkouts, and taken back where they may not stand. */
import path from 'node:path'
import { IS_DATA } from '../../../kernel/memory/commands/answer.ts'
import { frameFor } from '../../../kernel/memory/disk/frame-key.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { allSessions } from '../../../kernel/memory/state.ts'
import { type Disk, disk, markOf, sizeOf, statOf, unlessFails } from '../../../kernel/platform/disk/files.ts'
import { FORGOTTEN_FILE, id8OfFile, SESSIONS_DIR } from '../../../kernel/platform/layout.ts'
import { dayIn } from '../../../kernel/platform/time.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { pausedSince } from '../../../kernel/sessions/disk/pause.ts'
import { type FileRule, rulesFor } from '../rule-file.ts'
import { type SessionRead, type Trap, trapsIn } from '../tellings.ts'
import { checkoutsInUse, checkoutsOf, placesIn } from './checkouts.ts'
import { emptyRuleDir, lookAtRuleDir, ruleDirIn, standingOfDir, writeRuleDir } from './rule-dir.ts'

/** The newest sessions are read, so that a finisher is never late for this. */
const MOST_SESSIONS = 100
const MOST_BYTES = 24 * 1024 * 1024

/** Only of a memory in the project: it is the user's own, and they go with it. */
export function mayHaveRules(store: Store): boolean {
  const { config, ownership, places, dir } = store
  const isOwn = ownership !== 'foreign' && dir === places.inProject && store.isPrepared()
  return config.fileMemory && isOwn && pausedSince(places, null) === null
}

/** The finisher's step: checkouts in use get the rules of now. */
export function settleRules(store: Store, now: string, to: Disk = disk): void {
  if (mayHaveRules(store)) renew(store, checkoutsInUse(store, now), to)
  else withdrawRules(store, to)
}

/** After something was forgotten or redacted: what stands is made again. */
export function renewRules(store: Store, to: Disk = disk): void {
  if (mayHaveRules(store)) renew(store, ownCheckouts(store), to)
  else withdrawRules(store, to)
}

/** The checkouts with rules of ours. */
export function ownCheckouts(store: Store): string[] {
  return checkoutsOf(store).filter((checkout) => standingOfDir(store.places, checkout) === 'ours')
}

/** Without the lock, which would make a memory where there is none: it only deletes. */
export function withdrawRules(store: Store, to: Disk = disk): void {
  for (const checkout of ownCheckouts(store)) unlessFails(() => emptyRuleDir(checkout, to), undefined)
}

/** What `uninstall` deletes: whole directories, or only our files where others are among them. */
export function placesOfRules(store: Store): string[] {
  return ownCheckouts(store).flatMap((checkout) => {
    const dir = ruleDirIn(checkout)
    const { rules, broken, others } = lookAtRuleDir(checkout)
    return others.length === 0 ? [dir] : [...rules, ...broken].map((name) => path.join(dir, name))
  })
}

function renew(store: Store, wanted: readonly string[], to: Disk): void {
  const { places, dir } = store
  const forgotten = (): string => markOf(path.join(dir, FORGOTTEN_FILE))
  const before = forgotten()
  const tellings = wanted.length === 0 ? [] : readTellings(store)
  store.whileLocked(COMMAND_WAIT_MS, () => {
    // Something was forgotten since the sessions were read: who forgot it makes the rules again.
    if (forgotten() !== before || pausedSince(places, null) !== null) return
    for (const checkout of checkoutsOf(store)) {
      const rules = wanted.includes(checkout) ? rulesIn(store, checkout, tellings) : []
      // A checkout that cannot be written does not stop the others.
      unlessFails(() => settleDir(store, checkout, rules, to), undefined)
    }
  })
}

function settleDir({ places }: Store, checkout: string, rules: readonly FileRule[], to: Disk): void {
  const standing = standingOfDir(places, checkout)
  if (standing === 'ours' && rules.length === 0) emptyRuleDir(checkout, to)
  else if (rules.length > 0 && (standing === 'ours' || standing === 'absent')) writeRuleDir(places, checkout, rules, to)
}

/** Of this checkout: a file may be on one branch only. A refused new file is not there. */
function rulesIn(store: Store, checkout: string, tellings: readonly Trap[]): FileRule[] {
  const isThere = ({ is, path: file }: Trap): boolean =>
    is === 'refused' || statOf(path.join(checkout, file))?.kind === 'file'
  const told = { frame: frameFor(store.places), dayOf: dayIn(store.config.timezone), isData: IS_DATA }
  return rulesFor(tellings.filter(isThere), told)
}

function readTellings(store: Store): Trap[] {
  const placeOf = placesIn(store)
  const newestFirst = allSessions(store.readState())
    .filter(([, { file }]) => id8OfFile(file) !== null)
    .toSorted(([, a], [, b]) => (a.file < b.file ? 1 : -1))
  const sessions: SessionRead[] = []
  let left = MOST_BYTES
  for (const [, session] of newestFirst.slice(0, MOST_SESSIONS)) {
    left -= sizeOf(path.join(store.dir, SESSIONS_DIR, session.file)) ?? 0
    if (left < 0) break
    const entries = readSession(store, session.file).map((entry, n) => ({ n, entry }))
    sessions.push({ id8: id8OfFile(session.file) ?? '', entries, placeOf: placeOf(session) })
  }
  return trapsIn(sessions.toReversed())
}
