/** Whose words a quote is: only what a person typed counts as theirs, never what they pasted, and never a tool's text. */
import type { Speaker } from './fact.ts'
import type { Entry, Tombstone } from './session.ts'

/** A longer prompt holds something pasted: what the person says stands at its beginning or at its end. */
const MAX_TYPED = 2_000
const EDGE = 500

/** `quote` as it stands in the entry. */
export function speakerOf(entry: Entry | Tombstone, quote: string): Speaker {
  if (entry.role === 'assistant') return 'assistant'
  // Inside a tool's result anybody may imitate the user.
  if (entry.role !== 'user' || entry.via !== undefined) return 'tool'
  const at = entry.text.indexOf(quote)
  return at >= 0 && quote.trim() !== '' && isTyped(entry.text, at, quote.length) ? 'user' : 'tool'
}

function isTyped(text: string, at: number, length: number): boolean {
  if (text.length > MAX_TYPED && at + length > EDGE && at < text.length - EDGE) return false
  const before = text.slice(0, at)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  const isInFence = (before.match(/^\s*(?:```|~~~)/gm)?.length ?? 0) % 2 === 1
  return !isInFence && !/^\s*>/.test(line)
}
