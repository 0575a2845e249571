/** FTS5 over the same tokens: finds who holds a rare word without walking through all of them. */

import { create, disk, statOf } from '../../../platform/disk/files.ts'
import {
  type Database,
  hasFts5,
  isDamage,
  isSqliteError,
  openDatabase,
  type Statement,
} from '../../../platform/disk/sqlite.ts'
import { type FirstLook, KINDS, VOICES, voiceOf } from '../../corpus.ts'
import { type Base, baseTokens, eachChunk, indexFile } from './base.ts'
import { SCORE_STEPS, type ScanQuery } from './scan.ts'

export interface Fts {
  /** It holds what is on disk, and nothing else is in memory. */
  isInStep(base: Base): boolean
  /** Adds what is missing, some of it at least. Under the lock. */
  catchUp(base: Base, isOver: () => boolean): 'done' | 'more' | 'failed'
  /** Null: not in step, or walking through all is faster. */
  look(base: Base, asked: ScanQuery): FirstLook | null
  close(): void
}

/** Documents in one transaction. */
const STEP = 2_000
/** Measured: to score one document that holds a word takes as long as to walk past so many tokens. */
const TOKENS_PER_ROW = 120
/** Before it is fast, the walk takes as long as over so many. */
const WARMING_UP = 4_000_000
/** Milliseconds that a reader waits for a writer. */
const BUSY_MS = 200

const SCHEMA = `
  create virtual table words using fts5(${VOICES.join(', ')}, content='', tokenize='ascii');
  create virtual table counts using fts5vocab(words, row);
  create table step(documents integer not null, dead integer not null);
  insert into step values (0, 0)`

/** Null: the running Node has no FTS5, or nothing is on disk. It is made by the first one who holds the lock. */
export function openFts({ dir, generation }: Base, mode: 'auto' | 'fts5'): Fts | null {
  if (dir === null || !hasFts5()) return null
  const file = indexFile(dir, 'fts', generation)
  let tables: Tables | null = null
  let isBroken = false
  /** Null: it failed. */
  const guarded = <T>(work: () => T): T | null => {
    try {
      return work()
    } catch (error) {
      if (!isSqliteError(error)) throw error
      isBroken ||= isDamage(error)
      close()
      return null
    }
  }
  const close = (): void => {
    tables?.db.close()
    tables = null
  }
  const opened = (): Tables | null => {
    if (!isBroken) tables ??= openAt(file)
    return tables
  }
  return {
    isInStep: (base) =>
      guarded(() => {
        const now = opened()
        return now !== null && isAt(now, base)
      }) ?? false,
    catchUp: (base, isOver) =>
      guarded(() => {
        tables = opened() ?? makeAt(file)
        isBroken = false
        return catchUp(tables, base, isOver)
      }) ?? 'failed',
    look: (base, asked) =>
      guarded(() => {
        const now = opened()
        if (now === null) return null
        // One moment for all questions: somebody may be writing.
        now.db.exec('begin')
        const seen = isAt(now, base) ? lookUp(now, base, asked, mode) : null
        now.db.exec('commit')
        return seen
      }),
    close,
  }
}

function isAt(tables: Tables, base: Base): boolean {
  const { documents, dead } = stepOf(tables)
  return documents === base.saved.documents && dead === base.saved.dead && !base.isChanged
}

interface Tables {
  db: Database
  step: Statement
  count: Statement
  best: Statement
}

/** Null: there is none yet. */
function openAt(file: string): Tables | null {
  if (statOf(file) === null) return null
  const db = openDatabase(file)
  try {
    // How it is written stands in the file since it was made.
    db.exec(`pragma busy_timeout = ${BUSY_MS}; pragma synchronous = normal`)
    if (db.prepare("select 1 from sqlite_schema where name = 'step'").get() !== undefined) return prepare(db)
  } catch (error) {
    db.close()
    throw error
  }
  db.close()
  return null
}

function prepare(db: Database): Tables {
  return {
    db,
    step: db.prepare('select documents, dead from step'),
    count: db.prepare('select doc from counts where term = ?'),
    best: db.prepare(`select rowid - 1 as doc from words where words match ?
      order by cast(bm25(words, ?, ?, ?, ?) * ${SCORE_STEPS} as integer), rowid desc limit ?`),
  }
}

/** Anew, in the place of a damaged or half-made one. Under the lock. */
function makeAt(file: string): Tables {
  for (const suffix of ['', '-wal', '-shm']) disk.remove(file + suffix)
  // SQLite would let others read it.
  create(file, '')
  const db = openDatabase(file)
  try {
    // Waiting first: eight processes that open a new file at once would fail to change its mode.
    db.exec(`pragma busy_timeout = ${BUSY_MS}; pragma journal_mode = wal; pragma synchronous = normal`)
    db.exec(`begin immediate; ${SCHEMA}; commit`)
    return prepare(db)
  } catch (error) {
    db.close()
    throw error
  }
}

function stepOf({ step }: Tables): { documents: number; dead: number } {
  const row = step.get()
  return { documents: Number(row?.documents), dead: Number(row?.dead) }
}

/** First those that died since, then the new ones that live; what died before it was added never was there. */
function catchUp(tables: Tables, base: Base, isOver: () => boolean): 'done' | 'more' | 'failed' {
  if (base.isChanged) return 'failed'
  const { db } = tables
  const write = { add: writer(db, ''), remove: writer(db, "'delete', ") }
  for (;;) {
    db.exec('begin immediate')
    const { documents, dead } = stepOf(tables)
    for (const doc of base.dead.slice(dead, base.saved.dead))
      if (doc < documents) write.remove(base, doc, baseTokens(base, doc))
    const end = Math.min(documents + STEP, base.saved.documents)
    const { length, dead: isDead } = base.table.columns
    eachChunk(base, documents, end, (tokens, first, next) => {
      let at = 0
      for (let doc = first; doc < next; doc++) {
        const own = tokens.subarray(at, at + (length[doc] ?? 0))
        at += own.length
        if (isDead[doc] === 0) write.add(base, doc, own)
      }
    })
    db.prepare('update step set documents = ?, dead = ?').run(end, base.saved.dead)
    db.exec('commit')
    if (end >= base.saved.documents) return base.isDamaged ? 'failed' : 'done'
    if (isOver()) return 'more'
  }
}

type Write = (base: Base, doc: number, tokens: Uint32Array) => void

/** A row without content is taken out by telling it again, word for word. */
function writer(db: Database, command: string): Write {
  const columns = command === '' ? '' : 'words, '
  const statement = db.prepare(
    `insert into words(${columns}rowid, ${VOICES.join(', ')}) values (${command}?, ?, ?, ?, ?)`,
  )
  // Numbers inside SQLite that no JavaScript number holds would be an error.
  statement.setReadBigInts(true)
  return (base, doc, tokens) => {
    const texts = VOICES.map(() => '')
    texts[VOICE_OF_KIND[base.table.columns.kind[doc] ?? 0] ?? 0] = Array.from(tokens, wordOf).join(' ')
    statement.run(doc + 1, ...texts)
  }
}

const VOICE_OF_KIND = KINDS.map(voiceOf)

/** A stem, as a word for SQLite. */
function wordOf(token: number): string {
  return (token >>> 6).toString(36)
}

function lookUp(
  tables: Tables,
  base: Base,
  { stems, weights, limit, isWanted }: ScanQuery,
  mode: 'auto' | 'fts5',
): FirstLook | null {
  const found = stems.map((stem) => Number(tables.count.get(wordOf(stem))?.doc ?? 0))
  const rows = found.reduce((sum, count) => sum + count, 0)
  if (mode === 'auto' && rows * TOKENS_PER_ROW > WARMING_UP + base.table.allTokens()) return null
  if (rows === 0 || limit <= 0) return { docs: [], found }
  const words = stems.map((stem) => `"${wordOf(stem)}"`).join(' OR ')
  const docs: number[] = []
  for (const row of tables.best.iterate(words, ...weights, isWanted === null ? limit : -1)) {
    const doc = Number(row.doc)
    if (isWanted !== null && !isWanted(doc)) continue
    docs.push(doc)
    if (docs.length === limit) break
  }
  return { docs, found }
}
