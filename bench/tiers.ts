/**
 * What do tiers cost, and what do they save? 1,000 sessions over two years: one run over all of them, a run with nothing to
 * do, a run every day; the sizes before and after; and what the
 * index has to do afterwards.
 */
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { summariseSession } from '../src/core/notes/disk/summaries.ts'
import { ageTiers } from '../src/core/notes/disk/tiers.ts'
import { openIndex } from '../src/core/search/disk/memory-index.ts'
import { sessionPath, stateEffect } from '../src/kernel/memory/disk/store.ts'
import { newSession, type SessionState } from '../src/kernel/memory/session-state.ts'
import { withSessions } from '../src/kernel/memory/state.ts'
import { readText } from '../src/kernel/platform/disk/files.ts'
import { SESSIONS_DIR, sessionFile } from '../src/kernel/platform/layout.ts'
import { estimateTokens } from '../src/kernel/text/tokens.ts'
import { EMPTY_REFINE_STATE } from '../src/kernel/transcript/refine-state.ts'
import { type Entry, formatEntry } from '../src/kernel/transcript/session.ts'
import { makePlace, type Place } from './support/corpus.ts'
import { createRandom } from './support/random.ts'
import { table } from './support/score.ts'

const SESSIONS = Number(process.argv[2] ?? 1_000)
const TURNS = 20
const DAY_MS = 24 * 60 * 60_000
const BEGAN = Date.UTC(2024, 0, 1)
const DAYS = 730
const END = BEGAN + (DAYS + 200) * DAY_MS
const random = createRandom(7)
const WORDS = Array.from({ length: 4_000 }, () =>
  Array.from({ length: 2 + Math.floor(random() * 3) }, () =>
    'balokiremtudsanefovu'.slice(2 * Math.floor(random() * 9)).slice(0, 2),
  ).join(''),
)

const holds: number[] = []
const once = filled()
const sizes = [sizesOf(once, 'before')]
const before = indexed(once)
watchLock(once)
const all = timed(() => ageTiers(once.store, { now: at(END), isLate: () => false }))
sizes.push(sizesOf(once, 'after'))
const after = indexed(once)
const nothing = Array.from({ length: 9 }, () =>
  timed(() => ageTiers(once.store, { now: at(END), isLate: () => false })),
)
once.remove()

const daily = filled()
const days: number[] = []
for (let day = BEGAN + DAY_MS; day <= END; day += DAY_MS)
  days.push(timed(() => ageTiers(daily.store, { now: at(day), isLate: () => false })))
sizes.push(sizesOf(daily, 'after a run every day'))
daily.remove()

console.log(`node ${process.version}, ${SESSIONS} sessions of ${TURNS * 4} entries over ${DAYS} days\n`)
console.log(
  table(
    ['run', 'ms', 'per session, ms'],
    [
      row('all at once', all, all / SESSIONS),
      row('of it the longest hold of the lock', Math.max(...holds), 0),
      row('with nothing to do, median of 9', median(nothing), median(nothing) / SESSIONS),
      row('every day, median', median(days), 0),
      row('every day, the longest', Math.max(...days), 0),
      row('every day, together', sum(days), sum(days) / SESSIONS),
    ],
  ),
)
console.log(`\n${table(['sizes', 'summaries and tiers, KB', 'their tokens', 'entries, KB', 'files'], sizes)}`)
console.log(`\n${table(['index', 'refresh, ms'], [row('made from nothing', before), row('after the tiers', after)])}`)

function filled(): Place {
  const place = makePlace()
  const { store } = place
  let state = store.readState()
  const ids: string[] = []
  for (let n = 0; n < SESSIONS; n++) {
    const began = BEGAN + Math.floor((n / SESSIONS) * DAYS * DAY_MS)
    const entries = Array.from({ length: TURNS }, (_, turn) => turnOf(began + turn * 60_000)).flat()
    const text = entries.map(formatEntry).join('')
    const id8 = (0x10000000 + n).toString(16)
    const id = `${id8}-0000-4000-8000-000000000000`
    const session: SessionState = {
      ...newSession(`/nowhere/${id}.jsonl`),
      file: sessionFile(at(began), id8),
      entries: entries.length,
      bytes: Buffer.byteLength(text),
      watermark: entries.length,
      refine: { ...EMPTY_REFINE_STATE, ts: entries.at(-1)?.ts ?? '' },
    }
    store.perform([{ do: 'write', path: sessionPath(session.file), text }])
    state = withSessions(state, [[id, session]])
    ids.push(id)
  }
  store.perform([stateEffect(state)])
  for (const id of ids) summariseSession(store, id)
  return place
}

/** How long nobody else can write. */
function watchLock({ store }: Place): void {
  const { whileLocked } = store
  store.whileLocked = (waitMs, work) =>
    whileLocked(waitMs, () => {
      const began = performance.now()
      try {
        return work()
      } finally {
        holds.push(performance.now() - began)
      }
    })
}

function turnOf(began: number): Entry[] {
  const ts = (step: number): string => at(began + step * 1000)
  const file = `/app/src/${words(1)}.ts`
  return [
    { role: 'user', ts: ts(0), text: `Please ${words(14)}.` },
    { role: 'tool', ts: ts(1), name: 'Edit', cmd: file, ok: true },
    { role: 'tool', ts: ts(2), name: 'Bash', cmd: `npm test -- ${words(1)}`, ok: true, output: words(30) },
    {
      role: 'assistant',
      ts: ts(3),
      text: `We decided to ${words(9)}, because ${words(7)}. ${capital(words(20))}. Still open: ${words(8)}.`,
    },
  ]
}

/** Few are frequent, many are rare. */
function words(count: number): string {
  return Array.from({ length: count }, () => WORDS[Math.floor(WORDS.length * random() ** 3)]).join(' ')
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function at(ms: number): string {
  return new Date(ms).toISOString()
}

function timed(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

/** Milliseconds to bring the index up to date. */
function indexed({ store, cacheDir }: Place): number {
  const index = openIndex(store, { cacheDir, now: () => at(END) })
  const refresh = timed(() => {
    while (!index.refresh());
  })
  index.close()
  return refresh
}

function sizesOf({ store }: Place, name: string): string {
  const dir = path.join(store.dir, SESSIONS_DIR)
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
  const prose = files.filter((file) => file.endsWith('.md'))
  const entries = files.filter((file) => !file.endsWith('.md'))
  const kb = (some: readonly string[]): string => (sum(some.map((file) => statSync(file).size)) / 1000).toFixed(0)
  const tokens = sum(prose.map((file) => estimateTokens(readText(file) ?? '')))
  return `| ${[name, kb(prose), tokens.toLocaleString('en'), kb(entries), files.length].join(' | ')} |`
}

function row(name: string, ...numbers: number[]): string {
  return `| ${[name, ...numbers.map((n) => (n === 0 ? '' : n.toFixed(n < 10 ? 2 : 0)))].join(' | ')} |`
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}
