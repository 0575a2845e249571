/** Redacts existing files: every file of ours about this project, in the memory, at home, in the vault and in backups. */
import path from 'node:path'
import { dirsOf, ourFiles, placesOf } from '../../../kernel/memory/disk/our-files.ts'
import { changeStateFile, isStatePath, settledNames, settledPath } from '../../../kernel/memory/disk/settled.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { changeWaiting } from '../../../kernel/memory/session-state.ts'
import { disk, MOST_FILE_BYTES, readOwnText, readPart, refused } from '../../../kernel/platform/disk/files.ts'
import { STATE_FILE } from '../../../kernel/platform/layout.ts'
import type { Redactor } from '../../../kernel/redact/redact.ts'
import { pack, readSessionBytes, unpackedName, unpackFile } from '../../../kernel/sessions/disk/session-archive.ts'
import { scrubText } from '../../files.ts'
import { firstLines } from './forget-sessions.ts'

interface Scrubbed {
  file: string
  redactions: number
}

/** The files with likely secrets, and how many; changes nothing. */
export function secretsInFiles(store: Store, redact: Redactor): Scrubbed[] {
  return ourFiles(store).flatMap((file) =>
    counted(
      file,
      scrubFile(store, file, redact, () => undefined),
    ),
  )
}

/** Redacts these files; entries keep their numbers. Call it under the lock. */
export function scrubFiles(store: Store, files: readonly string[], redact: Redactor): Scrubbed[] {
  const write: Write = (file, content) => disk.replace(file, content)
  const done = files.flatMap((file) => counted(file, scrubFile(store, file, redact, write)))
  // The lines changed their length: the same number of entries, another number of bytes.
  for (const dir of dirsOf(store))
    if (files.some((file) => file.startsWith(dir + path.sep)))
      for (const name of [STATE_FILE, ...settledNames(dir).map(settledPath)]) scrubState(dir, name, redact, write)
  return done
}

type Write = (file: string, content: string | Buffer) => void

function counted(file: string, redactions: number): Scrubbed[] {
  return redactions === 0 ? [] : [{ file, redactions }]
}

function scrubFile(store: Store, file: string, redact: Redactor, write: Write): number {
  const memory = dirsOf(store).find((dir) => isStatePath(path.relative(dir, file)))
  if (memory !== undefined) return scrubState(memory, path.relative(memory, file), redact, write)
  if (file.endsWith('.gz')) return scrubPacked(store, file, redact, write)
  const text = readOwnText(file, MOST_FILE_BYTES) ?? ''
  if (refused.undecoded.has(file)) return scrubBytes(store, file, redact, write)
  const clean = scrubText(pathOf(store, file), text, redact)
  if (clean.count > 0) write(file, clean.text)
  return clean.count
}

/** In its memory, copy or log, with slashes, as rows of file kinds name it. */
function pathOf(store: Store, file: string): string {
  const roots = placesOf(store).map(({ root }) => root)
  const inside = roots.filter((root) => file.startsWith(root + path.sep)).sort((a, b) => b.length - a.length)
  return path
    .relative(inside[0] ?? path.dirname(file), file)
    .split(path.sep)
    .join('/')
}

/** Bytes that are no text stay as they are, and no copy with the secret is kept beside the file. */
function scrubBytes(store: Store, file: string, redact: Redactor, write: Write): number {
  const bytes = readPart(file, 0, MOST_FILE_BYTES) ?? Buffer.alloc(0)
  const clean = scrubText(pathOf(store, file), bytes.toString('latin1'), redact)
  refused.undecoded.delete(file)
  if (clean.count > 0) write(file, Buffer.from(clean.text, 'latin1'))
  return clean.count
}

/** In the state, or in a file of settled sessions: entries keep their numbers, and their bytes are counted again. */
function scrubState(dir: string, name: string, redact: Redactor, write: Write): number {
  let total = 0
  const clean = (value: string): string => {
    const { text, count } = redact(value)
    total += count
    return text
  }
  const session = (one: SessionState): SessionState => ({
    ...changeWaiting(one, { text: clean }),
    bytes: settledBytes(dir, one),
  })
  changeStateFile(dir, name, { session, badLine: clean }, write)
  return total
}

function settledBytes(dir: string, { file, entries }: SessionState): number {
  return entries === 0 ? 0 : Buffer.byteLength(firstLines(readSessionBytes(dir, file)?.toString('utf8') ?? '', entries))
}

/** A damaged file is not changed: nothing reads it either. */
function scrubPacked(store: Store, file: string, redact: Redactor, write: Write): number {
  const session = unpackedName(path.basename(file))
  const bytes = unpackFile(file)
  if (bytes === null) return 0
  const clean = scrubText(pathOf(store, file), bytes.toString('utf8'), redact)
  if (clean.count === 0) return 0
  const content = Buffer.from(clean.text)
  write(
    file,
    session === null
      ? Buffer.concat([labelOf(file), process.getBuiltinModule('node:zlib').gzipSync(content)])
      : pack(content),
  )
  return clean.count
}

/** The label of a transcript backup is in an empty gzip member before it. */
function labelOf(file: string): Buffer {
  const head = readPart(file, 0, 200) ?? Buffer.alloc(0)
  const label = /^.{10}source [^\0]*\0.{10}/s.exec(head.toString('latin1'))?.[0] ?? ''
  return Buffer.from(label, 'latin1')
}
