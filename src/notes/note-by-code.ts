/** A note made by code: its text, and whether a note still has the text that code wrote. */

import { fingerprintOfNote, type Note } from '../memory/note.ts'
import { sourceOf, toTell } from '../sessions/delta.ts'
import { memoryWords } from '../text/memory-words.ts'
import { digestEntries, type Numbered, noteBudget, renderDigest } from './digest.ts'
import { LABELS } from './digest-render.ts'

export function noteText(entries: readonly Numbered[]): string {
  const told = toTell(entries)
  return renderDigest(digestEntries(told), { maxTokens: noteBudget(told) })
}

/** `entries`: those that it is about. A note that somebody edited is that person's, and nothing replaces it. */
export function isAsCodeWroteIt(note: Note, entries: readonly Numbered[]): boolean {
  if (note.author !== 'extractive' || entries.length === 0) return false
  if (note.fingerprint !== undefined) return note.fingerprint === fingerprintOfNote(note.text)
  return isUnedited(note.text, noteText(entries), memoryWords(sourceOf(entries)))
}

/**
 * Versions before 0.6 left no fingerprint, and some wrote other lines than `today`. These are signs that somebody edited the
 * text: a line without a label of code, a word that is not from the session, or nothing but a part of what code writes today.
 */
function isUnedited(text: string, today: string, source: ReadonlySet<string>): boolean {
  if (fingerprintOfNote(text) === fingerprintOfNote(today)) return true
  const words = [...memoryWords(text)]
  const now = memoryWords(today)
  const isOurs = (word: string): boolean => source.has(word) || now.has(word) || LABEL_WORDS.has(word)
  return linesOf(text).every(hasLabel) && words.every(isOurs) && !words.every((word) => now.has(word))
}

const LABEL_WORDS = memoryWords(LABELS.join(' '))

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

function hasLabel(line: string): boolean {
  return LABELS.some((label) => line.startsWith(`${label}: `))
}
