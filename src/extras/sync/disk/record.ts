/** Sync on this machine, in `~/.claude/memory-keeper/sync`: the key, the remote, the machines that the user confirmed, how the last sync went. */
import path from 'node:path'
import { disk, makeDir, readOwnText, removeTree, statOf } from '../../../kernel/platform/disk/files.ts'
import { parseObject, textOr } from '../../../kernel/platform/json.ts'
import { SYNC_DIR, SYNC_RECORD, SYNC_REPOSITORY } from '../../../kernel/platform/layout.ts'
import { zonedMinute } from '../../../kernel/platform/time.ts'
import { count } from '../../../kernel/text/figures.ts'
import { isWho } from '../../../kernel/trust/share-files.ts'

const KEY_FILE = 'machine.key'

export interface KnownMachine {
  name: string
  /** The number of its newest manifest that was read; 0: none was read. */
  seq: number
  /** When the machine wrote that manifest. */
  at: string
  /** Why its branch was not read last time; empty: it was read. */
  problem: string
}

export interface SyncRecord {
  /** As git understands it. It may contain a password: `plainRemote` is for people. */
  remote: string
  name: string
  /** The number of the last manifest that was pushed. */
  seq: number
  /** The projects that take part, by their local keys: the key that all machines use, and the directory here. */
  projects: Readonly<Record<string, { key: string; root: string }>>
  /** Confirmed by the user, by id. */
  machines: Readonly<Record<string, KnownMachine>>
  /** Branches of machines that the user has not confirmed. They are not read. */
  unknown: readonly string[]
  /** When the last sync succeeded; empty: never. */
  at: string
  /** Why the last sync failed; empty: it succeeded. */
  problem: string
  /** Projects in which something that another machine forgot is still to be deleted. */
  pending: readonly string[]
}

export function syncHome(homeDir: string): string {
  return path.join(homeDir, SYNC_DIR)
}

export function repositoryDir(homeDir: string): string {
  return path.join(syncHome(homeDir), SYNC_REPOSITORY)
}

/** As `sync init` writes it. */
export const NEW_RECORD = { seq: 0, projects: {}, machines: {}, unknown: [], at: '', problem: '', pending: [] } as const
export const NEW_MACHINE: KnownMachine = { name: '', seq: 0, at: '', problem: '' }

/** Null: the user has not set up sync on this machine. */
export function readSync(homeDir: string): SyncRecord | null {
  const raw = parseObject(readOwnText(path.join(syncHome(homeDir), SYNC_RECORD)) ?? '')
  if (raw === null || textOr(raw.remote, '') === '' || !isWho(textOr(raw.name, ''))) return null
  return { ...NEW_RECORD, ...raw } as unknown as SyncRecord
}

export function writeSync(homeDir: string, record: SyncRecord): SyncRecord {
  makeDir(syncHome(homeDir))
  disk.replace(path.join(syncHome(homeDir), SYNC_RECORD), `${JSON.stringify({ version: 1, ...record })}\n`)
  return record
}

/** Deletes the key, too: after the next `sync init` this is another machine. */
export function removeSync(homeDir: string): void {
  removeTree(syncHome(homeDir))
}

/** The state of sync in one line; null: sync is off. */
export function syncLine(homeDir: string, timezone: string): { text: string; isFine: boolean } | null {
  const record = readSync(homeDir)
  if (record === null) return null
  const machines = Object.values(record.machines)
  const refused = machines.find(({ problem, seq }) => problem !== '' && seq > 0)
  const problem = record.problem || (refused === undefined ? '' : `${refused.name} is not read: ${refused.problem}`)
  const names = machines.flatMap(({ name }) => (name === '' ? [] : [name])).join(', ')
  const last = record.at === '' ? 'never synced yet' : `last ${zonedMinute(record.at, timezone)}`
  const waiting = record.unknown.length === 0 ? '' : `; ${count(record.unknown.length, 'machine')} not confirmed`
  return {
    text: `${problem === '' ? `with ${names || 'no other machine yet'}` : problem}; ${last}${waiting}`,
    isFine: problem === '',
  }
}

/** The remote for people, without user name and password. */
export function plainRemote({ remote }: Pick<SyncRecord, 'remote'>): string {
  return remote.replace(/^([a-z+]+:\/\/)[^@/]*@/i, '$1')
}

export interface MachineKey {
  id: string
  /** In DER, as base64. */
  publicKey: string
  sign: (bytes: Buffer) => Buffer
}

/** The machine's key, made when it is first needed and readable by this user only. */
export function machineKey(homeDir: string): MachineKey {
  const { createPrivateKey, createPublicKey, generateKeyPairSync, sign } = crypto()
  const file = path.join(syncHome(homeDir), KEY_FILE)
  if (statOf(file) === null) {
    makeDir(syncHome(homeDir))
    disk.replace(file, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
  }
  const own = createPrivateKey(readOwnText(file) ?? '')
  const der = createPublicKey(own).export({ type: 'spki', format: 'der' })
  return { id: idOfKey(der), publicKey: der.toString('base64'), sign: (bytes) => sign(null, bytes, own) }
}

export function idOfKey(der: Buffer): string {
  return sum(der).slice(0, 24)
}

/** Whether the machine with this key signed these bytes. */
export function isSigned(bytes: Buffer, signature: Buffer, publicKey: string): boolean {
  const { createPublicKey, verify } = crypto()
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519' && verify(null, bytes, key, signature)
  } catch {
    // Not a key, or a key of another kind.
    return false
  }
}

/** SHA-256, in hex. */
export function sum(bytes: Buffer | string): string {
  return crypto().createHash('sha256').update(bytes).digest('hex')
}

function crypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto')
}
