/** Hits about the same event are one hit: a note or fact and the entry it was made from, and the same words twice. */
import { fingerprint } from '../text/fingerprint.ts'
import { type Kind, layerOf } from './corpus.ts'

export interface Foldable {
  id: string
  kind: Kind
  /** The session's id8 and the entry's number, for entries. */
  session: string | null
  n: number
  /** The entries it was made from, as `<id8>#<from>-<to>`. */
  about: string
  text: string
  state: string
  /** The words of the question that it contains. */
  held: ReadonlySet<number>
}

export interface FoldedHits<T> {
  /** The best ranked; the entry, where that is a note about many. */
  hit: T
  /** Best first. */
  also: T[]
}

/** Each says something of its own, also where two have the same source. */
const STATED: ReadonlySet<Kind> = new Set<Kind>(['decision', 'pattern', 'issue', 'rule', 'concept'])
/** They tell of a whole session, which is no event. */
const WHOLE: ReadonlySet<Kind> = new Set<Kind>(['session', 'tier'])
/** Any other state weakens a hit (`superseded`, `resolved`): below a hit without it, it would read as valid. */
const VALID: ReadonlySet<string> = new Set(['', 'fresh', 'pinned', 'by Claude'])
/** A range of so few entries is one event. */
const ONE_EVENT = 3

/** In the order of the best ranked member of each. */
export function foldHits<T extends Foldable>(hits: readonly T[]): FoldedHits<T>[] {
  const groups: [T, ...T[]][] = []
  const byWords = new Map<string, [T, ...T[]]>()
  for (const hit of hits) {
    const words = fingerprint(hit.text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim())
    const twin = byWords.get(words)
    const mayJoin = ([best]: readonly [T, ...T[]]): boolean =>
      !(STATED.has(best.kind) && STATED.has(hit.kind)) && (VALID.has(hit.state) || hit.state === best.state)
    const same =
      twin !== undefined && mayJoin(twin) ? twin : groups.find((group) => mayJoin(group) && isSameEvent(group, hit))
    if (same !== undefined) {
      same.push(hit)
      continue
    }
    const group: [T, ...T[]] = [hit]
    groups.push(group)
    if (twin === undefined) byWords.set(words, group)
  }
  return groups.map((group) => {
    const [best] = group
    const range = rangeOf(best)
    const isWide = range !== null && range.to - range.from >= ONE_EVENT
    const hit = isWide && VALID.has(best.state) ? (group.find(isEntry) ?? best) : best
    return { hit, also: group.filter((one) => one !== hit) }
  })
}

function isSameEvent<T extends Foldable>(group: readonly T[], hit: T): boolean {
  return group.some((one) => {
    const [a, b] = [rangeOf(one), rangeOf(hit)]
    if (a === null || b === null || a.session !== b.session || !isInside(a, b)) return false
    const entries = [one, hit].filter(isEntry).length
    const isOneOf = (kinds: ReadonlySet<Kind>): boolean => kinds.has(one.kind) || kinds.has(hit.kind)
    if (entries === 2 || isOneOf(entries === 1 ? WHOLE : STATED)) return false
    if (Math.max(a.to - a.from, b.to - b.from) < ONE_EVENT) return true
    // Without a question every hit tells something of its own.
    if (hit.held.size === 0) return false
    // A note and the best of its entries are one hit; a note and a summary, if the lower one adds no word of the question.
    if (entries === 1) return isEntry(one) || !group.some(isEntry)
    return [...hit.held].every((word) => group.some(({ held }) => held.has(word)))
  })
}

function isEntry({ kind }: Foldable): boolean {
  return layerOf(kind) === 'L1'
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
