/** The digest: what happened in some entries, found by plain code, without a model. */

import { statementsIn } from '../outgoing/digest-said.ts'
import { speechesIn } from '../outgoing/digest-speech.ts'
import type { Digest, Numbered, Said } from '../sessions/digest-types.ts'
import { answerOf } from './digest-answer.ts'
import { askedIn } from './digest-asked.ts'
import { doneIn } from './digest-done.ts'

export type { ChangedFile, Digest, Numbered, RanCommand, Said } from '../sessions/digest-types.ts'
export { noteBudget, renderDigest } from './digest-render.ts'

/** Looks only at these entries; the same entries always give the same digest. */
export function digestEntries(entries: readonly Numbered[]): Digest {
  const speeches = speechesIn(entries)
  const { decided, open, resolved } = statementsIn(entries, speeches)
  const said = (all: readonly Said[]): Said[] => all.map(({ text, n, by }) => ({ text, n, by }))
  const answer = answerOf(speeches)
  return {
    asked: askedIn(entries, answer?.text ?? ''),
    ...doneIn(entries),
    decided: said(decided),
    open: said(open),
    resolved: said(resolved),
    answer,
  }
}
