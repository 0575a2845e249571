/**
 * How fast is search, and how large its index? Memories of 1,000 to 1,000,000 made-up entries: building, warm search beside
 * FTS5's own time for the same words, a turn more, cold command and prompt hook beside bare node, the MCP server's memory.
 * Run it with each Node: one without FTS5 walks through all words.
 */
import { appendFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { hasFts5, openDatabase } from '../src/platform/disk/sqlite.ts'
import { indexDir } from '../src/search/disk/index/index.ts'
import { openSearcher, type Searcher } from '../src/search/disk/search.ts'
import { parseQuestion } from '../src/search/question.ts'
import { rank } from '../src/search/rank.ts'
import { makePlace, type Place } from './support/corpus.ts'
import { type Generated, generate } from './support/generated.ts'
import { startMcp } from './support/mcp-client.ts'
import { cleanEnv, renderTimes, timeVariants, type Variant } from './support/measure.ts'
import { readUnrelated } from './support/questions.ts'
import { table } from './support/score.ts'

const DIST = path.resolve(process.env.MK_DIST ?? 'plugin/dist')
const named = process.argv.slice(2).map(Number)
const SIZES = named.length > 0 ? named : [1_000, 10_000, 100_000]
const SERVER_ENTRIES = 200_000
const ROUNDS = 20
const QUERIES = 200
const WARM_UP = 20
const TURNS = 40
const now = (): string => new Date().toISOString()

const built: string[] = []
const warm: string[] = []
const grown: string[] = []
const cold: string[] = []

console.log(`node ${process.version}, ${hasFts5() ? 'with' : 'without'} FTS5`)
for (const entries of SIZES) {
  const place = makePlace()
  try {
    const made = generate(place, entries, QUERIES + WARM_UP)
    built.push(build(place, made, entries))
    warm.push(...askWarm(place, made, entries))
    grown.push(grow(place, made, entries))
    cold.push(
      `\n${entries.toLocaleString('en')} entries\n\n${renderTimes(timeVariants(coldVariants(place, made), ROUNDS))}`,
    )
  } finally {
    place.remove()
  }
}
const headings = ['entries', 'sessions, MB', 'build, s', 'entries/s', 'index, MB', 'of it FTS5, MB', 'most memory, MB']
console.log(`\n${table(headings, built)}`)
console.log(`\n${table(['warm search', 'p50 ms', 'p95 ms', 'to FTS5’s own, p50', 'p95'], warm)}`)
console.log(`\n${table(['one turn more', 'refresh p50 ms', 'p95 ms', 'search at once p50 ms', 'p95 ms'], grown)}`)
console.log(cold.join('\n'))
if (named.length === 0) console.log(`\n${await measureServer()}`)

function build(place: Place, made: Generated, entries: number): string {
  const began = performance.now()
  const searcher = open(place, 'auto')
  while (!searcher.index.refresh());
  const seconds = (performance.now() - began) / 1000
  if (searcher.index.columns.live !== entries) throw new Error(`${searcher.index.columns.live} of ${entries} entries`)
  searcher.close()
  const files = indexFiles(place)
  const size = (of: readonly string[]): string => megabytes(of.reduce((sum, file) => sum + statSync(file).size, 0))
  const fts = files.filter((file) => path.basename(file).startsWith('fts'))
  const memory = megabytes(process.resourceUsage().maxRSS * 1024)
  const cells = [
    megabytes(made.bytes),
    seconds.toFixed(2),
    Math.round(entries / seconds),
    size(files),
    size(fts),
    memory,
  ]
  return `| ${entries.toLocaleString('en')} | ${cells.join(' | ')} |`
}

/** Every question to all of them in turn, so that a busy machine slows them alike. */
function askWarm(place: Place, { queries }: Generated, entries: number): string[] {
  const fts = ftsAlone(place)
  const engines = hasFts5() ? (['auto', 'scan'] as const) : (['scan'] as const)
  const searchers = engines.map((name) => ({ name, searcher: open(place, name) }))
  const ways: [string, (query: string) => void][] = [
    ...(fts === null ? [] : [['FTS5’s own', fts] as [string, (query: string) => void]]),
    ...searchers.flatMap(({ name, searcher }): [string, (query: string) => void][] => [
      [`ranking, ${name}`, (query) => rankAlone(searcher, query)],
      [`search, ${name}`, (query) => searcher.find({ query })],
    ]),
  ]
  const times = timeInTurn(ways, queries)
  for (const { searcher } of searchers) searcher.close()
  const own = times.get('FTS5’s own')
  return [...times].map(([name, all]) => {
    const ratios =
      own === undefined ? ['–', '–'] : [0.5, 0.95].map((share) => (at(all, share) / at(own, share)).toFixed(2))
    return `| ${entries.toLocaleString('en')}, ${name} | ${ms(at(all, 0.5))} | ${ms(at(all, 0.95))} | ${ratios.join(' | ')} |`
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

/** The same words in the same table, asked as plainly as can be: the ten best by FTS5's own order. */
function ftsAlone(place: Place): ((query: string) => void) | null {
  const file = indexFiles(place).find((one) => /^fts[^/]*$/.test(path.basename(one)) && !/-(?:wal|shm)$/.test(one))
  if (file === undefined || !hasFts5()) return null
  const best = openDatabase(file).prepare('select rowid from words where words match ? order by rank limit 10')
  return (query) => {
    const words = parseQuestion(query).terms.map(({ stem }) => `"${(stem >>> 6).toString(36)}"`)
    best.all(words.join(' OR '))
  }
}

/** A turn at the end of the last session, then of the first one. */
function grow(place: Place, { files, queries, turn }: Generated, entries: number): string {
  const searcher = open(place, 'auto')
  const [refreshes, searches]: [number[], number[]] = [[], []]
  for (let n = 0; n < TURNS * 2; n++) {
    appendFileSync((n % 4 < 2 ? files.at(-1) : files[0]) ?? '', turn())
    const began = performance.now()
    if (n % 2 === 0) searcher.index.refresh()
    else searcher.find({ query: queries[n] ?? '' })
    ;(n % 2 === 0 ? refreshes : searches).push(performance.now() - began)
  }
  searcher.close()
  const cells = [refreshes, searches].flatMap((all) => [ms(at(all, 0.5)), ms(at(all, 0.95))])
  return `| ${entries.toLocaleString('en')} | ${cells.join(' | ')} |`
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

async function measureServer(): Promise<string> {
  const place = makePlace()
  try {
    const { queries } = generate(place, SERVER_ENTRIES, QUERIES)
    const searcher = open(place, 'auto')
    while (!searcher.index.refresh());
    searcher.close()
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
    const first = ms(times.shift() ?? 0)
    return `MCP server, ${SERVER_ENTRIES.toLocaleString('en')} entries: first search ${first} ms, then p50 ${ms(at(times, 0.5))}, p95 ${ms(at(times, 0.95))}; resident ${greeted.toFixed(0)} MB after the greeting, ${Math.max(...sizes).toFixed(0)} MB at most, ${(sizes.at(-1) ?? 0).toFixed(0)} MB at the end`
  } finally {
    place.remove()
  }
}

function open({ store, cacheDir }: Place, engine: 'auto' | 'scan' | 'fts5'): Searcher {
  return openSearcher(store, { cacheDir, now, engine })
}

function indexFiles({ store, cacheDir }: Place): string[] {
  const dir = indexDir(store, cacheDir)
  return readdirSync(dir).map((name) => path.join(dir, name))
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
