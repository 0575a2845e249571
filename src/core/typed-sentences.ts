/** The sentences a person typed: never what a tool's result, a quotation, a block of code or the middle of a long text says. */
import { sentencesOf } from './digest-sentences.ts'
import type { Numbered } from './digest-types.ts'
import { isMachineLine, wordCount } from './digest-words.ts'
import { oneLine } from './memory-words.ts'

export interface TypedSentence {
  text: string
  /** The one before it in the same prompt; empty: none. */
  before: string
  at: string
  /** Number of the entry. */
  entry: number
}

/** A longer sentence is no instruction any more, but a text. */
const MAX_SENTENCE = 320
/** A longer prompt holds pasted text: what is meant for good stands at its beginning or at its end. */
const MAX_TYPED = 2_000
const EDGE = 500

/** In the order they were typed. A tool's text may imitate everything but this. */
export function typedSentences(entries: readonly Numbered[]): TypedSentence[] {
  return entries.flatMap(({ n, entry }) => {
    if (entry.role !== 'user' || entry.via !== undefined || /^\s*[/!]/.test(entry.text)) return []
    const texts = sentencesIn(entry.text)
    return texts.flatMap((text, i) =>
      isSentence(text) ? [{ text, before: texts[i - 1] ?? '', at: entry.ts, entry: n }] : [],
    )
  })
}

function sentencesIn(text: string): string[] {
  // `# …` is how the host takes a memory: one line of it is no heading.
  const typed = text.replace(/^#+ (?=[^\n]*$)/, '')
  if (typed.length > MAX_TYPED) {
    const [first, last] = [typed.slice(0, EDGE), typed.slice(-EDGE)]
    return [...sentencesIn(upToSentence(first)), ...sentencesIn(fromSentence(last))]
  }
  return sentencesOf(typed)
    .filter(({ from }) => !isQuoted(typed, from))
    .map((sentence) => oneLine(sentence.text))
}

function isSentence(text: string): boolean {
  if (text.length > MAX_SENTENCE || wordCount(text) < 2 || isMachineLine(text)) return false
  return !/^["“'‘«「『]/.test(text) && !text.endsWith(':')
}

/** Half a sentence says something else. */
function upToSentence(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('. ') + 1, text.lastIndexOf('。') + 1, 0))
}

function fromSentence(text: string): string {
  const starts = ['\n', '. ', '。'].map((end) => text.indexOf(end)).filter((at) => at >= 0)
  return starts.length === 0 ? '' : text.slice(Math.min(...starts) + 1)
}

/** In a line that quotes somebody. */
function isQuoted(text: string, from: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', from - 1) + 1, from)
  return /^\s*>/.test(line)
}

/** Blanks of the same length: words that are only talked about give no order. */
export function withoutQuotes(text: string): string {
  return text.replace(
    /"[^"]{1,200}"|“[^”]{1,200}”|`[^`]{1,200}`|「[^」]{1,200}」|『[^』]{1,200}』|„[^“]{1,200}“|«[^»]{1,200}»/g,
    (quoted) => '_'.repeat(quoted.length),
  )
}
