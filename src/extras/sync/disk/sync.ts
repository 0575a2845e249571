/**
 * One sync of a project: read the branches of the user's other machines, carry out what they forgot, then send this machine's branch.
 * Every step may run twice and may be killed anywhere. If the remote cannot be reached, nothing changes.
 */
import path from 'node:path'
import type { OtherRow } from '../../../core/others/others.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { statOf } from '../../../kernel/platform/disk/files.ts'
import { withLock } from '../../../kernel/platform/disk/lock.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { originOf } from '../../../kernel/trust/disk/git-head.ts'
import { keyOfAddress } from '../../../kernel/trust/project-key.ts'
import { namesOf } from '../join.ts'
import { folderOf, formatSignedList, MANIFEST_FILE, SIGNATURE_FILE, type SignedList } from '../manifest.ts'
import { type Git, type GitSurroundings, openGit } from './git.ts'
import { type Arrived, arrivedFrom, carryOut, keepRows, keepSessions, proposeRules, takeForgotten } from './incoming.ts'
import { outgoingFiles, outgoingRows } from './outgoing.ts'
import {
  type KnownMachine,
  machineKey,
  readSync,
  repositoryDir,
  type SyncRecord,
  sum,
  syncHome,
  writeSync,
} from './record.ts'
import {
  type Branch,
  commitMachine,
  fetchMachine,
  localMachines,
  pushMachine,
  readBranch,
  remoteMachines,
  sweepRepository,
  treesOf,
} from './repository.ts'
import { sweepDirectory } from './sweep.ts'

/** So many machines that wait for confirmation are kept in the record. */
const MOST_UNKNOWN = 20

export interface SyncOutcome {
  record: SyncRecord
  /** This machine's branch at the remote was replaced. */
  isSent: boolean
  /** How many rows each machine sent, by its id. */
  received: Readonly<Record<string, number>>
}

export interface SyncWorld extends GitSurroundings {
  now: () => string
  waitMs: number
  /** Tests replace git with this. */
  open?: typeof openGit
}

/** Null: sync is off, the project takes no part, or another sync is running. If the remote fails, `record.problem` has the reason. */
export function syncProject(store: Store, world: SyncWorld): SyncOutcome | null {
  const { homeDir, project } = store.places
  if (readSync(homeDir) === null) return null
  const lock = path.join(syncHome(homeDir), '.lock')
  const done = withLock(lock, world.waitMs, () => {
    const before = readSync(homeDir)
    const projectKey = before === null ? null : projectKeyOf(store, before)
    if (before === null || projectKey === null) return null
    const bound = { key: projectKey, root: project.root }
    const named = { ...before, projects: { ...before.projects, [project.key]: bound } }
    try {
      const outcome = exchange(store, named, projectKey, world)
      return { ...outcome, record: writeSync(homeDir, { ...outcome.record, at: world.now(), problem: '' }) }
    } catch (error) {
      if (!(error instanceof KeeperError)) throw error
      const record = writeSync(homeDir, { ...(readSync(homeDir) ?? named), problem: error.message })
      return { record, isSent: false, received: {} }
    }
  })
  return done?.value ?? null
}

/** The key by which all machines know this project; null: it has no origin and no name, or another directory here has its key. */
export function projectKeyOf(store: Store, { projects }: SyncRecord): string | null {
  const { project } = store.places
  const known = projects[project.key]
  if (known !== undefined) return known.key
  const key = keyOfAddress(originOf(project.root))
  return Object.values(projects).some((one) => one.key === key && statOf(one.root) !== null) ? null : key
}

/** The memory never goes into a repository of the project. */
export function refuseOwnRepository(root: string, remote: string): void {
  const origin = originOf(root)
  const isInside = path.isAbsolute(remote) && !path.relative(root, remote).startsWith('..')
  if (isInside || remote === origin || (keyOfAddress(remote) ?? '') === keyOfAddress(origin))
    throw new KeeperError('own-repository', 'The remote is the repository of the project itself. Use one of its own.')
}

function exchange(store: Store, given: SyncRecord, projectKey: string, world: SyncWorld): SyncOutcome {
  const { homeDir, project } = store.places
  const keep = (record: SyncRecord): SyncRecord => writeSync(homeDir, record)
  refuseOwnRepository(project.root, given.remote)
  const key = machineKey(homeDir)
  const git = (world.open ?? openGit)(repositoryDir(homeDir), given.remote, project.root, world)
  const refs = { there: remoteMachines(git), here: localMachines(git) }
  const looked = readMachines(git, given, refs, projectKey, key.id)
  const isUnknown = (id: string): boolean => id !== key.id && !Object.hasOwn(given.machines, id)
  const unknown = [...refs.there.keys()].filter(isUnknown).slice(0, MOST_UNKNOWN)
  let record = keep({ ...given, machines: looked.machines, unknown })
  // A project without a memory yet gets none: rules and tombstones wait for its first session.
  const isBegun = store.isPrepared()
  const isToDo = (): void => {
    record = keep({ ...record, pending: [...record.pending, project.key] })
  }
  if (isBegun) takeForgotten(store, looked.arrived, isToDo)
  if (record.pending.includes(project.key)) {
    const [left] = carryOut(store, world.now())
    if (left !== undefined) throw new KeeperError('left', `What another machine forgot is still in ${left}`)
    record = keep({ ...record, pending: record.pending.filter((one) => one !== project.key) })
  }
  if (isBegun) proposeRules(store, looked.arrived, world.now())
  const own = outgoingRows(store, record.name)
  keepRows(store, own, looked.arrived, Object.keys(record.machines), world.now())
  keepSessions(store, looked.arrived, looked.arrived.length === Object.keys(record.machines).length)
  const sent = send(store, git, record, { projectKey, own, refs, now: world.now() })
  if (sent.isSent || looked.isChanged) sweepRepository(git)
  if (sent.isSent) sweepDirectory(git, refs.there.get(key.id))
  const received = Object.fromEntries(looked.arrived.map(({ machine, rows }) => [machine, rows.length]))
  return { record: { ...record, seq: sent.seq }, isSent: sent.isSent, received }
}

/** The commits of machines by their ids: `there` at the remote, `here` in our repository. */
interface Refs {
  there: ReadonlyMap<string, string>
  here: ReadonlyMap<string, string>
}

interface Looked {
  machines: Record<string, KnownMachine>
  arrived: Arrived[]
  isChanged: boolean
}

/** Reads the branches of machines that the user confirmed. If one is refused, the others are still read. */
function readMachines(
  git: Git,
  { machines, name: ownName }: SyncRecord,
  { there, here }: Refs,
  projectKey: string,
  own: string,
): Looked {
  const looked: Looked = { machines: {}, arrived: [], isChanged: false }
  for (const [id, known] of Object.entries(machines)) {
    try {
      const commit = there.get(id) ?? here.get(id)
      if (id === own || commit === undefined) throw new KeeperError('bad-branch', 'it has sent nothing yet')
      const isNew = commit !== here.get(id)
      looked.isChanged ||= isNew
      const branch = readBranch(git, id, isNew ? fetchMachine(git, id) : commit)
      const { seq, at, name } = branch.manifest
      if (seq < known.seq) throw new KeeperError('bad-branch', 'the remote has an older state of it than before')
      looked.arrived.push(arrivedFrom(branch, folderOf(projectKey), projectKey, name))
      looked.machines[id] = { name, seq, at, problem: '' }
    } catch (error) {
      if (!(error instanceof KeeperError)) throw error
      looked.machines[id] = { ...known, problem: error.message }
    }
  }
  const names = namesOf(looked.arrived, ownName)
  return { ...looked, arrived: looked.arrived.map((one) => ({ ...one, who: names.get(one.machine) ?? one.who })) }
}

interface Sending {
  projectKey: string
  own: readonly OtherRow[]
  refs: Refs
  now: string
}

/** Pushes this machine's branch: this project's folder as it is now, the folders of other projects as they were. */
function send(
  store: Store,
  git: Git,
  record: SyncRecord,
  { projectKey, own, refs, now }: Sending,
): Pick<SyncOutcome, 'isSent'> & { seq: number } {
  const key = machineKey(store.places.homeDir)
  const last = ownBranch(git, key.id, refs)
  const folder = folderOf(projectKey)
  const files = outgoingFiles(store, own).map(({ name, text }) => ({
    path: `${folder}/${name}`,
    bytes: Buffer.from(text),
  }))
  const others = Object.entries(last?.manifest.projects ?? {}).filter(([dir]) => dir !== folder)
  const isOther = (file: string): boolean => others.some(([dir]) => file.startsWith(`${dir}/`))
  const sums = [
    ...Object.entries(last?.manifest.files ?? {}).filter(([file]) => isOther(file)),
    ...files.map(({ path, bytes }) => [path, sum(bytes)] as const),
  ]
  const manifestOf = (seq: number, at: string): SignedList => ({
    machine: key.id,
    name: record.name,
    seq,
    at,
    key: key.publicKey,
    projects: { ...Object.fromEntries(others), [folder]: projectKey },
    files: Object.fromEntries(sums),
  })
  const before = last?.manifest ?? { seq: 0, at: '' }
  if (last !== null && formatSignedList(last.manifest) === formatSignedList(manifestOf(before.seq, before.at))) {
    // Nothing is new, but the remote may have lost the branch.
    if (refs.there.get(key.id) === last.commit) return { seq: before.seq, isSent: false }
    pushMachine(git, key.id)
    return { seq: before.seq, isSent: true }
  }
  const seq = Math.max(record.seq, before.seq) + 1
  const text = Buffer.from(formatSignedList(manifestOf(seq, now)))
  const signature = Buffer.from(`${key.sign(text).toString('base64')}\n`)
  const folders = others.map(([dir]) => dir)
  const kept = last === null ? [] : treesOf(git, last.commit, folders)
  const signed = [
    { path: MANIFEST_FILE, bytes: text },
    { path: SIGNATURE_FILE, bytes: signature },
  ]
  commitMachine(git, key.id, [...signed, ...kept, ...files], now)
  pushMachine(git, key.id)
  return { seq, isSent: true }
}

/** This machine's branch as the remote has it, else as our repository has it. Null: it does not exist, or its signature is not ours. */
function ownBranch(git: Git, id: string, { there, here }: Refs): Branch | null {
  const [remote, local] = [there.get(id), here.get(id)]
  const isNew = remote !== undefined && remote !== local
  const fetched = isNew ? tryBranch(() => readBranch(git, id, fetchMachine(git, id))) : null
  if (isNew && fetched !== null) return { ...fetched, commit: remote }
  return local === undefined ? null : tryBranch(() => readBranch(git, id, local))
}

function tryBranch(read: () => Branch): Branch | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof KeeperError) return null
    throw error
  }
}
