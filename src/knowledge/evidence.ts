/** Whose words a quote is, and where they stand: only what a person typed counts as theirs, never what they pasted, and never a tool's text. */
import type { Numbered } from '../sessions/digest-types.ts'
import { findFolded, fold, mayHold } from '../text/quote-fold.ts'
import type { Entry, Tombstone } from '../transcript/session.ts'
import type { Speaker } from './fact.ts'
import { typedParts } from './typed-text.ts'

/** A quote as it stands in its entry. */
export interface FoundQuote {
  entry: number
  quote: string
  by: Speaker
}

const MIN_WORDS = 2
const MIN_LETTERS = 8
/** Of scripts in which a character holds as much as a syllable or a word. */
const MIN_CJK = 4
const RANK: Readonly<Record<Speaker, number>> = { user: 0, assistant: 1, tool: 2 }

/**
 * `quote` as it stands in the entry. The user's are only words that the entry's `by` names as theirs and that they said
 * rather than quoted. A prompt that a program sent counts as much as what Claude says: nobody typed it.
 */
export function speakerOf(entry: Entry | Tombstone, quote: string): Speaker {
  if (entry.role === 'assistant') return 'assistant'
  if (entry.role !== 'user' || entry.by !== 'user' || !isSaid(entry, quote)) return 'tool'
  return entry.sent === true ? 'assistant' : 'user'
}

/** The text of a dialog repeats Claude's own questions: only a comment on a refused tool use is the user's as a whole. */
function isSaid({ text, via }: Extract<Entry, { role: 'user' }>, quote: string): boolean {
  return via !== 'AskUserQuestion' && isTyped(text, quote)
}

/**
 * The words in the entries, forgiving in blanks, typographic signs and marks of markdown, never in words. Where several
 * entries hold them: the hinted one, else what a person typed, then what Claude said, then the earliest. Null: nobody said
 * so, or it is too little to prove anything.
 */
export function findQuote(entries: readonly Numbered[], quote: string, hint?: number): FoundQuote | null {
  if (!isProof(quote)) return null
  const hinted = entries.find(({ n }) => n === hint)
  const there = hinted === undefined ? null : quoteIn(hinted, quote)
  if (there !== null) return there
  let best: FoundQuote | null = null
  for (const each of entries) {
    const found = quoteIn(each, quote)
    if (found === null) continue
    if (found.by === 'user') return found
    if (best === null || RANK[found.by] < RANK[best.by]) best = found
  }
  return best
}

/** Enough that it stands there on purpose and not by chance. */
function isProof(quote: string): boolean {
  const cjk = quote.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g)?.length ?? 0
  if (cjk >= MIN_CJK) return true
  const letters = quote.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  const words = quote.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0
  return letters + cjk >= MIN_LETTERS && words >= MIN_WORDS
}

function quoteIn({ n, entry }: Numbered, quote: string): FoundQuote | null {
  for (const text of textsOf(entry)) {
    const found = mayHold(text, quote) ? findFolded(fold(text), quote) : null
    if (found === null) continue
    const words = text.slice(found.from, found.to)
    return { entry: n, quote: words, by: speakerOf(entry, words) }
  }
  return null
}

/** A compaction's summary repeats what was said before it: it proves nothing. */
function textsOf(entry: Entry | Tombstone): string[] {
  if (entry.role === 'tombstone' || entry.role === 'summary') return []
  if ('text' in entry) return [entry.text]
  return entry.output === undefined ? [entry.cmd] : [entry.cmd, entry.output]
}

/** Anywhere: what was pasted may be said, too. */
function isTyped(text: string, quote: string): boolean {
  if (quote.trim() === '') return false
  return typedParts(text).some(({ from, to }) => {
    const at = text.indexOf(quote, from)
    return at >= 0 && at + quote.length <= to
  })
}
