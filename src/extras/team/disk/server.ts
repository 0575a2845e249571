/** All statements that we send to the team's PostgreSQL. Only the finisher and explicit commands load the client (`team.cjs`). */
import postgres from 'postgres'
import { parseObject } from '../../../kernel/platform/json.ts'
import type { Address } from '../address.ts'
import { faultOf, TeamError } from '../fault.ts'
import type { SentRow } from '../row.ts'
import { BEFORE_MIGRATIONS, KNOWN_VERSION, MIGRATIONS, RESTAMP } from '../schema.ts'
import { lineTo } from './line.ts'
import { storedForm } from './scram.ts'

const CONNECT_SECONDS = 8
const STATEMENT_MS = 20_000
const LOCK = 20_617_019
/** The limit of one project's candidates together; a row has about 1 kB. */
const MOST_CANDIDATE_BYTES = 1024 * 1024

/** How far a mirror was read: it has all rows up to this one, in the order of transactions. */
export interface Position {
  xid: string
  who: string
  key: string
}

export interface PulledRow extends Position {
  body: string | null
  /** When the row arrived at the server. */
  arrived: string
  /** The mirror may have an earlier version of the row. */
  isKnown: boolean
}

interface TeamQuestion {
  project: string
  tokens: readonly string[]
  weights: readonly number[]
  /** The number of rows of the project. */
  live: number
  meanLength: number
  /** The server ranks about so many rows: those with the rarest tokens, adding tokens as long as the number allows. */
  looked: number
  most: number
}

export interface Member {
  who: string
  projects: readonly string[]
  /** The password of the role, if the role must be created. */
  password: string
}

type Run = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>

export type Server = ReturnType<typeof openServer>

export function openServer(address: Address, { password, rootCert }: { password: string; rootCert: string | null }) {
  const { database, user } = address
  const line = lineTo(address, rootCert)
  const options = {
    // `line` knows host and TLS.
    host: 'localhost',
    ssl: false,
    socket: line.open,
    database,
    user,
    password,
    max: 1,
    // Without prepared statements a connection pool may stand between.
    prepare: false,
    fetch_types: false,
    connect_timeout: CONNECT_SECONDS,
    onnotice: () => undefined,
    connection: { application_name: 'memory-keeper', statement_timeout: STATEMENT_MS },
  }
  // The types of the package leave `socket` out.
  const sql = postgres(options as Parameters<typeof postgres>[0] & object)
  const fail = (error: unknown): never => {
    throw teamError(error)
  }
  const over = (client: Pick<typeof sql, 'unsafe'>): Run => {
    return async (text, values = []) => {
      line.begin()
      return [...(await client.unsafe(text, values as never[]))]
    }
  }
  const run: Run = (text, values) => over(sql)(text, values).catch(fail)
  const inTransaction = async <T>(work: (tx: Run) => Promise<T>): Promise<T> => {
    line.begin()
    return sql.begin((tx) => work(over(tx))).catch(fail) as Promise<T>
  }
  return {
    /** `epoch` changes when the server is restored from a dump: mirrors then begin again. */
    hello: async () => {
      const [found = {}] = await run(HELLO)
      if (Number(found.needs) > KNOWN_VERSION) throw new TeamError('newer')
      if (Number(found.version) < KNOWN_VERSION) throw new TeamError('older')
      const projects = listIn(found.projects, (one) => typeof one === 'string')
      return { who: String(found.who), epoch: String(found.epoch), projects }
    },
    publish: async (project: string, machine: string, rows: readonly SentRow[]) => {
      await run(PUBLISH, [project, machine, JSON.stringify(rows)])
    },
    /** The digests of this machine's rows on the server, by key. */
    sentBy: async (project: string, machine: string) => {
      const rows = await run(SENT_BY, [project, machine])
      return new Map(rows.map(({ key, digest }) => [String(key), String(digest)]))
    },
    /** The oldest running transaction: no row of an earlier one can appear any more. */
    settledBefore: async () => String((await run(SETTLED))[0]?.before),
    /** The next rows after `from`. `since`: the mirror knows rows that were first written before this transaction. Empty: there are no more. */
    pull: async (project: string, from: Position, since: string, before: string, most: number, mostBytes: number) => {
      const rows = await run(PULL, [project, from.xid, from.who, from.key, before, most, since, mostBytes])
      return rows.map((row): PulledRow => {
        const { xid, who, key, arrived, body, known } = row as Record<'xid' | 'who' | 'key' | 'arrived', string> &
          typeof row
        return { xid, who, key, arrived, body: body === null ? null : String(body), isKnown: known === true }
      })
    },
    recount: async (project: string) => {
      await run('SELECT memory_keeper.recount($1)', [project])
    },
    /** Empties all rows of this person, and returns their number. */
    erase: async () => (await run(ERASE)).length,
    sizes: async () => {
      const rows = await run('SELECT project, live::text, length::text FROM memory_keeper.sizes()')
      return rows.map((row) => ({ project: String(row.project), live: Number(row.live), length: Number(row.length) }))
    },
    /** `docs`: the number of rows with each token; for common tokens the number of the last count. */
    candidates: async ({ project, tokens, weights, live, meanLength, looked, most }: TeamQuestion) => {
      const lists = [tokens, weights].map((list) => JSON.stringify(list))
      const rows = await run(CANDIDATES, [project, ...lists, live, meanLength, looked, most, MOST_CANDIDATE_BYTES])
      const docs = listIn(rows.at(-1)?.docs ?? '[]', (one) => typeof one === 'number')
      return {
        rows: rows.map(({ who, body, arrived }) => ({
          who: String(who),
          body: String(body),
          arrived: String(arrived),
        })),
        docs,
      }
    },
    /** Creates or updates the tables. Returns the version before. */
    install: () =>
      inTransaction(async (tx) => {
        await tx('SET LOCAL statement_timeout = 0')
        await tx(`SELECT pg_advisory_xact_lock(${LOCK})`)
        await tx(BEFORE_MIGRATIONS)
        const [found = {}] = await tx(
          'SELECT coalesce(max(version), 0) AS version, coalesce(max(needs), 0) AS needs FROM memory_keeper.migration',
        )
        if (Number(found.needs) > KNOWN_VERSION) throw new TeamError('newer')
        for (const { version, needs, sql: statements } of MIGRATIONS) {
          if (version <= Number(found.version)) continue
          await tx(statements)
          await tx(MIGRATED, [version, needs])
        }
        await tx(RESTAMP)
        return Number(found.version)
      }),
    /** Adds members. Returns those whose role was created. */
    addMembers: (members: readonly Member[]) =>
      inTransaction(async (tx) => {
        const created: string[] = []
        for (const { who, projects, password: secret } of members) {
          const [known] = await tx('SELECT FROM pg_roles WHERE rolname = $1', [who])
          const [made = {}] = await tx(
            "SELECT format('CREATE ROLE %I LOGIN PASSWORD %L', $1::text, $2::text) AS role, format('GRANT memory_keeper_member TO %I', $1::text) AS granted",
            [who, storedForm(secret)],
          )
          if (known === undefined) {
            await tx(String(made.role))
            created.push(who)
          }
          await tx(String(made.granted))
          for (const project of projects) await tx(ADD_MEMBER, [project, who])
        }
        return created
      }),
    removeMembers: async (who: readonly string[], projects: readonly string[]) => {
      await run(REMOVE_MEMBERS, [JSON.stringify(who), JSON.stringify(projects)])
    },
    /** Closes at once, even during a statement. */
    close: async () => {
      await sql.end({ timeout: 0 }).catch(() => undefined)
      line.close()
    },
  }
}

/** Parses a list of JSON. Anything else is a fault of the server. */
function listIn<T>(text: unknown, isOne: (one: unknown) => one is T): T[] {
  const list = parseObject(`{"list":${String(text)}}`)?.list
  if (Array.isArray(list) && list.every(isOne)) return list
  throw new TeamError('failed', 'its answer cannot be read.')
}

function teamError(error: unknown): TeamError {
  if (error instanceof TeamError) return error
  const { code, message } = error as { code?: unknown; message?: unknown }
  return new TeamError(faultOf(String(code ?? '')), String(message ?? ''), error)
}

const HELLO = `
SELECT (SELECT max(version) FROM memory_keeper.migration) AS version, (SELECT max(needs) FROM memory_keeper.migration) AS needs,
  (SELECT epoch FROM memory_keeper.migration ORDER BY version DESC LIMIT 1) AS epoch, current_user AS who,
  (SELECT coalesce(json_agg(project ORDER BY project), '[]')::text FROM memory_keeper.member WHERE who = current_user) AS projects`

const MIGRATED = `
INSERT INTO memory_keeper.migration (version, needs, epoch)
SELECT $1, $2, coalesce((SELECT epoch FROM memory_keeper.migration ORDER BY version DESC LIMIT 1), md5(random()::text || clock_timestamp()::text))`

/** A deleted row can be written again only by the machine that deleted it: another machine of this person may not know yet that it was forgotten. */
const PUBLISH = `
INSERT INTO memory_keeper.item AS i (project, key, machine, body, digest, tokens, length)
SELECT $1, r.key, $2, r.body, r.digest, r.tokens::tsvector, r.length
FROM jsonb_to_recordset($3::text::jsonb) AS r(key text, body text, digest text, tokens text, length int)
ON CONFLICT (project, who, key) DO UPDATE
SET machine = excluded.machine, body = excluded.body, digest = excluded.digest, tokens = excluded.tokens, length = excluded.length
WHERE i.digest <> excluded.digest AND (i.body IS NOT NULL OR i.machine = excluded.machine)`

const SENT_BY = 'SELECT key, digest FROM memory_keeper.item WHERE project = $1 AND who = current_user AND machine = $2'

const SETTLED = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS before'

/** The time of arrival in the format of a row's time. */
const ARRIVED = `to_char(arrived AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS arrived`

/** A page of rows: at least one, then as many as fit into the limit of bytes. Only bodies within the limit are read. */
const PULL = `
SELECT xid::text, who::text, key, ${ARRIVED}, body, known FROM (
  SELECT *, sum(bytes) OVER (ORDER BY xid, who, key) - bytes AS ahead FROM (
    SELECT xid, who, key, arrived, body, born < $7::text::xid8 AS known, coalesce(octet_length(body), 0) AS bytes FROM memory_keeper.item
    WHERE project = $1 AND xid >= $2::text::xid8 AND xid < $5::text::xid8 AND who <> current_user
      AND (xid > $2::text::xid8 OR (who, key) > ($3::text::name, $4))
    ORDER BY memory_keeper.item.xid, memory_keeper.item.who, key LIMIT $6
  ) page
) each WHERE ahead < $8 ORDER BY each.xid, each.who, each.key`

const ERASE = `
UPDATE memory_keeper.item SET body = NULL, digest = '-', tokens = '', length = 0 WHERE who = current_user AND body IS NOT NULL RETURNING key`

const CANDIDATES = `
SELECT who::text, body, array_to_json(docs)::text AS docs, ${ARRIVED} FROM (
  SELECT *, sum(octet_length(body)) OVER (ROWS UNBOUNDED PRECEDING) - octet_length(body) AS ahead FROM memory_keeper.candidates($1,
  ARRAY(SELECT jsonb_array_elements_text($2::text::jsonb)),
  ARRAY(SELECT one::text::float8 FROM jsonb_array_elements($3::text::jsonb) one), $4, $5, $6, $7)
) each WHERE ahead < $8`

const ADD_MEMBER = 'INSERT INTO memory_keeper.member (project, who) VALUES ($1, $2) ON CONFLICT DO NOTHING'

/** Ends memberships; without projects in all of them. */
const REMOVE_MEMBERS = `
DELETE FROM memory_keeper.member WHERE who::text IN (SELECT jsonb_array_elements_text($1::text::jsonb))
  AND ($2::text = '[]' OR project IN (SELECT jsonb_array_elements_text($2::text::jsonb)))`
