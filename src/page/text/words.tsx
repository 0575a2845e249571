/** Words that were looked for: where they stand in a text, and marked wherever a text is opened from a search. */
import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useContext } from 'preact/hooks'

/** Null: nothing was looked for. */
export const WordsContext = createContext<RegExp | null>(null)

/** Whether a text has one of the words: what is folded is opened for it. */
export function useHasWord(): (text: string) => boolean {
  const words = useContext(WordsContext)
  return (text) => words !== null && marksIn(text, words).length > 0
}

export function WithWords({ text }: { text: string }): JSX.Element {
  return <>{marked(text, useContext(WordsContext))}</>
}

export function marked(text: string, words: RegExp | null): ComponentChildren {
  const marks = marksIn(text, words)
  return marks.length === 0 ? text : <Marked text={text} marks={marks} />
}

/** A snippet with the words that were looked for. */
export function Marked({ text, marks }: { text: string; marks: Marks }): JSX.Element {
  const parts: ComponentChildren[] = []
  let at = 0
  for (const [from, to] of [...marks].sort(([a], [b]) => a - b)) {
    if (from < at || to <= from) continue
    parts.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>)
    at = to
  }
  parts.push(text.slice(at))
  return <>{parts}</>
}

/** [from, to) in a text. */
type Marks = readonly (readonly [number, number])[]
/** More than these nobody looked for. */
const MOST_WORDS = 40

const LETTER = '[\\p{L}\\p{N}]'

/** In any case: what the hit itself has marked, or the words that were typed. */
export function markWords(hit: { snippet: string; marks: Marks } | undefined, typed: string): RegExp | null {
  const found = hit === undefined ? [] : hit.marks.map(([from, to]) => patternOf(hit.snippet, from, to))
  const words = found.length > 0 ? found : typedIn(typed)
  const some = [...new Set(words)].filter((word) => word !== '').slice(0, MOST_WORDS)
  return some.length === 0 ? null : new RegExp(some.toSorted((a, b) => b.length - a.length).join('|'), 'giu')
}

function typedIn(typed: string): string[] {
  return [...typed.matchAll(/[\p{L}\p{N}_]{2,}/gu)].map((match) =>
    patternOf(typed, match.index, match.index + match[0].length),
  )
}

/** A whole word is looked for as one; a part of a word (orderTest, 배포는) as it stands. */
function patternOf(text: string, from: number, to: number): string {
  const word = text.slice(from, to).replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  if (word.trim() === '') return ''
  const isLetter = (at: number): boolean => /[\p{L}\p{N}]/u.test(text.charAt(at))
  return `${from === 0 || !isLetter(from - 1) ? `(?<!${LETTER})` : ''}${word}${isLetter(to) ? '' : `(?!${LETTER})`}`
}

export function marksIn(text: string, words: RegExp | null): [number, number][] {
  if (words === null) return []
  return [...text.matchAll(words)].map((match) => [match.index, match.index + match[0].length])
}
