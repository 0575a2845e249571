/** Whose words a quote is, and where they stand: only what a person typed counts as theirs, never what they pasted, and never a tool's text. */
import type { Numbered } from './digest-types.ts'
import type { Speaker } from './fact.ts'
import { findFolded, fold, mayHold } from './quote-fold.ts'
import type { Entry, Tombstone } from './session.ts'

/** A quote as it stands in its entry. */
export interface FoundQuote {
  entry: number
  quote: string
  by: Speaker
}

/** A longer prompt holds something pasted: what the person says stands at its beginning or at its end. */
const MAX_TYPED = 2_000
const EDGE = 500
const MIN_WORDS = 2
const MIN_LETTERS = 8
/** Of scripts in which a character holds as much as a syllable or a word. */
const MIN_CJK = 4
const RANK: Readonly<Record<Speaker, number>> = { user: 0, assistant: 1, tool: 2 }

/** `quote` as it stands in the entry. */
export function speakerOf(entry: Entry | Tombstone, quote: string): Speaker {
  if (entry.role === 'assistant') return 'assistant'
  // Inside a tool's result anybody may imitate the user.
  if (entry.role !== 'user' || entry.via !== undefined) return 'tool'
  const at = entry.text.indexOf(quote)
  return at >= 0 && quote.trim() !== '' && isTyped(entry.text, at, quote.length) ? 'user' : 'tool'
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

function isTyped(text: string, at: number, length: number): boolean {
  if (text.length > MAX_TYPED && at + length > EDGE && at < text.length - EDGE) return false
  const before = text.slice(0, at)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  const isInFence = (before.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0) % 2 === 1
  return !isInFence && !/^[ \t]*>/.test(line)
}
