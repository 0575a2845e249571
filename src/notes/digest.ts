/** The digest: what happened in some entries, found by plain code, without a model. */

import { statementsIn } from '../outgoing/digest-said.ts'
import { type Speech, speechesIn } from '../outgoing/digest-speech.ts'
import { isIdle, isMachineLine, isOffer, isPlan, isQuestion, wordCount } from '../outgoing/digest-words.ts'
import type { Digest, Numbered, Said } from '../sessions/digest-types.ts'
import { joined } from '../text/plain.ts'
import type { Sentence } from '../text/sentences.ts'
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

const MAX_ANSWER = 620
const MAX_ANSWER_SENTENCES = 4

/** The telling sentences of the last answer that has any; a last word that only announces a step is none. */
function answerOf(speeches: readonly Speech[]): Said | null {
  const spoken = speeches.filter((speech) => speech.by === 'assistant').reverse()
  for (const speech of [...spoken.filter(({ isFinal }) => isFinal), ...spoken]) {
    const telling = tellingOf(speech)
    if (telling.length > 0) return { text: joined(telling), n: speech.n, by: 'assistant' }
  }
  return null
}

function tellingOf({ sentences }: Speech): Sentence[] {
  const fit = sentences.filter(isTold).map((one) => ({ ...one, text: one.text.replace(/:$/, '.') }))
  const last = fit.findLastIndex(({ isItem }) => !isItem)
  const ranked = fit
    .map((sentence, i) => ({ sentence, i, score: answerScore(sentence, i) + (i === last ? 1 : 0) }))
    .sort((a, b) => b.score - a.score || a.i - b.i)
  const picked: typeof ranked = []
  let room = MAX_ANSWER
  for (const one of ranked) {
    if (picked.length >= MAX_ANSWER_SENTENCES || one.sentence.text.length > room) continue
    if (picked.length > 0 && one.score < WORTH_ADDING) break
    picked.push(one)
    room -= one.sentence.text.length
  }
  return picked.sort((a, b) => a.i - b.i).map(({ sentence }) => sentence)
}

/** A sentence that says how things stand, with words of its own beside names and addresses. */
function isTold({ text, isBeforeCode }: Sentence): boolean {
  if (text.length > MAX_ANSWER || isMachineLine(text)) return false
  if (isPlan(text) || isOffer(text) || isQuestion(text) || isIdle(text)) return false
  // What leads to a list is half a sentence; what leads to code may be a whole one.
  if (text.endsWith(':'))
    return isBeforeCode && wordCount(text) >= 8 && !/^(?:for|if|so|to|when|with|then)\b/i.test(text)
  return wordCount(text.replace(/https?:\S+|`[^`]*`/g, '')) >= 3 || wordCount(text) >= 6
}

const RESULT =
  /\b(?:done|complete[d]?|added|fixed|updated|created|removed|moved|changed|implemented|(?:tests?|checks?|all) pass(?:es|ed)?|works|merged|deployed|installed|found|because|cause|result|confirmed|now|means?|so)\b|완료|통과|머지|추가|수정|변경|해결|생성|원인|때문|しました|完了|已|完成|fertig|erledigt/i

/** Beside the best sentence only what tells something too. */
const WORTH_ADDING = 0.5
const CHANGES =
  /\b(?:chang|summar|what|result|fix|done|updat|complet|implement|finding|conclusion|root cause)|완료|변경|요약|결과|원인|수정|変更|概要|结果|总结|ergebnis|zusammenfassung/

function answerScore({ text, isItem, heading }: Sentence, index: number): number {
  const isQuoted = /^["“'`].*["”'`]$/.test(text)
  return (
    (index === 0 ? 2 : index < 3 ? 1 : 0) +
    (RESULT.test(text) ? 1 : 0) -
    (isItem ? (isAboutChanges(heading) ? 0.5 : 2) : 0) -
    (isQuoted ? 3 : 0) -
    (text.length > 220 ? 0.5 : 0)
  )
}

/** "Changes:", "What was done:", and not "The fix would be one of:". */
function isAboutChanges(heading: string): boolean {
  const lower = heading.toLowerCase()
  return CHANGES.test(lower) && !/\b(?:if|would|could|can|either|or|options?|should|possible)\b/.test(lower)
}
