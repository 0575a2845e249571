/** The record of forgotten entries on disk. Everything that adds entries to a memory checks it, so that they do not come back. */
import path from 'node:path'
import { dirsOf } from '../../memory/disk/our-files.ts'
import type { Store } from '../../memory/disk/store.ts'
import { type Disk, disk, markOf, readOwnText } from '../../platform/disk/files.ts'
import { parseObject } from '../../platform/json.ts'
import { FORGOTTEN_FILE, id8OfFile } from '../../platform/layout.ts'
import { formatEntry, parseEntry } from '../../transcript/session.ts'
import {
  type ForgetRecord,
  type Forgotten,
  formatRecord,
  marksOfSaid,
  NOTHING_FORGOTTEN,
  parseRecords,
  withTombstones,
} from '../forget-record.ts'

let seen: { mark: string; forgotten: Forgotten } | null = null

/** Reads all copies: a lost memory must not bring back forgotten entries. */
export function readForgotten(store: Pick<Store, 'dir' | 'places' | 'ownership'>): Forgotten {
  const files = dirsOf(store).map((dir) => path.join(dir, FORGOTTEN_FILE))
  const marks = files.map(markOf)
  if (marks.every((one) => one === '')) return NOTHING_FORGOTTEN
  const mark = [...files, ...marks].join('\n')
  if (seen?.mark !== mark) seen = { mark, forgotten: parseRecords(files.map((file) => readOwnText(file) ?? '')) }
  return seen.forgotten
}

/** Writes to the memory and to its copy. Call it under the lock, before anything is deleted. */
export function keepForgotten(store: Store, record: ForgetRecord, to: Disk = disk): void {
  keepLines(store, formatRecord(record), to)
}

function keepLines(store: Store, line: string, to: Disk): void {
  const { vault, inProject } = store.places
  const copies = store.dir === inProject ? [vault] : []
  for (const dir of [...copies, store.dir]) {
    const file = path.join(dir, FORGOTTEN_FILE)
    const text = readOwnText(file) ?? ''
    // A killed writer may have left half a line: then a new line is started. Repeating it changes nothing.
    if (!text.includes(line)) to.replace(file, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}`)
  }
}

/** Lines of another machine's `forgotten.jsonl`, each once. `first`: done before any is written, if some are new here. Call it under the lock. */
export function addForgotten(store: Store, lines: readonly string[], first: () => void): void {
  const known = new Set((readOwnText(path.join(store.dir, FORGOTTEN_FILE)) ?? '').split('\n'))
  const fresh = [...new Set(lines)].filter((line) => line !== '' && !known.has(line))
  const records = fresh.flatMap((line) => (parseObject(line) === null ? [] : [`${line}\n`]))
  if (records.length === 0) return
  first()
  keepLines(store, records.join(''), disk)
}

/** A line that is not an entry stays as it is. */
export function tombstonesIn(text: string, id8: string, forgotten: Forgotten): string {
  const lines = text.split('\n')
  const entries = lines.map(parseEntry)
  const marked = withTombstones(
    entries.filter((entry) => entry !== null),
    id8,
    0,
    forgotten,
  )
  let n = 0
  return lines
    .map((line, i) => {
      const entry = entries[i]
      const kept = entry === null ? undefined : marked[n++]
      return kept === undefined || kept === entry ? line : formatEntry(kept).trimEnd()
    })
    .join('\n')
}

/** Whether the whole transcript of this session may be copied. */
export function mayBackUp(store: Store, sessionFile: string): boolean {
  return !readForgotten(store).raw.has(id8OfFile(sessionFile) ?? '')
}

export function isSaidBefore(said: Forgotten['said'], at: string, texts: readonly string[]): boolean {
  return texts.flatMap(marksOfSaid).some((mark) => {
    const until = said.get(mark)
    return until !== undefined && at <= until
  })
}
