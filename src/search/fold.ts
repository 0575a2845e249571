/** Hits about the same event: a note and what it tells of, a fact and its proof, the same words twice. One of them is shown. */
import { fingerprint } from '../text/fingerprint.ts'
import { type Kind, layerOf } from './corpus.ts'

export interface Foldable {
  id: string
  kind: Kind
  /** The session's id8 and the entry's number, for entries. */
  session: string | null
  n: number
  /** Entries that it tells of, as `<id8>#<from>-<to>`. */
  about: string
  text: string
  /** `superseded`, `resolved`, …: what does not say so reads as if it held. */
  state: string
  /** Which words of the question it holds. */
  held: ReadonlySet<number>
}

export interface FoldedHits<T> {
  hit: T
  /** Best first. */
  also: T[]
}

/** Each says something of its own, also where two were said in one breath. */
const STATED: ReadonlySet<Kind> = new Set<Kind>(['decision', 'pattern', 'issue', 'rule', 'concept'])

/** They tell of a whole session. */
const WHOLE: ReadonlySet<Kind> = new Set<Kind>(['session', 'tier'])

/** A range of so few entries is one event. */
const ONE_EVENT = 3

interface Seen<T> extends FoldedHits<T> {
  range: Range | null
  words: string
}

/** Keeps the order. Nothing is folded into what answers less of the question. */
export function foldHits<T extends Foldable>(hits: readonly T[]): FoldedHits<T>[] {
  const kept: Seen<T>[] = []
  const byWords = new Map<string, Seen<T>>()
  for (const hit of hits) {
    const one: Seen<T> = { hit, also: [], range: rangeOf(hit), words: wordsKey(hit.text) }
    const twin = byWords.get(one.words)
    // Below something without a state it would read as if it held.
    const isOwn = (other: Seen<T>): boolean =>
      areBothStated(other, one) || (hit.state !== '' && hit.state !== other.hit.state)
    const same =
      twin !== undefined && !isOwn(twin) ? twin : kept.find((other) => !isOwn(other) && isSameEvent(other, one))
    if (same !== undefined) {
      same.also.push(hit)
      continue
    }
    kept.push(one)
    if (twin === undefined) byWords.set(one.words, one)
  }
  return kept.map(({ hit, also }) => ({ hit, also }))
}

function areBothStated<T extends Foldable>(one: Seen<T>, other: Seen<T>): boolean {
  return STATED.has(one.hit.kind) && STATED.has(other.hit.kind)
}

/** `other` stands below `best`. */
function isSameEvent<T extends Foldable>(best: Seen<T>, other: Seen<T>): boolean {
  const a = best.range
  const b = other.range
  if (a === null || b === null || a.session !== b.session || !isInside(a, b)) return false
  const areEntries = [best, other].filter(({ hit }) => layerOf(hit.kind) === 'L1').length
  if (areEntries === 2) return false
  // A whole session is no event: only what is itself kept about it is told by its summary.
  const isWhole = WHOLE.has(best.hit.kind) || WHOLE.has(other.hit.kind)
  if (areEntries === 1 && isWhole) return false
  const isNarrow = Math.max(a.to - a.from, b.to - b.from) < ONE_EVENT
  // Who holds no word of the question tells something else; without a question everything does.
  return isNarrow || (other.hit.held.size > 0 && [...other.hit.held].every((word) => best.hit.held.has(word)))
}

interface Range {
  session: string
  from: number
  /** Inclusive. */
  to: number
}

function rangeOf({ kind, session, n, about }: Foldable): Range | null {
  if (layerOf(kind) === 'L1') return session === null ? null : { session, from: n, to: n }
  const [, id8 = '', from, to] = /^([0-9a-z]{8})#(\d+)-(\d+)$/.exec(about) ?? []
  return from === undefined ? null : { session: id8, from: Number(from), to: Number(to) }
}

/** One of them inside the other. */
function isInside(a: Range, b: Range): boolean {
  return (a.from <= b.from && b.to <= a.to) || (b.from <= a.from && a.to <= b.to)
}

function wordsKey(text: string): string {
  return fingerprint(text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim())
}
