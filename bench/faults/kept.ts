/** What a memory contains: the entries of its session files and the ranges of its notes, read without any code of the product. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Kind } from './said.ts'

export interface Kept {
  /** Not settled: a tool that runs, or an answer that the host announced and has not written. */
  isOpen: boolean
  kind: Kind
  text: string
  /** The first eight characters of the session's id. */
  id8: string
}

interface Entry {
  role?: string
  text?: string
  name?: string
  cmd?: string
  ok?: boolean | null
  open?: boolean
}

interface SessionFile {
  id8: string
  entries: Entry[]
}

export interface NoteCount {
  /** Entries that are settled, those of them that no note covers, and those that several notes cover. */
  entries: number
  missing: string[]
  doubled: string[]
  /** Entries of sessions that are over which still may change; they have no number, so no note can name them. */
  open: number
  notes: number
  byAuthor: Record<string, number>
}

const TOKEN = /\bk\d+x\d+[ab]?\b/
const NOTE = /^<!-- note (\S+) session=(\S+) entries=(\d+)-(\d+)(?: fingerprint=\w+)? author=(\w+) /gm

export function readKept(memoryDir: string): Kept[] {
  return sessionFiles(memoryDir).flatMap(({ id8, entries }) => entries.flatMap((entry) => keptOf(entry, id8)))
}

function keptOf({ role, text = '', name, cmd = '', ok, open }: Entry, id8: string): Kept[] {
  const isOpen = open === true
  if (name !== undefined) {
    const tool = `${name} ${TOKEN.exec(cmd)?.[0] ?? cmd}`
    const result: Kept[] = ok === null || ok === undefined ? [] : [{ kind: 'result', text: tool, id8, isOpen }]
    return [{ kind: 'tool', text: tool, id8, isOpen }, ...result]
  }
  const kind = role === 'user' ? 'prompt' : role === 'summary' ? 'summary' : 'answer'
  return [{ kind, text: text.trim(), id8, isOpen }]
}

/** Whether every settled entry is covered by exactly one note of memory.md and the archives. A piece of nothing but `/exit` needs none. */
export function countNotes(memoryDir: string): NoteCount {
  const notes = notesIn(memoryDir)
  const count: NoteCount = { entries: 0, missing: [], doubled: [], open: 0, notes: notes.length, byAuthor: {} }
  for (const { author } of notes) count.byAuthor[author] = (count.byAuthor[author] ?? 0) + 1
  for (const { id8, entries } of sessionFiles(memoryDir)) {
    const ranges = notes.filter(({ session }) => session === id8)
    for (const [n, { open, text = '' }] of entries.entries()) {
      const covering = ranges.filter(({ from, to }) => from <= n && n < to).length
      if (open === true) count.open += 1
      else count.entries += 1
      if (open !== true && covering === 0 && !/^\/(?:exit|clear)$/.test(text)) count.missing.push(`${id8}#${n}`)
      if (covering > 1) count.doubled.push(`${id8}#${n}`)
    }
  }
  return count
}

interface NoteRange {
  session: string
  from: number
  to: number
  author: string
}

function notesIn(memoryDir: string): NoteRange[] {
  const files = namesIn(memoryDir).filter((name) => name === 'memory.md' || /^memory_\d.*\.md$/.test(name))
  return files.flatMap((name) =>
    [...textOf(path.join(memoryDir, name)).matchAll(NOTE)].map(([, , session = '', from, to, author = '']) => ({
      session,
      from: Number(from),
      to: Number(to),
      author,
    })),
  )
}

function sessionFiles(memoryDir: string): SessionFile[] {
  const dir = path.join(memoryDir, 'sessions')
  const names = [...namesIn(dir), ...namesIn(path.join(dir, 'archive')).map((name) => path.join('archive', name))]
  return names.flatMap((name) => {
    const id8 = /_([0-9a-z]{8})\.l1\.jsonl(?:\.gz)?$/.exec(name)?.[1]
    if (id8 === undefined) return []
    const lines = textOf(path.join(dir, name)).split('\n')
    return [{ id8, entries: lines.flatMap(parse) }]
  })
}

/** Empty for what is no file, or is not compressed as its name says: what it held is missing then. */
function textOf(file: string): string {
  if (!lstatSync(file).isFile()) return ''
  const bytes = readFileSync(file)
  try {
    return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  } catch {
    return ''
  }
}

/** A line that is no JSON keeps its number, and is found as an answer without words. */
function parse(line: string): Entry[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as Entry]
  } catch {
    return [{}]
  }
}

function namesIn(dir: string): string[] {
  return existsSync(dir) && lstatSync(dir).isDirectory() ? readdirSync(dir) : []
}
