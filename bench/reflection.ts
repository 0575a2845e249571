/** How long does reflection take in a memory of a thousand sessions and ten thousand facts, at first and when nothing is new? */

import { readFacts, writeFacts } from '../src/knowledge/disk/knowledge.ts'
import { reflect } from '../src/knowledge/disk/reflection.ts'
import { type Fact, type Facts, NO_FACTS } from '../src/knowledge/fact.ts'
import { allPermanent } from '../src/knowledge/permanent.ts'
import type { Store } from '../src/memory/disk/store.ts'
import { sessionFile } from '../src/platform/layout.ts'
import { formatEntry } from '../src/transcript/session.ts'
import { makePlace, NOW } from './support/corpus.ts'

const SESSIONS = 1_000
const FACTS_PER_SESSION = 10
/** One fact in so many is said in four sessions. */
const RECURRING = 50
const CONCEPTS = 60
/** Made-up words, the first ones far more frequent than the last, as in any language. */
const WORDS = Array.from(
  { length: 3_000 },
  (_, i) =>
    ['ka', 'lo', 'mi', 'ra', 'te', 'zu', 'ne', 'so', 'vi', 'do']
      .flatMap((one, k, all) => (k < 2 + (i % 3) ? [all[(i * (k + 3) + k * k) % 10], one] : []))
      .join('') + String(i % 7),
)
const WORDS_PER_FACT = 9

const place = makePlace()
const { store } = place
write(store)
const steps: [string, Facts | null][] = [
  ['first time', null],
  ['nothing new', null],
  ['one fact changed', saidOnceMore(readFacts(store))],
]
console.log(
  `${SESSIONS} sessions, ${SESSIONS * FACTS_PER_SESSION} facts\n\n| reflection | ms | hold | wait |\n|---|--:|--:|--:|`,
)
for (const [name, change] of steps) {
  if (change !== null) writeFacts(store, readFacts(store), { ...readFacts(store), decisions: change.decisions }, NOW)
  const began = performance.now()
  reflect(store, NOW)
  const ms = performance.now() - began
  const items = allPermanent(readFacts(store).permanent)
  const count = (status: string): number => items.filter((item) => item.status === status).length
  console.log(`| ${name} | ${ms.toFixed(0)} | ${count('active')} | ${count('proposed')} |`)
}
place.remove()

function write(to: Store): void {
  const files = Array.from({ length: SESSIONS }, (_, s) => ({
    do: 'write' as const,
    path: `sessions/${sessionFile(timeOf(s), id8(s))}`,
    text: Array.from({ length: FACTS_PER_SESSION }, (_, n) =>
      formatEntry({ role: n % 2 === 0 ? 'user' : 'assistant', ts: timeOf(s), text: textOf(saidIn(s, n)) }),
    ).join(''),
  }))
  to.perform(files)
  const decisions = Array.from({ length: SESSIONS * FACTS_PER_SESSION }, (_, k) => factOf(k))
  writeFacts(to, NO_FACTS, { ...NO_FACTS, _meta: { counter: decisions.length, version: 4 }, decisions }, NOW)
}

/** Every recurring fact is said in the three sessions behind its own as well, at the same place. */
function saidIn(session: number, n: number): number {
  for (let back = 0; back < 4 && session - back >= 0; back++) {
    const k = (session - back) * FACTS_PER_SESSION + n
    if (k % RECURRING === 0) return k
  }
  return session * FACTS_PER_SESSION + n
}

function factOf(k: number): Fact {
  const [session, entry] = [Math.floor(k / FACTS_PER_SESSION), k % FACTS_PER_SESSION]
  const text = textOf(k)
  const later = [1, 2, 3].map((n) => session + n).filter((n) => n < SESSIONS)
  return {
    id: `d${String(k + 1).padStart(5, '0')}`,
    type: 'decision',
    text,
    reason: null,
    status: null,
    resolution: null,
    at: timeOf(session),
    session: id8(session),
    evidence: { entry, quote: text },
    files: [],
    concept: `c${String((k % CONCEPTS) + 1).padStart(3, '0')}`,
    state: 'fresh',
    author: 'extractive',
    ...(k % RECURRING === 0 ? { also: later.map((n) => `${id8(n)}#${entry}`) } : {}),
  }
}

function saidOnceMore(facts: Facts): Facts {
  const decisions = facts.decisions.map((fact, k) =>
    k === 1 ? { ...fact, also: [2, 3, 4].map((n) => `${id8(n)}#1`), lastAt: NOW } : fact,
  )
  return { ...facts, decisions }
}

function textOf(k: number): string {
  let seed = (k + 1) * 2_654_435_761
  const words = Array.from({ length: WORDS_PER_FACT }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return WORDS[Math.floor(WORDS.length * (seed / 2_147_483_648) ** 3)]
  })
  return `We ${words.join(' ')}.`
}

function id8(session: number): string {
  return session.toString(16).padStart(8, '0')
}

function timeOf(session: number): string {
  return new Date(Date.UTC(2026, 0, 1) + session * 3_600_000).toISOString()
}
