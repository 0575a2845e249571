/** Finds the documents that may answer a query: by rank or by age, filtered, read, and folded if they describe the same event. */

import { KINDS, type Unit } from '../../../kernel/memory/document.ts'
import { stemOf } from '../../../kernel/text/token.ts'
import { layerOf } from '../corpus.ts'
import { type FoldedHits, foldHits } from '../fold.ts'
import { neededStems, textTest } from '../match.ts'
import { ALL_KINDS, isTimeless, type Operators } from '../operators.ts'
import { parseQuestion, type Question } from '../question.ts'
import { rank } from '../rank.ts'
import type { SearchIndex } from './memory-index.ts'
import { holdsEach, namesInQuery, writtenWords } from './search-typo.ts'

/** Some candidates are folded, and some do not contain the phrase. */
const ASKED_PER_HIT = 2
/** For a question with this many words the answer need not contain one: it may be beside a document that does. */
const WORDS_OF_A_QUESTION = 3
/** The number of candidates that are reordered: whole names first, few entries of one session first. */
const LOOKED_AT = 50
const EQUAL_WEIGHTS = [1, 1, 1, 1] as const
/** Phrases without an indexed word are searched by reading at most this many texts, the newest. */
export const MOST_READ = 20_000

/** The weight of a fact by its state, relative to a fresh one. */
const WORTH: Readonly<Record<string, number>> = { superseded: 0.5, stale: 0.9 }

/** A note about many entries contains many words and may rank above the entry that answers. */
const WIDE: ReadonlySet<string> = new Set(['note', 'session', 'tier'])
const WIDE_WORTH = 0.9
/** A file or folder that was only looked at, without output: it contains many names and answers nothing. */
const LOOK = /^(?:Read|Grep|Glob|LS) [^\n]*$/
const LOOK_WORTH = 0.7

export interface Candidate extends Unit {
  doc: number
  score: number
  session: string | null
  /** The stems of the question that it contains. */
  held: ReadonlySet<number>
}

export interface Gathered {
  asked: Operators
  folded: FoldedHits<Candidate>[]
  question: Question
  /** The number of documents with each stem of the question. */
  counts: ReadonlyMap<number, number>
  /** There were more texts than could be read. */
  isCut: boolean
}

/** The best `limit` after folding; at most `most` entries of each session come first. */
export function gather(index: SearchIndex, asked: Operators, limit: number, most = limit): Gathered {
  const question = parseQuestion(asked.words)
  const stems = new Set(question.terms.map(({ stem }) => stem))
  const isWanted = wantedTest(index, asked)
  const source = stems.size > 0 ? ranked(index, question, isWanted) : newest(index, asked, isWanted)
  const read = reader(index, asked, stems)
  const mustHold = stems.size > 0 && !mayStandBeside(asked)
  const names = onlyNames(asked.words)
  for (let wanted = Math.max(limit * ASKED_PER_HIT, names.length > 0 || most < limit ? LOOKED_AT : 0); ; wanted *= 4) {
    const { rows, found } = source(wanted)
    const candidates = freshFirst(rows.flatMap(({ doc, score }) => read(doc, score) ?? []))
    const holding = mustHold ? candidates.filter(({ held }) => held.size > 0) : candidates
    const folded = spread(foldHits(namedFirst(holding, names)), most)
    const isCut = folded.length < limit && stems.size === 0 && rows.length >= MOST_READ
    if (folded.length < limit && rows.length === wanted && !isCut) continue
    const counts = new Map(question.terms.map(({ stem }, i) => [stem, found[i] ?? 0]))
    return { asked, folded: folded.slice(0, limit), question, counts, isCut }
  }
}

/** Moves entries of a session beyond the first `most` behind everything else. */
function spread(folded: readonly FoldedHits<Candidate>[], most: number): FoldedHits<Candidate>[] {
  const counts = new Map<string, number>()
  const isLate = ({ hit: { kind, session } }: FoldedHits<Candidate>): boolean => {
    if (layerOf(kind) !== 'L1' || session === null) return false
    counts.set(session, (counts.get(session) ?? 0) + 1)
    return (counts.get(session) ?? 0) > most
  }
  const late = new Set(folded.filter(isLate))
  return [...folded.filter((one) => !late.has(one)), ...late]
}

/** Outdated items come after current ones, unless they match far better. Without a question the order is by time. */
function freshFirst(candidates: readonly Candidate[]): Candidate[] {
  return candidates
    .map((candidate) => ({
      ...candidate,
      score: candidate.score * (WORTH[candidate.state] ?? 1) * worthOfKind(candidate),
    }))
    .sort((a, b) => b.score - a.score)
}

function worthOfKind({ kind, text }: Candidate): number {
  if (WIDE.has(kind)) return WIDE_WORTH
  return kind === 'tool' && LOOK.test(text) ? LOOK_WORTH : 1
}

/** The names of a query that consists only of names; otherwise none. */
function onlyNames(words: string): string[] {
  const names = namesInQuery(words)
  return names.length === words.trim().split(/\s+/).length ? names : []
}

/** A user who types a name wants that name: documents with only parts of it come later. */
function namedFirst(candidates: readonly Candidate[], names: readonly string[]): readonly Candidate[] {
  if (names.length === 0) return candidates
  const isNamed = candidates.map(({ text }) => holdsEach([text], names))
  return [...candidates.filter((_, i) => isNamed[i]), ...candidates.filter((_, i) => !isNamed[i])]
}

/** Beside an excluded text nothing is wanted either. */
function mayStandBeside({ words, without, withoutFiles }: Operators): boolean {
  if (without.length + withoutFiles.length > 0) return false
  return new Set(writtenWords(words).map(({ word }) => word)).size >= WORDS_OF_A_QUESTION
}

type Source = (most: number) => { rows: readonly { doc: number; score: number }[]; found: readonly number[] }
type Wanted = (doc: number) => boolean

function ranked({ columns, engine }: SearchIndex, question: Question, isWanted: Wanted | null): Source {
  return (most) => rank(question, columns, engine, { limit: most, ...(isWanted === null ? {} : { isWanted }) })
}

/** Without a question the latest come first. */
function newest(index: SearchIndex, asked: Operators, isWanted: Wanted | null): Source {
  const docs = newestDocs(index, asked, isWanted)
  return (most) => ({ rows: docs.slice(0, most).map((doc) => ({ doc, score: 0 })), found: [] })
}

/** The documents that may pass, by what the index knows of them. */
export function newestDocs(index: SearchIndex, asked: Operators, isWanted = wantedTest(index, asked)): number[] {
  const { columns, engine } = index
  const rarest = rarestOf(index, neededStems(asked))
  const docs =
    rarest !== null
      ? [...engine.look([rarest], EQUAL_WEIGHTS, columns.count, isWanted).docs]
      : Array.from({ length: columns.count }, (_, doc) => doc).filter(
          (doc) => columns.dead[doc] !== 1 && isWanted?.(doc) !== false,
        )
  return docs.sort((a, b) => (columns.seconds[b] ?? 0) - (columns.seconds[a] ?? 0) || b - a)
}

/** Each of the stems must be there: the fewest documents contain this one. */
function rarestOf({ engine }: SearchIndex, stems: readonly number[]): number | null {
  const { found } = engine.look(stems, EQUAL_WEIGHTS, 0, null)
  return stems[found.indexOf(Math.min(...found))] ?? null
}

/** A test that needs no text; null: everything is wanted. */
function wantedTest(index: SearchIndex, asked: Operators): Wanted | null {
  const { kinds, since, until, session } = asked
  const { columns } = index
  const tests: Wanted[] = []
  if (kinds.size < ALL_KINDS.size) {
    const isKind = KINDS.map((kind) => kinds.has(kind))
    tests.push((doc) => isKind[columns.kind[doc] ?? 0] === true)
  }
  if (!isTimeless(asked)) {
    tests.push((doc) => {
      const at = (columns.seconds[doc] ?? 0) * 1000
      return at !== 0 && at + 999 >= since && at < until
    })
  }
  if (session !== null) tests.push((doc) => index.placeOf(doc).session === session)
  const needed = neededStems(asked)
  if (needed.length > 0) tests.push((doc) => heldIn(index, doc, needed).size === needed.length)
  return tests.length === 0 ? null : (doc) => tests.every((test) => test(doc))
}

/** Which of the stems the document contains. */
function heldIn({ engine }: SearchIndex, doc: number, stems: readonly number[]): Set<number> {
  const places = engine.placesOf(doc, stems)
  const held = new Set<number>()
  for (let i = 1; i < places.length; i += 2) held.add(stemOf(places[i] ?? 0))
  return held
}

/** Null: the text was deleted, or does not contain what it must. Each text is read once. */
type Read = (doc: number, score: number) => Candidate | null

function reader(index: SearchIndex, asked: Operators, stems: ReadonlySet<number>): Read {
  const test = textTest(asked)
  const seen = new Map<number, Omit<Candidate, 'score'> | null>()
  const read = (doc: number): Omit<Candidate, 'score'> | null => {
    const unit = index.unitOf(doc)
    if (unit === null || test?.(unit.text) === false) return null
    return { ...unit, doc, session: index.placeOf(doc).session, held: heldIn(index, doc, [...stems]) }
  }
  return (doc, score) => {
    const known = seen.get(doc) ?? (seen.has(doc) ? null : read(doc))
    seen.set(doc, known)
    return known === null ? null : { ...known, score }
  }
}
