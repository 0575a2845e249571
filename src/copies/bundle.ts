/** A bundle: a whole memory in one file, as JSON or as Markdown, each file in it with its checksum; anything else is refused as a whole. */

import { isObject, parseObject } from '../platform/json.ts'
import { bundleKindOf } from './bundle-kind.ts'

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
