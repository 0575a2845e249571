/** Decisions, open and solved issues and things learned, said in so many words. */
import { chosenIn, chosenText } from './digest-dialog.ts'
import { isOvertaken } from './digest-overtaken.ts'
import type { Sentence } from './digest-sentences.ts'
import type { Speech } from './digest-speech.ts'
import { decisionRows } from './digest-table.ts'
import type { Numbered, Said } from './digest-types.ts'
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
  isReported,
  isSolved,
  isSupposed,
  withoutQuoted,
  wordCount,
} from './digest-words.ts'
import { speakerOf } from './evidence.ts'

/** A sentence with the words it was taken from, as they stand in its entry. */
export interface Statement extends Said {
  quote: string
  /** Where in its entry. */
  from: number
  at: string
  /** What was said right behind it. */
  after: string
}

interface Statements {
  decided: Statement[]
  open: Statement[]
  resolved: Statement[]
  learned: Statement[]
}

const MAX_EACH = 8
const MAX_SENTENCE = 300

/** `speeches`: the same entries, as `speechesIn` tells them. */
export function statementsIn(entries: readonly Numbered[], speeches: readonly Speech[]): Statements {
  const spoken = speeches.map(withoutPasted)
  const decided = [...answersGiven(entries), ...spoken.flatMap(decisionsOf)].sort(
    (a, b) => a.n - b.n || a.from - b.from,
  )
  const resolved = spoken.flatMap((speech) => pick(speech, isSolvedHere))
  const lastFinal = spoken.findLast((speech) => speech.isFinal)
  const open = spoken.flatMap((speech) => openOf(speech, speech === lastFinal))
  const isDecided = (one: Statement): boolean => decided.some(({ n, from }) => n === one.n && from === one.from)
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

function pick(speech: Speech, fits: (sentence: Sentence) => boolean): Statement[] {
  if (speech.isJson) return []
  const { n, at, by, text, sentences } = speech
  return sentences.flatMap((sentence, i) => {
    if (!isStatement(sentence) || !fits({ ...sentence, text: withoutQuoted(sentence.text) })) return []
    const quote = text.slice(sentence.from, sentence.to)
    return [{ text: sentence.text, n, by, at, quote, from: sentence.from, after: sentences[i + 1]?.text ?? '' }]
  })
}

/** Whole, of a length that a reader takes in, and said by somebody. */
function isStatement({ text }: Sentence): boolean {
  return text.length <= MAX_SENTENCE && wordCount(text) >= 3 && !text.endsWith(':') && !isMachineLine(text)
}

/** What a person pasted or quoted is not what the person says. */
function withoutPasted(speech: Speech): Speech {
  if (speech.by !== 'user' || speech.isJson) return speech
  const entry = { role: 'user' as const, ts: speech.at, text: speech.text }
  const isTyped = ({ from, to }: Sentence): boolean => speakerOf(entry, speech.text.slice(from, to)) === 'user'
  return { ...speech, sentences: speech.sentences.filter(isTyped) }
}

/** "`report.pdf` - fixed the totals" tells what is in a file. */
const ABOUT_FILE = /^`[^`]+`(?: \([^)]*\))?\s*[-–—:]/

function isSolvedHere({ text, isItem }: Sentence): boolean {
  return isSolved(text) && !isReported(text) && !isSupposed(text) && !(isItem && ABOUT_FILE.test(text))
}

/** On the way Claude learns much that turns out otherwise: only its last words of a turn count. */
function learnedOf(speech: Speech): Statement[] {
  return speech.by === 'user' || speech.isFinal ? pick(speech, ({ text }) => isLearned(text) && !isReported(text)) : []
}

function decisionsOf(speech: Speech): Statement[] {
  if (speech.by === 'user' && speech.text.startsWith('! ')) return []
  const isNoted = speech.by === 'user' && /^# [^\n]+$/.test(speech.text)
  const said = pick(
    speech,
    (one) =>
      isNoted ||
      (isDecision(one.text, speech.by) && !(speech.by === 'assistant' && isReported(one.text))) ||
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

/** What was open in an earlier turn has mostly been worked on since: only what was put off counts from there. */
function openOf(speech: Speech, isLast: boolean): Statement[] {
  const isOpen = isLast ? isOpenWord : isLastingWord
  // What a person complains about is what is worked on next.
  if (speech.by === 'user') return pick(speech, (one) => isLastingWord(one.text))
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

/** What a person picked in a dialog answers Claude's question of the moment: it is a decision only by its own words. */
function answersGiven(entries: readonly Numbered[]): Statement[] {
  return entries.flatMap(({ n, entry }) => {
    if (entry.role !== 'user' || entry.via !== 'AskUserQuestion') return []
    return chosenIn(entry.text)
      .filter(({ answer }) => isDecidingAnswer(answer))
      .map((one) => {
        const { quote, from } = one
        return { text: chosenText(one), n, by: 'user' as const, at: entry.ts, quote, from, after: '' }
      })
  })
}

/** What was decided otherwise later on does not hold any more; Claude does not overrule the person. */
function stillHolding(decided: readonly Statement[]): Statement[] {
  return decided.filter(
    (one, i) =>
      !decided
        .slice(i + 1)
        .some((later) => (later.by === 'user' || one.by === 'assistant') && isOvertaken(one.text, later.text)),
  )
}

/** Each once; of too many the person's own and the latest. */
function firstOnes(all: readonly Statement[]): Statement[] {
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
