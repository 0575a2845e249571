/**
 * How fast is search, and how large its index? Memories of 1,000 to 1,000,000 made-up entries: building in a process of its own, opening,
 * warm search beside FTS5's own time for the same words (where Node has it), a turn more, cold command and prompt hook beside bare node,
 * the MCP server's memory. Run it with each Node.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { indexDir, openIndex } from '../src/core/search/disk/memory-index.ts'
import { openSearcher, type Searcher } from '../src/core/search/disk/search.ts'
import { parseQuestion } from '../src/core/search/question.ts'
import { rank } from '../src/core/search/rank.ts'
import { openStore, stateEffect } from '../src/kernel/memory/disk/store.ts'
import { newSession } from '../src/kernel/memory/session-state.ts'
import { withSessions } from '../src/kernel/memory/state.ts'
import { locate } from '../src/kernel/platform/disk/locate.ts'
import { tokenise } from '../src/kernel/text/words.ts'
import { makePlace, type Place } from './support/corpus.ts'
import { type Generated, generate } from './support/generated.ts'
import { startMcp } from './support/mcp-client.ts'
import { cleanEnv, renderTimes, timeVariants, type Variant } from './support/measure.ts'
import { readUnrelated } from './support/questions.ts'
import { table } from './support/score.ts'
import { hasFts5, openDatabase } from './support/sqlite.ts'

const DIST = path.resolve(process.env.MK_DIST ?? 'plugin/dist')
const ROUNDS = 20
const QUERIES = 200
const WARM_UP = 20
const TURNS = 40
const OPENED = 20
const now = (): string => new Date().toISOString()

const [first, ...more] = process.argv.slice(2)
if (first === 'build') buildHere(JSON.parse(more[0] ?? '') as Where)
else await measure(first === undefined ? [1_000, 10_000, 100_000] : [first, ...more].map(Number))

async function measure(sizes: readonly number[]): Promise<void> {
  const [built, opened, warm, grown, cold, served]: string[][] = [[], [], [], [], [], []]
  console.log(`node ${process.version}, ${hasFts5() ? 'with' : 'without'} FTS5`)
  for (const entries of sizes) {
    const place = makePlace()
    const name = entries.toLocaleString('en')
    try {
      const made = generate(place, entries, QUERIES + WARM_UP)
      built?.push(build(place, made, entries))
      opened?.push(`| ${name} | ${open(place, made)} |`)
      warm?.push(...askWarm(place, made).map((row) => `| ${name}, ${row} |`))
      served?.push(`| ${name} | ${await serve(place, made)} |`)
      grown?.push(`| ${name} | ${grow(place, made)} |`)
      cold?.push(`\n${name} entries\n\n${renderTimes(timeVariants(coldVariants(place, made), ROUNDS))}`)
    } finally {
      place.remove()
    }
  }
  const told = ['entries', 'sessions, MB', 'build, s', 'entries/s', 'index, MB', 'of sessions', 'most memory, MB']
  console.log(`\n${table(told, built ?? [])}`)
  console.log(`\n${table(['opening', 'open ms', 'refresh ms', 'columns ms', 'first hit ms'], opened ?? [])}`)
  console.log(`\n${table(['warm search', 'p50 ms', 'p95 ms', 'to FTS5’s own, p50', 'p95'], warm ?? [])}`)
  console.log(
    `\n${table(['MCP server', 'first search ms', 'p50 ms', 'p95 ms', 'greeted MB', 'most MB', 'end MB'], served ?? [])}`,
  )
  console.log(
    `\n${table(['one turn more', 'refresh p50 ms', 'p95 ms', 'search at once p50 ms', 'p95 ms'], grown ?? [])}`,
  )
  console.log((cold ?? []).join('\n'))
}

type Where = Pick<Place, 'project' | 'home' | 'cacheDir'>

/** In a process that does nothing else, so that its memory is that of building. */
function build({ project, home, cacheDir, store }: Place, made: Generated, entries: number): string {
  const where: Where = { project, home, cacheDir }
  const args = [...process.execArgv, process.argv[1] ?? '', 'build', JSON.stringify(where)]
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  const { live, seconds, memory } = JSON.parse(stdout) as { live: number; seconds: number; memory: number }
  if (live !== entries) throw new Error(`${live} of ${entries} entries`)
  const dir = indexDir(store, cacheDir)
  const size = readdirSync(dir).reduce((sum, name) => sum + statSync(path.join(dir, name)).size, 0)
  const speed = Math.round(entries / seconds).toLocaleString('en')
  const share = `${((size / made.bytes) * 100).toFixed(1)} %`
  const cells = [megabytes(made.bytes), seconds.toFixed(2), speed, megabytes(size), share, memory.toFixed(0)]
  return `| ${entries.toLocaleString('en')} | ${cells.join(' | ')} |`
}

function buildHere({ project, home, cacheDir }: Where): void {
  const store = openStore(locate(project, { home, configDir: undefined, cacheDir }), { now })
  const began = performance.now()
  const index = openIndex(store, { cacheDir, now })
  while (!index.refresh());
  const seconds = (performance.now() - began) / 1000
  const memory = process.resourceUsage().maxRSS / 1024
  console.log(JSON.stringify({ live: index.columns.live, seconds, memory }))
  index.close()
}

/** Medians in this process, which has done it before. */
function open({ store, cacheDir }: Place, { queries }: Generated): string {
  const times: number[][] = [[], [], [], []]
  for (let n = 0; n < OPENED; n++) {
    const began = performance.now()
    const index = openIndex(store, { cacheDir, now })
    const marks = [performance.now()]
    index.refresh()
    marks.push(performance.now())
    const { columns } = index
    marks.push(performance.now())
    const { rows } = rank(parseQuestion(queries[n] ?? ''), columns, index.engine, { limit: 1 })
    index.unitOf(rows[0]?.doc ?? 0)
    marks.push(performance.now())
    marks.forEach((mark, i) => {
      times[i]?.push(mark - (marks[i - 1] ?? began))
    })
    index.close()
  }
  return times.map((all) => ms(at(all, 0.5))).join(' | ')
}

/** Every question to all of them in turn, so that a busy machine slows them alike. */
function askWarm(place: Place, { queries, texts }: Generated): string[] {
  const fts = hasFts5() ? ftsAlone(place, texts) : null
  const searcher = openOn(place)
  const ways: [string, (query: string) => void][] = [
    ...(fts === null ? [] : [['FTS5’s own', fts] as [string, (query: string) => void]]),
    ['ranking', (query) => rankAlone(searcher, query)],
    ['search', (query) => searcher.find({ query })],
  ]
  const times = timeInTurn(ways, queries)
  searcher.close()
  const own = times.get('FTS5’s own')
  return [...times].map(([name, all]) => {
    const ratios =
      own === undefined ? ['–', '–'] : [0.5, 0.95].map((share) => (at(all, share) / at(own, share)).toFixed(2))
    return `${name} | ${ms(at(all, 0.5))} | ${ms(at(all, 0.95))} | ${ratios.join(' | ')}`
  })
}

function timeInTurn(
  ways: readonly [string, (query: string) => void][],
  queries: readonly string[],
): Map<string, number[]> {
  const times = new Map<string, number[]>(ways.map(([name]) => [name, []]))
  queries.forEach((query, n) => {
    for (const [name, ask] of ways) {
      const began = performance.now()
      ask(query)
      if (n >= WARM_UP) times.get(name)?.push(performance.now() - began)
    }
  })
  return times
}

function rankAlone({ index }: Searcher, query: string): void {
  rank(parseQuestion(query), index.columns, index.engine, { limit: 20 }).rows
}

/** The same words in a table of FTS5, asked as plainly as can be: the ten best by its own order. */
function ftsAlone({ root }: Place, texts: () => Iterable<string>): (query: string) => void {
  const db = openDatabase(path.join(root, 'fts.db'))
  db.exec(`pragma journal_mode = off; pragma synchronous = off; begin;
    create virtual table words using fts5(text, content='', tokenize='ascii')`)
  const insert = db.prepare('insert into words(rowid, text) values (?, ?)')
  insert.setReadBigInts(true)
  let n = 0
  for (const text of texts()) insert.run(++n, Array.from(tokenise(text), wordOf).join(' '))
  db.exec(`commit; insert into words(words) values ('optimize')`)
  const best = db.prepare('select rowid from words where words match ? order by rank limit 10')
  return (query) => {
    const words = parseQuestion(query).terms.map(({ stem }) => `"${wordOf(stem)}"`)
    best.all(words.join(' OR '))
  }
}

/** A stem, as a word for SQLite. */
function wordOf(token: number): string {
  return (token >>> 6).toString(36)
}

/** A turn at the end of the last session, then of the first one, as capture writes it: the session, then the state. */
function grow(place: Place, { files, queries, turn }: Generated): string {
  const searcher = openOn(place)
  const { store } = place
  const [refreshes, searches]: [number[], number[]] = [[], []]
  for (let n = 0; n < TURNS * 2; n++) {
    const file = (n % 4 < 2 ? files.at(-1) : files[0]) ?? ''
    appendFileSync(file, turn())
    const session = { ...newSession(''), file: path.basename(file), entries: n + 1 }
    store.perform([stateEffect(withSessions(store.readState(), [[path.basename(file), session]]))])
    const began = performance.now()
    if (n % 2 === 0) searcher.index.refresh()
    else searcher.find({ query: queries[n] ?? '' })
    ;(n % 2 === 0 ? refreshes : searches).push(performance.now() - began)
  }
  searcher.close()
  return [refreshes, searches].flatMap((all) => [ms(at(all, 0.5)), ms(at(all, 0.95))]).join(' | ')
}

function coldVariants(place: Place, { queries }: Generated): Variant[] {
  const unrelated = readUnrelated().filter(({ kind }) => kind === 'coding')
  const env = envOf(place)
  let n = 0
  const next = (): string => queries[n++ % queries.length] ?? ''
  const search = ['search', '--deep', '--json', '']
  const variant = (name: string, args: string[]): Variant => ({ name, command: process.execPath, args, env })
  const prompt = (name: string, words: () => string): Variant => {
    const one: Variant = variant(name, [path.join(DIST, 'hook.cjs')])
    return Object.assign(one, { before: () => Object.assign(one, { stdin: promptOf(place, words()) }) })
  }
  const asking: Variant = variant('search --deep', [path.join(DIST, 'cli.cjs'), ...search])
  asking.before = () => {
    asking.args[asking.args.length - 1] = next()
  }
  return [
    variant('node -e 0', ['-e', '0']),
    variant('memory-keeper --version', [path.join(DIST, 'cli.cjs'), '--version']),
    asking,
    prompt('prompt, no recall (a slash command)', () => '/help'),
    prompt('prompt, a question about what is remembered', () => `where did we put ${next()}?`),
    prompt('prompt, unrelated work', () => unrelated[n++ % unrelated.length]?.query ?? ''),
  ]
}

function promptOf({ project }: Place, prompt: string): string {
  const session_id = '00000000-0000-4000-8000-000000000000'
  return JSON.stringify({ hook_event_name: 'UserPromptSubmit', cwd: project, session_id, transcript_path: '', prompt })
}

async function serve(place: Place, { queries }: Generated): Promise<string> {
  const client = await startMcp(DIST, envOf(place))
  const greeted = client.rss()
  const [times, sizes]: [number[], number[]] = [[], []]
  for (const query of queries) {
    const began = performance.now()
    await client.call('search_memory', { query })
    times.push(performance.now() - began)
    sizes.push(client.rss())
  }
  client.close()
  const took = [times.shift() ?? 0, at(times, 0.5), at(times, 0.95)].map(ms)
  const memory = [greeted, Math.max(...sizes), sizes.at(-1) ?? 0].map((size) => size.toFixed(0))
  return [...took, ...memory].join(' | ')
}

function openOn({ store, cacheDir }: Place): Searcher {
  return openSearcher(store, { cacheDir, now })
}

function envOf({ home, project }: Place): Record<string, string> {
  const XDG_CACHE_HOME = path.join(home, '.cache')
  return cleanEnv({ HOME: home, XDG_CACHE_HOME, CLAUDE_PROJECT_DIR: project, CLAUDE_CODE_SESSION_ATTENDED: '0' })
}

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0
}

function ms(time: number): string {
  return time.toFixed(time < 10 ? 2 : 1)
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
