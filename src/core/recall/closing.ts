/** What may be told of a document: whole sentences of answers that closed a turn, of facts, and of the user's own words. */

import type { Unit } from '../../kernel/memory/document.ts'
import { beginsTurn } from '../../kernel/transcript/session.ts'
import { isQuestionMarked } from '../notes/structure-text.ts'
import { type TextUnit, typedUnits, unitsOf } from '../notes/units.ts'
import { KIND_NUMBER } from '../search/engine.ts'
import type { Recollection, Remembrance } from './remembrance.ts'

const PROMPT = KIND_NUMBER.prompt
const ANSWER = KIND_NUMBER.answer
/** A longer turn is not walked through. */
const MOST_STEPS = 2_000
const ENDED = /[.!…。！]["'”’)\]*`」』）]*$/
/** States of facts that no longer hold. */
const OVER: ReadonlySet<string> = new Set(['resolved', 'superseded', 'rejected'])

/** In order; empty: nothing of it may be told. */
export function tellableIn(doc: number, memory: Remembrance): string[] {
  const unit = memory.unitOf(doc)
  if (unit === null || OVER.has(unit.state)) return []
  const { kind, text, by } = unit
  switch (kind) {
    case 'answer':
      return isClosing(doc, memory) && isInTypedTurn(doc, memory) ? wholeIn(unitsOf(text)) : []
    case 'prompt':
      return isUsers(doc, memory) ? wholeIn(typedUnits(text)).filter((one) => !isQuestionMarked(one)) : []
    case 'issue':
      // By structure: one failure, or one refusal of another day.
      return (by === 'the user' || by === 'Claude') && !text.startsWith('Refused: ') ? factIn(text) : []
    case 'decision':
    case 'pattern':
    case 'rule':
      return factIn(text)
    case 'note':
    case 'page':
      return by === undefined || by === 'the user' ? wholeIn(unitsOf(text)) : []
    default:
      return []
  }
}

/** Sentences, and list items that are sentences: no headings, table rows, code, or what only leads to something. */
export function wholeIn(units: readonly TextUnit[]): string[] {
  const isWhole = ({ kind, opens, text }: TextUnit): boolean =>
    !opens && (kind === 'sentence' ? !text.endsWith('(code)') : kind === 'item' && ENDED.test(text))
  return units.filter(isWhole).map(({ text }) => text)
}

/** Without the line that only lists files. */
function factIn(text: string): string[] {
  const lines = text.split('\n').filter((line) => !line.split(' ').every((word) => /[./]/.test(word)))
  return wholeIn(unitsOf(lines.join('\n')))
}

/** The sentences of a document from one of them on. */
export function pickFrom(unit: Unit, score: number, sentences: readonly string[], at: number): Recollection {
  const from = sentences.slice(0, at).reduce((sum, one) => sum + one.length + 1, 0)
  return { source: unit, score, sentences: sentences.slice(at), from }
}

/** No tool use follows in its turn, also none that is not indexed, and nobody interrupted it. */
function isClosing(doc: number, { columns, behind }: Remembrance): boolean {
  const next = columns.next(doc)
  if (columns.kind[doc] !== ANSWER || (next >= 0 && columns.kind[next] !== PROMPT)) return false
  const first = behind(doc).find(
    (entry) => entry.role !== 'tombstone' && !(entry.role === 'user' && entry.via === 'host'),
  )
  return first?.role !== 'tool' && !(first?.role === 'user' && first.via === 'interrupt')
}

/** A person typed in the turn: a program that runs Claude has no closing answers. */
function isInTypedTurn(doc: number, memory: Remembrance): boolean {
  const entry = memory.entryOf(turnOf(doc, memory))
  return entry?.role === 'user' && entry.sent !== true
}

/** The document of the prompt with which the turn began; -1: there is none. */
export function turnOf(doc: number, memory: Remembrance): number {
  for (let at = doc, step = 0; at >= 0 && step < MOST_STEPS; at = memory.columns.prev(at), step++)
    if (begins(at, memory)) return at
  return -1
}

/** The documents of the turn from this one on, in order. */
export function restOfTurn(doc: number, memory: Remembrance): number[] {
  const docs: number[] = [doc]
  for (let at = memory.columns.next(doc); at >= 0 && docs.length < MOST_STEPS; at = memory.columns.next(at)) {
    if (begins(at, memory)) break
    docs.push(at)
  }
  return docs
}

/** The answer that closed the turn of this document; null: none did. */
export function closingAnswer(doc: number, memory: Remembrance): { unit: Unit; sentences: string[] } | null {
  // A command for the host, such as `/exit`, ends no turn.
  const last = restOfTurn(doc, memory).findLast((one) => memory.columns.kind[one] !== PROMPT) ?? doc
  const unit = memory.columns.kind[last] === ANSWER ? memory.unitOf(last) : null
  const sentences = unit === null ? [] : tellableIn(last, memory)
  return unit === null || sentences.length === 0 ? null : { unit, sentences }
}

/** A comment on a tool use, or an answer to a question of Claude's, begins no turn. */
function begins(doc: number, { columns, entryOf }: Remembrance): boolean {
  if (columns.kind[doc] !== PROMPT) return false
  const entry = entryOf(doc)
  return entry?.role === 'user' && beginsTurn(entry)
}

function isUsers(doc: number, { entryOf }: Remembrance): boolean {
  const entry = entryOf(doc)
  return (
    entry?.role === 'user' &&
    (entry.via === undefined || entry.via === 'queue') &&
    entry.by !== 'machine' &&
    entry.sent !== true &&
    entry.plan !== true
  )
}
