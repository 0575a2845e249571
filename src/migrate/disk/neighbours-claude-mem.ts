/** claude-mem's database, or a JSON export of it, read without touching it. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { copyFile, MOST_FILE_BYTES, readText, realPath, removeTree, statOf } from '../../platform/disk/files.ts'
import { type Database, hasFts5, isSqliteError, openDatabase } from '../../platform/disk/sqlite.ts'
import { KeeperError } from '../../platform/error.ts'
import { type ClaudeMemRow, isOfProject, parseExport, type Rows } from '../neighbour-claude-mem.ts'

export interface ClaudeMemFile {
  rows: Rows
  /** Projects that it knows, for whoever finds nothing of this one. */
  projects: string[]
}

/** Where it is by default; `home`: of the user. */
export function claudeMemPath(home: string): string {
  return path.join(home, '.claude-mem', 'claude-mem.db')
}

export function readClaudeMem(store: Store, file: string): ClaudeMemFile {
  if (!['file', 'link'].includes(statOf(file)?.kind ?? ''))
    throw new KeeperError(
      'no-neighbour',
      `There is no ${file}. Give claude-mem's database or its JSON export with --path.`,
    )
  const all = file.endsWith('.json') ? readExport(file) : readDatabase(store, file)
  const { root } = store.places.project
  const own = (rows: readonly ClaudeMemRow[]): ClaudeMemRow[] => rows.filter((row) => isOfProject(row, root))
  const named = [...all.observations, ...all.summaries].flatMap(({ project }) =>
    typeof project === 'string' ? [project] : [],
  )
  return {
    rows: { observations: own(all.observations), summaries: own(all.summaries), prompts: own(promptsOf(all)) },
    projects: [...new Set(named)].sort(),
  }
}

function readExport(file: string): Rows {
  const rows = parseExport(readText(file, MOST_FILE_BYTES) ?? '')
  if (rows !== null) return rows
  throw new KeeperError(
    'not-understood',
    `${file} is no JSON export of claude-mem: it has no observations, summaries or prompts.`,
  )
}

/** A copy is opened: a database that is open elsewhere is neither locked nor changed by reading it. */
function readDatabase(store: Store, file: string): Rows {
  if (!hasFts5())
    throw new KeeperError(
      'no-sqlite',
      'Reading a SQLite file needs Node 22.16 or newer. Or give a JSON export of claude-mem with --path.',
    )
  const dir = path.join(store.places.keeperDir, `import-${process.pid}`)
  try {
    if (!copyFile(realPath(file), path.join(dir, 'copy.db')))
      throw new KeeperError('too-large', `${file} is too large, or no file.`)
    // What was written last stands there.
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

function readTables(database: Database): Rows {
  const tables = new Set(
    database
      .prepare("select name from sqlite_master where type = 'table'")
      .all()
      .map(({ name }) => name),
  )
  const read = (name: string): ClaudeMemRow[] =>
    tables.has(name) ? database.prepare(`select * from "${name}"`).all() : []
  const sessions = new Map<unknown, unknown>()
  for (const row of read('sdk_sessions')) for (const id of idsOf(row)) sessions.set(id, row.project)
  const withProject = (row: ClaudeMemRow): ClaudeMemRow =>
    row.project === undefined
      ? {
          ...row,
          project: idsOf(row)
            .map((id) => sessions.get(id))
            .find((one) => one !== undefined),
        }
      : row
  return {
    observations: read('observations').map(withProject),
    summaries: read('session_summaries').map(withProject),
    prompts: read('user_prompts').map(withProject),
  }
}

/** An export names no project with its prompts: those of sessions that belong to one do. */
function promptsOf({ observations, summaries, prompts }: Rows): ClaudeMemRow[] {
  const projects = new Map<unknown, unknown>()
  for (const row of [...observations, ...summaries]) for (const id of idsOf(row)) projects.set(id, row.project)
  return prompts.map((row) => (row.project === undefined ? { ...row, project: projects.get(idsOf(row)[0]) } : row))
}

function idsOf(row: ClaudeMemRow): unknown[] {
  const { content_session_id, claude_session_id, memory_session_id, sdk_session_id } = row
  return [content_session_id, claude_session_id, memory_session_id, sdk_session_id].filter(
    (id) => id !== undefined && id !== null,
  )
}
