/** Sessions of made-up projects: facts about known topics, worded differently each time. */
import { type Fact, type Facts, NO_FACTS } from '../../src/core/fact.ts'
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
