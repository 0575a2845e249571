/** A fact's text as terms: what it is about, what it says no to, and which way round its things stand. */
import { SOFT, termsOfWord } from './fact-words.ts'

/** What is needed to find facts that may be the same. */
export interface Terms {
  /** In their order, with repetitions; `SOFT` ones among them. */
  words: readonly Word[]
  /** Each telling term once, those of the reason included. */
  all: ReadonlySet<string>
  /** Without what is said only as the reason. */
  core: ReadonlySet<string>
  /** Ways of doing it. */
  soft: ReadonlySet<string>
}

export interface Word {
  /** In lower case, as it was written. */
  raw: string
  terms: readonly string[]
  /** The comma, full stop or the like that stands before it; empty if there is none. */
  gap: string
  isReason: boolean
}

/** Words repeat in thousands of facts: each is looked at once. */
const known = new Map<string, readonly string[]>()
const KNOWN_MAX = 20_000

function termsOf(raw: string): readonly string[] {
  const before = known.get(raw)
  if (before !== undefined) return before
  const terms = termsOfWord(raw)
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(raw, terms)
  return terms
}

/** Identifiers, versions and paths are one word each; a particle behind a Latin word is one of its own. */
const WORD =
  /[a-z0-9_\u00c0-\u024f]+(?:(?:[./@:][a-z0-9_]+)+|['’][a-z]+)?[+#%]*|[\uac00-\ud7a3]+|[\u3040-\u30ff\u3400-\u9fff]{1,2}|[,;.:!?()→\n]|[\u0400-\u04ff]+/g
const BREAK = /^[,;.:!?()→\n]$/
const REASON = /\b(?:because|since|due to|so that|as otherwise)\b|, as |때문|므로|니까|도록/
const REASON_BEGINS =
  /\b(?:because|due to|so that|as otherwise|since (?=it|we|they|the|this|that|there|i|its|our|you|a|an|no)\b|, as )/
const REASON_ENDS = /(?:때문에|때문이|므로|니까|도록)[\uac00-\ud7a3]*/

export function termsIn(text: string): Terms {
  const lower = text.normalize('NFKC').toLowerCase()
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
    for (const part of partsOf(raw)) {
      words.push({ raw: part, terms: termsOf(part), gap, isReason })
      gap = ''
    }
  }
  return gathered(words)
}

/** `fetch/axios` are two words, `src/net/http.ts` is one. */
function partsOf(raw: string): readonly string[] {
  return /[/:]/.test(raw) && !raw.includes('.') && raw.split('/').length < 3 ? raw.split(/[/:]/) : [raw]
}

function gathered(words: readonly Word[]): Terms {
  const all = new Set<string>()
  const core = new Set<string>()
  const soft = new Set<string>()
  for (const { terms, isReason } of words) {
    for (const term of terms) {
      if (term.startsWith(SOFT)) {
        if (!isReason) soft.add(term)
        continue
      }
      all.add(term)
      if (!isReason) core.add(term)
    }
  }
  // Nothing but manner: then the words themselves are all there is.
  if (all.size === 0) for (const one of [...soft, ...words.map(({ raw }) => raw)]) all.add(one)
  return { words, all, core: core.size === 0 ? all : core, soft }
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
