/** Machines of one user that sync: a home and a checkout each, and a bare repository between them. */
import fs from 'node:fs'
import path from 'node:path'
import { readFacts, writeFacts } from '../../src/core/knowledge/disk/knowledge.ts'
import { prepareDirectory } from '../../src/extras/sync/disk/git.ts'
import {
  machineKey,
  NEW_MACHINE,
  NEW_RECORD,
  readSync,
  type SyncRecord,
  writeSync,
} from '../../src/extras/sync/disk/record.ts'
import { type SyncOutcome, syncProject } from '../../src/extras/sync/disk/sync.ts'
import { openStore, type Store } from '../../src/kernel/memory/disk/store.ts'
import { locate } from '../../src/kernel/platform/disk/locate.ts'
import { fact, itemsOf, listed } from './fact.ts'
import { type FakeRemote, fakeRemote } from './fake-git.ts'
import { projectAt, setAtHome, type TestProject, tempDir, write } from './project.ts'

export const ORIGIN = 'git@example.com:team/app.git'

export interface Machine {
  name: string
  project: TestProject
  id: string
  store: () => Store
  /** Adds a decision of the user's, said at this time. */
  decide: (text: string, at: string) => void
  sync: (at: string, more?: object) => SyncOutcome | null
  record: () => SyncRecord
}

const WORLD = { env: { PATH: process.env.PATH, HOME: '/nowhere' }, platform: process.platform }

/** `root`: where its checkout is. */
export function machine(
  base: string,
  name: string,
  remote: string | FakeRemote,
  root = path.join(base, name, 'app'),
): Machine {
  const home = path.join(base, name, 'home')
  for (const dir of [home, root]) fs.mkdirSync(dir, { recursive: true })
  const project = projectAt(root, home)
  setAtHome(project, { summarizer: 'extractive', rules: false })
  write(path.join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  write(path.join(root, '.git', 'config'), `[remote "origin"]\n\turl = ${ORIGIN}\n`)
  const id = machineKey(project.keeper).id
  const through = typeof remote === 'string' ? {} : { open: remote.open }
  let clock = ''
  const store = (): Store => openStore(locate(root, project.around), { now: () => clock })
  writeSync(project.keeper, { ...NEW_RECORD, remote: typeof remote === 'string' ? remote : 'fake', name })
  const one: Machine = {
    name,
    project,
    id,
    store,
    decide: (text, at) => {
      const own = store()
      own.prepare()
      const before = readFacts(own)
      const counter = before._meta.counter + 1
      const made = fact({ id: `d${String(counter).padStart(3, '0')}`, text, at, session: '', by: 'user' })
      const added = { ...made, evidence: { ...made.evidence, entry: -1, quote: '' } }
      const after = itemsOf({
        ...listed(before),
        _meta: { ...before._meta, counter },
        decisions: [...listed(before).decisions, added],
      })
      writeFacts(own, before, after, at)
    },
    sync: (at, more = {}) => {
      clock = at
      return syncProject(store(), { ...WORLD, now: () => at, waitMs: 1_000, ...through, ...more })
    },
    record: () => readSync(project.keeper) as SyncRecord,
  }
  return one
}

/** Every machine confirms every other one. */
function introduce(machines: readonly Machine[]): void {
  for (const one of machines) {
    const others = machines.filter((other) => other !== one)
    const known = others.map(({ id }) => [id, NEW_MACHINE])
    writeSync(one.project.keeper, { ...one.record(), machines: Object.fromEntries(known) })
  }
}

/** Machines that know each other, without a process: git is in memory. */
export function machinesInMemory(...names: readonly string[]): { base: string; remote: FakeRemote; all: Machine[] } {
  const base = tempDir()
  const remote = fakeRemote()
  const all = names.map((name) => machine(base, name, remote))
  introduce(all)
  return { base, remote, all }
}

/** A bare repository and machines that know each other. */
export function machines(...names: readonly string[]): { base: string; remote: string; all: Machine[] } {
  const base = tempDir()
  const remote = path.join(base, 'remote.git')
  prepareDirectory(remote, base, WORLD)
  const all = names.map((name) => machine(base, name, remote))
  introduce(all)
  return { base, remote, all }
}
