/** Folds hits about the same event into one: a note or fact and the entry it was derived from, and repeated texts. */

import type { Kind } from '../../kernel/memory/document.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { ownerInId } from '../../kernel/trust/share-files.ts'
import { FACT_KIND_NAMES } from '../knowledge/item.ts'
import { layerOf } from './corpus.ts'

export interface Foldable {
  id: string
  kind: Kind
  /** The session's id8 and the entry's number, for entries. */
  session: string | null
  n: number
  /** The entries it was derived from, as `<id8>#<from>-<to>`. */
  about: string
  text: string
  state: string
  /** The words of the question that it contains. */
  held: ReadonlySet<number>
}

export interface FoldedHits<T> {
  /** The best ranked hit; if that is a note about many entries, the entry. */
  hit: T
  /** Best first. */
  also: T[]
}

/** Each of these is a statement of its own, even if two have the same source. */
const STATED: ReadonlySet<Kind> = new Set<Kind>([...FACT_KIND_NAMES, 'rule', 'concept'])
/** These cover a whole session, which is not one event. */
const WHOLE: ReadonlySet<Kind> = new Set<Kind>(['session', 'tier'])
/** Any other state weakens a hit (`superseded`, `resolved`): folded below a hit without it, it would look valid. */
const VALID: ReadonlySet<string> = new Set(['', 'fresh', 'pinned', 'by Claude'])
/** A range of at most this many entries is one event. */
const ONE_EVENT = 3

/** In the order of the best ranked member of each group. */
export function foldHits<T extends Foldable>(hits: readonly T[]): FoldedHits<T>[] {
  const groups: [T, ...T[]][] = []
  const byWords = new Map<string, [T, ...T[]]>()
  for (const hit of hits) {
    const words = fingerprint(hit.text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim())
    const twin = byWords.get(words)
    const mayJoin = ([best]: readonly [T, ...T[]]): boolean =>
      !(STATED.has(best.kind) && STATED.has(hit.kind)) && (VALID.has(hit.state) || hit.state === best.state)
    // The same statement from here and from others, or from two of them, is one.
    const isSame = twin !== undefined && (mayJoin(twin) || (twin[0].kind === hit.kind && isOfOthers([twin[0], hit])))
    const same = isSame ? twin : groups.find((group) => mayJoin(group) && isSameEvent(group, hit))
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
    // Without a question every hit is separate.
    if (hit.held.size === 0) return false
    // A note and the best of its entries are one hit; a note and a summary are one if the lower one adds no word of the question.
    if (entries === 1) return isEntry(one) || !group.some(isEntry)
    return [...hit.held].every((word) => group.some(({ held }) => held.has(word)))
  })
}

function isOfOthers(hits: readonly Foldable[]): boolean {
  return hits.some(({ id }) => ownerInId(id) !== null)
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

/** One of them is inside the other. */
function isInside(a: Range, b: Range): boolean {
  return (a.from <= b.from && b.to <= a.to) || (b.from <= a.from && a.to <= b.to)
}
