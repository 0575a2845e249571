/** Do 1,000 sessions × 10 facts stay fast and free of duplicates? Adding, sorting, weighing, and a start with all of them. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { readFacts, writeFacts } from '../src/core/knowledge/disk/knowledge.ts'
import { reflectAll } from '../src/core/knowledge/disk/reflection.ts'
import { addFacts } from '../src/core/knowledge/fact-add.ts'
import { formatItems, parseItems } from '../src/core/knowledge/facts-file.ts'
import type { NewFact } from '../src/core/knowledge/item.ts'
import { allFacts, type Items, NO_ITEMS } from '../src/core/knowledge/items.ts'
import { openStore } from '../src/kernel/memory/disk/store.ts'
import { locate } from '../src/kernel/platform/disk/locate.ts'
import { cleanEnv, renderTimes, timeVariants } from './support/measure.ts'
import { createRandom } from './support/random.ts'

const SESSIONS = Number(process.argv[2] ?? 1_000)
const PER_SESSION = 10
const HOOK = path.resolve('plugin/dist/hook.cjs')
const KEEPER = path.resolve('plugin/dist/keeper.cjs')
const random = createRandom(5)

const AREAS = ['invoice', 'login', 'search', 'export', 'billing', 'cache', 'mail', 'import', 'report', 'upload']
const PARTS = ['parser', 'worker', 'table', 'queue', 'form', 'endpoint', 'schema', 'test', 'log', 'job']
const DOES = [
  'retries',
  'stores',
  'validates',
  'rounds',
  'encrypts',
  'paginates',
  'compresses',
  'indexes',
  'locks',
  'streams',
]
const WHAT = ['amounts', 'tokens', 'rows', 'addresses', 'files', 'dates', 'headers', 'names', 'batches', 'events']

function pick<T>(list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T
}

/** Every fifth was said before, in the same words or with one in front. */
function factOf(session: number, n: number, said: string[]): NewFact {
  const isOld = said.length > 50 && random() < 0.2
  const text = isOld
    ? `${pick(['', 'As before, '])}${pick(said)}`
    : `The ${pick(AREAS)} ${pick(PARTS)} ${pick(DOES)} ${pick(WHAT)} in v${session}.${n} after ${session * 10 + n} ms.`
  if (!isOld) said.push(text)
  const id8 = session.toString(16).padStart(8, '0')
  const at = new Date(Date.UTC(2024, 0, 1) + session * 8 * 3_600_000 + n * 60_000).toISOString()
  return {
    kind: 'decision',
    text,
    reason: null,
    status: null,
    resolution: null,
    at,
    session: id8,
    evidence: { entry: n, quote: text, by: n % 2 === 0 ? 'user' : 'assistant' },
    files: [`src/${pick(AREAS)}.ts`],
    concept: null,
    state: 'fresh',
    by: 'extractive',
  }
}

const ms = (from: bigint): number => Number(process.hrtime.bigint() - from) / 1e6
const timed = <T>(work: () => T): { value: T; took: number } => {
  const from = process.hrtime.bigint()
  return { value: work(), took: ms(from) }
}

const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-bench-'))
try {
  const said: string[] = []
  const times: number[] = []
  let facts: Items = NO_ITEMS
  for (let session = 1; session <= SESSIONS; session++) {
    const fresh = Array.from({ length: PER_SESSION }, (_, n) => factOf(session, n, said))
    const { value, took } = timed(() => addFacts(facts, fresh))
    facts = value
    times.push(took)
  }
  const last = times.slice(-50).sort((a, b) => a - b)
  const all = allFacts(facts)
  const texts = new Set(all.map(({ text }) => text))
  console.log(`${SESSIONS} sessions × ${PER_SESSION} facts: ${all.length} kept of ${said.length} different ones said`)
  console.log(
    `the same text twice: ${all.length - texts.size}; lost: ${said.filter((text) => !texts.has(text)).length}`,
  )
  console.log(
    `adding one more session: p50 ${(last[25] ?? 0).toFixed(1)} ms, all together ${(times.reduce((a, b) => a + b, 0) / 1000).toFixed(1)} s`,
  )

  const project = path.join(dir, 'project')
  const home = path.join(dir, 'home')
  mkdirSync(project, { recursive: true })
  mkdirSync(home, { recursive: true })
  const now = (): string => '2026-01-13T12:00:00.000Z'
  const around = { home, configDir: undefined, cacheDir: path.join(dir, 'cache') }
  const store = openStore(locate(project, around), { now })
  store.whileLocked(1000, () => writeFacts(store, NO_ITEMS, facts, now()))
  const file = path.join(store.dir, 'facts.json')
  const text = formatItems(facts)
  console.log(
    `facts.json ${(statSync(file).size / 1e6).toFixed(1)} MB; read ${timed(() => parseItems(text)).took.toFixed(0)} ms`,
  )
  const reflection = { now, isLate: () => false, waitMs: 1000 }
  const weighed = timed(() => {
    for (let n = 0; n < 50; n++) if (reflectAll(store, reflection).isComplete) break
  })
  const idle = timed(() => reflectAll(store, reflection))
  console.log(
    `reflection: first time ${(weighed.took / 1000).toFixed(1)} s, nothing new ${idle.took.toFixed(0)} ms; ${allFacts(readFacts(store)).length} facts as before`,
  )

  const env = { ...cleanEnv(), HOME: home, CLAUDE_PROJECT_DIR: project }
  const payload = {
    hook_event_name: 'SessionStart',
    source: 'startup',
    session_id: 'new',
    transcript_path: '',
    cwd: project,
  }
  console.log(
    renderTimes(
      timeVariants(
        [
          { name: 'node -e 0', command: process.execPath, args: ['-e', '0'], stdin: '{}', env },
          {
            name: `SessionStart with ${all.length} facts, prepared`,
            command: process.execPath,
            args: [HOOK],
            stdin: JSON.stringify(payload),
            env,
            before: () => void spawnSync(process.execPath, [KEEPER, 'catch-up', project], { env }),
          },
          {
            name: 'the same, its briefing rendered anew',
            command: process.execPath,
            args: [HOOK],
            stdin: JSON.stringify(payload),
            env,
            // As after any change of the memory that no finisher has seen.
            before: () =>
              rmSync(path.join(home, '.cache', 'memory-keeper', 'briefings'), { recursive: true, force: true }),
          },
        ],
        15,
      ),
    ),
  )
} finally {
  rmSync(dir, { recursive: true, force: true })
}
