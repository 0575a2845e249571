/** Whether memory speaks up at a prompt, and with what: only on evidence. Silence is the usual verdict. */
import type { Columns, Engine } from '../search/corpus.ts'
import { parseQuestion, type Question, type Term } from '../search/question.ts'
import { rank, WEIGHTS, type Weights } from '../search/rank.ts'
import { type RecallEvidence, weighEvidence, worthOf } from './recall-evidence.ts'
import { type Back, HOLLOW, kindAsked, looksBack, namesIn } from './recall-intent.ts'
import { type Pick, pick } from './recall-pick.ts'

export interface Recall {
  fires: boolean
  /** One sentence. */
  verdict: string
  scores: Record<string, number>
  picks: readonly Pick[]
}

export interface JudgeOptions {
  textOf: (doc: number) => string | null
  isWanted?: (doc: number) => boolean
}

/** Measured in `bench/recall.ts`: the whole curve stands in bench/README.md. */
export const GATE = {
  /** Evidence needed: a question about what we did; about what was; one that names somebody; anything else. */
  ours: 0.08,
  lookingBack: 0.2,
  named: 0.75,
  other: 1.3,
  /** This much of the prompt must be covered: of a question about what was, about what is, of anything else. */
  coverage: 0.2,
  isCoverage: 0.5,
  otherCoverage: 0.6,
  /** Somebody or something named that the store has never seen: it is about something else. */
  unknownName: 0.3,
}

/** Words of the last exchange that give a subject to a question that names none. */
/** So many documents are ranked for a prompt. */
const RANKED = 24

const BORROWED = 6
const BORROWED_WEIGHT = 0.5
/** Memories that hold a rare name. */
const FEW = 3
const FEW_SHARE = 0.01
/** A hook looks at fewer: measured, the packet stays the same. */
const QUICK: Weights = { ...WEIGHTS, first: 30, reach: 1 }

export function judgePrompt(
  prompt: string,
  lastExchange: string,
  columns: Columns,
  engine: Engine,
  options: JudgeOptions,
): Recall {
  const back = looksBack(prompt)
  const own = parseQuestion(prompt)
  const isBack = back === 'ours' || back === 'was'
  const isShort = isBack && subjectsOf(own.terms) < 2
  const question = isShort ? borrow(own, lastExchange) : own
  const { terms } = question
  const names = namesIn(prompt)
  const isSingle = subjectsOf(terms) < 2
  const early =
    isSingle && terms.length > 0 && !(isBack && subjectsOf(terms) >= 1)
      ? ONE_THING
      : isBack
        ? null
        : whyHopeless(terms, names, columns, engine)
  if (early !== null) return { fires: false, verdict: early, scores: {}, picks: [] }
  const { isWanted } = options
  const { rows, found } = rank(question, columns, engine, {
    limit: RANKED,
    weights: QUICK,
    ...(isWanted === undefined ? {} : { isWanted }),
  })
  const worth = worthOf(terms, found, columns.live, names)
  const evidence = weighEvidence(rows, terms, worth, columns, engine, own.terms.length)
  const unknown = terms.filter((term, i) => found[i] === 0 && names.has(term.stem)).length
  const strength = evidence.coverage * evidence.mass * (unknown > 0 ? GATE.unknownName : 1)
  const needed = neededFor(back, names.size > 0)
  const scores = { ...numbers(evidence), unknownNames: unknown, strength, needed }
  const lacking =
    rows.length === 0
      ? 'Nothing remembered holds a telling word of it.'
      : whatLacks({
          evidence,
          strength,
          needed,
          back,
          isShort,
          isRare: isSingle && isOneRareName(prompt, names, own.terms, found, columns.live),
        })
  if (lacking !== null) return { fires: false, verdict: lacking, scores, picks: [] }
  const worthOfStem = new Map(terms.map(({ stem }, i) => [stem, worth[i] ?? 0]))
  const picks = pick(rows, columns, engine, {
    worthOf: (stem) => worthOfStem.get(stem) ?? 0,
    isKind: kindAsked(prompt, own.wants),
    textOf: options.textOf,
  })
  if (picks.length === 0) return { fires: false, verdict: 'What is remembered of it has changed since.', scores, picks }
  const kind = isBack ? 'It asks about what was' : back === 'is' ? 'It is a question' : 'It is about something known'
  const share = Math.round(evidence.coverage * 100)
  return {
    fires: true,
    verdict: `${kind}, and ${share} % of its telling words stand together in one memory.`,
    scores,
    picks,
  }
}

const ONE_THING = 'It names one thing only, or none.'

/** "Why Redis?": one name is enough, where few memories hold it. In a Korean sentence every Latin word is one. */
function isOneRareName(
  prompt: string,
  names: ReadonlySet<number>,
  terms: readonly Term[],
  found: readonly number[],
  live: number,
): boolean {
  const isForeign = /[\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7A3]/.test(prompt)
  return terms.some(({ stem, word }, i) => {
    const isName = names.has(stem) || /\d/.test(word) || (isForeign && /^[a-z]/.test(word))
    const count = found[i] ?? 0
    return isName && count > 0 && count <= Math.max(FEW, FEW_SHARE * live)
  })
}

/** Where counting words is quick: most prompts are about something else, and need not be ranked to know it. */
function whyHopeless(
  terms: readonly Term[],
  names: ReadonlySet<number>,
  columns: Columns,
  engine: Engine,
): string | null {
  if (engine.name !== 'fts5') return null
  const stems = terms.map(({ stem }) => stem)
  const { found } = engine.look(stems, [1, 1, 1, 1], 0, null)
  const worth = worthOf(terms, found, columns.live, names)
  const square = (isCounted: (i: number) => boolean): number =>
    worth.reduce((sum, one, i) => sum + (isCounted(i) ? one * one : 0), 0)
  const known = square((i) => (found[i] ?? 0) > 0)
  return known <= GATE.otherCoverage * square(() => true)
    ? 'Too little of what it is about is remembered at all.'
    : null
}

function neededFor(back: Back, isNamed: boolean): number {
  if (back === 'no') return GATE.other
  if (back === 'is') return GATE.named
  return back === 'ours' ? GATE.ours : isNamed ? GATE.named : GATE.lookingBack
}

interface Case {
  evidence: RecallEvidence
  strength: number
  needed: number
  back: Back
  isShort: boolean
  isRare: boolean
}

/** One sentence, or null: it is enough. */
function whatLacks({ evidence, strength, needed, back, isShort, isRare }: Case): string | null {
  const isBack = back === 'ours' || back === 'was'
  if (evidence.own === 0) return 'No memory holds a telling word of it.'
  // Borrowed words prove less: the question's own must stand with two of them.
  const words = isRare ? 1 : isShort ? 3 : 2
  if (evidence.words < words) return isShort ? ONE_THING : 'No memory holds enough telling words of it together.'
  if (!isBack && !evidence.isNear) return 'Its telling words never stand together in what is remembered.'
  const covered = isBack ? GATE.coverage : back === 'is' ? GATE.isCoverage : GATE.otherCoverage
  if (evidence.coverage <= covered) {
    return `What is remembered covers only ${Math.round(evidence.coverage * 100)} % of what it is about.`
  }
  if (strength > needed) return null
  return `What is remembered says too little about it: ${Math.floor(strength * 100) / 100}, where more than ${needed} is needed.`
}

function numbers({ isNear, ...rest }: RecallEvidence): Record<string, number> {
  return { ...rest, near: isNear ? 1 : 0 }
}

/** What it could be about; pairs of characters are parts of one. */
function subjectsOf(terms: readonly Term[]): number {
  return terms.reduce((sum, { word, weight }) => sum + (HOLLOW.has(word) ? 0 : Math.min(1, weight)), 0)
}

/** With words of the last exchange, at half their weight. */
function borrow(question: Question, lastExchange: string): Question {
  const known = new Set(question.terms.map(({ stem }) => stem))
  const more = parseQuestion(lastExchange)
    .terms.filter(({ stem, word, weight }) => !known.has(stem) && (weight < 1 || word.length > 3))
    .slice(0, BORROWED)
  return { ...question, terms: [...question.terms, ...more.map((term) => ({ ...term, weight: BORROWED_WEIGHT }))] }
}
