/** What stands in a query besides its words: `"phrase"`, `-word`, `file:`, `type:`, `since:`, `until:`, `session:`, `layer:`. */
import { KeeperError } from '../platform/error.ts'
import { KINDS, type Kind, type Layer, layerOf } from './corpus.ts'
import { parseWhen } from './when.ts'

export interface Operators {
  /** What is left, in its order, with the words of the phrases: what is ranked by. */
  words: string
  /** Each must stand in the text, its words in this order. */
  phrases: readonly string[]
  /** Words and phrases that may not. */
  without: readonly string[]
  /** Each must be named in the text, as a path or the end or beginning of one; `*` stands for anything. */
  files: readonly string[]
  withoutFiles: readonly string[]
  kinds: ReadonlySet<Kind>
  /** Milliseconds since 1970: from, up to and not including. */
  since: number
  until: number
  /** The id8 of a session; null: any. */
  session: string | null
}

export const ALL_KINDS: ReadonlySet<Kind> = new Set(KINDS)
export const LAYERS: readonly Layer[] = ['L1', 'L2', 'L3']

/** What people call them. A kind's own name always means that kind. */
const MORE_NAMES: Readonly<Record<string, readonly Kind[]>> = {
  fact: ['decision', 'pattern', 'issue'],
  user: ['prompt'],
  question: ['prompt'],
  assistant: ['answer'],
  claude: ['answer'],
  command: ['tool'],
  agent: ['subagent'],
  memory: ['note'],
  problem: ['issue'],
  bug: ['issue'],
  lesson: ['pattern'],
  summarie: ['summary'],
}

/** The shape of an operator; `://` belongs to an address, `::` to code, `:` alone to a sentence. */
const OPERATOR = /^(-?)(file|type|kind|since|after|until|before|session|layer):(?!\/\/|:)(?=\S)/i
/** Times of several words that need no quotes. */
const LONG_TIME =
  /^(?:(?:last|this|past) (?:week|month|year|hour|day)|\d{1,4} (?:hours?|days?|weeks?|months?|years?)(?: ago)?)(?!\S)/i
/** What closes each quote; keyboards that make curly quotes do not always make them in pairs. */
const QUOTES: Readonly<Record<string, RegExp>> = { '"': /"/, '“': /[”"]/, '„': /[“”"]/, '«': /[»"]/ }
/** Nobody types more; what is pasted must not cost its square. */
const MAX_CHARS = 10_000

/** `now` in milliseconds. Throws only what a person must hear: a value that an operator does not take. */
export function parseOperators(given: string, now: number): Operators {
  const query = given.slice(0, MAX_CHARS)
  const found = createBuilder(now)
  let at = 0
  while (at < query.length) {
    const space = /^\s+/.exec(query.slice(at))?.[0]
    at += space !== undefined ? space.length : takePiece(query.slice(at), found)
  }
  return found.build()
}

/** A kind by its name or one that people use; several with commas. */
export function parseKinds(value: string): Set<Kind> {
  const kinds = listOf(value).flatMap((name) => {
    const kind = KINDS.find((one) => one === name || `${one}s` === name)
    return kind !== undefined ? [kind] : (moreOf(name) ?? moreOf(name.replace(/s$/, '')) ?? refuseKind(name))
  })
  if (kinds.length === 0) refuseKind(value)
  return new Set(kinds)
}

/** `L1`, `l2`, `3`; several with commas. */
export function parseLayers(value: string): Layer[] {
  const layers = listOf(value).map((name) => {
    const layer = LAYERS.find((one) => one.toLowerCase() === name || one.slice(1) === name)
    return layer ?? refuseLayer(name)
  })
  return layers.length > 0 ? layers : [refuseLayer(value)]
}

/** Also with what our ids put before and behind it. */
export function parseSessionName(value: string): string {
  const id8 = /^(?:L1:|S:)?([0-9a-z]{8})(?:-[0-9a-z-]*)?(?:#\d+(?:-\d+)?)?$/i.exec(value.trim())?.[1]
  if (id8 !== undefined) return id8.toLowerCase()
  throw new KeeperError(
    'usage',
    `session takes the id of a session, like session:1a2b3c4d; ${quoted(value)} is none. memory-keeper sessions lists them.`,
  )
}

export function parseTime(name: 'since' | 'until', value: string, now: number): number {
  const when = parseWhen(value, now)
  if (when !== null) return name === 'since' ? when.from : when.to
  throw new KeeperError(
    'usage',
    `${name} takes a day or how long ago, like ${name}:2026-01-03, ${name}:yesterday, ${name}:3d, ${name}:2w or ${name}:"last week"; ${quoted(value)} is none.`,
  )
}

/** Shared by query and options: each narrows what the other allows. */
export function bothKinds(one: ReadonlySet<Kind>, other: ReadonlySet<Kind>): Set<Kind> {
  return new Set([...one].filter((kind) => other.has(kind)))
}

export function isTimeless({ since, until }: Pick<Operators, 'since' | 'until'>): boolean {
  return since === Number.NEGATIVE_INFINITY && until === Number.POSITIVE_INFINITY
}

/** Nothing but words. */
export function hasNoFilter(asked: Operators): boolean {
  const isNamed = [asked.phrases, asked.without, asked.files, asked.withoutFiles].some((list) => list.length > 0)
  return !isNamed && asked.kinds.size === ALL_KINDS.size && isTimeless(asked) && asked.session === null
}

export function kindsIn(layers: readonly Layer[]): Set<Kind> {
  return new Set(KINDS.filter((kind) => layers.includes(layerOf(kind))))
}

interface Builder {
  word(text: string): void
  phrase(text: string): void
  without(text: string): void
  /** `minus`: it stands before what is not wanted; empty otherwise. */
  operator(name: string, value: string, minus: string): void
  build(): Operators
}

function createBuilder(now: number): Builder {
  const words: string[] = []
  const lists = {
    phrases: [] as string[],
    without: [] as string[],
    files: [] as string[],
    withoutFiles: [] as string[],
  }
  let kinds: ReadonlySet<Kind> = ALL_KINDS
  let since = Number.NEGATIVE_INFINITY
  let until = Number.POSITIVE_INFINITY
  let session: string | null = null
  const narrow = (named: ReadonlySet<Kind>, minus: string): void => {
    kinds = bothKinds(kinds, minus === '' ? named : new Set(KINDS.filter((kind) => !named.has(kind))))
  }
  const operator = (name: string, value: string, minus: string): void => {
    if (name === 'file') (minus === '' ? lists.files : lists.withoutFiles).push(value)
    else if (name === 'type' || name === 'kind') narrow(parseKinds(value), minus)
    else if (name === 'layer') narrow(kindsIn(parseLayers(value)), minus)
    else if (minus !== '') throw new KeeperError('usage', `-${name}: is no operator; leave out the minus.`)
    else if (name === 'session') session = oneSession(session, parseSessionName(value))
    else if (name === 'since' || name === 'after') since = Math.max(since, parseTime('since', value, now))
    else until = Math.min(until, parseTime('until', value, now))
  }
  return {
    word: (text) => words.push(text),
    phrase: (text) => {
      words.push(text)
      lists.phrases.push(text)
    },
    without: (text) => lists.without.push(text),
    operator,
    build: () => ({ words: words.join(' '), ...lists, kinds, since, until, session }),
  }
}

/** Takes one piece from the beginning of `rest`, which is no space; tells how long it is. */
function takePiece(rest: string, found: Builder): number {
  const [matched, minus = '', name = ''] = OPERATOR.exec(rest) ?? []
  if (matched !== undefined) {
    const { value, length } = valueBehind(rest.slice(matched.length), name)
    // `type:""` says nothing.
    if (value.trim() !== '') found.operator(name.toLowerCase(), value.trim(), minus)
    return matched.length + length
  }
  const isNot = rest.startsWith('-')
  const quote = quoteAt(isNot ? rest.slice(1) : rest)
  if (quote !== null) {
    if (/[\p{L}\p{N}]/u.test(quote.text)) isNot ? found.without(quote.text) : found.phrase(quote.text)
    return quote.length + (isNot ? 1 : 0)
  }
  const word = /^\S+/.exec(rest)?.[0] ?? rest
  if (isNot && isExclusion(word.slice(1))) found.without(word.slice(1))
  else found.word(word)
  return word.length
}

/** Flags of commands are no exclusions: `--force`, `-p`, `-rf`, nor is a negative number. Such words take quotes: `-"db"`. */
function isExclusion(word: string): boolean {
  return /^[\p{L}\p{N}]/u.test(word) && !/^[\x21-\x7e]{0,2}$/.test(word) && !/^[\d.,]+$/.test(word)
}

/** The value behind an operator: quoted, a time of several words, or up to the next space. */
function valueBehind(rest: string, name: string): { value: string; length: number } {
  const quote = quoteAt(rest)
  if (quote !== null) return { value: quote.text, length: quote.length }
  const time = /^(?:since|after|until|before)$/i.test(name) ? LONG_TIME.exec(rest)?.[0] : undefined
  const value = time ?? /^\S+/.exec(rest)?.[0] ?? ''
  return { value, length: value.length }
}

/** Null: no quote begins here, or it is never closed: then it is a character like any other. */
function quoteAt(text: string): { text: string; length: number } | null {
  const close = QUOTES[text[0] ?? '']
  const end = close === undefined ? -1 : text.slice(1).search(close)
  return end < 0 ? null : { text: text.slice(1, end + 1), length: end + 2 }
}

function oneSession(known: string | null, named: string): string {
  if (known === null || known === named) return named
  throw new KeeperError(
    'usage',
    `An entry is in one session only: session:${known} and session:${named} exclude each other.`,
  )
}

function moreOf(name: string): readonly Kind[] | undefined {
  return Object.hasOwn(MORE_NAMES, name) ? MORE_NAMES[name] : undefined
}

function listOf(value: string): string[] {
  return value
    .toLowerCase()
    .split(/[,;|]|\s+/)
    .filter((name) => name !== '')
}

function refuseKind(name: string): never {
  throw new KeeperError(
    'usage',
    `type takes kinds, like type:decision,issue; ${quoted(name)} is none. There are fact, ${KINDS.join(', ')}.`,
  )
}

function refuseLayer(name: string): never {
  throw new KeeperError(
    'usage',
    `layer takes L1 (sessions), L2 (notes) and L3 (facts, summaries, pages), like layer:L1,L2; ${quoted(name)} is none.`,
  )
}

/** On one line, and no longer than a message needs. */
function quoted(value: string): string {
  const line = value.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return `"${line.length > 40 ? `${Array.from(line).slice(0, 40).join('')}…` : line}"`
}
