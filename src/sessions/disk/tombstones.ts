/** What was forgotten, on disk: asked by whoever brings something into a memory, so that it does not come back. */
import path from 'node:path'
import { dirsOf } from '../../memory/disk/our-files.ts'
import type { Store } from '../../memory/disk/store.ts'
import { type Disk, disk, readOwnText, statOf } from '../../platform/disk/files.ts'
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

/** From wherever a copy is: a lost memory does not bring back what was forgotten. */
export function readForgotten(store: Pick<Store, 'dir' | 'places' | 'ownership'>): Forgotten {
  const files = dirsOf(store).map((dir) => path.join(dir, FORGOTTEN_FILE))
  const there = files.flatMap((file) => {
    const facts = statOf(file)
    return facts?.kind === 'file' ? [{ file, mark: `${file} ${facts.size} ${facts.mtimeMs} ${facts.ino}` }] : []
  })
  if (there.length === 0) return NOTHING_FORGOTTEN
  const mark = there.map((one) => one.mark).join('\n')
  if (seen?.mark !== mark) seen = { mark, forgotten: parseRecords(there.map(({ file }) => readOwnText(file) ?? '')) }
  return seen.forgotten
}

/** In the memory and in its copy. Call it under the lock, before anything is taken out. */
export function keepForgotten(store: Store, record: ForgetRecord, to: Disk = disk): void {
  const { vault, inProject } = store.places
  const copies = store.dir === inProject ? [vault] : []
  const line = formatRecord(record)
  for (const dir of [...copies, store.dir]) {
    const file = path.join(dir, FORGOTTEN_FILE)
    const text = readOwnText(file) ?? ''
    // Behind half a line that a killed writer left, a new one begins. Done twice, it says the same.
    if (!text.includes(line)) to.replace(file, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}`)
  }
}

/** A line that is no entry stays as it is. */
export function tombstonesIn(text: string, id8: string, forgotten: Forgotten): string {
  const lines = text.split('\n')
  const entries = lines.map(parseEntry)
  const told = withTombstones(
    entries.filter((entry) => entry !== null),
    id8,
    0,
    forgotten,
  )
  let n = 0
  return lines
    .map((line, i) => {
      const entry = entries[i]
      const kept = entry === null ? undefined : told[n++]
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
