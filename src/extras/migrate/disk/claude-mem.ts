/** Imports from claude-mem: reads its database, or a JSON export, without changing it, and creates notes and facts of an agent. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import {
  copyFile,
  MOST_FILE_BYTES,
  readText,
  realPath,
  removeTree,
  statOf,
} from '../../../kernel/platform/disk/files.ts'
import { type Database, isSqliteError, openDatabase } from '../../../kernel/platform/disk/sqlite.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { isObject, parseObject, textOr, texts } from '../../../kernel/platform/json.ts'
import { FACTS_FILE } from '../../../kernel/platform/layout.ts'
import { parseInstant } from '../../../kernel/platform/time.ts'
import type { LegacyFile } from '../legacy-convert.ts'
import type { MigrateOrigin } from './migrate-files.ts'

type Row = Readonly<Record<string, unknown>>

const SOURCE = 'claude-mem'
const LISTS = ['observations', 'summaries', 'session_summaries']
const MAX_PROJECTS = 20
const SUMMARY_FIELDS = ['request', 'investigated', 'learned', 'completed', 'next_steps', 'notes']

/** The default path; `home`: the user's home. */
export function claudeMemPath(home: string): string {
  return path.join(home, '.claude-mem', 'claude-mem.db')
}

/** Its rows of this project, as files of an earlier memory. */
export function claudeMemOrigin(store: Store, source: string): MigrateOrigin {
  if (!['file', 'link'].includes(statOf(source)?.kind ?? ''))
    throw new KeeperError(
      'no-source',
      `There is no ${source}. Give claude-mem's database or its JSON export with --path.`,
    )
  const all = source.endsWith('.json') ? readExport(source) : readDatabase(store, source)
  const own = all.filter((row) => isOfProject(row, store.places.project.root))
  const projects = [...new Set(all.flatMap((row) => wordsIn(row, ['project'])))].sort().slice(0, MAX_PROJECTS)
  if (own.length === 0)
    throw new KeeperError('nothing', `${source} has nothing about this project. It knows: ${projects.join(', ')}`)
  const decisions = own.filter(isDecision).map(factOf)
  const facts = { path: FACTS_FILE, text: JSON.stringify({ decisions }), written: '' }
  const files = [...own.flatMap(proseOf), ...(decisions.length === 0 ? [] : [facts])]
  return { dir: `${SOURCE}:${source}`, isInPlace: false, files }
}

function readExport(file: string): Row[] {
  const raw = parseObject((readText(file, MOST_FILE_BYTES) ?? '').replace(/^\ufeff/, '')) ?? {}
  const rows = LISTS.flatMap((name) => (Array.isArray(raw[name]) ? raw[name] : [])).filter(isObject)
  if (rows.length > 0) return rows
  throw new KeeperError(
    'not-understood',
    `${file} is not a JSON export of claude-mem: it has no observations or summaries.`,
  )
}

/** A copy is opened, so that a database in use is neither locked nor changed. */
function readDatabase(store: Store, file: string): Row[] {
  const dir = path.join(store.places.homeDir, `import-${process.pid}`)
  try {
    if (!copyFile(realPath(file), path.join(dir, 'copy.db')))
      throw new KeeperError('too-large', `${file} is too large, or no file.`)
    // The write-ahead log contains the latest rows.
    copyFile(`${realPath(file)}-wal`, path.join(dir, 'copy.db-wal'))
    const database = openDatabase(path.join(dir, 'copy.db'))
    if (database === null)
      throw new KeeperError(
        'no-sqlite',
        'Reading a SQLite file needs Node 22.16 or newer. Or give a JSON export of claude-mem with --path.',
      )
    try {
      return readTables(database)
    } finally {
      database.close()
    }
  } catch (error) {
    if (!isSqliteError(error)) throw error
    throw new KeeperError('not-understood', `${file} is not a database that SQLite can read.`, { cause: error })
  } finally {
    removeTree(dir)
  }
}

function readTables(database: Database): Row[] {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
  const known = tables.map(({ name }) => String(name)).filter((name) => LISTS.includes(name))
  return known.flatMap((name) => database.prepare(`select * from "${name}"`).all())
}

/** Projects are named by their directory or path. A row without a project counts as this project's. */
function isOfProject(row: Row, root: string): boolean {
  const named = textOr(row.project, '').replace(/\\/g, '/').replace(/\/+$/, '')
  const dir = root.replace(/\\/g, '/')
  return named === '' || named === dir || dir.endsWith(`/${named}`)
}

function isDecision(row: Row): boolean {
  return row.type === 'decision' && titleOf(row) !== ''
}

function factOf(row: Row): object {
  const text = titleOf(row)
  const reason = [...wordsIn(row, ['narrative', 'text']), ...listIn(row.facts)].join(' ') || null
  const evidence = { entry: -1, quote: text }
  return { text, reason, at: whenOf(row), evidence, files: filesOf(row), author: 'agent', source: SOURCE }
}

/** For an observation or a session's summary; the columns differ between versions. */
function proseOf(row: Row, n: number): LegacyFile[] {
  const [title, files, written] = [titleOf(row), filesOf(row), whenOf(row)]
  const lines = [
    ...(title === '' ? [] : [[...wordsIn(row, ['type']), title].join(': ')]),
    ...wordsIn(row, ['narrative', 'text']),
    ...listIn(row.facts).map((fact) => `- ${fact}`),
    ...SUMMARY_FIELDS.flatMap((name) => wordsIn(row, [name]).map((words) => `${name.replace('_', ' ')}: ${words}`)),
    ...(files.length === 0 ? [] : [`Files: ${files.join(', ')}`]),
  ]
  const isNone = isDecision(row) || lines.length === 0 || written === ''
  return isNone ? [] : [{ path: `row-${n}.raw.md`, text: `(${SOURCE}) ${lines.join('\n')}`, written }]
}

function titleOf(row: Row): string {
  return wordsIn(row, ['title', 'subtitle']).join(': ')
}

function wordsIn(row: Row, names: readonly string[]): string[] {
  return names.map((name) => textOr(row[name], '').trim()).filter((words) => words !== '')
}

function filesOf(row: Row): string[] {
  return [...new Set([...listIn(row.files_modified), ...listIn(row.files_read)])]
}

/** Seconds, milliseconds, or an ISO text. Empty: unknown. */
function whenOf(row: Row): string {
  const epoch = Number(row.created_at_epoch ?? Number.NaN)
  if (Number.isFinite(epoch) && epoch > 0 && epoch < 1e14)
    return new Date(epoch < 1e11 ? epoch * 1000 : epoch).toISOString()
  return parseInstant(row.created_at) ?? ''
}

/** Lists are stored as JSON text. */
function listIn(value: unknown): string[] {
  if (Array.isArray(value)) return texts(value)
  const text = textOr(value, '').trim()
  const list = parseObject(`{"list":${text}}`)?.list
  return Array.isArray(list) ? texts(list) : text === '' ? [] : [text]
}
