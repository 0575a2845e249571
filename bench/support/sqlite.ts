/** Node's built-in SQLite with full text search, to compare with; not available before Node 22.16. */

interface Statement {
  run(...values: readonly (number | string)[]): unknown
  get(...values: readonly (number | string)[]): Record<string, unknown> | undefined
  all(...values: readonly (number | string)[]): Record<string, unknown>[]
  iterate(...values: readonly (number | string)[]): Iterable<Record<string, unknown>>
  setReadBigInts(isOn: boolean): void
}

interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

interface Sqlite {
  DatabaseSync: new (file: string) => Database
}

export function hasFts5(): boolean {
  isThere ??= findFts5()
  return isThere
}

/** Check `hasFts5` first. */
export function openDatabase(file: string): Database {
  const sqlite = loadSqlite()
  if (sqlite === null) throw new Error('This Node has no SQLite. Use 22.16 or newer.')
  return new sqlite.DatabaseSync(file)
}

let isThere: boolean | undefined

/** Early versions of Node's SQLite lack full text search. */
function findFts5(): boolean {
  const sqlite = loadSqlite()
  if (sqlite === null) return false
  const db = new sqlite.DatabaseSync(':memory:')
  try {
    return db.prepare("select 1 from pragma_module_list where name = 'fts5'").get() !== undefined
  } finally {
    db.close()
  }
}

let loaded: Sqlite | null | undefined

/** Suppresses Node's "experimental" warning: users cannot act on it. */
function loadSqlite(): Sqlite | null {
  if (loaded !== undefined) return loaded
  const warn = process.emitWarning
  process.emitWarning = () => undefined
  try {
    loaded = (process.getBuiltinModule('node:sqlite') as Sqlite | undefined) ?? null
  } finally {
    process.emitWarning = warn
  }
  return loaded
}
