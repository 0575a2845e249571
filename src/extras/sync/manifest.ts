/**
 * A machine's branch: one folder for each project, and a signed list of all files with their checksums. The machine's id is the
 * fingerprint of its public key, so that a branch of an unknown machine need not even be fetched.
 */
import { isObject, parseObject, textOr } from '../../kernel/platform/json.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { isWho } from '../../kernel/trust/share-files.ts'

export const MANIFEST_FILE = 'manifest.json'
export const SIGNATURE_FILE = 'manifest.sig'
/** In a project's folder: rows of `core/others/others.ts`, fingerprints of what was forgotten, and sessions if `syncSessions` is on. */
export const ROWS_FILE = 'rows.jsonl'
export const FORGOTTEN_ROWS = 'forgotten.jsonl'
export const SESSIONS_FOLDER = 'sessions'

/** A list with more files is refused. */
const MOST_FILES = 50_000
/** A longer session is not sent. */
export const MOST_SESSION_BYTES = 64 * 1024 * 1024

const VERSION = 1
const ID = /^[0-9a-f]{24}$/
const FILE = /^[0-9a-f]{14}\/(?:rows\.jsonl|forgotten\.jsonl|sessions\/\d{8}_\d{6}_[0-9a-z]{8}\.l1\.jsonl)$/
const SUM = /^[0-9a-f]{64}$/

export interface SignedList {
  machine: string
  /** The name that the user gave the machine. */
  name: string
  /** Grows with every commit, so that an older state is refused. */
  seq: number
  at: string
  /** The public key in DER, as base64. */
  key: string
  /** The key of each project, by its folder. */
  projects: Readonly<Record<string, string>>
  /** The SHA-256 of each file, by its path. */
  files: Readonly<Record<string, string>>
}

/** The id in the form that people compare: `3f2a-9c01-…`. */
export function formatMachineId(id: string): string {
  return id.replace(/(.{4})(?!$)/g, '$1-')
}

/** Null: the text is not a whole id. */
export function parseMachineId(given: string): string | null {
  const id = given.trim().toLowerCase().replace(/[-\s]/g, '')
  return ID.test(id) ? id : null
}

export function folderOf(projectKey: string): string {
  return fingerprint(`sync ${projectKey}`)
}

export function formatSignedList(manifest: SignedList): string {
  const sorted = (all: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  const { projects, files, ...head } = manifest
  return `${JSON.stringify({ version: VERSION, ...head, projects: sorted(projects), files: sorted(files) })}\n`
}

/** Null: the text is not a list of this version. */
export function parseSignedList(text: string): SignedList | null {
  const raw = parseObject(text)
  if (raw === null || raw.version !== VERSION || !isObject(raw.projects) || !isObject(raw.files)) return null
  const [machine, name, at, key] = [raw.machine, raw.name, raw.at, raw.key].map((one) => textOr(one, ''))
  const seq = typeof raw.seq === 'number' && Number.isSafeInteger(raw.seq) && raw.seq > 0 ? raw.seq : 0
  if (machine === undefined || name === undefined || at === undefined || key === undefined || seq === 0) return null
  const projects = Object.entries(raw.projects)
  const files = Object.entries(raw.files)
  const areProjects = projects.every(([dir, one]) => typeof one === 'string' && folderOf(one) === dir)
  const areFiles = files.every(([file, sum]) => FILE.test(file) && SUM.test(String(sum)))
  const known = new Set(projects.map(([dir]) => dir))
  const areFiled = files.length <= MOST_FILES && files.every(([file]) => known.has(file.slice(0, 14)))
  if (!ID.test(machine) || !isWho(name) || !areProjects || !areFiles || !areFiled) return null
  return {
    machine,
    name,
    seq,
    at,
    key,
    projects: Object.fromEntries(projects.map(([dir, one]) => [dir, String(one)])),
    files: Object.fromEntries(files.map(([file, sum]) => [file, String(sum)])),
  }
}
