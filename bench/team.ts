/**
 * The team's server at scale: `npm run bench -- team [people] [rows of each] [people in a project] [copied]`. A PostgreSQL of its own in a
 * temporary directory, loopback only; rows are published as people publish them. `copied`: those of the first project are, the server
 * makes the other projects of them, each with tokens of its own, and then some people publish on top of that.
 */

import postgres from 'postgres'
import type { OtherRow } from '../src/core/others/others.ts'
import { openSearcher } from '../src/core/search/disk/search.ts'
import { parseQuestion } from '../src/core/search/question.ts'
import { parseAddress } from '../src/extras/team/address.ts'
import { askProject, askTeam, type Size } from '../src/extras/team/disk/ask.ts'
import { pullRows } from '../src/extras/team/disk/mirror.ts'
import { openServer, type Server } from '../src/extras/team/disk/server.ts'
import { lexemeOf, type SentRow, sentRow } from '../src/extras/team/row.ts'
import { NOTHING_FORGOTTEN } from '../src/kernel/sessions/forget-record.ts'
import { startCluster } from '../test/support/postgres.ts'
import { makeProject, now, storeOf } from '../test/support/project.ts'
import { tidyUp } from '../test/support/tidying.ts'
import { createRandom } from './support/random.ts'

const [people = 100, rowsOfEach = 1_000, together = 10] = process.argv.slice(2).map(Number)
const isCopied = process.argv[5] === 'copied'
const BATCH = 500
const PUBLISHERS = 4
/** Rows of each that publishes on top of what was copied. */
const ON_TOP = 5_000
const SECONDS = 8
const NOT_COUNTED = 20
const WORDS = 30_000
const ASKED = 50
const SYLLABLES = 'ka lo mi ter zun bra vex pol dir sha gon fe nu rik os hal tam'.split(' ')
const next = createRandom(1)

const cluster = await startCluster({
  shared_buffers: people * rowsOfEach > 1e6 ? '4GB' : '1GB',
  max_connections: '200',
  max_wal_size: '4GB',
  work_mem: '16MB',
  maintenance_work_mem: '1GB',
  fsync: 'on',
  synchronous_commit: 'on',
})
const projectOf = (n: number): string => `example.com/project-${Math.floor(n / together)}`
const as = (who: string): Server => openServer(parseAddress(cluster.url(who)), { password: '', rootCert: null })
const admin = as('postgres')
await admin.install()
await admin.addMembers(
  Array.from({ length: people }, (_, n) => ({ who: `person${n}`, projects: [projectOf(n)], password: 'x' })),
)

/** The n-th word of a language has 1/n of the first one's frequency. */
const word = (): string => {
  const n = Math.floor(WORDS ** next())
  return [n % 12, Math.floor(n / 12) % 12, Math.floor(n / 144) % 12, Math.floor(n / 1728)]
    .map((i) => SYLLABLES[i])
    .join('')
}
const sentence = (): string => Array.from({ length: 10 + Math.floor(next() * 50) }, word).join(' ')
const samples: string[] = []
const rowFor = (n: number, k: number): OtherRow => {
  const text = sentence()
  if (k % 97 === 0) samples.push(text)
  const type = (['decision', 'note', 'issue', 'pattern'] as const)[k % 4] ?? 'note'
  return { who: `person${n}`, id: `x${k}`, type, at: new Date(1.7e12 + k * 60_000).toISOString(), text }
}

const total = people * rowsOfEach

/** These people publish so many rows each, some people at once. */
async function publish(who: readonly number[], rows: number, first = 0): Promise<void> {
  const started = performance.now()
  const queue = [...who]
  const publishNext = async (): Promise<void> => {
    for (let n = queue.shift(); n !== undefined; n = queue.shift()) {
      const server = as(`person${n}`)
      for (let from = 0; from < rows; from += BATCH) {
        const batch: SentRow[] = []
        for (let k = from; k < Math.min(from + BATCH, rows); k++)
          batch.push(sentRow(projectOf(n), rowFor(n, first + k)))
        await server.publish(projectOf(n), 'm', batch)
      }
      await server.close()
    }
  }
  await Promise.all(Array.from({ length: PUBLISHERS }, publishNext))
  const seconds = (performance.now() - started) / 1000
  const sent = who.length * rows
  console.log(
    `published ${sent} rows of ${who.length} people in ${seconds.toFixed(0)} s: ${(sent / seconds).toFixed(0)} rows/s with ${PUBLISHERS} at once`,
  )
}

/** Tokens begin with the letters of their project. The index of tokens is created afterwards, which is faster. */
async function copyProjects(): Promise<void> {
  const sql = postgres({
    path: `${cluster.dir}/.s.PGSQL.${cluster.port}`,
    user: 'postgres',
    database: 'postgres',
    max: 2,
  })
  const lettersOf = (project: string): string => lexemeOf(project, 0).slice(0, 2)
  const [from, letters] = [projectOf(0), lettersOf(projectOf(0))]
  const copyTo = async (first: number): Promise<void> => {
    const project = projectOf(first)
    const own = lettersOf(project)
    await sql.unsafe(`
      INSERT INTO memory_keeper.item (project, who, key, machine, body, digest, tokens, length)
      SELECT '${project}', ('person' || substr(who::text, 7)::int + ${first})::name, key, machine, body, digest,
        replace(tokens::text, '''${letters}', '''${own}')::tsvector, length FROM memory_keeper.item WHERE project = '${from}';
      INSERT INTO memory_keeper.common SELECT '${project}', '${own}' || substr(token, 3), docs FROM memory_keeper.common
        WHERE project = '${from}' ON CONFLICT DO NOTHING;
      INSERT INTO memory_keeper.stat SELECT '${project}', live, length FROM memory_keeper.stat WHERE project = '${from}'`)
    console.log(`${project} ${((performance.now() - started) / 1000).toFixed(0)} s`)
  }
  const started = performance.now()
  await sql.unsafe('DROP INDEX memory_keeper.item_tokens_idx')
  await Promise.all(Array.from({ length: Math.ceil(people / together) - 1 }, (_, i) => copyTo((i + 1) * together)))
  const copied = performance.now()
  await sql.unsafe('CREATE INDEX ON memory_keeper.item USING gin (tokens) WITH (gin_pending_list_limit = 256)')
  await sql.unsafe('VACUUM ANALYZE memory_keeper.item')
  await sql.end()
  console.log(
    `copied, so that there are ${total} rows, in ${((copied - started) / 1000).toFixed(0)} s; index of tokens created, and cleaned, in ${((performance.now() - copied) / 1000).toFixed(0)} s`,
  )
}

const everybody = Array.from({ length: people }, (_, n) => n)
await publish(isCopied ? everybody.slice(0, together) : everybody, rowsOfEach)
cluster.psql('VACUUM ANALYZE')
for (let n = 0; n < (isCopied ? together : people); n += together) {
  const server = as(`person${n}`)
  const began = performance.now()
  await server.recount(projectOf(n))
  if (n === 0)
    console.log(
      `counted the tokens of ${together * rowsOfEach} rows in ${((performance.now() - began) / 1000).toFixed(1)} s`,
    )
  await server.close()
}
if (isCopied) await copyProjects()
const size = Number(
  cluster.psql(
    "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'memory_keeper' AND relkind = 'r'",
  ),
)
const gin = Number(
  cluster.psql(
    "SELECT sum(pg_relation_size(indexrelid)) FROM pg_index WHERE indexrelid::regclass::text LIKE '%tokens_idx'",
  ),
)
console.log(
  `size ${(size / 1e9).toFixed(2)} GB, of that the index of tokens ${(gin / 1e9).toFixed(2)} GB: ${(size / total).toFixed(0)} bytes a row`,
)

function question(): string {
  const words = (samples[Math.floor(next() * samples.length)] ?? '').split(' ')
  const from = Math.floor(next() * Math.max(1, words.length - 5))
  return words.slice(from, from + 2 + Math.floor(next() * 4)).join(' ')
}

/** Closed loop: each client asks again as soon as it is answered. The first questions of each are not counted. */
async function candidates(clients: number): Promise<void> {
  const all = await Promise.all(
    Array.from({ length: clients }, async (_, i) => {
      const server = as(`person${(i * together) % people}`)
      const [mine] = (await server.sizes()) as [Size]
      for (let k = 0; k < NOT_COUNTED; k++) await askProject(server, mine, parseQuestion(question()).terms, Date.now())
      return { server, mine }
    }),
  )
  const times: number[] = []
  const cpu = cluster.cpuMs()
  const until = performance.now() + SECONDS * 1000
  await Promise.all(
    all.map(async ({ server, mine }) => {
      while (performance.now() < until) {
        const { terms } = parseQuestion(question())
        const began = performance.now()
        await askProject(server, mine, terms, Date.now())
        times.push(performance.now() - began)
      }
      await server.close()
    }),
  )
  const spent = (cluster.cpuMs() - cpu) / times.length
  times.sort((a, b) => a - b)
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
  console.log(
    `candidates, ${clients} clients: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms; ${(times.length / SECONDS).toFixed(0)} questions/s, ${spent.toFixed(1)} ms of processor time each on the server`,
  )
}
// One person of each of some projects.
if (isCopied) await publish(everybody.filter((n) => n % together === 1).slice(0, 2 * PUBLISHERS), ON_TOP, rowsOfEach)
for (const clients of [1, 16, 64]) await candidates(clients)

await admin.addMembers([{ who: 'observer', projects: [projectOf(0)], password: 'x' }])
const mirror = makeProject('mirror')
const { places } = mirror
const reader = as('observer')
const { epoch } = await reader.hello()
for (const what of ['first', 'again, nothing new', 'again, 10 new rows']) {
  if (what.includes('10')) {
    const writer = as('person1')
    await writer.publish(
      projectOf(1),
      'm',
      Array.from({ length: 10 }, (_, k) => sentRow(projectOf(1), rowFor(1, rowsOfEach + ON_TOP + k))),
    )
    await writer.close()
  }
  const began = performance.now()
  const refused = { muted: [], forgotten: NOTHING_FORGOTTEN }
  const { received: count } = await pullRows(places, projectOf(0), reader, epoch, refused, new Date().toISOString())
  const ms = performance.now() - began
  console.log(`mirror, ${what}: ${count} rows in ${ms.toFixed(0)} ms`)
}
/** The ten best of the server, against the same rows held here. */
const searcher = openSearcher(storeOf(mirror), { cacheDir: `${mirror.base}/cache`, now })
let [same, all] = [0, 0]
for (let i = 0; i < ASKED; i++) {
  const query = question()
  const here = searcher.find({ query }).hits.map(({ id }) => id)
  const there = new Set(
    (await askTeam(reader, { query }, { now: Date.parse(now()), timezone: 'UTC' }, () => false)).hits.map(
      ({ id }) => id,
    ),
  )
  all += here.length
  same += here.filter((id) => there.has(id)).length
}
console.log(`ten best of ${ASKED} questions: ${((100 * same) / all).toFixed(1)} % are the same as with all rows here`)
await Promise.all([reader.close(), admin.close()])
cluster.stop()
tidyUp('each file')
