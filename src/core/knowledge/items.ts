/** All items of a memory as one list: finds, adds, changes and removes items, and compares their texts. */

import { once, perObject } from '../../kernel/text/once.ts'
import { tellingWords } from '../../kernel/text/words.ts'
import {
  FACT_KINDS,
  type Fact,
  ITEM_KINDS,
  type Item,
  isFact,
  isOpenIssue,
  type NewItem,
  type PermanentItem,
} from './item.ts'

export interface Items {
  /** `counter`: the highest number ever used for a fact, so that none is used twice. */
  _meta: { counter: number; version: number }
  /** In each kind in the order of its list in the file. */
  list: readonly Item[]
  /** What else the file contains, beside the places of `_meta` and of the lists: writing never drops it. */
  rest: { permanent: Readonly<Record<string, unknown>>; [name: string]: unknown }
}

/** The places of the lists in a new file. */
const PLACES = { _meta: null, decisions: null, patterns: null, issues: null }
export const NO_PERMANENT = { rules: null, solutions: null, core_logic: null }

export const NO_ITEMS: Items = {
  _meta: { counter: 0, version: 5 },
  list: [],
  rest: { ...PLACES, permanent: NO_PERMANENT },
}

type OfKind<Kind> = Kind extends keyof typeof ITEM_KINDS ? (typeof ITEM_KINDS)[Kind]['list'] : never
type Lists = { readonly [Kind in Fact['kind'] as OfKind<Kind>]: readonly Fact[] } & {
  readonly [Kind in PermanentItem['kind'] as OfKind<Kind>]: readonly PermanentItem[]
}

/** The items of each kind, by the name of their list. */
export function byKind({ list }: Pick<Items, 'list'>): Lists {
  return listsOf(list)
}

const listsOf = /* @__PURE__ */ perObject((list: readonly Item[]): Lists => {
  const lists = Object.fromEntries(Object.values(ITEM_KINDS).map((kind) => [kind.list, [] as Item[]]))
  for (const item of list) lists[ITEM_KINDS[item.kind].list]?.push(item)
  return lists as unknown as Lists
})

/** Decisions first. */
export function allFacts(items: Pick<Items, 'list'>): Fact[] {
  const { decisions, patterns, issues } = byKind(items)
  return [...decisions, ...patterns, ...issues]
}

/** Rules first. */
export function allPermanent(items: Pick<Items, 'list'>): PermanentItem[] {
  const { rules, solutions, core_logic } = byKind(items)
  return [...rules, ...solutions, ...core_logic]
}

export function openIssues(items: Pick<Items, 'list'>): Fact[] {
  return byKind(items).issues.filter(isOpenIssue)
}

/** Ignores the case of the id: `D001` is `d001`. */
export function findFact(items: Items, given: string): Fact | null {
  return withId(allFacts(items), given)
}

export function findPermanent(items: Items, given: string): PermanentItem | null {
  return withId(allPermanent(items), given)
}

function withId<T extends Item>(some: readonly T[], given: string): T | null {
  const id = given.trim().toLowerCase()
  return some.find((one) => one.id.toLowerCase() === id) ?? null
}

/** An item of another kind comes last in its new list. */
export function replaceItem(items: Items, before: Item, after: Item): Items {
  if (before.kind !== after.kind) return { ...items, list: [...items.list.filter((one) => one !== before), after] }
  return { ...items, list: items.list.map((one) => (one === before ? after : one)) }
}

/** Returns the same object if nothing changes. */
export function mapItems(items: Items, change: (item: Item) => Item): Items {
  const list = items.list.map(change)
  return list.every((item, i) => item === items.list[i]) ? items : { ...items, list }
}

export function mapFacts(items: Items, change: (fact: Fact) => Fact): Items {
  return mapItems(items, (item) => (isFact(item) ? change(item) : item))
}

export function withoutFacts(items: Items, isGone: (fact: Fact) => boolean): Items {
  return { ...items, list: items.list.filter((item) => !isFact(item) || !isGone(item)) }
}

/** The number of a fact was never used before, not even for a fact that somebody deleted by hand. */
export function addItem<T extends Fact | PermanentItem>(items: Items, fresh: NewItem<T>): { items: Items; item: T } {
  const { letter } = ITEM_KINDS[fresh.kind]
  const own = highestNumber(items.list.filter(({ kind }) => ITEM_KINDS[kind].letter === letter))
  const isCounted = fresh.kind in FACT_KINDS
  const number = Math.max(isCounted ? items._meta.counter : 0, own) + 1
  const item = { id: idWith(letter, number), ...fresh } as T
  const _meta = isCounted ? { ...items._meta, counter: number } : items._meta
  return { items: { ...items, _meta, list: [...items.list, item] }, item }
}

export function highestNumber(some: readonly Item[]): number {
  return some.reduce((most, { id }) => Math.max(most, numberOf(id)), 0)
}

/** The number of `d012`; 0: it has none. */
export function numberOf(id: string): number {
  return Number(/^\D{0,40}(\d{1,10})$/.exec(id)?.[1] ?? 0)
}

export function idWith(letter: string, number: number): string {
  return `${letter}${String(number).padStart(3, '0')}`
}

/** The number of an id with this letter, such as 12 of r012; 0: it is none. */
export function idNumber(letter: string, id: unknown): number {
  return typeof id === 'string' && id[0] === letter ? Number(/^.(\d{1,9})$/.exec(id)?.[1] ?? 0) : 0
}

const WORD = once(() => /[\p{L}\p{N}_]+(?:[.'’-][\p{L}\p{N}_]+)*/gu)
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'the'])

/** The same words in the same order. A looser comparison would merge "use tabs" with "never use tabs". */
export function isSameFact(a: string, b: string): boolean {
  return a === b || textKey(a) === textKey(b)
}

/** Equal for texts that say the same. */
export function textKey(text: string): string {
  const words = text.normalize('NFKC').toLowerCase().match(WORD()) ?? []
  return words.filter((word) => !ARTICLES.has(word)).join(' ')
}

/** The Dice coefficient of the content words. Only a hint: the caller decides. */
export function similarity(one: string, other: string): number {
  const [a, b] = [tellingWords(one), tellingWords(other)]
  if (a.size === 0 || b.size === 0) return a.size === b.size ? 1 : 0
  return (2 * [...a].filter((word) => b.has(word)).length) / (a.size + b.size)
}
