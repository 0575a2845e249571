/** A text without what hides a secret from a reader of patterns: terminal colours, invisible characters, continued lines. */

import type { Span } from './redact-spans.ts'

export interface FoldedText {
  text: string
  /** For each part that was left out: where in the folded text, and how many characters were left out up to there. */
  cuts: readonly { at: number; removed: number }[]
}

/** Cheap to look for: most texts go no further. */
function mayHide(text: string): boolean {
  if (text.includes('\x1b') || text.includes('\u200b') || text.includes('\u2060')) return true
  if (text.includes(' `\n') || text.includes(' `\r')) return true
  if (text.includes('^') && (text.includes('^\n') || text.includes('^\r'))) return true
  return text.includes('\\') && /\\(?:[\r\n]|u001b|x1b|033|e\[)/i.test(text)
}

/** CSI codes, raw or escaped; a backslash, a caret or a backtick that continues a command on the next line. */
const FOLDED =
  /\x1b\[[0-?]{0,40}[ -/]{0,4}[@-~]|\\{1,4}(?:u001[bB]|x1[bB]|033|e)\[[\d;]{0,20}[A-Za-z]|[\u200b\u2060]|\\\r?\n|[\^`]\r?\n/g

export function foldText(text: string): FoldedText {
  if (!mayHide(text)) return { text, cuts: [] }
  const cuts: { at: number; removed: number }[] = []
  let kept = ''
  let from = 0
  let removed = 0
  for (const part of text.matchAll(FOLDED)) {
    if (isMark(text, part.index)) continue
    kept += text.slice(from, part.index)
    from = part.index + part[0].length
    removed += part[0].length
    cuts.push({ at: kept.length, removed })
  }
  return { text: kept + text.slice(from), cuts }
}

/** A backtick continues a line of PowerShell behind a blank only, a caret one of cmd unless it points at something above it. */
function isMark(text: string, at: number): boolean {
  const before = text.charAt(at - 1)
  return text.charAt(at) === '`'
    ? before !== ' ' && before !== '\t'
    : text.charAt(at) === '^' && !/[\w\t "'/:=-]/.test(before)
}

/** The same places in the text as it was. What was left out at the edges of a span stays. */
export function unfoldSpans({ cuts }: FoldedText, spans: readonly Span[]): readonly Span[] {
  if (cuts.length === 0) return spans
  return spans.map(({ start, end, kind }) => ({
    start: start + removedBefore(cuts, start),
    end: end + removedBefore(cuts, end - 1),
    kind,
  }))
}

function removedBefore(cuts: FoldedText['cuts'], place: number): number {
  let low = 0
  let high = cuts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cuts[middle]?.at ?? 0) <= place) low = middle + 1
    else high = middle
  }
  return cuts[low - 1]?.removed ?? 0
}
