/** What a model is told about the facts it proposed: what does not hold, what is known, and what it left out. */

import { textOnOneLine } from '../text/memory-words.ts'
import type { Checked } from './fact-draft.ts'
import { MAX_ROUNDS } from './mining.ts'

/** Nothing stands in the way of saving. */
export function isClean({ refused, questions }: Checked): boolean {
  return refused.length === 0 && questions.length === 0
}

/** `round`: this was so manieth; after the last one what holds is saved, whatever is missing. */
export function renderReport(checked: Checked, round: number): string[] {
  return [
    ...section(
      'Not kept as they are:',
      checked.refused.map(({ number, problem }) => `fact ${number}: ${textOnOneLine(problem)}`),
    ),
    ...section(
      'Said before; they will be joined with what is known, which is fine:',
      checked.duplicates.map(
        ({ number, of, text }) => `fact ${number} is ${textOnOneLine(of)}: ${textOnOneLine(text)}`,
      ),
    ),
    ...section(
      'No fact covers these entries:',
      checked.questions.map(({ entry, excerpt, ask }) => `#${entry} "${textOnOneLine(excerpt)}" ${textOnOneLine(ask)}`),
    ),
    nextStep(checked, round),
  ]
}

function nextStep(checked: Checked, round: number): string {
  const held = checked.sound.length
  if (isClean(checked))
    return `All ${held} hold and everything that carries weight is covered. Call save_facts with the same facts.`
  if (round >= MAX_ROUNDS) return `That was the last round. Call save_facts with what holds; the rest is left out.`
  return `Round ${round} of ${MAX_ROUNDS}. Correct what is not kept, answer every question with a fact or by putting its number into nothingIn, and send the whole list again.`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `- ${line}`)]
}
