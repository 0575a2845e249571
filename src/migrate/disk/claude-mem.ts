/** Import from claude-mem: its database, or a JSON export of it, read without touching it → notes and facts of an agent. */
import path from 'node:path'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { type Fact, formatFacts, NO_FACTS } from '../../knowledge/fact.ts'
import { backUp } from '../../memory/disk/migrate-backup.ts'
import type { Store } from '../../memory/disk/store.ts'
import { formatNote, type Note, notesIn } from '../../memory/note.ts'
import { keptEffects } from '../../notes/disk/forgotten.ts'
import { listArchives, readArchive, readMemory, repairMemory } from '../../notes/disk/memory.ts'
import { rotationLimits } from '../../notes/rotation.ts'
import { copyFile, MOST_FILE_BYTES, readText, realPath, removeTree, statOf } from '../../platform/disk/files.ts'
import { type Database, hasFts5, isSqliteError, openDatabase } from '../../platform/disk/sqlite.ts'
import type { Effect } from '../../platform/effect.ts'
import { KeeperError } from '../../platform/error.ts'
import { isObject, parseObject, textOr, texts } from '../../platform/json.ts'
import { archiveFile, FACTS_FILE, STATE_FILE, summaryFileOf } from '../../platform/layout.ts'
import { formatStamp, parseInstant } from '../../platform/time.ts'
import { redactorFor } from '../../redact/redact.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { factKey, joinLegacyFacts } from '../legacy-facts.ts'
import { freeName, splitArchive } from '../legacy-note.ts'
import { recordEffect, takenOver } from './migrate-files.ts'

type Row = Readonly<Record<string, unknown>>

const SOURCE = 'claude-mem'
const LISTS = ['observations', 'summaries', 'session_summaries']
const SUMMARY_FIELDS = ['request', 'investigated', 'learned', 'completed', 'next_steps', 'notes']

export interface PlannedImport {
  source: string
  effects: Effect[]
  counts: { notes: number; facts: number }
  /** Projects it knows, if it has nothing about this one. */
  others: string[]
  /** The same rows are not imported twice, not even those that were deleted since. */
  mark: string
}

/** Where it is by default; `home`: of the user. */
export function claudeMemPath(home: string): string {
  return path.join(home, '.claude-mem', 'claude-mem.db')
}

/** Reads and changes nothing. What is here already does not come again. */
export function planClaudeMem(store: Store, source: string, now: string): PlannedImport {
  if (!['file', 'link'].includes(statOf(source)?.kind ?? ''))
    throw new KeeperError(
      'no-source',
      `There is no ${source}. Give claude-mem's database or its JSON export with --path.`,
    )
  const all = source.endsWith('.json') ? readExport(source) : readDatabase(store, source)
  const own = all.filter((row) => isOfProject(row, store.places.project.root))
  const notes = freshNotes(store, own)
  const facts = freshFacts(store, own)
  const mark = fingerprint(JSON.stringify(own))
  const isDone = takenOver(store, `${SOURCE}:${source}`) === mark
  const news = isDone ? [] : [...factEffects(store, facts), ...noteEffects(store, notes, now)]
  const projects = all.flatMap(({ project }) => (typeof project === 'string' ? [project] : []))
  const others = own.length === 0 ? [...new Set(projects)].sort() : []
  return {
    source,
    effects: keptEffects(store, news),
    mark,
    counts: { notes: notes.length, facts: facts.length },
    others,
  }
}

/** Call it under the lock, with a plan made under it. Returns where the backup is; null: nothing that was there changed. */
export function importClaudeMem(store: Store, { source, effects, mark }: PlannedImport, now: string): string | null {
  const paths = [...effects.map((effect) => effect.path), STATE_FILE]
  const isChanging = paths.some((file) => statOf(path.join(store.dir, file)) !== null)
  const made = paths.flatMap((file) => (file.startsWith('memory_') ? [file, summaryFileOf(file)] : [file]))
  const backup = isChanging ? backUp(store, paths, made, now) : null
  for (const effect of effects) store.perform([effect])
  repairMemory(store, now)
  store.perform([recordEffect(store, `${SOURCE}:${source}`, mark)])
  return backup
}

function readExport(file: string): Row[] {
  const raw = parseObject((readText(file, MOST_FILE_BYTES) ?? '').replace(/^\ufeff/, '')) ?? {}
  const rows = LISTS.flatMap((name) => (Array.isArray(raw[name]) ? raw[name] : [])).filter(isObject)
  if (rows.length > 0) return rows
  throw new KeeperError(
    'not-understood',
    `${file} is no JSON export of claude-mem: it has no observations or summaries.`,
  )
}

/** A copy is opened: a database that is open elsewhere is neither locked nor changed by reading it. */
function readDatabase(store: Store, file: string): Row[] {
  if (!hasFts5())
    throw new KeeperError(
      'no-sqlite',
      'Reading a SQLite file needs Node 22.16 or newer. Or give a JSON export of claude-mem with --path.',
    )
  const dir = path.join(store.places.keeperDir, `import-${process.pid}`)
  try {
    if (!copyFile(realPath(file), path.join(dir, 'copy.db')))
      throw new KeeperError('too-large', `${file} is too large, or no file.`)
    // It contains what was written last.
    copyFile(`${realPath(file)}-wal`, path.join(dir, 'copy.db-wal'))
    const database = openDatabase(path.join(dir, 'copy.db'))
    try {
      return readTables(database)
    } finally {
      database.close()
    }
  } catch (error) {
    if (!isSqliteError(error)) throw error
    throw new KeeperError('not-understood', `${file} is no database that SQLite can read.`, { cause: error })
  } finally {
    removeTree(dir)
  }
}

function readTables(database: Database): Row[] {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
  const known = tables.map(({ name }) => String(name)).filter((name) => LISTS.includes(name))
  return known.flatMap((name) => database.prepare(`select * from "${name}"`).all())
}

/** Projects are named after their directory, or by its path. A row without a project belongs to the one that was asked for. */
function isOfProject(row: Row, root: string): boolean {
  const named = textOr(row.project, '').replace(/\\/g, '/').replace(/\/+$/, '')
  const dir = root.replace(/\\/g, '/')
  return named === '' || named === dir || dir.endsWith(`/${named}`)
}

function isDecision(row: Row): boolean {
  return row.type === 'decision' && titleOf(row) !== ''
}

/** Nothing of it counts as the user's own words. */
function freshFacts(store: Store, rows: readonly Row[]): Fact[] {
  const { decisions } = readFacts(store)
  const known = new Set(decisions.map(factKey))
  const clean = redactorFor(store.config)
  const facts = rows.filter(isDecision).map((row): Fact & { source: string } => {
    const text = clean(titleOf(row)).text
    const reason = clean([textOr(row.narrative, ''), textOr(row.text, ''), ...listIn(row.facts)].join(' ').trim()).text
    return {
      id: '',
      type: 'decision',
      text,
      reason: reason === '' ? null : reason,
      status: null,
      resolution: null,
      at: whenOf(row),
      session: '',
      evidence: { entry: -1, quote: text },
      files: filesOf(row),
      concept: null,
      state: 'fresh',
      author: 'agent',
      source: SOURCE,
    }
  })
  return facts.filter((fact) => !known.has(factKey(fact)))
}

function freshNotes(store: Store, rows: readonly Row[]): Note[] {
  const written = [readMemory(store), ...listArchives(store).map((file) => readArchive(store, file) ?? '')]
  const known = new Set(written.flatMap(notesIn).map(({ id }) => id))
  const clean = redactorFor(store.config)
  const notes = rows.flatMap((row): Note[] => {
    const [at, body] = [whenOf(row), isDecision(row) ? '' : bodyOf(row)]
    if (body === '' || at === '') return []
    const text = clean(`(${SOURCE}) ${body}`).text
    const id = `n-${formatStamp(at)}-${fingerprint(text).slice(0, 6)}`
    return known.has(id) ? [] : [{ id, at, session: null, from: 0, to: 0, author: 'agent', text }]
  })
  return notes.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

function factEffects(store: Store, facts: readonly Fact[]): Effect[] {
  if (facts.length === 0) return []
  const joined = joinLegacyFacts(readFacts(store), { ...NO_FACTS, decisions: [...facts] })
  return [{ do: 'write', path: FACTS_FILE, text: formatFacts(joined) }]
}

/** Into archives of their own: they are found, and do not push this project's notes out of memory.md. */
function noteEffects(store: Store, notes: readonly Note[], now: string): Effect[] {
  if (notes.length === 0) return []
  const text = notes.map((note) => formatNote(note, store.config.timezone)).join('')
  const textOf = (file: string): string | null => readArchive(store, file)
  const first = freeName(archiveFile(notes.at(-1)?.at ?? now), text, textOf)
  const pieces = splitArchive(first, text, rotationLimits(store.config).fullTokens, textOf)
  return pieces.map((piece) => ({ do: 'write', path: piece.file, text: piece.text }))
}

/** Of an observation or a session's summary; columns come and go with its versions. */
function bodyOf(row: Row): string {
  const type = textOr(row.type, '')
  const files = filesOf(row)
  const lines = [
    titleOf(row) === '' || type === '' ? titleOf(row) : `${type}: ${titleOf(row)}`,
    textOr(row.narrative, ''),
    textOr(row.text, ''),
    ...listIn(row.facts).map((fact) => `- ${fact}`),
    ...SUMMARY_FIELDS.map((name) => [name.replace('_', ' '), textOr(row[name], '').trim()] as const)
      .filter(([, words]) => words !== '')
      .map(([name, words]) => `${name}: ${words}`),
    files.length === 0 ? '' : `Files: ${files.join(', ')}`,
  ]
  return lines.filter((line) => line !== '').join('\n')
}

function titleOf(row: Row): string {
  return [textOr(row.title, '').trim(), textOr(row.subtitle, '').trim()].filter((one) => one !== '').join(': ')
}

function filesOf(row: Row): string[] {
  return [...new Set([...listIn(row.files_modified), ...listIn(row.files_read)])]
}

/** Seconds or milliseconds, or an ISO text. Empty: it does not say. */
function whenOf(row: Row): string {
  const epoch = Number(row.created_at_epoch ?? Number.NaN)
  if (Number.isFinite(epoch) && epoch > 0 && epoch < 1e14)
    return new Date(epoch < 1e11 ? epoch * 1000 : epoch).toISOString()
  return parseInstant(row.created_at) ?? ''
}

/** Lists are stored as JSON in a text. */
function listIn(value: unknown): string[] {
  if (Array.isArray(value)) return texts(value)
  const text = textOr(value, '').trim()
  if (text === '') return []
  const list = parseObject(`{"list":${text}}`)?.list
  return Array.isArray(list) ? texts(list) : [text]
}
