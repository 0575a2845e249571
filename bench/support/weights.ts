/** The weights of ranking: each ingredient taken out, and the ones that matter most chosen anew. */
import { WEIGHTS, type Weights } from '../../src/core/search/rank.ts'

/** Ranking without one of its ingredients. */
export const WITHOUT: readonly (readonly [name: string, change: Partial<Weights>])[] = [
  ['windows of neighbours', { around: [0, 0, 0, 0] }],
  ['neighbours of what the first look found', { reach: 0 }],
  ['session', { session: 0 }],
  ['the turn before', { before: 0 }],
  ['exact form', { exact: 0 }],
  ['pairs and closeness', { pair: 0, near: 0 }],
  ['first person', { firstPerson: 1 }],
  ['speaker', { speaker: 1 }],
  ['kind of answer', { wanted: 1 }],
  ['questions answer nothing', { question: 1 }],
  ['dates', { date: datesTo(0) }],
  ['chatter', { chatter: 1 }],
]

/** The six that move the result most, each from off to more than what is shipped. */
export const CHOSEN: readonly (readonly [
  name: string,
  values: readonly number[],
  change: (value: number) => Partial<Weights>,
])[] = [
  ['windows', [0, 0.5, 1, 1.5, 2], (value) => ({ around: WEIGHTS.around.map((weight) => weight * value) })],
  ['session', [0, 0.25, 0.5, 0.75, 1], (session) => ({ session })],
  ['before', [0, 0.15, 0.3, 0.45, 0.6], (before) => ({ before })],
  ['dates', [0, 0.5, 1, 1.5], (value) => ({ date: datesTo(value) })],
  ['speaker', [1, 1.2, 1.35, 1.5, 1.7], (speaker) => ({ speaker })],
  ['firstPerson', [1, 1.2, 1.35, 1.5, 1.7], (firstPerson) => ({ firstPerson })],
]

/** Factors to this power: 0 is off, 1 as shipped. */
function datesTo(power: number): Weights['date'] {
  const factors = Object.entries(WEIGHTS.date).map(([name, factor]) => [name, factor ** power])
  return Object.fromEntries(factors) as Weights['date']
}
