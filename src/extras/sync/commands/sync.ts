/** `sync`: the memory of the user's other machines, by git. */
import path from 'node:path'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import type { Context } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, table, warning } from '../../../kernel/memory/commands/output.ts'
import { list, removeTree, statOf } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { OTHERS_DIR } from '../../../kernel/platform/layout.ts'
import { zonedMinute } from '../../../kernel/platform/time.ts'
import { keyOfName } from '../../../kernel/trust/project-key.ts'
import { whoOf } from '../../../kernel/trust/share-files.ts'
import { openGit, prepareDirectory } from '../disk/git.ts'
import { outgoingRows } from '../disk/outgoing.ts'
import {
  machineKey,
  NEW_MACHINE,
  NEW_RECORD,
  plainRemote,
  readSync,
  removeSync,
  repositoryDir,
  type SyncRecord,
  writeSync,
} from '../disk/record.ts'
import { removeMachine } from '../disk/repository.ts'
import { projectKeyOf, refuseOwnRepository, type SyncOutcome, syncProject } from '../disk/sync.ts'
import { formatMachineId, parseMachineId } from '../manifest.ts'

/** How long `sync` waits for another sync: a person waits for it. */
const WAIT_MS = 20_000

/** Syncs because the user asked for it. Throws if the sync fails. */
function syncNow({ store, world }: Context): SyncOutcome {
  const { env, platform, now } = world
  const outcome = syncProject(store, { env, platform, now, waitMs: WAIT_MS })
  if (outcome === null) throw new KeeperError('busy', 'Another sync is going on. Try again in a moment.')
  const { problem } = outcome.record
  if (problem !== '') throw new KeeperError('sync', `Not synced with ${plainRemote(outcome.record)}: ${problem}`)
  return outcome
}

function runInit(context: Context, where: string): number {
  const { store, out, world, isDryRun } = context
  const { homeDir, project } = store.places
  const before = readSync(homeDir)
  if (before !== null)
    throw new KeeperError('on', `Sync is on, with ${plainRemote(before)}. To change that: memory-keeper sync off`)
  const remote = remoteOf(where, world.cwd)
  refuseOwnRepository(project.root, remote)
  const host = process.getBuiltinModule('node:os').hostname().split('.')[0] ?? ''
  const who = whoOf(host) ?? 'machine'
  const shownRemote = plainRemote({ remote })
  if (isDryRun) {
    out.json({ remote: shownRemote, name: who, dryRun: true })
    out.say(`Would send this machine's memory to ${shownRemote}, as ${who}.`)
    return 0
  }
  if (path.isAbsolute(remote)) prepareDirectory(remote, project.root, world)
  const record = writeSync(homeDir, { remote, name: who, ...NEW_RECORD })
  const isTakingPart = projectKeyOf(store, record) !== null
  try {
    const outcome = isTakingPart ? syncNow(context) : null
    out.json(shown(store, readSync(homeDir)))
    out.say(
      `This machine is ${bold(who)}, ${machineId(homeDir)}. Its memory goes to ${shownRemote} at the end of each session.`,
      'On your other machine: memory-keeper sync init with the same address. Then confirm each machine on the other one:',
      `  memory-keeper sync --accept ${machineId(homeDir)}`,
      ...(outcome === null ? [warning(NAMELESS)] : afterSync(outcome)),
    )
  } catch (error) {
    // A remote that does not work is not kept.
    removeSync(homeDir)
    throw error
  }
  return 0
}

const NAMELESS =
  'This project has no git origin by which your machines know it, or another directory of this machine has the same one. Give it the same name on each machine: memory-keeper sync name --this-project NAME'

function nameOr(name: string | null, given: string): string {
  if (name !== null) return name
  throw new KeeperError('usage', `"${given}" cannot be used. Give a name of letters, digits and hyphens.`)
}

function machineId(homeDir: string): string {
  return formatMachineId(machineKey(homeDir).id)
}

/** An address as git takes it, or the whole path of a directory. */
function remoteOf(where: string, cwd: string): string {
  const isScp = /^(?:\w[\w.-]*@)?\w[\w.-]+:[^:\\]/.test(where) && statOf(path.resolve(cwd, where)) === null
  if (/^(?:https|ssh):\/\/[^-]/i.test(where) || (isScp && !where.includes('://'))) return where
  if (!where.startsWith('-') && !where.includes('::') && !where.includes('://')) return path.resolve(cwd, where)
  throw new KeeperError(
    'usage',
    `${where} cannot be used. Give an address that begins with https:// or ssh://, one like git@host:memory.git, or a directory.`,
  )
}

interface NowOptions {
  accept?: string
  drop?: string
}

function runNow(context: Context, { accept, drop }: NowOptions): number {
  const { store, out, isDryRun } = context
  const { homeDir } = store.places
  const before = needSync(homeDir)
  const changed = withoutDropped(withAccepted(before, accept, homeDir), drop)
  if (projectKeyOf(store, changed) === null) throw new KeeperError('no-name', NAMELESS)
  if (isDryRun) {
    const rows = outgoingRows(store, changed.name)
    out.json({ rows, dryRun: true })
    out.say(`Would send ${count(rows.length, 'line')} of this project to ${plainRemote(changed)}; --json shows them.`)
    return 0
  }
  if (changed !== before) writeSync(homeDir, changed)
  // A dropped machine's branch is fetched no more, and is deleted here.
  if (drop !== undefined) removeTree(repositoryDir(homeDir))
  const outcome = syncNow(context)
  out.json({ ...shown(store, outcome.record), sent: outcome.isSent, received: outcome.received })
  out.say(
    `${outcome.isSent ? 'Sent this machine’s memory to' : 'Nothing new for'} ${plainRemote(outcome.record)}.`,
    ...afterSync(outcome),
  )
  return 0
}

function needSync(homeDir: string): SyncRecord {
  const record = readSync(homeDir)
  if (record !== null) return record
  throw new KeeperError('off', `${OFF} <address of a private git repository, or a directory>`)
}

const OFF = 'Sync is off. To begin: memory-keeper sync init'

function withAccepted(record: SyncRecord, given: string | undefined, homeDir: string): SyncRecord {
  if (given === undefined) return record
  const id = parseMachineId(given)
  if (id === null || id === machineKey(homeDir).id)
    throw new KeeperError(
      'usage',
      'Give the whole fingerprint that memory-keeper sync status shows on the other machine.',
    )
  return { ...record, machines: { ...record.machines, [id]: record.machines[id] ?? NEW_MACHINE } }
}

function withoutDropped(record: SyncRecord, given: string | undefined): SyncRecord {
  if (given === undefined) return record
  const all = Object.entries(record.machines)
  const left = all.filter(([id, { name }]) => name !== given && id !== parseMachineId(given))
  if (left.length < all.length) return { ...record, machines: Object.fromEntries(left) }
  throw new KeeperError('not-found', `No machine that you confirmed is called "${given}".`)
}

function afterSync({ record, received }: SyncOutcome): string[] {
  const machines = Object.entries(record.machines).map(([id, { name, problem }]) =>
    problem === ''
      ? `  ${name}: ${count(received[id] ?? 0, 'line')} of this project`
      : warning(`  ${name || formatMachineId(id)} is not read: ${problem}`),
  )
  return [...machines, ...unconfirmed(record)]
}

function unconfirmed({ unknown }: SyncRecord): string[] {
  return unknown.map((id) => {
    const shownId = formatMachineId(id)
    return warning(
      `  Not confirmed and not read: ${shownId}. If sync status shows this on a machine of yours: memory-keeper sync --accept ${shownId}`,
    )
  })
}

function shown({ places }: Context['store'], record: SyncRecord | null): Record<string, unknown> {
  if (record === null) return { on: false }
  const { remote: _, seq: __, pending: ___, projects, ...rest } = record
  const id = machineKey(places.homeDir).id
  return { on: true, remote: plainRemote(record), id, ...rest, project: projects[places.project.key]?.key ?? null }
}

function runSyncStatus({ store, out }: Context): number {
  const { homeDir, project } = store.places
  const record = readSync(homeDir)
  out.json(shown(store, record))
  if (record === null) {
    out.say(`${OFF} <address of a private git repository, or a directory>`)
    return 0
  }
  const minute = (at: string): string => (at === '' ? 'never' : zonedMinute(at, store.config.timezone))
  const others = Object.entries(record.machines).map(([id, { name, at, problem }]) => [
    `  ${name || 'confirmed'}`,
    `${formatMachineId(id)}  ${problem === '' ? `last change ${minute(at)}` : warning(problem)}`,
  ])
  out.say(
    ...table([
      ['  this machine', `${record.name}, ${machineId(homeDir)}`],
      ['  remote', plainRemote(record)],
      ['  last sync', minute(record.at)],
      ...(record.problem === '' ? [] : [['  problem', warning(record.problem)]]),
      ['  this project', record.projects[project.key]?.key ?? dim('not synced yet: memory-keeper sync')],
      ...others,
    ]),
    ...unconfirmed(record),
  )
  return record.problem === '' ? 0 : 1
}

function runName({ store, out, isDryRun }: Context, { thisProject = false }, given: string): number {
  const { homeDir, project } = store.places
  const record = needSync(homeDir)
  const name = nameOr(thisProject ? keyOfName(given) : whoOf(given), given)
  const changed = thisProject
    ? { projects: { ...record.projects, [project.key]: { key: name, root: project.root } } }
    : { name }
  if (!isDryRun) writeSync(homeDir, { ...record, ...changed })
  out.json({ name, dryRun: isDryRun })
  out.say(`${thisProject ? 'This project' : 'This machine'} is called ${name} from the next sync on.`)
  return 0
}

function runOff({ store, out, world, isDryRun }: Context, { erase = false }): number {
  const { homeDir, project } = store.places
  const record = needSync(homeDir)
  if (!isDryRun) {
    const { id } = machineKey(homeDir)
    if (erase) removeMachine(openGit(repositoryDir(homeDir), record.remote, project.root, world), id)
    const others = path.join(homeDir, OTHERS_DIR)
    for (const key of list(others)) for (const name of ['machine', 'sessions']) removeTree(path.join(others, key, name))
    removeSync(homeDir)
  }
  const where = plainRemote(record)
  out.json({ on: isDryRun, erased: erase && !isDryRun })
  out.say(
    `${isDryRun ? 'Would switch sync off' : 'Sync is off'}: nothing is sent or fetched, and what other machines remember is deleted here.`,
    erase
      ? `The branch of this machine is deleted from ${where}.`
      : `What this machine has sent stays in ${where}; with --erase its branch is deleted there.`,
  )
  return 0
}

export const SYNC_COMMANDS: readonly Command[] = [
  {
    usage: 'sync now',
    about: 'exchange the memory of this project with your other machines',
    options: [
      { flags: '--accept <fingerprint>', about: 'from now on read the machine that has this fingerprint' },
      { flags: '--drop <name>', about: 'read a machine no longer, and delete here what it had sent' },
    ],
    writes: true,
    example: 'memory-keeper sync now',
    run: inProject((context, options: NowOptions) => runNow(context, options)),
  },
  {
    usage: 'sync init <where>',
    about: 'send your memory to a private git repository or a directory, for your other machines',
    writes: true,
    example: 'memory-keeper sync init git@example.com:me/memory.git',
    also: ['memory-keeper sync init /media/stick/memory'],
    run: inProject((context, _, [where = '']) => runInit(context, where)),
  },
  {
    usage: 'sync status',
    about: 'this machine, the machines you confirmed, and how the last sync went',
    example: 'memory-keeper sync status',
    run: inProject((context) => runSyncStatus(context)),
  },
  {
    usage: 'sync name <name>',
    about: 'what this machine is called on your other machines',
    options: [{ flags: '--this-project', about: 'instead: the name of a project that has no git origin' }],
    writes: true,
    example: 'memory-keeper sync name laptop',
    run: inProject((context, options: { thisProject?: boolean }, [name = '']) => runName(context, options, name)),
  },
  {
    usage: 'sync off',
    about: 'stop, and delete here what other machines have sent',
    options: [{ flags: '--erase', about: 'delete the branch of this machine from the remote, too' }],
    writes: true,
    example: 'memory-keeper sync off --erase',
    run: inProject((context, options: { erase?: boolean }) => runOff(context, options)),
  },
]
