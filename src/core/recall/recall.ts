/**
 * Decides whether something is injected with a prompt, and what. Nothing is, unless one of five signals is found: an ordered operation that
 * failed or is not wanted, a question about what was last or comes next, a pasted error that is known, a number or branch of earlier work,
 * or a question about something that this session has not spoken of.
 */

import { stemOf } from '../../kernel/text/token.ts'
import { isUnspaced } from '../../kernel/text/utf16.ts'
import { stemsOf, type TokenSpan, tokenSpans } from '../../kernel/text/words.ts'
import { KIND_NUMBER } from '../search/engine.ts'
import { parseQuestion, type Term } from '../search/question.ts'
import { rank, WEIGHTS, type Weights } from '../search/rank.ts'
import { FLAG, traitsOf } from '../search/traits.ts'
import { pickFrom, tellableIn } from './closing.ts'
import { findOperation, ordersOperation } from './operation.ts'
import { pick, weighEvidence, worthOf } from './pick.ts'
import type { Prompt } from './prompt.ts'
import { branchesIn, findError, findReference } from './reference.ts'
import type { Recall, Recollection, Remembrance } from './remembrance.ts'

/** In order; null, or without a signal: the next one is tried. */
const SIGNALS: readonly ((prompt: Prompt, memory: Remembrance) => Recall | null)[] = [
  findOperation,
  findStanding,
  findError,
  findReference,
  findAnswer,
]

/** Whether any signal could answer such a prompt: if not, the memory is not looked at. */
export function mayFire(prompt: Prompt, where: Pick<Remembrance, 'branches' | 'branch'>): boolean {
  const { asks, asksStanding, errors, references } = prompt
  if (asks !== null || asksStanding !== null || errors.length > 0 || references.length > 0) return true
  return ordersOperation(prompt) || branchesIn(prompt, where).length > 0
}

/** What each signal finds, in order, until one of them is taken; what the last one says otherwise. */
export function judgePrompt(prompt: Prompt, memory: Remembrance, isTaken: (found: Recall) => boolean): Recall {
  let last = silence('Nothing is remembered that answers such a prompt.')
  for (const find of SIGNALS) {
    const found = find(prompt, memory)
    if (found === null) continue
    last = found
    if (found.signal !== null && isTaken(found)) break
  }
  return last
}

function silence(verdict: string, scores: Recall['scores'] = {}): Recall {
  return { signal: null, verdict, scores, picks: [] }
}

const ANSWER = KIND_NUMBER.answer
const MOST_ANSWERS = 24

/** Where the work stands; with a name beside the phrase, the newest closing answer that holds that name. */
function findStanding({ asksStanding }: Prompt, memory: Remembrance): Recall | null {
  if (asksStanding === null) return null
  // A time is no name, nor is a particle.
  const isName = ({ word, isPair }: TokenSpan): boolean =>
    !isPair && !(word.length === 1 && isUnspaced(word.charCodeAt(0))) && (traitsOf(word) & FLAG.time) === 0
  const names = tokenSpans(asksStanding).filter(isName)
  const stems = [...new Set(names.map(({ token }) => stemOf(token)))]
  const found =
    stems.length === 0 ? memory.standing(memory.branch(), Number.POSITIVE_INFINITY) : newestAnswer(stems, memory)
  const verdict = 'It asks what was last or comes next.'
  return found === null ? null : { signal: 'standing', verdict, scores: {}, picks: [found] }
}

function newestAnswer(stems: readonly number[], memory: Remembrance): Recollection | null {
  const { columns, engine, isWanted, unitOf } = memory
  const isAnswer = (doc: number): boolean => columns.kind[doc] === ANSWER && isWanted?.(doc) !== false
  const { docs } = engine.look(stems, [1, 1, 1, 1], MOST_ANSWERS, isAnswer)
  for (const doc of docs.toSorted((a, b) => (columns.seconds[b] ?? 0) - (columns.seconds[a] ?? 0) || b - a)) {
    const sentences = tellableIn(doc, memory)
    const at = sentences.findIndex((one) => holdsAll(one, stems))
    const unit = at < 0 ? null : unitOf(doc)
    if (unit !== null) return pickFrom(unit, 1, sentences, at)
  }
  return null
}

function holdsAll(text: string, stems: readonly number[]): boolean {
  const own = new Set(stemsOf(text))
  return stems.every((stem) => own.has(stem))
}

/** Measured in `bench/recall.ts`: how many distinctive words must occur together, their minimum share of the worth, and their minimum strength. */
const GATE = {
  past: { words: 2, coverage: 0.25, strength: 0.2 },
  /** The question contains a name with a capital. */
  named: { words: 2, coverage: 0.26, strength: 0.75 },
  now: { words: 3, coverage: 0.45, strength: 0.75 },
  /** A name that the memory does not contain: the prompt is about something else. */
  unknownName: 0.3,
}
/** A question is new if this share of its words at most was said in the session: 4 useful, 1 half of 5; without it 8 noisy ones more. */
const MOST_SAID = 0.5

/** A told sentence must hold this share of the question's worth: on bench -- recall (coding) 50 → 57 % right, 0.4 the same with a quarter fewer. */
const LEAST_SAID_WORTH = 0.3

/** The number of documents ranked for a prompt. */
const RANKED = 24
/** A hook ranks fewer documents: measured, the result stays the same. */
const QUICK: Weights = { ...WEIGHTS, first: 60, reach: 1 }
/** A longer prompt, in tokens, is mostly pasted: its text need not be about the work. Only a question about the past counts. */
const LONGEST_SAID = 300
const PROMPT = KIND_NUMBER.prompt

function findAnswer(prompt: Prompt, memory: Remembrance): Recall | null {
  if (prompt.asks === null) return null
  const isNamed = prompt.asks === 'past' && capitalsIn(prompt.text).size > 0
  const needed = prompt.asks === 'now' ? GATE.now : isNamed ? GATE.named : GATE.past
  const { picks, lacking, scores, share } = weigh(prompt, memory, needed)
  if (picks.length === 0) return silence(lacking, scores)
  const said = shareSaid(prompt.text, memory)
  if (said > MOST_SAID) return silence('It asks about what this session speaks of.', { ...scores, said })
  const kind = needed === GATE.now ? 'It is a question' : 'It asks about the past'
  return {
    signal: 'question',
    verdict: `${kind}, and ${share} of its distinctive words occur together in one memory.`,
    scores: { ...scores, said },
    picks,
  }
}

/** The share of its content words that were said in this session before. */
function shareSaid(text: string, memory: Remembrance): number {
  const terms = parseQuestion(text).terms.filter(isContent)
  const left = new Set(terms.map(({ stem }) => stem))
  for (const one of memory.said()) {
    if (left.size === 0) break
    for (const stem of stemsOf(one)) left.delete(stem)
  }
  return terms.length === 0 ? 1 : 1 - left.size / new Set(terms.map(({ stem }) => stem)).size
}

/** No particle of another script. */
function isContent({ weight }: Term): boolean {
  return weight >= LEAST_CONTENT
}

const LEAST_CONTENT = 0.5

interface Weighed {
  scores: Recall['scores']
  share: string
  /** Empty: `lacking` says why. */
  picks: readonly Recollection[]
  lacking: string
}

function weigh({ text, asks }: Prompt, memory: Remembrance, needed: typeof GATE.past): Weighed {
  const { columns, engine, isWanted } = memory
  const question = parseQuestion(text)
  const { terms } = question
  const isPast = asks === 'past'
  const { rows: ranked, found } = rank(question, columns, engine, {
    limit: RANKED,
    weights: QUICK,
    ...(isWanted === undefined ? {} : { isWanted }),
  })
  const isPasted = (doc: number): boolean => columns.kind[doc] === PROMPT && (columns.length[doc] ?? 0) > LONGEST_SAID
  const rows = isPast ? ranked : ranked.filter(({ doc }) => !isPasted(doc))
  const worth = worthOf(terms, found, columns.live)
  const evidence = weighEvidence(rows, terms, worth, columns, engine)
  const capitals = capitalsIn(text)
  const isUnknown = terms.some(({ stem }, i) => found[i] === 0 && capitals.has(stem))
  const strength = evidence.coverage * evidence.mass * (isUnknown ? GATE.unknownName : 1)
  const { coverage, mass, words, isNear } = evidence
  const scores = { coverage, mass, words, near: Number(isNear), strength, needed: needed.strength }
  const share = `${Math.round(coverage * 100)} %`
  const without = (lacking: string): Weighed => ({ scores, share, picks: [], lacking })
  if (words < needed.words) return without('No memory contains enough of its distinctive words together.')
  if (!isPast && !isNear) return without('Its distinctive words never occur together in the memory.')
  if (coverage <= needed.coverage) return without(`The memory covers only ${share} of it.`)
  if (strength <= needed.strength) {
    const found = Math.floor(strength * 100) / 100
    return without(`The memory contains too little about it: ${found}, where more than ${needed.strength} is needed.`)
  }
  const worthOfStem = new Map(terms.map(({ stem }, i) => [stem, worth[i] ?? 0]))
  const picks = pick(rows, memory, {
    least: LEAST_SAID_WORTH * [...worthOfStem.values()].reduce((sum, one) => sum + one, 0),
    worthOf: (stem) => worthOfStem.get(stem) ?? 0,
    isKind: (sentence) => (traitsOf(sentence) & question.wants) !== 0,
  })
  return { scores, share, picks, lacking: 'No closing answer, fact or word of the user says it in a whole sentence.' }
}

/** Words written as names: with a capital inside a sentence. */
function capitalsIn(text: string): Set<number> {
  return new Set([...text.matchAll(/(?<=[\p{L}\p{N},;] )\p{Lu}\p{Ll}+/gu)].flatMap(([word]) => stemsOf(word)))
}
