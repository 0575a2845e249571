/** A fact's text as terms: what it is about, what it says no to, and which way round its things stand. */
import { SOFT, termsOfWord } from './fact-words.ts'

/** Small enough that lists are faster than sets. */
export interface Terms {
  text: string
  /** Each telling term once, those of the reason included. */
  all: readonly string[]
  /** Without what is said only as the reason. */
  core: readonly string[]
  /** Ways of doing it. */
  soft: readonly string[]
}

export interface Word {
  /** In lower case, as it was written. */
  raw: string
  terms: readonly string[]
  /** The comma, full stop or the like that stands before it; empty if there is none. */
  gap: string
  isReason: boolean
}

const NOTHING: readonly string[] = []
/** Words repeat in thousands of facts: each is looked at once. */
const known = new Map<string, readonly string[]>()
const KNOWN_MAX = 20_000

function termsOf(raw: string): readonly string[] {
  const before = known.get(raw)
  if (before !== undefined) return before
  const terms = BREAK.test(raw) ? NOTHING : partsOf(raw).flatMap(termsOfWord)
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(raw, terms)
  return terms
}

/** Identifiers, versions and paths are one word each; a particle behind a Latin word is one of its own. */
const WORD =
  /[a-z0-9_\u00c0-\u024f]+(?:(?:[./@:][a-z0-9_]+)+|['’][a-z]+)?[+#%]*|[\uac00-\ud7a3]+|[\u3040-\u30ff\u3400-\u9fff]{1,2}|[,;.:!?()→\n]|[\p{L}\p{N}]+/gu
const BREAK = /^[,;.:!?()→\n]$/
const REASON = /\b(?:because|since|due to|so that|as otherwise)\b|, as |때문|므로|니까|도록/
const REASON_BEGINS =
  /\b(?:because|due to|so that|as otherwise|since (?=(?:it|we|they|the|this|that|there|i|its|our|you|a|an|no)\b)|, as )/
const REASON_ENDS = /(?:때문에|때문이|므로|니까|도록)[\uac00-\ud7a3]*/

/** Facts are compared again and again: each text is read once. */
const read = new Map<string, Terms>()

export function termsIn(text: string): Terms {
  const before = read.get(text)
  if (before !== undefined) return before
  const terms = readTerms(text)
  if (read.size >= KNOWN_MAX) read.clear()
  read.set(text, terms)
  return terms
}

function readTerms(text: string): Terms {
  const lower = lowered(text)
  if (REASON.test(lower)) {
    const words = wordsIn(text)
    const raw = (some: readonly Word[]): string[] => some.map((word) => word.raw)
    return gathered(text, raw(words), raw(words.filter(({ isReason }) => !isReason)))
  }
  // The usual case, in as few steps as possible: thousands are read at once.
  const raws = lower.match(WORD) ?? []
  return gathered(text, raws, raws)
}

function lowered(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** All of them in their order, with what tells nothing: for those that turn what stands around them. */
export function wordsIn(text: string): Word[] {
  const lower = lowered(text)
  const reason = REASON.test(lower) ? reasonIn(lower) : null
  const words: Word[] = []
  let gap = ''
  for (const match of lower.matchAll(WORD)) {
    const raw = match[0]
    if (BREAK.test(raw)) {
      gap = raw
      continue
    }
    const isReason = reason !== null && match.index >= reason.from && match.index < reason.to
    words.push({ raw, terms: termsOf(raw), gap, isReason })
    gap = ''
  }
  return words
}

/** `fetch/axios` are two words, `src/net/http.ts` is one. */
function partsOf(raw: string): readonly string[] {
  const isPair = (raw.includes('/') || raw.includes(':')) && raw.length > 1 && !raw.includes('.')
  return isPair && raw.split('/').length < 3 ? raw.split(/[/:]/) : [raw]
}

/** `told`: those of them that are no reason. */
function gathered(text: string, raws: readonly string[], told: readonly string[]): Terms {
  const soft: string[] = []
  const core = taken(told, soft)
  const all = told === raws ? core : taken(raws, soft)
  if (all.length > 0) return { text, all, core: core.length === 0 ? all : core, soft }
  // Nothing but manner: then the words themselves are all there is.
  const words = [...new Set([...soft, ...raws.filter((raw) => !BREAK.test(raw))])]
  return { text, all: words, core: words, soft: [] }
}

function taken(raws: readonly string[], soft: string[]): string[] {
  const terms: string[] = []
  for (const raw of raws)
    for (const term of termsOf(raw)) {
      const list = term.startsWith(SOFT) ? soft : terms
      if (!list.includes(term)) list.push(term)
    }
  return terms
}

/** Where the reason stands: in English up to the end or the comma, in Korean from the beginning of its clause. */
function reasonIn(lower: string): { from: number; to: number } | null {
  const begins = REASON_BEGINS.exec(lower)
  if (begins !== null) {
    const end = /[.;]\s|,\s/.exec(lower.slice(begins.index + 2))
    // "Because it is slow, use X": what follows the comma is the fact.
    const isFirst = lower.slice(0, begins.index).trim() === ''
    return { from: begins.index, to: isFirst && end !== null ? begins.index + 2 + end.index : lower.length }
  }
  const ends = REASON_ENDS.exec(lower)
  if (ends === null) return null
  const to = ends.index + ends[0].length
  const before = lower.slice(0, ends.index)
  return { from: Math.max(before.lastIndexOf('. '), before.lastIndexOf(', '), -1) + 1, to }
}
