/** Whether memory speaks up at a prompt, and with what: only on evidence. Silence is the usual verdict. */
import type { Columns, Engine } from './corpus.ts'
import { parseQuestion, type Question, type Term } from './question.ts'
import { rank, WEIGHTS, type Weights } from './rank.ts'
import { type Evidence, weigh, worthOf } from './recall-evidence.ts'
import { type Back, HOLLOW, kindAsked, looksBack, namesIn } from './recall-intent.ts'
import { type Pick, pick, TOLD } from './recall-pick.ts'

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
  /** Without a question, this much of the prompt must be covered. */
  otherCoverage: 0.6,
  /** Somebody or something named that the store has never seen: it is about something else. */
  unknownName: 0.3,
}

/** Words of the last exchange that give a subject to a question that names none. */
const BORROWED = 6
const BORROWED_WEIGHT = 0.5
/** A hook looks at fewer: measured, the packet stays the same. */
const QUICK: Weights = { ...WEIGHTS, first: 30, reach: 1 }

export function judge(
  prompt: string,
  lastExchange: string,
  columns: Columns,
  engine: Engine,
  options: JudgeOptions,
): Recall {
  const back = looksBack(prompt)
  const own = parseQuestion(prompt)
  const isShort = back !== 'no' && subjectsOf(own.terms) < 2
  const question = isShort ? borrow(own, lastExchange) : own
  const { terms } = question
  const { isWanted } = options
  const { rows, found } = rank(question, columns, engine, {
    limit: 3 * TOLD,
    weights: QUICK,
    ...(isWanted === undefined ? {} : { isWanted }),
  })
  const names = namesIn(prompt)
  const worth = worthOf(terms, found, columns.live, names)
  const evidence = weigh(rows, terms, worth, columns, engine, own.terms.length)
  const unknown = terms.filter((term, i) => found[i] === 0 && names.has(term.stem)).length
  const strength = evidence.coverage * evidence.mass * (unknown > 0 ? GATE.unknownName : 1)
  const needed = neededFor(back, names.size > 0)
  const scores = { ...numbers(evidence), unknownNames: unknown, strength, needed }
  const lacking =
    rows.length === 0
      ? 'Nothing remembered holds a telling word of it.'
      : whatLacks({ evidence, strength, needed, isBack: back !== 'no', isShort, subjects: subjectsOf(terms) })
  if (lacking !== null) return { fires: false, verdict: lacking, scores, picks: [] }
  const worthOfStem = new Map(terms.map(({ stem }, i) => [stem, worth[i] ?? 0]))
  const picks = pick(rows, columns, engine, {
    worthOf: (stem) => worthOfStem.get(stem) ?? 0,
    isKind: kindAsked(prompt, own.wants),
    textOf: options.textOf,
  })
  if (picks.length === 0) return { fires: false, verdict: 'What is remembered of it has changed since.', scores, picks }
  const kind = back === 'no' ? 'A prompt' : 'A question about what was'
  return { fires: true, verdict: `${kind} whose telling words are remembered together.`, scores, picks }
}

function neededFor(back: Back, isNamed: boolean): number {
  if (back === 'no') return GATE.other
  return back === 'ours' ? GATE.ours : isNamed ? GATE.named : GATE.lookingBack
}

interface Case {
  evidence: Evidence
  strength: number
  needed: number
  isBack: boolean
  isShort: boolean
  subjects: number
}

/** One sentence, or null: it is enough. */
function whatLacks({ evidence, strength, needed, isBack, isShort, subjects }: Case): string | null {
  if (subjects < 2) return 'It names one thing only, or none.'
  if (evidence.own === 0) return 'No memory holds a telling word of it.'
  // Borrowed words prove less: the question's own must stand with two of them.
  if (evidence.words < (isShort ? 3 : 2)) return 'No memory holds enough telling words of it together.'
  if (!isBack && !evidence.isNear) return 'Its telling words never stand together in what is remembered.'
  if (!isBack && evidence.coverage <= GATE.otherCoverage) {
    return `What is remembered covers only ${Math.round(evidence.coverage * 100)} % of what it is about.`
  }
  if (strength > needed) return null
  return `What is remembered says too little about it: ${strength.toFixed(2)}, where ${needed} is needed.`
}

function numbers({ isNear, ...rest }: Evidence): Record<string, number> {
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
