/**
 * How long does the page wait? A made-up project of 1,000 sessions and 200,000 entries, served by a process of its own: the
 * first view cold (nothing was ever counted), by a new process, and warm; each view; search; the memory that it takes. Then
 * the list of 10,000 sessions. `npm run bench dashboard`.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { openIndex } from '../src/core/search/disk/memory-index.ts'
import { openDashboard } from '../src/extras/page/server/server.ts'
import { lookAtHealth } from '../src/extras/page/server/views/overview.ts'
import { openStore } from '../src/kernel/memory/disk/store.ts'
import { locate } from '../src/kernel/platform/disk/locate.ts'
import { SESSIONS_DIR } from '../src/kernel/platform/layout.ts'
import { makeBusy } from './support/busy-project.ts'
import { makePlace, type Place } from './support/corpus.ts'
import { table } from './support/score.ts'
import { hasFts5 } from './support/sqlite.ts'

const COOKIE = 'cookie-of-the-benchmark'
const FIRST_VIEW = ['overview', 'today', 'projects']
const ROUNDS = 15
const [mode, root = '', home = ''] = process.argv.slice(2)

if (mode === 'serve') await serve(root, home)
else {
  console.log(`node ${process.version}, ${hasFts5() ? 'with' : 'without'} FTS5`)
  await measure(1_000, 200, true)
  await measure(10_000, 20, false)
}

async function serve(project: string, user: string): Promise<void> {
  const now = (): string => new Date().toISOString()
  const around = { home: user, configDir: undefined, cacheDir: path.join(user, '.cache', 'memory-keeper') }
  const open = (): ReturnType<typeof openStore> => openStore(locate(project, around), { now })
  const pageFile = path.join(user, 'page.html')
  writeFileSync(pageFile, '<!doctype html><title>bench</title>')
  const { port } = await openDashboard({
    pageFile,
    port: 0,
    idleMs: 3_600_000,
    token: 'token-of-the-benchmark',
    cookie: COOKIE,
    uid: process.getuid?.(),
    timezone: 'UTC',
    version: '0',
    now,
    openStore: open,
    // As the product does: not in the server's process. What it takes is measured by itself.
    examine: () => new Promise(() => {}),
  })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    globalThis.gc?.()
    process.send?.({ cpuMs: (user + system) / 1000, rss: process.memoryUsage().rss })
  })
  process.send?.({ port })
}

interface Server {
  ask(view: string): Promise<string>
  /** What its process took up to now. */
  taken(): Promise<{ cpuMs: number; rss: number }>
  end(): Promise<void>
}

async function startServer(place: Place): Promise<Server> {
  const args = ['--expose-gc', process.argv[1] ?? '', 'serve', place.project, place.home]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const heard = <T>(): Promise<T> => new Promise((resolve) => child.once('message', (said) => resolve(said as T)))
  const { port } = await heard<{ port: number }>()
  const headers = { cookie: `memory-keeper-${port}=${COOKIE}` }
  return {
    ask: async (view) => {
      const answered = await fetch(`http://127.0.0.1:${port}/api/${view}`, { headers })
      const text = await answered.text()
      if (!answered.ok) throw new Error(`${view}: ${answered.status} ${text}`)
      return text
    },
    taken: () => {
      child.send('taken')
      return heard<{ cpuMs: number; rss: number }>()
    },
    end: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill()
      }),
  }
}

/** `isSearched`: the time in which the index is made, beside the server's other work, is measured as well. */
async function measure(sessions: number, entriesEach: number, isSearched: boolean): Promise<void> {
  const place = makePlace()
  try {
    const { bytes, queries } = makeBusy(place, sessions, entriesEach)
    const size = `${sessions.toLocaleString('en')} sessions, ${(sessions * entriesEach).toLocaleString('en')} entries`
    console.log(`\n### ${size}, ${(bytes / 1e6).toFixed(0)} MB\n`)
    const asked = queries.map((query) => `search?q=${encodeURIComponent(query)}`)
    const base = timeHere(() => parseAll(place))
    const rows: string[] = []
    const tell = (what: string, { ms, cpuMs }: Took): void => {
      rows.push(`| ${what} | ${short(ms)} | ${short(cpuMs)} | ${(cpuMs / base.cpuMs).toFixed(3)} |`)
    }
    tell('reading all sessions and parsing every line, as a measure', base)
    const cold = await startServer(place)
    tell('first view, cold: nothing was ever counted', await timeOne(cold, () => firstView(cold)))
    const [first = ''] = asked
    if (isSearched) {
      tell('first search, cold: answered from what is read', await timeOne(cold, () => cold.ask(first)))
      tell('… until all is read', await timeOne(cold, () => untilComplete(cold, first)))
    }
    await cold.end()
    // Or the server would read for it while the views are measured.
    if (!isSearched) makeIndex(place)
    const server = await startServer(place)
    tell('first view, a new process', await timeOne(server, () => firstView(server)))
    tell('first search, a new process', await timeOne(server, () => untilComplete(server, first)))
    tell('first view, warm (p50)', await timeMany(server, ROUNDS, () => firstView(server)))
    for (const [name, view] of viewsOf(sessions))
      tell(
        `${name} (p50)`,
        await timeMany(server, ROUNDS, () => (view === 'timeline' ? timeline(server) : server.ask(view))),
      )
    const found = await timeMany(server, asked.length, (n) => server.ask(asked[n] ?? ''))
    tell(`search, p50 of ${asked.length}`, found)
    tell('search, p95', { ms: found.p95, cpuMs: found.cpuMs })
    rows.push(`| memory of the server, MB | ${((await server.taken()).rss / 1e6).toFixed(0)} | | |`)
    await server.end()
    const look = timeHere(() => lookAround(place))
    tell('health, in a process of its own', look)
    console.log(table(['', 'ms', 'of it CPU of the server', 'CPU to parsing'], rows))
  } finally {
    place.remove()
  }
}

function viewsOf(sessions: number): [name: string, view: string][] {
  return [
    ['pulse', 'pulse'],
    ['overview', 'overview'],
    ['today', 'today'],
    ['timeline: sessions and charts', 'timeline'],
    ['first page of sessions', 'sessions?limit=200'],
    ['last page of sessions', `sessions?offset=${sessions - 200}&limit=200`],
    ['charts', 'charts'],
    ['one session', `session/${(0x10000000 + 7).toString(16)}`],
    ['memory', 'memory'],
    ['knowledge', 'knowledge'],
    ['injected', 'injected'],
  ]
}

interface Took {
  ms: number
  cpuMs: number
}

async function timeOne(server: Server, ask: () => Promise<unknown>): Promise<Took> {
  return timeMany(server, 1, ask)
}

/** CPU on average: a busy machine disturbs it less than what the clock says. */
async function timeMany(
  server: Server,
  rounds: number,
  ask: (n: number) => Promise<unknown>,
): Promise<Took & { p95: number }> {
  const before = (await server.taken()).cpuMs
  const all: number[] = []
  for (let n = 0; n < rounds; n++) {
    const began = performance.now()
    await ask(n)
    all.push(performance.now() - began)
  }
  const cpuMs = ((await server.taken()).cpuMs - before) / rounds
  return { ms: at(all, 0.5), p95: at(all, 0.95), cpuMs }
}

function timeHere(work: () => void): Took {
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  work()
  const { user, system } = process.cpuUsage(cpu)
  return { ms: performance.now() - began, cpuMs: (user + system) / 1000 }
}

/** As the page does. */
async function untilComplete(server: Server, search: string): Promise<void> {
  while (!(await server.ask(search)).includes('"isComplete":true'))
    await new Promise((resolve) => setTimeout(resolve, 1_500))
}

/** What the page asks for when it is opened, all at once. */
async function firstView(server: Server): Promise<void> {
  await Promise.all(FIRST_VIEW.map((view) => server.ask(view)))
}

async function timeline(server: Server): Promise<void> {
  await Promise.all(['sessions?limit=200', 'charts'].map((view) => server.ask(view)))
}

function parseAll({ store }: Place): void {
  const dir = path.join(store.dir, SESSIONS_DIR)
  for (const name of readdirSync(dir))
    for (const line of readFileSync(path.join(dir, name), 'utf8').split('\n')) if (line !== '') JSON.parse(line)
}

function makeIndex({ store, cacheDir }: Place): void {
  const index = openIndex(store, { cacheDir, now: () => new Date().toISOString() })
  index.refresh()
  index.close()
}

function lookAround({ store }: Place): void {
  const now = new Date().toISOString()
  lookAtHealth(store, { now, nodeVersion: process.version })
}

function at(all: readonly number[], share: number): number {
  const sorted = all.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function short(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0)
}
