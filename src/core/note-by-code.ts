/** A note made by code: its text, and whether a note still has the text that code wrote. */
import { sourceOf, toTell } from './delta.ts'
import { digestEntries, type Numbered, noteBudget, renderDigest } from './digest.ts'
import { wordsOf } from './memory-words.ts'
import { fingerprintOfNote, type Note } from './note.ts'

export function noteText(entries: readonly Numbered[]): string {
  const told = toTell(entries)
  return renderDigest(digestEntries(told), { maxTokens: noteBudget(told) })
}

/** `entries`: those that it is about. A note that somebody edited is that person's, and nothing replaces it. */
export function isAsCodeWroteIt(note: Note, entries: readonly Numbered[]): boolean {
  if (note.author !== 'extractive' || entries.length === 0) return false
  if (note.fingerprint !== undefined) return note.fingerprint === fingerprintOfNote(note.text)
  return isUnedited(note.text, noteText(entries), wordsOf(sourceOf(entries)))
}

/**
 * Versions before 0.6 left no fingerprint, and `today` may differ from what they wrote. Signs that somebody edited the text: a
 * line is missing or new, a word comes from nowhere, or a line has nothing but some of the words of today's line.
 */
function isUnedited(text: string, today: string, source: ReadonlySet<string>): boolean {
  const before = linesOf(text)
  const now = linesOf(today)
  const vocabulary = wordsOf(today)
  const isKnown = (word: string): boolean => source.has(word) || vocabulary.has(word)
  return (
    before.length === now.length &&
    before.every((line, i) => {
      const other = now[i] ?? ''
      if (fingerprintOfNote(line) === fingerprintOfNote(other)) return true
      const words = [...wordsOf(line)]
      const others = wordsOf(other)
      const isLess = words.every((word) => others.has(word))
      return labelOf(line) === labelOf(other) && words.every(isKnown) && !isLess
    })
  )
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

/** `Asked`, `Changed`, `Looked at`. */
function labelOf(line: string): string {
  return /^[A-Z][a-z]+(?: [a-z]+)?(?=: )/.exec(line)?.[0] ?? ''
}
