/** The team's tables in PostgreSQL, as migrations: run once each, in their order, by the administrator. One that was released is never changed. */
import { VERSION_1 } from './schema-1.ts'
import { VERSION_2 } from './schema-2.ts'

interface SchemaStep {
  version: number
  /** The lowest schema version that a client must know to work with these tables. */
  needs: number
  sql: string
}

/** The schema version that this program was written for. */
export const KNOWN_VERSION = 2

export const BEFORE_MIGRATIONS = `
CREATE SCHEMA IF NOT EXISTS memory_keeper;
CREATE TABLE IF NOT EXISTS memory_keeper.migration (
  version int PRIMARY KEY, needs int NOT NULL, epoch text NOT NULL, at timestamptz NOT NULL DEFAULT now()
);
`

export const MIGRATIONS: readonly SchemaStep[] = [
  { version: 1, needs: 1, sql: VERSION_1 },
  // 0.6 knows version 1: all that it asks for still exists under the same names.
  { version: 2, needs: 1, sql: VERSION_2 },
]

/**
 * A dump that was restored into another cluster has lower transaction numbers than its rows, so that no mirror would get a new
 * row. Then all rows get the number of this transaction, and a new epoch makes the mirrors begin again.
 */
export const RESTAMP = `
DO $$ BEGIN
  ALTER TABLE memory_keeper.item NO FORCE ROW LEVEL SECURITY, DISABLE TRIGGER stamp;
  IF EXISTS (SELECT FROM memory_keeper.item WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())) THEN
    UPDATE memory_keeper.item SET xid = pg_current_xact_id(), born = pg_current_xact_id();
    UPDATE memory_keeper.migration SET epoch = md5(random()::text || clock_timestamp()::text);
  END IF;
  ALTER TABLE memory_keeper.item FORCE ROW LEVEL SECURITY, ENABLE TRIGGER stamp;
END $$;
`
