/** The operators of a query: `"phrase"`, `-word`, `file:`, `type:`, `since:`, `until:`, `session:`, `layer:`. */

import { KINDS, type Kind } from '../../kernel/memory/document.ts'
import { KeeperError } from '../../kernel/platform/error.ts'
import { cutMarked } from '../../kernel/text/shorten.ts'
import { FACT_KIND_NAMES } from '../knowledge/item.ts'
import { type Layer, layerOf } from './corpus.ts'
import type { TextDemands } from './match.ts'
import { parseWhen } from './when.ts'

export interface Operators extends TextDemands {
  /** The words for the ranking, in order, including those of the phrases. */
  words: string
  kinds: ReadonlySet<Kind>
  /** Milliseconds since 1970; `until` is exclusive. */
  since: number
  until: number
  /** The id8 of a session; null: any. */
  session: string | null
}

export const ALL_KINDS: ReadonlySet<Kind> = new Set(KINDS)
const LAYERS: readonly Layer[] = ['L1', 'L2', 'L3']

/** `://` belongs to an address, `::` to code, `:` before a space to a sentence. */
const OPERATOR = /^(-?)(file|type|since|until|session|layer):(?!\/\/|:)(?=\S)/i
/** The closing character of each quote; keyboards with curly quotes do not always produce pairs. */
const QUOTES: Readonly<Record<string, RegExp>> = { '"': /"/, '“': /[”"]/, '„': /[“”"]/, '«': /[»"]/ }
/** A longer query is a pasted page. */
const MAX_CHARS = 10_000

/** What a time in a query is read with. */
export interface AskedAt {
  /** In milliseconds. */
  now: number
  timezone?: string
}

/** Throws an error for the user when an operator does not take its value. */
export function parseOperators(given: string, asked: AskedAt): Operators {
  const found: Operators = {
    words: '',
    phrases: [],
    without: [],
    files: [],
    withoutFiles: [],
    kinds: ALL_KINDS,
    since: Number.NEGATIVE_INFINITY,
    until: Number.POSITIVE_INFINITY,
    session: null,
  }
  const words: string[] = []
  for (let rest = given.slice(0, MAX_CHARS).trimStart(); rest !== ''; ) {
    const taken = takePiece(rest, found, words, asked)
    rest = rest.slice(taken).trimStart()
  }
  return { ...found, words: words.join(' ') }
}

/** A kind by its name, or `fact` for all kinds of facts; several separated by commas. */
export function parseKinds(value: string): Set<Kind> {
  const kinds = listOf(value).flatMap((name) => {
    const named = /^facts?$/.test(name)
      ? FACT_KIND_NAMES
      : KINDS.filter((one) => [one, `${one}s`, one.replace(/y$/, 'ies')].includes(name))
    return named.length > 0 ? named : refuse('type', name)
  })
  return kinds.length > 0 ? new Set(kinds) : refuse('type', value)
}

/** `L1`, `l2`, `3`; several separated by commas. */
export function parseLayers(value: string): Layer[] {
  const layers = listOf(value).map(
    (name) => LAYERS.find((one) => one.toLowerCase() === name || one.slice(1) === name) ?? refuse('layer', name),
  )
  return layers.length > 0 ? layers : refuse('layer', value)
}

/** Also accepts the prefixes and suffixes of our ids. */
export function parseSessionName(value: string): string {
  const id8 = /^(?:L1:|S:)?([0-9a-z]{8})(?:-[0-9a-z-]*)?(?:#\d+(?:-\d+)?)?$/i.exec(value.trim())?.[1]
  return id8?.toLowerCase() ?? refuse('session', value)
}

export function parseTime(name: 'since' | 'until', value: string, { now, timezone }: AskedAt): number {
  const when = parseWhen(value, now, timezone) ?? refuse(name, value)
  return name === 'since' ? when.from : when.to
}

export function bothKinds(one: ReadonlySet<Kind>, other: ReadonlySet<Kind>): Set<Kind> {
  return new Set([...one].filter((kind) => other.has(kind)))
}

export function isTimeless({ since, until }: Pick<Operators, 'since' | 'until'>): boolean {
  return since === Number.NEGATIVE_INFINITY && until === Number.POSITIVE_INFINITY
}

/** The query contains only words. */
export function hasNoFilter(asked: Operators): boolean {
  const isNamed = [asked.phrases, asked.without, asked.files, asked.withoutFiles].some((list) => list.length > 0)
  return !isNamed && asked.kinds.size === ALL_KINDS.size && isTimeless(asked) && asked.session === null
}

export function kindsIn(layers: readonly Layer[]): Set<Kind> {
  return new Set(KINDS.filter((kind) => layers.includes(layerOf(kind))))
}

/** Takes one piece from the beginning of `rest`, which is not a space, and returns its length. */
function takePiece(rest: string, found: Operators, words: string[], asked: AskedAt): number {
  const [matched, minus = '', name = ''] = OPERATOR.exec(rest) ?? []
  if (matched !== undefined) {
    const behind = rest.slice(matched.length)
    const quote = quoteAt(behind)
    const value = quote?.text ?? firstWord(behind)
    if (value.trim() !== '') takeOperator(found, name.toLowerCase(), value.trim(), minus !== '', asked)
    return matched.length + (quote?.length ?? value.length)
  }
  const isNot = rest.startsWith('-')
  const quote = quoteAt(isNot ? rest.slice(1) : rest)
  const text = quote?.text ?? firstWord(isNot ? rest.slice(1) : rest)
  const isText = quote === null ? !isNot || isExclusion(text) : /[\p{L}\p{N}]/u.test(text)
  if (isNot && isText) found.without.push(text)
  else if (quote === null) words.push(isNot ? `-${text}` : text)
  else if (isText) {
    words.push(text)
    found.phrases.push(text)
  }
  return (quote?.length ?? text.length) + (isNot ? 1 : 0)
}

function takeOperator(found: Operators, name: string, value: string, isNot: boolean, asked: AskedAt): void {
  if (name === 'file') (isNot ? found.withoutFiles : found.files).push(value)
  else if (name === 'type' || name === 'layer') {
    const named = name === 'type' ? parseKinds(value) : kindsIn(parseLayers(value))
    found.kinds = new Set([...found.kinds].filter((kind) => named.has(kind) !== isNot))
  } else if (isNot) throw new KeeperError('usage', `-${name}: is not an operator; leave out the minus.`)
  else if (name === 'since') found.since = Math.max(found.since, parseTime(name, value, asked))
  else if (name === 'until') found.until = Math.min(found.until, parseTime(name, value, asked))
  else {
    const session = parseSessionName(value)
    // No entry belongs to two sessions.
    if (found.session !== null && found.session !== session) found.kinds = new Set()
    found.session = session
  }
}

function firstWord(text: string): string {
  return /^\S+/.exec(text)?.[0] ?? ''
}

/** Flags of commands (`--force`, `-p`, `-rf`) and negative numbers exclude nothing. Such words need quotes: `-"db"`. */
function isExclusion(word: string): boolean {
  return /^[\p{L}\p{N}]/u.test(word) && !/^[\x21-\x7e]{0,2}$/.test(word) && !/^[\d.,]+$/.test(word)
}

/** Null: no quote begins here, or it is never closed and counts as a plain character. */
function quoteAt(text: string): { text: string; length: number } | null {
  const close = QUOTES[text[0] ?? '']
  const end = close === undefined ? -1 : text.slice(1).search(close)
  return end < 0 ? null : { text: text.slice(1, end + 1), length: end + 2 }
}

function listOf(value: string): string[] {
  return value
    .toLowerCase()
    .split(/[,;|\s]+/)
    .filter((name) => name !== '')
}

const TAKEN: Readonly<Record<string, string>> = {
  type: `takes kinds, like type:decision,issue; there are fact, ${KINDS.join(', ')}`,
  layer: 'takes L1 (sessions), L2 (notes) and L3 (facts, summaries, pages), like layer:L1,L2',
  session: 'takes the id of a session, like session:1a2b3c4d; memory-keeper sessions lists them',
  since: 'takes a day or how long ago, like since:2026-01-03, since:yesterday, since:3d, since:2w or since:"last week"',
  until: 'takes a day or how long ago, like until:2026-01-03, until:yesterday, until:3d, until:2w or until:"last week"',
}

function refuse(name: string, value: string): never {
  const line = cutMarked(value.replace(/[\s\p{Cc}]+/gu, ' ').trim(), 40)
  throw new KeeperError('usage', `${name} ${TAKEN[name]}. "${line}" is none.`)
}
