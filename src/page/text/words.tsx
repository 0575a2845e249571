/** Words that were looked for, marked wherever a text is opened from a search. */
import { type ComponentChildren, createContext, type JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { Marked } from './marked.tsx'
import { marksIn } from './word-marks.ts'

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
