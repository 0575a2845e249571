/** A bundle: a whole memory in one file, as JSON or as Markdown, each file in it with its checksum; anything else is refused as a whole. */

import { pageName } from '../pages/page.ts'
import { isObject, parseObject } from '../platform/json.ts'
import {
  CONCEPTS_FILE,
  CONFIG_FILE,
  FACTS_FILE,
  FORGOTTEN_FILE,
  id8OfFile,
  isArchiveFile,
  MEMORY_FILE,
  RULES_FILE,
  SESSIONS_DIR,
  STANDING_FILE,
  STATE_FILE,
} from '../platform/layout.ts'

export interface BundleFile {
  /** Below the memory, with slashes. */
  path: string
  text: string
}

export interface Bundle {
  files: BundleFile[]
  /** Of all of it. */
  sum: string
  /** Empty: nobody signed it. */
  signature: string
}

export type BundleForm = 'json' | 'markdown'

/** SHA-256, in hex. */
export type Sum = (text: string) => string

/** `problem`: what is wrong, for a person; nothing of it is to be used then. */
export type ParsedBundle = ({ is: 'bundle' } & Bundle) | { is: 'broken'; problem: string }

const FORMAT = 'memory-keeper-bundle'
const VERSION = 1
const TITLE = '# Memory Keeper bundle'
const HEADER =
  /^<!-- memory-keeper-bundle version=(\d{1,9}) files=(\d{1,9}) sha256=([0-9a-f]*) signature=([0-9a-f]*) -->$/

/** No time and no name in it: the same memory gives the same bytes. */
export function formatBundle(
  files: readonly BundleFile[],
  form: BundleForm,
  sum: Sum,
  sign: (sum: string) => string,
): string {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const summed = sorted.map((file) => ({ ...file, sum: sum(file.text) }))
  const all = sumOf(summed, sum)
  const signature = sign(all)
  return form === 'json' ? asJson(summed, all, signature) : asMarkdown(summed, all, signature)
}

interface Summed extends BundleFile {
  sum: string
}

function asJson(files: readonly Summed[], sum: string, signature: string): string {
  const lines = files.map(({ path, text, sum: sha256 }) => JSON.stringify({ path, sha256, text }))
  const list = lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`
  return `{"format":"${FORMAT}","version":${VERSION},"files":[${list}],"sha256":"${sum}","signature":"${signature}"}\n`
}

function asMarkdown(files: readonly Summed[], sum: string, signature: string): string {
  const header = `<!-- ${FORMAT} version=${VERSION} files=${files.length} sha256=${sum} signature=${signature} -->`
  const parts = files.map(({ path, text, sum: sha256 }) => {
    const fence = fenceFor(text)
    const isEnded = text.endsWith('\n')
    const mark = `<!-- sha256=${sha256}${isEnded ? '' : ' without-last-line-break'} -->`
    return `## ${path}\n\n${mark}\n${fence}\n${text}${isEnded ? '' : '\n'}${fence}\n`
  })
  return `${[`${TITLE}\n\n${header}\n`, ...parts].join('\n')}`
}

/** Longer than any in the text. */
function fenceFor(text: string): string {
  let longest = 2
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  return '`'.repeat(longest + 1)
}

function sumOf(files: readonly Summed[], sum: Sum): string {
  return sum(`${VERSION}\n${files.map(({ path, sum: own }) => `${own} ${path}`).join('\n')}`)
}

export function parseBundle(given: string, sum: Sum): ParsedBundle {
  const text = given.startsWith('\ufeff') ? given.slice(1) : given
  const read = text.startsWith(TITLE) ? readMarkdown(text) : readJson(text)
  if (typeof read === 'string') return { is: 'broken', problem: read }
  const summed = read.files.map((file) => ({ ...file, isRight: sum(file.text) === file.sum }))
  const wrong = summed.find(({ isRight }) => !isRight)
  if (wrong !== undefined)
    return { is: 'broken', problem: `${wrong.path} is not as it was written: its checksum is wrong` }
  if (sumOf(read.files, sum) !== read.sum)
    return { is: 'broken', problem: 'its files are not those that were written: the checksum of all of them is wrong' }
  const files = read.files.map(({ path, text: own }) => ({ path, text: own }))
  return { is: 'bundle', files, sum: read.sum, signature: read.signature }
}

interface Read {
  files: Summed[]
  sum: string
  signature: string
}

/** A text instead: what is wrong. */
function readJson(text: string): Read | string {
  const raw = parseObject(text)
  if (raw === null) return text.includes(FORMAT) ? 'it is cut off or damaged' : 'it is no bundle'
  if (raw.format !== FORMAT) return 'it is no bundle'
  if (raw.version !== VERSION) return newer(raw.version)
  if (!Array.isArray(raw.files) || typeof raw.sha256 !== 'string') return 'it is cut off or damaged'
  const files: Summed[] = []
  for (const one of raw.files as unknown[]) {
    if (
      !isObject(one) ||
      typeof one.path !== 'string' ||
      typeof one.text !== 'string' ||
      typeof one.sha256 !== 'string'
    )
      return 'it is cut off or damaged'
    files.push({ path: one.path, text: one.text, sum: one.sha256 })
  }
  const signature = typeof raw.signature === 'string' ? raw.signature : ''
  return wrongNameIn(files) ?? { files, sum: raw.sha256, signature }
}

function readMarkdown(text: string): Read | string {
  const lines = text.split('\n')
  const header = HEADER.exec(lines[2] ?? '')
  if (header === null) return 'its first lines are damaged'
  const [, version, count, sum = '', signature = ''] = header
  if (Number(version) !== VERSION) return newer(Number(version))
  const files: Summed[] = []
  let at = 3
  while (at < lines.length) {
    if (lines[at] === '') {
      at++
      continue
    }
    const file = readPart(lines, at)
    if (file === null) return `it is cut off or damaged at line ${at + 1}`
    files.push(file.file)
    at = file.next
  }
  if (files.length !== Number(count)) return `it has ${files.length} of ${count} files: it is cut off or damaged`
  return wrongNameIn(files) ?? { files, sum, signature }
}

function readPart(lines: readonly string[], at: number): { file: Summed; next: number } | null {
  const path = /^## (.+)$/.exec(lines[at] ?? '')?.[1]
  const mark = /^<!-- sha256=([0-9a-f]+)( without-last-line-break)? -->$/.exec(lines[at + 2] ?? '')
  const fence = lines[at + 3] ?? ''
  if (path === undefined || mark === null || lines[at + 1] !== '' || !/^`{3,}$/.test(fence)) return null
  const end = lines.indexOf(fence, at + 4)
  if (end < 0) return null
  const text = lines.slice(at + 4, end).join('\n')
  const isEmpty = end === at + 4
  const whole = mark[2] === undefined && !isEmpty ? `${text}\n` : text
  return { file: { path, text: whole, sum: mark[1] ?? '' }, next: end + 1 }
}

/** Null: all are names that a memory has, each once, whatever a system makes of capitals. */
function wrongNameIn(files: readonly BundleFile[]): string | null {
  const seen = new Set<string>()
  for (const { path } of files) {
    if (bundleKindOf(path) === null)
      return `it holds ${JSON.stringify(path.slice(0, 120))}, which is no file of a memory`
    const key = path.normalize('NFC').toLowerCase()
    if (seen.has(key)) return `it holds ${path} twice`
    seen.add(key)
  }
  return null
}

function newer(version: unknown): string {
  const isNewer = typeof version === 'number' && version > VERSION
  return isNewer ? `it is of version ${version}, which a newer Memory Keeper reads` : 'its version is not known'
}

export type BundleKind =
  | 'session'
  /** In a bundle its text, unpacked. */
  | 'packed'
  | 'session-facts'
  | 'session-summary'
  | 'tier'
  | 'memory'
  | 'archive'
  | 'archive-summary'
  | 'facts'
  | 'concepts'
  | 'standing'
  | 'rules'
  | 'config'
  | 'forgotten'
  /** Only what is no machine's own. */
  | 'state'
  | 'page'

const BY_NAME: ReadonlyMap<string, BundleKind> = new Map([
  [MEMORY_FILE, 'memory'],
  [FACTS_FILE, 'facts'],
  [CONCEPTS_FILE, 'concepts'],
  [STANDING_FILE, 'standing'],
  [RULES_FILE, 'rules'],
  [CONFIG_FILE, 'config'],
  [FORGOTTEN_FILE, 'forgotten'],
  [STATE_FILE, 'state'],
] as const)

/** Null: no such file. Names come from strangers: there is no other way out of the memory than these. */
export function bundleKindOf(path: string): BundleKind | null {
  const at = path.lastIndexOf('/')
  const [folder, name] = [path.slice(0, Math.max(0, at)), path.slice(at + 1)]
  if (at === 0 || /[\\\u0000-\u001f]/.test(path)) return null
  if (folder === '') return ofRoot(name)
  if (folder === SESSIONS_DIR) return ofSessions(name)
  return folder === `${SESSIONS_DIR}/archive` ? ofArchive(name) : null
}

function ofRoot(name: string): BundleKind | null {
  const known = BY_NAME.get(name)
  if (known !== undefined) return known
  if (isArchiveFile(name)) return 'archive'
  if (/^memory_\d{8}_\d{6}(?:_\d+)?\.summary\.json$/.test(name)) return 'archive-summary'
  return /\.md$/i.test(name) && pageName(name) !== null ? 'page' : null
}

function ofSessions(name: string): BundleKind | null {
  if (id8OfFile(name) !== null) return 'session'
  if (/^\d{8}_\d{6}_[0-9a-z]{8}\.l2\.json$/.test(name)) return 'session-facts'
  if (/^\d{8}_\d{6}_[0-9a-z]{8}\.md$/.test(name)) return 'session-summary'
  return /^week-\d{4}-\d\d\.md$/.test(name) ? 'tier' : null
}

function ofArchive(name: string): BundleKind | null {
  if (name.endsWith('.gz') && id8OfFile(name.slice(0, -'.gz'.length)) !== null) return 'packed'
  return /^\d{4}-\d\d\.md$/.test(name) ? 'tier' : null
}

/** No session of Claude Code is older. */
const EARLIEST_MS = Date.UTC(2020, 0, 1)
/** Clocks differ, and so do time zones. */
const DAY_MS = 86_400_000
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/
/** What holds a time: `at`, `lastAt`, `lastMemoryUpdateTs`, `date`. */
const TIME_FIELD = /^(?:at|ts|date|time|timestamp)$|(?:At|Ts|_at|Date|Time)$/

export function isSoundDate(text: string, now: string): boolean {
  if (!DATE.test(text)) return false
  const ms = Date.parse(text)
  return ms >= EARLIEST_MS && ms <= Date.parse(now) + DAY_MS
}

/** The time in a name like `sessions/20260113_120000_1a2b3c4d.l1.jsonl`; null: it has none. */
export function timeInName(path: string): string | null {
  const found = /(?:^|[/_])(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)(?:_|\.)/.exec(path)
  if (found === null) return null
  const [, year, month, day, hour, minute, second] = found
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
}

/** Every field of an object that holds a time, at any depth. */
export function withSoundTimes(value: unknown, now: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withSoundTimes(one, now))
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([name, held]): [string, unknown] => {
    const isWrong = TIME_FIELD.test(name) && typeof held === 'string' && !isSoundDate(held, now)
    return [name, isWrong ? now : withSoundTimes(held, now)]
  })
  return Object.fromEntries(fields)
}

/** The heading of a note or of a piece by hand, which search and rotation read as its date. */
export function withSoundHeadings(text: string, now: string): string {
  return text.replace(/^## (\W{0,4}\d{4}[-./]\d[^\n]*)$/gm, (line: string, said: string) => {
    const day = /\d{4}-\d\d-\d\d(?!\d)/.exec(said)?.[0] ?? ''
    return isSoundDate(day, now) ? line : `## ${said.replace(/^[\d\s.:/()+,TZUTC-]+/, '').trim() || 'Note'}`
  })
}
