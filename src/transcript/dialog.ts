/** Answers that a person gave in a dialog of the host: what was asked, and what was chosen. */

import { sentencesOf } from '../text/sentences.ts'
import { shorten } from '../text/shorten.ts'

interface Chosen {
  question: string
  answer: string
  /** As it stands in its entry, and where. */
  quote: string
  from: number
}

const MAX_PART = 300

/** The pairs of `"question"="answer"` in the entry of an answered dialog. */
export function chosenIn(text: string): Chosen[] {
  return [...text.matchAll(/"((?:[^"]|"(?!=")){1,1500})"="([^"]{1,600})"/g)].flatMap((match) => {
    const question = sentencesOf(match[1] ?? '').at(-1)?.text ?? ''
    const answer = (match[2] ?? '')
      .replace(/\s*\(Recommended\)$/i, '')
      .replace(/\s+/g, ' ')
      .trim()
    if (question === '' || answer === '' || question.length > MAX_PART) return []
    return [{ question, answer: shorten(answer, MAX_PART), quote: match[0], from: match.index }]
  })
}
