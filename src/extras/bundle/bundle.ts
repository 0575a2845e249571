/** The copy in a file (a bundle): a whole memory as JSON, each file with its checksum. Versions before 0.6 also wrote Markdown. A damaged bundle is refused as a whole. */

import { isInFileCopy, type MemoryFile } from '../../core/files.ts'
import { isObject, parseObject } from '../../kernel/platform/json.ts'

interface Bundle {
  files: MemoryFile[]
  /** The checksum of all files. */
  sum: string
  /** Empty: not signed. */
  signature: string
}

/** SHA-256, in hex. */
type Sum = (text: string) => string

interface Summed extends MemoryFile {
  sum: string
}

const FORMAT = 'memory-keeper-bundle'
const VERSION = 1
const TITLE = '# Memory Keeper bundle'
const HEADER =
  /^.*\n\n<!-- memory-keeper-bundle version=(\d{1,9}) files=(\d{1,9}) sha256=([0-9a-f]*) signature=([0-9a-f]*) -->\n{1,2}/
/** The fence is longer than any in the text. */
const PART =
  /## (.+)\n\n<!-- sha256=([0-9a-f]+)( without-last-line-break)? -->\n(`{3,})\n([\s\S]*?)(?<=\n)\4(?:\n{1,2}|$)/gy
const DAMAGED = 'it is cut off or damaged'
const OTHER_VERSION = 'it is of another version, which a newer Memory Keeper may read'

/** Contains no time and no name: the same memory gives the same bytes. */
export function formatBundle(files: readonly MemoryFile[], sum: Sum, sign: (sum: string) => string): string {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map((file) => ({ ...file, sum: sum(file.text) }))
  const all = sumOf(sorted, sum)
  const lines = sorted.map(({ path, text, sum: sha256 }) => JSON.stringify({ path, sha256, text }))
  const list = lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`
  return `{"format":"${FORMAT}","version":${VERSION},"files":[${list}],"sha256":"${all}","signature":"${sign(all)}"}\n`
}

function sumOf(files: readonly Summed[], sum: Sum): string {
  return sum(`${VERSION}\n${files.map(({ path, sum: own }) => `${own} ${path}`).join('\n')}`)
}

/** `problem`: what is wrong, for a person. */
export function parseBundle(given: string, sum: Sum): ({ is: 'bundle' } & Bundle) | { is: 'broken'; problem: string } {
  const text = given.replace(/^\ufeff/, '')
  const read = text.startsWith(TITLE) ? readMarkdown(text) : readJson(text)
  const problem = typeof read === 'string' ? read : problemIn(read, sum)
  if (problem !== null || typeof read === 'string') return { is: 'broken', problem: problem ?? DAMAGED }
  return { is: 'bundle', ...read, files: read.files.map(({ path, text: own }) => ({ path, text: own })) }
}

interface Read extends Bundle {
  files: Summed[]
}

/** Null: all names are valid for a memory, each occurs once (ignoring case), and the checksums are right. */
function problemIn({ files, sum: all }: Read, sum: Sum): string | null {
  const seen = new Set<string>()
  for (const { path } of files) {
    if (!isInFileCopy(path)) return `it contains ${JSON.stringify(path.slice(0, 120))}, which is not a file of a memory`
    const key = path.normalize('NFC').toLowerCase()
    if (seen.has(key)) return `it contains ${path} twice`
    seen.add(key)
  }
  const wrong = files.find((file) => sum(file.text) !== file.sum)
  if (wrong !== undefined) return `${wrong.path} was changed: its checksum is wrong`
  return sumOf(files, sum) === all ? null : 'its files were changed: the checksum of all of them is wrong'
}

/** Returns a text if it is not valid. */
function readJson(text: string): Read | string {
  const raw = parseObject(text)
  if (raw === null && text.includes(FORMAT)) return DAMAGED
  if (raw?.format !== FORMAT) return 'it is not a bundle'
  if (raw.version !== VERSION) return OTHER_VERSION
  if (!Array.isArray(raw.files) || typeof raw.sha256 !== 'string') return DAMAGED
  const files = raw.files.flatMap((one: unknown): Summed[] => {
    const { path, text: own, sha256 } = isObject(one) ? one : {}
    const isFile = typeof path === 'string' && typeof own === 'string' && typeof sha256 === 'string'
    return isFile ? [{ path, text: own, sum: sha256 }] : []
  })
  if (files.length < raw.files.length) return DAMAGED
  return { files, sum: raw.sha256, signature: typeof raw.signature === 'string' ? raw.signature : '' }
}

function readMarkdown(text: string): Read | string {
  const [head = '', version, count, sum = '', signature = ''] = HEADER.exec(text) ?? []
  if (head === '') return DAMAGED
  if (Number(version) !== VERSION) return OTHER_VERSION
  const parts = [...text.slice(head.length).matchAll(PART)]
  const files = parts.map(([, path = '', own = '', isUnended, , body = '']) => ({
    path,
    text: isUnended === undefined ? body : body.slice(0, -1),
    sum: own,
  }))
  const isWhole = parts.reduce((length, [part]) => length + part.length, head.length) === text.length
  return isWhole && files.length === Number(count) ? { files, sum, signature } : DAMAGED
}
