/** Decisions, open and solved issues and things learned, said in so many words. */

import { speakerOf } from '../knowledge/evidence.ts'
import { factWords } from '../knowledge/fact-similar.ts'
import type { Numbered, Said } from '../sessions/digest-types.ts'
import type { Sentence } from '../text/sentences.ts'
import { chosenIn, chosenText } from '../transcript/digest-dialog.ts'
import { isOvertaken } from './digest-overtaken.ts'
import { isGoneNow, statedBefore } from './digest-pointing.ts'
import type { Speech } from './digest-speech.ts'
import { decisionRows } from './digest-table.ts'
import {
  isDecidingAnswer,
  isDecision,
  isDecisionHeading,
  isLastingWord,
  isLearned,
  isMachineLine,
  isOffer,
  isOpenHeading,
  isOpenWord,
  isPassing,
  isQuestion,
  isReasonedChoice,
  isReported,
  isSolved,
  isSupposed,
  withoutQuoted,
  wordCount,
} from './digest-words.ts'
import { withoutOpeners } from './openers.ts'
import { isTypedChoice } from './typed-choice.ts'
import { spellOut } from './typed-spelling.ts'
import { isComplaint, isPutOff, isTroubleOver, isWarning } from './typed-trouble.ts'
import { isFromText, isUndecided } from './typed-unsure.ts'

/** A sentence with the words it was taken from, as they stand in its entry. */
export interface SaidStatement extends Said {
  quote: string
  /** Where in its entry. */
  from: number
  at: string
  /** What was said right behind it. */
  after: string
}

interface Statements {
  decided: SaidStatement[]
  open: SaidStatement[]
  resolved: SaidStatement[]
  learned: SaidStatement[]
}

const MAX_EACH = 8
const MAX_SENTENCE = 300

/** `speeches`: the same entries, as `speechesIn` tells them. `known`: issues that are open from before. */
export function statementsIn(
  entries: readonly Numbered[],
  speeches: readonly Speech[],
  known: readonly string[] = [],
): Statements {
  const spoken = speeches.map(withoutPasted)
  const decided = [...answersGiven(entries), ...spoken.flatMap(decisionsOf)].sort(
    (a, b) => a.n - b.n || a.from - b.from,
  )
  const open = openIn(entries, spoken)
  const issues = [...known, ...open.map(({ text }) => text)]
  const resolved = spoken.flatMap((speech) =>
    pick(speech, (one) => isSolvedBy(speech, one) || isGone(one, speech, issues)),
  )
  const isDecided = (one: SaidStatement): boolean => decided.some(({ n, from }) => n === one.n && from === one.from)
  const learned = spoken.flatMap(learnedOf).filter((one) => !isDecided(one))
  return {
    decided: firstOnes(stillHolding(decided)),
    open: firstOnes(
      open.filter((one) => !resolved.some((solved) => solved.n > one.n && isAbout(one.text, solved.text))),
    ),
    resolved: firstOnes(resolved),
    learned: firstOnes(learned),
  }
}

function pick(speech: Speech, fits: (sentence: Sentence) => boolean): SaidStatement[] {
  if (speech.isJson) return []
  const { n, at, by, text, sentences } = speech
  return sentences.flatMap((sentence, i) => {
    if (!readingsOf(speech)[i]?.some(fits)) return []
    // "I have not fixed it yet": what, stands before it.
    const told = statedBefore(sentences, i)
    if (told !== undefined && (told === null || !isStatement(told))) return []
    const from = told?.from ?? sentence.from
    const quote = text.slice(from, sentence.to)
    return [{ text: told?.text ?? sentence.text, n, by, at, quote, from, after: sentences[i + 1]?.text ?? '' }]
  })
}

const readings = new WeakMap<Speech, Sentence[][]>()

/** Each sentence as the rules read it, with and without its opening words; nothing of what is no statement. Several rules ask for the same. */
function readingsOf(speech: Speech): Sentence[][] {
  const known = readings.get(speech)
  if (known !== undefined) return known
  const heard = (said: string): string => {
    const own = withoutQuoted(said)
    return speech.by === 'user' ? spellOut(own.toLowerCase()).text : own
  }
  const made = speech.sentences.map((sentence) => {
    const texts = isStatement(sentence) ? new Set([sentence.text, withoutOpeners(sentence.text)]) : []
    return [...texts].map((text) => ({ ...sentence, text: heard(text) }))
  })
  readings.set(speech, made)
  return made
}

/** What was the matter is not any more: of what else that is told, only of what is known to be open. */
function isGone({ text }: Sentence, { by, isFinal }: Speech, issues: readonly string[]): boolean {
  return (by === 'user' || isFinal) && !isReported(text) && !isSupposed(text) && isGoneNow(text, issues)
}

/** Whole, of a length that a reader takes in, and said by somebody. */
function isStatement({ text }: Sentence): boolean {
  return text.length <= MAX_SENTENCE && wordCount(text) >= 3 && !text.endsWith(':') && !isMachineLine(text)
}

/** What a person pasted or quoted is not what the person says. */
function withoutPasted(speech: Speech): Speech {
  if (speech.by !== 'user' || speech.isJson) return speech
  const entry = { role: 'user' as const, by: 'user' as const, ts: speech.at, text: speech.text }
  const isTyped = ({ from, to }: Sentence): boolean => speakerOf(entry, speech.text.slice(from, to)) === 'user'
  return { ...speech, sentences: speech.sentences.filter(isTyped) }
}

/** "`report.pdf` - fixed the totals" tells what is in a file. */
const ABOUT_FILE = /^`[^`]+`(?: \([^)]*\))?\s*[-–—:]/

function isSolvedHere({ text, isItem }: Sentence): boolean {
  return isSolved(text) && !isReported(text) && !isSupposed(text) && !(isItem && ABOUT_FILE.test(text))
}

/** People say less of it, and ask about it more. */
function isSolvedBy({ by }: Speech, one: Sentence): boolean {
  return by === 'user' ? (isSolvedHere(one) || isTroubleOver(one.text)) && !isUndecided(one.text) : isSolvedHere(one)
}

/** On the way Claude learns much that turns out otherwise: only its last words of a turn count. */
function learnedOf(speech: Speech): SaidStatement[] {
  if (speech.by === 'user') return pick(speech, ({ text }) => (isLearned(text) || isWarning(text)) && !isReported(text))
  return speech.isFinal ? pick(speech, ({ text }) => isLearned(text) && !isReported(text)) : []
}

function decisionsOf(speech: Speech): SaidStatement[] {
  if (speech.by === 'user' && speech.text.startsWith('! ')) return []
  const isNoted = speech.by === 'user' && /^# [^\n]+$/.test(speech.text)
  const said = pick(
    speech,
    (one) =>
      isNoted ||
      (speech.by === 'user' ? isDecidedBy(one.text) : isDecision(one.text, 'assistant') && !isReported(one.text)) ||
      (speech.by === 'assistant' && speech.isFinal && isReasonedChoice(one.text)) ||
      (speech.isFinal &&
        one.isItem &&
        isDecisionHeading(one.heading) &&
        wordCount(one.text) >= 4 &&
        !isQuestion(one.text)),
  )
  if (speech.by === 'user' || !speech.isFinal || speech.isJson) return said
  const { n, by, at } = speech
  return [...said, ...decisionRows(speech.text).map((row) => ({ ...row, n, by, at }))]
}

function isDecidedBy(text: string): boolean {
  return (isDecision(text, 'user') && !isUndecided(text) && !isFromText(text)) || isTypedChoice(text)
}

/** What was open in an earlier turn counts if nobody has done or said anything about it since. */
function openIn(entries: readonly Numbered[], spoken: readonly Speech[]): SaidStatement[] {
  const lastFinal = spoken.findLast((speech) => speech.isFinal)
  const lastWork = entries.findLast(({ entry }) => 'name' in entry)?.n ?? -1
  const lastWord = spoken.at(-1)
  const isUntouched = ({ n, text }: SaidStatement): boolean =>
    spoken.every((later) => later.n <= n || (!later.sentences.some(isSolvedHere) && !sharesWord(text, later.text)))
  return spoken.flatMap((speech) => {
    if (speech.by === 'user') return complaintsOf(speech, speech === lastWord && speech.n > lastWork)
    if (speech === lastFinal || speech.n < lastWork) return openOf(speech, speech === lastFinal)
    return openOf(speech, true).filter((one) => isLastingWord(one.text) || isUntouched(one))
  })
}

function sharesWord(one: string, other: string): boolean {
  const words = carrying(other)
  return [...carrying(one)].some((word) => words.has(word))
}

/** What was open in an earlier turn has mostly been worked on since: only what was put off counts from there. */
function openOf(speech: Speech, isLast: boolean): SaidStatement[] {
  const isOpen = isLast ? isOpenWord : isLastingWord
  if (!speech.isFinal) return []
  return pick(
    speech,
    (one) =>
      !isPassing(one.text) &&
      (isOpen(one.text) ||
        (isLast && one.isUnticked) ||
        (isLast && one.isItem && isOpenHeading(one.heading) && !isQuestion(one.text) && !isOffer(one.text))),
  )
}

/** What a person complains about is what is worked on next: it stays open if it was put off, or if nothing came after it. */
function complaintsOf(speech: Speech, isUnanswered: boolean): SaidStatement[] {
  return pick(
    speech,
    ({ text }) =>
      (isLastingWord(text) && !isUndecided(text)) ||
      isPutOff(text) ||
      (isUnanswered && isComplaint(text) && !isWarning(text) && !isTypedChoice(text)),
  )
}

/** What a person picked in a dialog answers Claude's question of the moment: it is a decision only by its own words. */
function answersGiven(entries: readonly Numbered[]): SaidStatement[] {
  return entries.flatMap(({ n, entry }) => {
    if (entry.role !== 'user' || entry.via !== 'AskUserQuestion') return []
    return chosenIn(entry.text)
      .filter(({ answer }) => isDecidingAnswer(answer))
      .map((one) => {
        const { quote, from } = one
        const by = entry.sent === true ? 'assistant' : 'user'
        return { text: chosenText(one), n, by, at: entry.ts, quote, from, after: '' }
      })
  })
}

/** What was decided otherwise later on does not hold any more; Claude does not overrule the person. */
function stillHolding(decided: readonly SaidStatement[]): SaidStatement[] {
  const words = decided.map(({ text }) => factWords(text))
  // Two that have no word in common never meet: hundreds of decisions are compared in no time.
  const mayMeet = (a: number, b: number): boolean => {
    const [x = new Set<string>(), y = new Set<string>()] = [words[a], words[b]]
    return x.size === 0 || y.size === 0 || [...x].some((word) => y.has(word))
  }
  return decided.filter(
    (one, i) =>
      !decided.some(
        (later, at) =>
          at > i &&
          (later.by === 'user' || one.by === 'assistant') &&
          mayMeet(i, at) &&
          isOvertaken(one.text, later.text),
      ),
  )
}

/** Each once; of too many the person's own and the latest. */
function firstOnes(all: readonly SaidStatement[]): SaidStatement[] {
  const seen = new Set<string>()
  const fresh = all.filter(({ text }) => {
    const key = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
    return !seen.has(key) && seen.add(key)
  })
  return fresh
    .toSorted((a, b) => Number(b.by === 'user') - Number(a.by === 'user') || b.n - a.n)
    .slice(0, MAX_EACH)
    .sort((a, b) => a.n - b.n)
}

/** Two sentences that share most of the words that carry them. */
function isAbout(one: string, other: string): boolean {
  const a = carrying(one)
  const b = carrying(other)
  if (a.size === 0 || b.size === 0) return false
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return shared >= 2 ? shared / Math.min(a.size, b.size) >= 0.4 : shared === 1 && Math.min(a.size, b.size) === 1
}

const STATUS =
  /^(?:the|a|an|is|are|was|were|and|or|to|of|in|on|for|with|it|this|that|still|not|yet|now|fix(?:ed|es)?|fails?|failing|failed|works?|working|open|todo|resolved|solved|issue|problem|bug|broken|need|needs|be|been|has|have|아직|이제|해결|수정|문제|남은)$/

function carrying(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []).filter((word) => !STATUS.test(word)))
}
