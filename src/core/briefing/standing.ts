/** Where the work stands, as the line says that a person sees at a start. */

import { textOnOneLine } from '../../kernel/text/memory-words.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import { whereItStands } from '../notes/chapters.ts'
import { unitsOf } from '../notes/units.ts'
import type { BriefingInput } from './briefing-input.ts'
import { chooseSessions } from './current-state.ts'

export interface Standing {
  /** How much is open. */
  open: number
  /** One clause, and since when; null: nothing is known. */
  stands: { at: string; text: string } | null
}

const MAX_CHARS = 80

/** The last sentence of a model about the end; else of the last answer; else, and where that was interrupted, what was asked. */
export function whereItStandsNow({ stories, branch }: BriefingInput): Standing['stands'] {
  const { main } = chooseSessions(stories, branch)
  if (main === null) return null
  const chapter = whereItStands(main.story)
  const { answer, turn } = chapter ?? { answer: '', turn: null }
  const said = lastOf(main.stands) || (turn?.isInterrupted ? '' : lastOf(answer)) || lastOf(turn?.asked ?? '')
  const words = shorten(textOnOneLine(said), MAX_CHARS).replace(/[.;:。]+$/, '')
  const end = turn?.isInterrupted === true ? `interrupted: ${words}` : words
  return words === '' ? null : { at: main.story.to, text: end }
}

function lastOf(text: string): string {
  return unitsOf(text).findLast(({ opens, kind }) => !opens && kind !== 'code')?.text ?? ''
}
