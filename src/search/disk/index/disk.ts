/** The index on disk: append to its files, then the manifest that makes it count; what stands behind the counts is cut off. */
import path from 'node:path'
import {
  codeOf,
  list,
  openToRead,
  disk as plainDisk,
  readText,
  replaceQuickly,
  writeBytes,
} from '../../../platform/disk/files.ts'
import { removeBusy } from '../../../platform/disk/lock.ts'
import {
  addSession,
  addTokens,
  addWord,
  type Base,
  baseTokens,
  eachChunk,
  groupOf,
  indexFile,
  newBase,
  readVocabulary,
} from './base.ts'
import { checkOf, formatManifest, type Manifest, parseManifest } from './manifest.ts'
import { WIDTH } from './table.ts'

/** Every write of the index, one function each: tests replace it to stop a program after any of them. */
export interface IndexDisk {
  /** False: the file has not as many bytes before. */
  writeBytes(file: string, at: number, bytes: Uint8Array): boolean
  replace(file: string, text: string): void
  remove(file: string): void
}

export const indexDisk: IndexDisk = { writeBytes, replace: replaceQuickly, remove: plainDisk.remove }

export type Loaded = { is: 'sound'; base: Base; text: string } | { is: 'missing' | 'older' | 'newer' | 'damaged' }

const MANIFEST = 'manifest.json'
/** Held by whoever writes or removes the other files. */
export const LOCK = 'lock'
/** A reader may find the files of a manifest gone when somebody has just made them anew: many who write at once do so often. */
const TRIES = 20
/** Documents looked at when an index is opened, spread over all of it. */
const SAMPLES = 24
/** Tokens that are held in memory while files are made anew. */
const FLUSH_TOKENS = 1_000_000

export function manifestText(dir: string): string | null {
  return readText(path.join(dir, MANIFEST))
}

/** `old`: what was read before of the same files; only what came since is read. */
export function loadBase(dir: string, old: Base | null): Loaded {
  let found: Loaded = { is: 'missing' }
  for (let tries = 0; tries < TRIES; tries++) {
    const text = manifestText(dir)
    if (text === null) return { is: 'missing' }
    const read = parseManifest(text)
    if (read.is !== 'sound') return read
    const base = (old === null ? null : loadFiles(dir, read.manifest, old)) ?? loadFiles(dir, read.manifest, null)
    if (base !== null) return { is: 'sound', base, text }
    found = { is: 'damaged' }
    if (manifestText(dir) === text) break
  }
  return found
}

/** Null: the files are not what the manifest says, or `old` is no part of them. */
function loadFiles(dir: string, manifest: Manifest, old: Base | null): Base | null {
  const isPart = old?.generation === manifest.generation && old.saved.documents <= manifest.documents
  if (old !== null && !isPart) return null
  const base = old ?? newBase(dir, manifest.generation)
  const file = base.file ?? openToRead(indexFile(dir, 'tokens', base.generation))
  const rows = readWords(dir, 'docs', base, base.saved.documents * WIDTH, manifest.documents * WIDTH)
  const dead = readWords(dir, 'dead', base, base.saved.dead, manifest.dead)
  base.file = file
  const isWhole = file !== null && file.size() >= manifest.tokens * 4
  if (!isWhole || rows === null || dead === null || !isTable(base, rows, manifest)) {
    file?.close()
    base.file = null
    return null
  }
  for (const doc of dead) {
    base.table.kill(doc)
    base.dead.push(doc)
  }
  takeManifest(base, manifest)
  if (isSampleSound(base)) return base
  base.file?.close()
  base.file = null
  return null
}

function isTable({ table, saved }: Base, rows: Uint32Array, { sources, tokens, check }: Manifest): boolean {
  if (checkOf(bytesOf(rows), saved.check) !== check) return false
  return table.load(rows, sources.length) && table.allTokens() === tokens
}

function takeManifest(base: Base, manifest: Manifest): void {
  const { documents, tokens, dead, words, check, tokensCheck } = manifest
  Object.assign(base.saved, { documents, tokens, dead, words, check, tokensCheck })
  base.sources.length = 0
  base.sessions.length = 0
  base.sessionNumbers.clear()
  base.groups.clear()
  for (const source of manifest.sources) base.groups.set(source.path, base.sources.push(source) - 1)
  for (const session of manifest.sessions) addSession(base, session)
}

/** Words `from` up to `to` of a file; null: it has not as many. */
function readWords(dir: string, what: 'docs' | 'dead', base: Base, from: number, to: number): Uint32Array | null {
  const words = new Uint32Array(Math.max(0, to - from))
  if (words.length === 0) return words
  const file = openToRead(indexFile(dir, what, base.generation))
  if (file === null) return null
  try {
    return file.read(new Uint8Array(words.buffer), from * 4) === words.byteLength ? words : null
  } finally {
    file.close()
  }
}

function isSampleSound(base: Base): boolean {
  const { count } = base.table.columns
  const step = Math.max(1, Math.floor(count / SAMPLES))
  for (let doc = count - 1; doc >= 0; doc -= step) baseTokens(base, doc)
  return !base.isDamaged
}

/** Makes what is in memory count; null: the files were cut meanwhile. Under the lock, with what was loaded under it. */
export function commit(base: Base, to: IndexDisk): string | null {
  const next = base.dir === null ? null : writeOut(base, base.dir, to)
  if (next === null || base.dir === null) return null
  const { generation, sessions, sources } = base
  const text = formatManifest({ generation, ...next, sessions, sources })
  to.replace(path.join(base.dir, MANIFEST), text)
  settle(base, base.dir, next)
  removeOthers(base.dir, generation, to)
  return text
}

type Saved = Base['saved']

/** Behind what is on disk; it counts only with the manifest. */
function writeOut(base: Base, dir: string, to: IndexDisk): Saved | null {
  const { saved, table, generation } = base
  const rows = table.rows(saved.documents)
  const words = Buffer.from(base.words.map((word) => `${word}\n`).join(''))
  const tokens = bytesOf(base.pending.subarray(0, base.pendingCount))
  const write = (what: 'docs' | 'tokens' | 'dead' | 'words', at: number, bytes: Uint8Array): boolean =>
    (bytes.length === 0 && at > 0) || to.writeBytes(indexFile(dir, what, generation), at, bytes)
  const isWritten =
    write('docs', saved.documents * WIDTH * 4, bytesOf(rows)) &&
    write('tokens', saved.tokens * 4, tokens) &&
    write('dead', saved.dead * 4, bytesOf(Uint32Array.from(base.dead.slice(saved.dead)))) &&
    write('words', saved.words, words)
  if (!isWritten) {
    base.isDamaged = true
    return null
  }
  return {
    documents: table.columns.count,
    tokens: saved.tokens + base.pendingCount,
    dead: base.dead.length,
    words: saved.words + words.length,
    check: checkOf(bytesOf(rows), saved.check),
    tokensCheck: checkOf(tokens, saved.tokensCheck),
  }
}

/** What is on disk need not be in memory. */
function settle(base: Base, dir: string, next: Saved): void {
  Object.assign(base.saved, next)
  base.pendingCount = 0
  base.words.length = 0
  base.isChanged = false
  base.file ??= openToRead(indexFile(dir, 'tokens', base.generation))
}

/** The same documents without the dead, in files of their own; null: they cannot be read. Under the lock. */
export function compact(base: Base, to: IndexDisk, now: string): Base | null {
  const { dir, table } = base
  if (dir === null) return null
  const next = newBase(dir, nextGeneration(dir, now))
  for (const session of base.sessions) addSession(next, session)
  const groups = base.sources.map((source, group) => {
    if (source.mark === '' && table.lastIn(group) < 0) return -1
    const added = groupOf(next, source.path)
    Object.assign(next.sources[added] ?? {}, source)
    return added
  })
  const { columns } = table
  const docs = new Int32Array(columns.count).fill(-1)
  eachChunk(base, 0, columns.count, (tokens, first, end) => {
    let at = 0
    for (let doc = first; doc < end; doc++) {
      const own = tokens.subarray(at, at + (columns.length[doc] ?? 0))
      at += own.length
      if (columns.dead[doc] === 1) continue
      addTokens(next, own)
      const row = table.row(doc)
      docs[doc] = next.table.add({
        ...row,
        group: groups[row.group] ?? 0,
        prev: docs[earlier(columns.prev, doc)] ?? -1,
      })
    }
    if (next.pendingCount >= FLUSH_TOKENS) flush(next, dir, to)
  })
  for (const word of readVocabulary(base)) addWord(next, word)
  return commit(next, to) === null ? null : next
}

/** The nearest one before it in its source that was there before it: behind that one it was put. */
function earlier(prev: Int32Array, doc: number): number {
  let before = prev[doc] ?? -1
  while (before > doc) before = prev[before] ?? -1
  return before
}

function flush(base: Base, dir: string, to: IndexDisk): void {
  const next = writeOut(base, dir, to)
  if (next !== null) settle(base, dir, next)
}

/** A name that nobody has used yet; by the time, so that it is not used again after everything was removed. */
export function nextGeneration(dir: string, now: string): number {
  const used = list(dir).map((name) => Number(GENERATION.exec(name)?.[1] ?? 0))
  return Math.max(Date.parse(now), ...used.map((one) => one + 1))
}

const GENERATION = /^(?:docs|tokens|dead|words|fts)-(\d{1,15})\./

/** Files of earlier generations, and what a killed writer left. Under the lock. */
function removeOthers(dir: string, generation: number, to: IndexDisk): void {
  for (const name of list(dir)) {
    const its = GENERATION.exec(name)?.[1]
    if (its === undefined ? !/\.tmp$/.test(name) : Number(its) === generation) continue
    try {
      to.remove(path.join(dir, name))
    } catch (error) {
      // On Windows somebody may still have it open: the next writer removes it.
      if (codeOf(error) === '') throw error
    }
  }
}

/** The manifest first: without it a reader takes the index for removed, not for damaged. Under the lock. */
export function removeFiles(dir: string): void {
  const others = list(dir).filter((name) => name !== MANIFEST && name !== LOCK && !name.startsWith(`${LOCK}.`))
  for (const name of [MANIFEST, ...others]) removeBusy(path.join(dir, name))
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
}
