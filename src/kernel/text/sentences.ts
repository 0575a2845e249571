/** Splits a line, or a whole message, into sentences. In a message it removes markdown and skips code and tables. */

import { replaceBlocks, tagsOf } from './tags.ts'

export interface Sentence {
  /** On one line, without markdown marks. */
  text: string
  /** The position in the original text. */
  from: number
  to: number
  /** The heading or the lead-in ("Next steps:") above the sentence; empty if there is none. */
  heading: string
  /** The sentence belongs to a list item. */
  isItem: boolean
}

interface Line {
  from: number
  to: number
  text: string
}

/** A full stop after one of these does not end a sentence. */
const ABBREVIATIONS = new Set(
  'e.g i.e vs cf al approx resp ca no nr fig sec eq mr mrs ms dr prof st inc ltd z.b d.h u.a bzw evtl ggf inkl usw'.split(
    ' ',
  ),
)
const ENDS = '.!?…'
const CJK_ENDS = '。！？'
const CLOSERS = '"\'”’»)]}*_`」』）'
const HEADER = /^\s{0,3}#{1,6}\s+/
/** A line of only bold text is a heading too. */
const BOLD_LINE = /^\s*(?:\*\*|__)[^*_]+(?:\*\*:?|__:?)\s*:?\s*$/
const ITEM = /^\s*(?:>\s*)*(?:[-*+•▪◦‣]|\d{1,3}[.)]|[a-z]\))\s+/
const TICK = /^\[[ xX]\]\s+/
const QUOTE = /^\s*(?:>\s?)+/
const RULE = /^[-*_=─━═·★☆✦~\s`]{3,}$|^[`\s]*[★☆✦].*[─━]{3,}`?\s*$/
const TABLE = /^\s*\|.*\|?\s*$|^\s*[│┃|┌└├╔╚].*$/
const FENCE = /^\s*(?:>\s*)?(`{3,}|~{3,})/
/** The host and its tools wrap their own text in tags whose names have several parts: `<system-reminder>`. */
const MACHINE = /<([a-z]+(?:[-_][a-z]+)+)\b[^<>]{0,200}>/g

/** Returns the sentences of a text in order. Lines of code, tables and horizontal rules are skipped. */
export function sentencesOf(text: string): Sentence[] {
  const found: Sentence[] = []
  let heading = ''
  for (const block of blocksOf(blank(text))) {
    if (block.isHeading) {
      heading = plain(block.text)
      continue
    }
    const sentences = splitBlock(block, heading)
    found.push(...sentences)
    const last = sentences.at(-1)
    if (last?.text.endsWith(':') && !block.isItem) heading = last.text
  }
  return found
}

/** Replaces machine text and comments by blanks, so that positions stay valid. */
function blank(text: string): string {
  const spoken = text.includes('</') ? withoutMachine(text) : text
  return replaceBlocks(spoken, '<!--', '-->', (_, comment) => clear(comment))
}

function withoutMachine(text: string): string {
  const tags = tagsOf(text)
  let [spoken, done] = ['', 0]
  for (const { index, 0: open, 1: tag = '' } of text.matchAll(MACHINE)) {
    const close = index < done ? -1 : tags.closed(tag, index + open.length)
    if (close < 0) continue
    const end = close + tag.length + 3
    spoken += text.slice(done, index) + clear(text.slice(index, end))
    done = end
  }
  return spoken + text.slice(done)
}

function clear(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}

interface Block extends Line {
  isHeading: boolean
  isItem: boolean
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let fence = ''
  let open: Block | null = null
  for (const line of linesOf(text)) {
    const mark = FENCE.exec(line.text)?.[1]
    if (fence !== '') {
      if (mark?.startsWith(fence)) fence = ''
      continue
    }
    if (mark !== undefined) {
      fence = mark.slice(0, 3)
      open = null
      continue
    }
    const block = blockOf(line)
    if (block === null) {
      open = null
    } else if (open !== null && goesOn(open, block)) {
      open.to = block.to
      open.text = text.slice(open.from, open.to)
    } else {
      blocks.push(block)
      open = block.isHeading ? null : block
    }
  }
  return blocks
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from)
    const to = end < 0 ? text.length : end
    lines.push({ from, to, text: text.slice(from, to).replace(/\r$/, '') })
    from = to + 1
  }
  return lines
}

/** Null: the line contains no text. */
function blockOf(line: Line): Block | null {
  const { text } = line
  const kind = { isHeading: false, isItem: false }
  // A fast path: most lines begin with a letter and have no markdown.
  if (/^[A-Za-z\u3040-\ud7af][^)]/.test(text)) return { ...line, ...kind }
  if (text.trim() === '' || RULE.test(text) || TABLE.test(text)) return null
  const header = HEADER.exec(text)
  if (header !== null || BOLD_LINE.test(text))
    return { ...skip(line, header?.[0].length ?? 0), ...kind, isHeading: true }
  const item = ITEM.exec(text)
  const rest = skip(line, (item ?? QUOTE.exec(text))?.[0].length ?? 0)
  return { ...skip(rest, TICK.exec(rest.text)?.[0].length ?? 0), ...kind, isItem: item !== null }
}

function skip(line: Line, count: number): Line {
  return { from: line.from + count, to: line.to, text: line.text.slice(count) }
}

/** A paragraph wrapped at a fixed width continues in the next line; other lines are complete. */
function goesOn(before: Block, next: Block): boolean {
  if (next.isHeading || next.isItem) return false
  const end = before.text.slice(-200).trimEnd()
  const lastLine = end.slice(end.lastIndexOf('\n') + 1)
  if (lastLine.length < 50 || /[.!?。！？:：;]["')\]*_`]*$/.test(end)) return false
  return /^\s*[\p{Ll}\p{Lo}("'`]/u.test(next.text)
}

function splitBlock(block: Block, heading: string): Sentence[] {
  return sentenceSpans(block.text).flatMap(({ from, to }) => {
    const text = plain(block.text.slice(from, to))
    if (!/[\p{L}\p{N}]/u.test(text)) return []
    return [{ text, from: block.from + from, to: block.from + to, heading, isItem: block.isItem }]
  })
}

interface Span {
  from: number
  to: number
}

/** Returns the sentences of a line or paragraph, trimmed. Text without an end mark is one sentence. */
function sentenceSpans(text: string): Span[] {
  const spans: Span[] = []
  let start = 0
  const push = (end: number): void => {
    const raw = text.slice(start, end)
    const from = start + raw.length - raw.trimStart().length
    const to = from + raw.trim().length
    if (to > from) spans.push({ from, to })
    start = end
  }
  for (let end = nextEnd(text, 0); end > 0; end = nextEnd(text, end)) if (!isInside(text, start, end)) push(end)
  push(text.length)
  return spans
}

/** Returns the sentences as texts. */
export function splitSentences(line: string): string[] {
  return sentenceSpans(line).map(({ from, to }) => line.slice(from, to))
}

/** A quotation or bracket that is not closed within this many characters counts as never closed. */
const MAX_INSIDE = 300

/** True between two quotation marks or brackets: an end mark there does not end the outer sentence. */
function isInside(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(start, end - MAX_INSIDE), end)
  const after = text.slice(end, end + MAX_INSIDE)
  const isOpen = (open: string, close: string): boolean =>
    before.lastIndexOf(open) > before.lastIndexOf(close) && after.includes(close)
  const isQuoted = before.split('"').length % 2 === 0 && after.includes('"')
  return isQuoted || isOpen('“', '”') || isOpen('(', ')') || isOpen('「', '」') || isOpen('„', '“')
}

const MARK = /[.!?…。！？`]/g

/** Returns the end of the sentence that contains `from`; -1 if the block ends first. */
function nextEnd(text: string, from: number): number {
  MARK.lastIndex = from
  for (let match = MARK.exec(text); match !== null; match = MARK.exec(text)) {
    const at = match.index
    if (match[0] === '`') {
      const close = text.indexOf('`', at + 1)
      if (close > 0) MARK.lastIndex = close + 1
      continue
    }
    let end = at + 1
    while (end < text.length && (ENDS + CJK_ENDS).includes(text[end] ?? '')) end++
    while (end < text.length && CLOSERS.includes(text[end] ?? '')) end++
    if (end >= text.length) return -1
    if (CJK_ENDS.includes(match[0]) || (/\s/.test(text[end] ?? '') && endsSentence(text, at, end))) return end
    MARK.lastIndex = end
  }
  return -1
}

function endsSentence(text: string, at: number, end: number): boolean {
  let first = end
  while (/\s/.test(text[first] ?? '')) first++
  // A question and its answer are one sentence.
  if (text[first] === '→') return false
  const isLower = /\p{Ll}/u.test(text[first] ?? '')
  if (text[at] !== '.') {
    // A mark that is mentioned, not used: `the "?" symbols`, `with ? marks`.
    const isQuoted = end > at + 1 || /\s/.test(text[at - 1] ?? '')
    return !(isQuoted && isLower)
  }
  if (isLower && /["”»」]/.test(text.slice(at + 1, end))) return false
  const before = text.slice(Math.max(0, at - 24), at)
  const word = /(\S*)$/.exec(before)?.[1] ?? ''
  const bare = word.replace(/^[("'“‘*_`[]+/, '').toLowerCase()
  if (ABBREVIATIONS.has(bare)) return false
  if (bare === 'etc' || bare === 'a.m' || bare === 'p.m') return !isLower
  // An initial ("J. Smith"), or the number of a list item ("… done. 2. Update").
  if (/^[a-z]$/.test(bare)) return bare === 'i'
  return !(/^\d{1,2}$/.test(bare) && /(?:^|[.:;!?)]\s)$/.test(before.slice(0, before.length - word.length)))
}

/** Puts a text on one line and removes markdown marks; code between backticks stays as it is. */
export function plain(text: string): string {
  if (!/[`*_[\]<\s]/.test(text)) return text
  return text
    .replace(/\s+/g, ' ')
    .split(/(`[^`]+`)/)
    .map((part, i) => (i % 2 === 1 ? part : withoutMarkers(part)))
    .join('')
    .replace(/ {2,}/g, ' ')
    .trim()
    .replace(/^(?:\[[ xX]\]|\p{Extended_Pictographic}\ufe0f?) /u, '')
    .trim()
}

function withoutMarkers(text: string): string {
  return text
    .replace(/!\[[^[\]\n]{0,300}\]\([^)\n]{0,1000}\)/g, '')
    .replace(/\[([^[\]\n]{1,300})\]\((?:[^()\n]|\([^()\n]{0,300}\)){0,1000}\)/g, '$1')
    .replace(/\*\*/g, '')
    .replace(/(^|\s)__(\S[^_\n]{0,300} [^_\n]{0,300}\S)__(?=\s|$|[.,;:!?)])/g, '$1$2')
    .replace(/(^|[\s(])\*(\S(?:[^*\n]{0,300}\S)?)\*(?=$|[\s).,;:!?])/g, '$1$2')
    .replace(/^\s*<[a-z][\w-]{0,30}>\s*|\s*<\/[a-z][\w-]{0,30}>\s*$/gi, '')
}
