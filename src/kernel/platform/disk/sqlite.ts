/** Node's built-in SQLite, as far as we use it: to read the database of another program. */

export interface Database {
  exec(sql: string): void
  prepare(sql: string): { all(): Record<string, unknown>[] }
  close(): void
}

interface Sqlite {
  DatabaseSync: new (file: string) => Database
}

/** Null: this Node has none. */
export function openDatabase(file: string): Database | null {
  const warn = process.emitWarning
  // Users cannot act on Node's warning that it is experimental.
  process.emitWarning = () => undefined
  try {
    const sqlite = process.getBuiltinModule('node:sqlite') as Sqlite | undefined
    return sqlite === undefined ? null : new sqlite.DatabaseSync(file)
  } finally {
    process.emitWarning = warn
  }
}

export function isSqliteError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errcode' in error
}
