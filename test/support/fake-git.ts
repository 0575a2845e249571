/** A git in memory, for what sync asks of git: hundreds of syncs without a process. `test/extras/sync/disk/sync.test.ts` runs the real one. */
import crypto from 'node:crypto'
import type { Git, openGit } from '../../src/extras/sync/disk/git.ts'
import { KeeperError } from '../../src/kernel/platform/error.ts'

type Tree = ReadonlyMap<string, Buffer>

interface Repository {
  branches: Map<string, string>
  commits: Map<string, Tree>
}

export interface FakeRemote {
  open: typeof openGit
  /** No machine reaches it. */
  isAway: boolean
  /** The files of a machine's branch. */
  branch: (id: string) => ReadonlyMap<string, Buffer>
  /** Somebody else writes the branch: these files, some of them changed (null: without them). */
  plant: (id: string, files: ReadonlyMap<string, Buffer>, change: Readonly<Record<string, string | null>>) => void
}

const hash = (bytes: Buffer | string): string => crypto.createHash('sha1').update(bytes).digest('hex')
const newRepository = (): Repository => ({ branches: new Map(), commits: new Map() })

export function fakeRemote(): FakeRemote {
  const there = newRepository()
  const locals = new Map<string, Repository>()
  const remote: FakeRemote = {
    isAway: false,
    branch: (id) => there.commits.get(there.branches.get(`refs/heads/machine/${id}`) ?? '') ?? new Map(),
    plant: (id, files, change) => {
      const tree = new Map([...files].filter(([name]) => change[name] !== null))
      for (const [name, text] of Object.entries(change)) if (text !== null) tree.set(name, Buffer.from(text))
      there.branches.set(`refs/heads/machine/${id}`, treeHash(tree))
      there.commits.set(treeHash(tree), tree)
    },
    open: (dir) => {
      const here = locals.get(dir) ?? newRepository()
      locals.set(dir, here)
      return fakeGit(dir, here, there, () => remote.isAway)
    },
  }
  return remote
}

function fakeGit(dir: string, here: Repository, there: Repository, isAway: () => boolean): Git {
  const copy = (from: Repository, to: Repository, ref: string): void => {
    const commit = from.branches.get(ref) ?? ''
    to.branches.set(ref, commit)
    to.commits.set(commit, from.commits.get(commit) ?? new Map())
  }
  const refs = ({ branches }: Repository): Buffer =>
    Buffer.from([...branches].map(([ref, commit]) => `${commit}\t${ref}\n`).join(''))
  return {
    dir,
    remote: 'fake',
    run: (args, input = '') => {
      const [what, ...rest] = args
      if (what === 'for-each-ref') return refs(here)
      if (what === 'cat-file') return objects(here, input.toString().trim().split('\n'), rest.includes('--batch'))
      if (what === 'fast-import') imported(here, Buffer.from(input))
      return Buffer.alloc(0)
    },
    reach: (args) => {
      if (isAway()) throw new KeeperError('git', 'the remote is away')
      const ref = args.at(-1)?.split(':')[0] ?? ''
      if (args[0] === 'fetch') copy(there, here, ref)
      if (args[0] === 'push') copy(here, there, ref)
      return args[0] === 'ls-remote' ? refs(there) : Buffer.alloc(0)
    },
  }
}

function folder(tree: Tree, name: string): Tree {
  return new Map([...tree].filter(([file]) => file.startsWith(`${name}/`)))
}

function treeHash(tree: Tree): string {
  return hash([...tree].map(([file, bytes]) => `${file} ${hash(bytes)}`).join('\n'))
}

/** `wanted`: commit:path or branch:path, of a file or a folder. */
function objects({ commits, branches }: Repository, wanted: readonly string[], isWhole: boolean): Buffer {
  return Buffer.concat(
    wanted.flatMap((name) => {
      const [commit = '', file = ''] = name.split(':')
      const tree = commits.get(branches.get(commit) ?? commit) ?? new Map<string, Buffer>()
      const bytes = tree.get(file)
      const isFolder = folder(tree, file).size > 0
      if (bytes === undefined && !isFolder) return [Buffer.from(`${name} missing\n`)]
      if (bytes === undefined) return [Buffer.from(`${treeHash(folder(tree, file))} tree 1\n`)]
      return [Buffer.from(`${hash(bytes)} blob ${bytes.length}\n`), ...(isWhole ? [bytes, Buffer.from('\n')] : [])]
    }),
  )
}

function imported(here: Repository, stream: Buffer): void {
  const tree = new Map<string, Buffer>()
  let ref = ''
  for (let at = 0; at < stream.length; ) {
    const end = stream.indexOf(0x0a, at)
    const line = stream.toString('utf8', at, end)
    at = end + 1
    const [, mode, what = '', name = ''] = /^M (\d+) (\S+) (.+)$/.exec(line) ?? []
    if (line.startsWith('commit ')) ref = line.slice('commit '.length)
    else if (line.startsWith('data ')) at += Number(line.slice(5))
    else if (mode === '040000')
      for (const known of here.commits.values())
        for (const [file, bytes] of treeHash(folder(known, name)) === what ? folder(known, name) : [])
          tree.set(file, bytes)
    else if (mode === '100644') {
      const head = stream.indexOf(0x0a, at)
      const size = Number(stream.toString('utf8', at, head).slice(5))
      tree.set(name, stream.subarray(head + 1, head + 1 + size))
      at = head + 1 + size + 1
    }
  }
  here.branches.set(ref, treeHash(tree))
  here.commits.set(treeHash(tree), tree)
}
