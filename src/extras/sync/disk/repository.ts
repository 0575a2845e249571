/** The repository of sync: a branch for each machine, always one commit without history. */
import { KeeperError } from '../../../kernel/platform/error.ts'
import { MANIFEST_FILE, parseSignedList, SIGNATURE_FILE, type SignedList } from '../manifest.ts'
import { type Git, otherEnd } from './git.ts'
import { idOfKey, isSigned, sum } from './record.ts'
import { sweepDirectory } from './sweep.ts'

/** The commits of all branches of machines at the remote, by the machine's id. */
export function remoteMachines(git: Git): Map<string, string> {
  return machinesIn(git.reach(['ls-remote', '--refs', '--heads', ...otherEnd(git, 'upload'), '--', git.remote]))
}

/** The commits of machines' branches in our own repository, by the machine's id. */
export function localMachines(git: Git): Map<string, string> {
  return machinesIn(git.run(['for-each-ref', '--format=%(objectname)%09%(refname)', 'refs/heads/machine/']))
}

function machinesIn(said: Buffer): Map<string, string> {
  const lines = said.toString('utf8').split('\n')
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const [, commit, id] = /^([0-9a-f]{40,64})\trefs\/heads\/machine\/([0-9a-f]{24})$/.exec(line) ?? []
      return commit === undefined || id === undefined ? [] : [[id, commit]]
    }),
  )
}

function refOf(id: string): string {
  return `refs/heads/machine/${id}`
}

/** Fetches a branch's newest commit without history. Returns its local name; a push since the listing may have replaced the listed commit. */
export function fetchMachine(git: Git, id: string): string {
  const flags = ['--quiet', '--no-tags', '--depth=1', '--update-shallow', '--no-write-fetch-head', '--force']
  git.reach(['fetch', ...flags, ...otherEnd(git, 'upload'), '--', git.remote, `${refOf(id)}:${refOf(id)}`])
  return refOf(id)
}

export function pushMachine(git: Git, id: string): void {
  const flags = ['--quiet', '--force', '--no-verify', '--no-signed']
  git.reach(['push', ...flags, ...otherEnd(git, 'receive'), '--', git.remote, `${refOf(id)}:${refOf(id)}`])
}

/** Deletes the branch at the remote, if the server allows it. */
export function removeMachine(git: Git, id: string): void {
  const before = remoteMachines(git).get(id)
  git.reach(['push', '--quiet', '--no-verify', ...otherEnd(git, 'receive'), '--', git.remote, `:${refOf(id)}`])
  sweepDirectory(git, before)
}

/** The bytes of these files of a commit, in this order. Throws if one is missing, or if they have more than `mostBytes` together. */
function readFiles(git: Git, commit: string, paths: readonly string[], mostBytes: number): Buffer[] {
  if (paths.length === 0) return []
  const said = git.run(['cat-file', '--batch'], paths.map((one) => `${commit}:${one}\n`).join(''), mostBytes)
  let at = 0
  return paths.map((path) => {
    const end = said.indexOf(0x0a, at)
    const [, type, size] = said.toString('latin1', at, end).split(' ')
    if (type !== 'blob') throw bad(`${path} is missing in it`)
    at = end + 1 + Number(size) + 1
    return said.subarray(end + 1, at - 1)
  })
}

/** The trees of these folders in a commit. A folder that is missing is left out. */
export function treesOf(git: Git, commit: string, folders: readonly string[]): NewFile[] {
  if (folders.length === 0) return []
  const said = git.run(['cat-file', '--batch-check'], folders.map((one) => `${commit}:${one}\n`).join(''))
  const lines = said.toString('utf8').split('\n')
  return folders.flatMap((folder, i) => {
    const tree = /^([0-9a-f]{40,64}) tree /.exec(lines[i] ?? '')?.[1]
    return tree === undefined ? [] : [{ folder, tree }]
  })
}

/** A new file, or a whole folder of an earlier commit, named by its tree. */
export type NewFile = { path: string; bytes: Buffer } | { folder: string; tree: string }

/** Replaces the machine's branch with one commit that has these files and no history. */
export function commitMachine(git: Git, id: string, files: readonly NewFile[], now: string): void {
  const seconds = Math.floor(Date.parse(now) / 1000)
  const head = `commit ${refOf(id)}\ncommitter Memory Keeper <memory-keeper@localhost> ${seconds} +0000\ndata 0\n\ndeleteall\n`
  const parts = files.flatMap((file): Buffer[] =>
    'tree' in file
      ? [Buffer.from(`M 040000 ${file.tree} ${file.folder}\n`)]
      : [Buffer.from(`M 100644 inline ${file.path}\ndata ${file.bytes.length}\n`), file.bytes, Buffer.from('\n')],
  )
  git.run(['fast-import', '--quiet', '--force', '--date-format=raw'], Buffer.concat([Buffer.from(head), ...parts]))
}

/** Deletes objects that no branch has any more: a forgotten line must not stay in an old object. */
export function sweepRepository(git: Git): void {
  git.run(['repack', '-a', '-d', '-q'])
  git.run(['prune', '--expire=now'])
}

const MOST_MANIFEST_BYTES = 16 * 1024 * 1024
/** The limit of all files of a project together. */
const MOST_PROJECT_BYTES = 512 * 1024 * 1024

/** A machine's branch: only files that the machine's own key signed. Other files in it are never read. */
export interface Branch {
  commit: string
  manifest: SignedList
  /** The bytes of these files. Throws if one differs from what was signed. */
  read: (paths: readonly string[]) => Buffer[]
}

/** Throws `bad-branch` with the reason. */
export function readBranch(git: Git, id: string, commit: string): Branch {
  const [text, signature] = readFiles(git, commit, [MANIFEST_FILE, SIGNATURE_FILE], MOST_MANIFEST_BYTES)
  const manifest = text === undefined ? null : parseSignedList(text.toString('utf8'))
  if (text === undefined || signature === undefined || manifest === null) throw bad('its list of files cannot be read')
  if (manifest.machine !== id || idOfKey(Buffer.from(manifest.key, 'base64')) !== id)
    throw bad('it names the key of another machine')
  if (!isSigned(text, Buffer.from(signature.toString('latin1'), 'base64'), manifest.key))
    throw bad('its signature is wrong')
  const read = (paths: readonly string[]): Buffer[] =>
    readFiles(git, commit, paths, MOST_PROJECT_BYTES).map((bytes, i) => {
      if (sum(bytes) !== manifest.files[paths[i] ?? '']) throw bad(`${paths[i]} is not as it was signed`)
      return bytes
    })
  return { commit, manifest, read }
}

function bad(why: string): KeeperError {
  return new KeeperError('bad-branch', why)
}
