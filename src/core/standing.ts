/** Standing instructions: what people said that holds for more than the moment, found by code. */
import { sentencesOf } from './digest-sentences.ts'
import type { Numbered } from './digest-types.ts'
import { isMachineLine, wordCount } from './digest-words.ts'
import { oneLine, shortenTo } from './memory-words.ts'
import { inEnglish } from './standing-english.ts'
import type { Recognised, StandingKind } from './standing-kind.ts'
import { inOtherTongues, isHabit } from './standing-tongues.ts'

export interface Stated {
  kind: StandingKind
  /** The sentence, or the part of it that holds. */
  text: string
  at: string
  /** Number of the entry. */
  entry: number
}

const MAX_CHARS = 200
/** A longer sentence is no instruction any more, but a text. */
const MAX_SENTENCE = 320
/** A longer prompt holds pasted text: what is meant for good stands at its beginning or at its end. */
const MAX_TYPED = 2_000
const EDGE = 500

/** In the order they were said, each time they were said. Only in what a person typed: a tool's text may imitate the rest. */
export function statedIn(entries: readonly Numbered[]): Stated[] {
  return entries.flatMap(({ n, entry }) => {
    if (entry.role !== 'user' || entry.via !== undefined || /^\s*[/!]/.test(entry.text)) return []
    return statedInText(entry.text).map((stated) => ({ ...stated, at: entry.ts, entry: n }))
  })
}

function statedInText(text: string): { kind: StandingKind; text: string }[] {
  // `# …` is how the host takes a memory: one line of it is no heading.
  const typed = text.replace(/^#+ (?=[^\n]*$)/, '')
  // A long one holds something pasted: what the person says stands at its ends.
  if (typed.length > MAX_TYPED) {
    const [first, last] = [typed.slice(0, EDGE), typed.slice(-EDGE)]
    return [...statedInText(upToSentence(first)), ...statedInText(fromSentence(last))]
  }
  return sentencesOf(typed).flatMap((sentence) => {
    const said = oneLine(sentence.text)
    if (isQuoted(typed, sentence.from)) return []
    const found = recognise(said)
    const words = found === null ? null : shortenTo(said.slice(found.from).trim(), MAX_CHARS)
    return found === null || words === null ? [] : [{ kind: found.kind, text: words }]
  })
}

/** Half a sentence says something else. */
function upToSentence(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('. ') + 1, text.lastIndexOf('。') + 1, 0))
}

function fromSentence(text: string): string {
  const starts = ['\n', '. ', '。'].map((end) => text.indexOf(end)).filter((at) => at >= 0)
  return starts.length === 0 ? '' : text.slice(Math.min(...starts) + 1)
}

/** Null: it holds for the moment only, or says how things are. */
function recognise(sentence: string): Recognised | null {
  if (sentence.length > MAX_SENTENCE || wordCount(sentence) < 2 || isMachineLine(sentence)) return null
  if (/^["“'‘«「『]/.test(sentence) || sentence.endsWith(':')) return null
  const lower = withoutQuotes(sentence.toLowerCase().replace(/[’ʼ]/g, "'"))
  const isAsked = /[?？]["'”’)\]]*$/.test(sentence)
  if (isAsked && !/^(?:can|could|will|would) you please (?:always|never)\b/.test(lower)) return null
  const found = inEnglish(lower) ?? asChoice(lower)
  if (found !== null) return lower.length === sentence.length ? found : { ...found, from: 0 }
  const kind = inOtherTongues(lower)
  return kind === null ? null : { kind, from: 0 }
}

/** "Use pnpm instead of npm": two ways of working by name. */
function asChoice(lower: string): Recognised | null {
  const named =
    /^(?:please |and |also |no,? |we )*use ([\w-]+)(?: \w+)?,? (?:instead of|rather than|not|over) ([\w-]+)(?: \w+)?[.!]*$/.exec(
      lower,
    )
  return isHabit(named?.[1] ?? '') && isHabit(named?.[2] ?? '') ? { kind: 'always', from: 0 } : null
}

/** Blanks of the same length: words that are only talked about give no order. */
function withoutQuotes(text: string): string {
  return text.replace(
    /"[^"]{1,200}"|“[^”]{1,200}”|`[^`]{1,200}`|「[^」]{1,200}」|『[^』]{1,200}』|„[^“]{1,200}“|«[^»]{1,200}»/g,
    (quoted) => '_'.repeat(quoted.length),
  )
}

/** In a line that quotes somebody. */
function isQuoted(text: string, from: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', from - 1) + 1, from)
  return /^\s*>/.test(line)
}
