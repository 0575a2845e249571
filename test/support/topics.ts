/** Sessions of made-up projects: facts about known topics, worded differently each time. */
import { type Fact, type Facts, NO_FACTS } from '../../src/knowledge/fact.ts'
import type { Topic } from '../fixtures/topics.ts'

export interface Labelled {
  fact: Fact
  topic: number
}

const WORDS = ['old', 'admin', 'checkout', 'internal', 'public', 'mobile', 'legacy', 'partner', 'demo', 'nightly']
const FRAMES = [
  '{}',
  'We decided: {}',
  '{} from now on',
  'Agreed with the team: {}',
  '{}, as discussed',
  'Note that {}',
]
const KOREAN_FRAMES = ['{}', '앞으로 {}', '회의에서 정했다: {}', '{} (합의)']

/** Session by session. The same seed gives the same sessions. */
export function sessionsAbout(
  topics: readonly Topic[],
  sessions: number,
  factsEach: number,
  seed: number,
): Labelled[][] {
  const random = randomFrom(seed)
  let number = 0
  return Array.from({ length: sessions }, (_, session) =>
    Array.from({ length: factsEach }, (_, entry) => {
      const topic = random(topics.length)
      return { topic, fact: factAbout(topics[topic] as Topic, ++number, session, entry, random) }
    }),
  )
}

export function factsOf(labelled: readonly Labelled[]): Facts {
  return { ...NO_FACTS, decisions: labelled.map(({ fact }) => fact) }
}

type Random = (below: number) => number

function factAbout(
  { english, korean, files }: Topic,
  number: number,
  session: number,
  entry: number,
  random: Random,
): Fact {
  const isKorean = random(3) === 0
  const said = pick(isKorean ? korean : english, random)
  const text = pick(isKorean ? KOREAN_FRAMES : FRAMES, random)
    .replace('{}', said)
    .replace('{n}', String(2 + random(60)))
    .replace('{w}', pick(WORDS, random))
  const id8 = session.toString(16).padStart(8, '0')
  return {
    id: `d${String(number).padStart(3, '0')}`,
    type: 'decision',
    text,
    reason: null,
    status: null,
    resolution: null,
    at: new Date(Date.UTC(2026, 0, 1 + session)).toISOString(),
    session: id8,
    evidence: { entry, quote: text },
    files: random(3) === 0 ? [pick(files, random)] : [],
    concept: null,
    state: 'fresh',
    author: 'extractive',
  }
}

function pick<T>(values: readonly T[], random: Random): T {
  return values[random(values.length)] as T
}

/** A linear congruential generator: small, and the same everywhere. */
function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export interface Verdict {
  /** Concepts that have facts. */
  used: number
  /** Concepts beyond the first that are mostly about the same topic. */
  duplicates: number
  /** The share of facts that stand in a concept which is mostly about their topic. */
  purity: number
  /** Facts that have no concept. */
  without: number
  /** Topics that a concept is mostly about. */
  covered: number
}

export function judge(facts: Facts, labelled: readonly Labelled[]): Verdict {
  const topicOf = new Map(labelled.map(({ fact, topic }) => [fact.id, topic]))
  const counts = new Map<string, Map<number, number>>()
  const all = [...facts.decisions, ...facts.patterns, ...facts.issues]
  for (const { id, concept } of all) {
    if (concept === null) continue
    const own = counts.get(concept) ?? new Map<number, number>()
    const topic = topicOf.get(id) ?? -1
    own.set(topic, (own.get(topic) ?? 0) + 1)
    counts.set(concept, own)
  }
  const main = [...counts.values()].map((own): [number, number] => [...own].sort((a, b) => b[1] - a[1])[0] ?? [-1, 0])
  const placed = all.filter(({ concept }) => concept !== null).length
  const covered = new Set(main.map(([topic]) => topic)).size
  return {
    used: counts.size,
    duplicates: counts.size - covered,
    purity: main.reduce((sum, [, count]) => sum + count, 0) / Math.max(1, placed),
    without: all.length - placed,
    covered,
  }
}
