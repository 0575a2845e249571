/** What in some entries carries weight: sentences and outcomes that a later session would want to know, each with how much. */

import { commandOutcome, familyOf, isLearnt, tellingLine, weightOf } from '../notes/digest-commands.ts'
import type { Numbered } from '../sessions/digest-types.ts'
import { textOnOneLine } from '../text/memory-words.ts'
import { tellingWords } from '../text/words.ts'
import { commitsIn } from '../transcript/digest-shell.ts'
import { wholeWords } from '../transcript/session.ts'
import { isOvertaken } from './digest-overtaken.ts'
import { type SaidStatement, statementsIn } from './digest-said.ts'
import { type Speech, speechesIn } from './digest-speech.ts'
import {
  isCorrection,
  isHostCommand,
  isIdle,
  isMachineLine,
  isOffer,
  isPersona,
  isPlan,
  isQuestion,
  isRequest,
  wordCount,
} from './digest-words.ts'
import { statedIn } from './standing.ts'

export type WeightKind =
  | 'standing'
  | 'decision'
  | 'correction'
  | 'issue'
  | 'solved'
  | 'outcome'
  | 'cause'
  | 'information'

/** One thing worth knowing, and where it stands. */
export interface Weighty {
  n: number
  kind: WeightKind
  text: string
  weight: number
  /** A failure: all that was printed. What came of it is told in other words. */
  printed?: string
}

/** How much each kind weighs; what a person said weighs more than what Claude did, an outcome more than a plan. */
const WEIGHT: Readonly<Record<WeightKind, number>> = {
  standing: 5,
  decision: 4.5,
  correction: 4,
  issue: 3.5,
  solved: 3,
  outcome: 2.5,
  cause: 2.5,
  information: 1,
}
const CLAUDES_SHARE = 0.8
const COMMITS_SHARE = 0.6
/** An error that says how this project or this machine is. */
const LESSONS_SHARE = 1.4
const TYPED_BONUS = 0.4
const WISH_BONUS = 1.4
/** An answer to a why is mostly what was looked for. */
const WHY_BONUS = 1.5
const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell'])
const MAX_SENTENCE = 400
/** Share of a decision's words in a sentence that may take it back; it saves looking at all of them closely. */
const ON_IT = 0.4
const CAUSE =
  /\b(?:because|root cause|caused by|the (?:cause|reason|culprit|problem|bug|issue) (?:is|was)|turns? out|turned out|due to|the fix (?:is|was)|that's why|which is why|found (?:it|the (?:cause|bug|problem|reason))|it was .{2,60}\bthat)\b|때문|원인|이유는|덕분에|탓에|原因|ため|のせい|因为|由于|\b(?:weil|ursache|liegt daran|lag daran|wegen)\b/
/** What holds in general, or where a limit is. */
const HOLDS =
  /\b(?:always|never|every|all|any|only|must|ha(?:s|ve) to|at (?:most|least)|max(?:imum)?|minimum|limit\w*|longer than|larger than|more than|not allowed|agreed|policy|requires?|insists?|nobody|no one|everything|everybody|each|until|unless|careful|since the)\b|항상|절대|반드시|모든|모두|(?:에는|에만|만|까지|부터|이후|이전)\s|필요(?:해|합니다|하다)|(?:해야|돼야|되어야|나가야|받아야)|최대|최소|규정|정책|금지|주의|必ず|すべて|全て|だけ|まで|必须|所有|只能|最多|最少|\b(?:immer|nie|alle|nur|muss|müssen|höchstens|mindestens|maximal)\b/g
/** How somebody wants it, or how it has to be. */
const WISH =
  /\b(?:i'd rather|i would rather|i(?:'d)? prefer|should|must|ha(?:s|ve) to|needs? (?:to|an?|the)|ought to|can(?:no|')t|may not|not allowed|make sure|fyi|note that|by the way|keep in mind|remember that|careful|leave|keep)\b|[가-힣](?<!혼|각)자(?=[.,!\s]|$)|[가-힣]야 (?:해|돼|하|되|합|됩|지|한)|[가-힣]야지|지 (?:마|말)|말고|참고로|주의|기억해|しよう|べき|なければ|应该|必须|不要|\b(?:sollte|muss|müssen|lieber|bitte nicht|denk daran)\b/
/** Said once, meant for good. */
const FOR_GOOD = /\b(?:always|never|must)\b|항상|절대|반드시|必ず|絶対|必须|\b(?:immer|niemals|muss)\b/
const WHY =
  /\bwhy\b|\bfind out\b|\bwhat(?:'s| is| went| was) (?:going on|wrong|the (?:cause|problem|reason))|\b(?:broken|killed|crash\w*|fail(?:s|ed|ing)?|error|exit code|slow|stuck|hangs?|wrong|lost|missing|twice)\b|왜|원인|이유|자꾸|가끔|느려|멈춰|멈추|죽는|안\s?(?:되|돼)|なぜ|どうして|为什么|\b(?:warum|wieso)\b/
/** Open, in more words than one. */
const NOT_YET =
  /\b(?:not|n't|never|no)\b.{2,60}\byet\b|\bleft (?:it |that |them |this )?(?:alone|out|open)\b|아직.{2,40}(?:못|않|없)|まだ.{2,30}(?:ない|ません)|\bnoch (?:nicht|kein)/
const FAILED = /\b(?:fail(?:ed|ure)?|error|expected|assert\w*|exception|panic)\b|[✗✘×❌●]|실패|오류|失敗|失败/i
/** Numbers with a meaning, names of things, files. */
const NAMES =
  /`[^`\n]{2,80}`|\b[\w-]+\.[a-z]{1,5}\b|\b[\w.-]+\/[\w./-]+|\b[a-z]+[A-Z]\w+|\b[A-Z]{2,}\b|\b\w+_\w+\b|(?<=[a-z,(] ?)\b[A-Z][a-z]+|\b\d[\d.,]*\s?(?:%|[a-zA-Z]{1,3}\b|개|명|초|분|시|일|원|번|건|月|日|秒)?/g

/** In the order of their entries. `entries`: without our own calls. */
export function weightyIn(entries: readonly Numbered[]): Weighty[] {
  const found = [...spokenIn(entries), ...outcomesIn(entries)]
  return found.sort((a, b) => a.n - b.n || b.weight - a.weight)
}

function spokenIn(entries: readonly Numbered[]): Weighty[] {
  const speeches = speechesIn(entries)
  const found = [
    ...statedIn(entries).map(({ entry, text }) => weighty('standing', entry, text, 1)),
    ...saidIn(entries, speeches),
  ]
  const told = new Set(found.map(({ n, text }) => `${n} ${text}`))
  for (const [i, speech] of speeches.entries()) {
    for (const one of plainlySaid(speech, speeches.slice(0, i))) if (!told.has(`${one.n} ${one.text}`)) found.push(one)
  }
  return found
}

/** Turn by turn: of a long piece only the last few would be told otherwise. What the person took back later does not count. */
function saidIn(entries: readonly Numbered[], speeches: readonly Speech[]): Weighty[] {
  const turns = turnsOf(entries).map((turn) => statementsIn(turn, speechesIn(turn)))
  const typed = speeches
    .filter(({ by }) => by === 'user')
    .flatMap(({ n, sentences }) => sentences.map(({ text }) => ({ n, text, words: tellingWords(text) })))
  const holds = (one: SaidStatement): boolean => {
    const words = [...tellingWords(one.text)]
    const isOnIt = (later: (typeof typed)[number]): boolean =>
      later.n > one.n && words.filter((word) => later.words.has(word)).length >= words.length * ON_IT
    return !typed.some((later) => isOnIt(later) && isOvertaken(one.text, later.text))
  }
  const of = (kind: WeightKind) => (one: SaidStatement) =>
    weighty(kind, one.n, one.text, one.by === 'user' ? 1 : CLAUDES_SHARE)
  return [
    ...turns.flatMap((turn) => turn.decided.filter(holds)).map(of('decision')),
    ...statementsIn(entries, speeches).open.map(of('issue')),
    ...turns.flatMap((turn) => turn.resolved).map(of('solved')),
  ]
}

/** Corrections, causes, and what a person tells beside what is asked for. */
function plainlySaid(speech: Speech, before: readonly Speech[]): Weighty[] {
  const { n, by, text, sentences, isJson } = speech
  if (isJson || isIdle(text) || (by === 'user' && (isHostCommand(text) || /^[!/]/.test(text)))) return []
  const said = sentences.map((one) => textOnOneLine(one.text))
  if (by === 'user') {
    const isReply = before.length > 0 && isCorrected(said[0] ?? '') && !isQuestion(said[0] ?? '')
    if (isReply && isTold(said[0] ?? '', 2))
      return [weighty('correction', n, said.slice(0, 2).join(' '), 1), ...informing(n, said.slice(2))]
    return informing(n, said)
  }
  const asked = before.findLast((one) => one.by === 'user')?.text.toLowerCase() ?? ''
  return explained(speech, said, WHY.test(asked))
}

/** "Yes, but …" takes back a part of it. */
function isCorrected(first: string): boolean {
  return (
    isCorrection(first) ||
    /^(?:ok(?:ay)?|yes|yeah|good|fine|nice|sure|좋아|네|응|그래|ja|はい|好)\S*[ ,.]+(?:but|only|except|though|근데|하지만|그런데|다만|aber|nur|でも|但)/i.test(
      first,
    )
  )
}

/** A person types little, and mostly for a reason. */
function informing(n: number, sentences: readonly string[]): Weighty[] {
  const worthOf = (one: string): number =>
    information(one) + TYPED_BONUS + (WISH.test(one.toLowerCase()) ? WISH_BONUS : 0)
  return sentences.filter((one) => isTold(one, 4)).map((one) => weighty('information', n, one, worthOf(one)))
}

/** Of Claude's words: what is open, causes, and the answer to a why. */
function explained({ n, sentences, isFinal }: Speech, said: readonly string[], isWhy: boolean): Weighty[] {
  return said.flatMap((one, i) => {
    if (!isTold(one, 2) || isPlan(one)) return []
    const lower = one.toLowerCase()
    // "I found the cause.": what it is comes next.
    const whole = wordCount(one) < 7 ? [one, said[i + 1] ?? ''].join(' ').trim() : one
    if (CAUSE.test(lower)) return [weighty('cause', n, whole, 1)]
    if (!isFinal || wordCount(one) < 4) return []
    if (NOT_YET.test(lower)) return [weighty('issue', n, one, CLAUDES_SHARE)]
    if (sentences[i]?.isItem === true) return []
    return [weighty('information', n, one, information(one) * CLAUDES_SHARE + (isWhy ? WHY_BONUS : 0))]
  })
}

function isTold(sentence: string, minWords: number): boolean {
  if (sentence.length > MAX_SENTENCE || wordCount(sentence) < minWords || isMachineLine(sentence)) return false
  return !isPersona(sentence) && !isQuestion(sentence) && !isOffer(sentence)
}

/** How much a sentence holds that cannot be guessed: names, numbers, causes, what holds in general. */
function information(text: string): number {
  const lower = text.toLowerCase()
  const names = new Set(text.match(NAMES) ?? []).size
  const general = Math.min(new Set(lower.match(HOLDS) ?? []).size, 2) * 0.7
  const forGood = FOR_GOOD.test(lower) ? 0.8 : 0
  const words = Math.min(wordCount(text), 24) / 24
  const asked = isRequest(text) && forGood === 0 ? 0.5 : 0
  return Math.min(names, 4) * 0.4 + general + forGood + words + (CAUSE.test(lower) ? 1 : 0) - asked
}

/** Commands that failed and then worked, that taught something or stayed broken; commits. */
function outcomesIn(entries: readonly Numbered[]): Weighty[] {
  const found: Weighty[] = []
  const failing = new Map<string, Weighty>()
  for (const { n, entry } of entries) {
    if (!('name' in entry) || !SHELLS.has(entry.name) || entry.refused === true) continue
    const { cmd, ok: said, output = '' } = entry
    if (said === true) for (const message of commitsIn(cmd)) found.push(weighty('outcome', n, message, COMMITS_SHARE))
    if (weightOf(cmd) < 2) continue
    const ok = commandOutcome(cmd, said, output)
    const family = familyOf(cmd)
    const failed = failing.get(family)
    if (ok === false && failed === undefined) {
      const line = failureIn(wholeWords(entry))
      const share = isLearnt(line ?? '') ? LESSONS_SHARE : 1
      if (line !== null) failing.set(family, { ...weighty('outcome', n, line, share), printed: `${cmd}\n${output}` })
    } else if (ok === true && failed !== undefined) {
      found.push(failed)
      failing.delete(family)
    }
  }
  return [...found, ...[...failing.values()].map((failed): Weighty => ({ ...failed, kind: 'issue' }))]
}

/** What failed, rather than how much of it. */
function failureIn(output: string): string | null {
  const line = tellingLine(output, false)
  if (line !== null && isLearnt(line)) return line
  const named = output
    .split('\n')
    .map(textOnOneLine)
    .filter(
      (one) =>
        FAILED.test(one) && wordCount(one) >= 3 && !/^\D{0,12}\d+ (?:failed|failing|failures?|errors?)\b/i.test(one),
    )
  return named.length === 0 ? line : named.slice(0, 2).join(' · ')
}

function weighty(kind: WeightKind, n: number, text: string, share: number): Weighty {
  return { n, kind, text, weight: WEIGHT[kind] * share }
}

/** Each from a prompt to the next; "go on" begins nothing. */
export function turnsOf(entries: readonly Numbered[]): Numbered[][] {
  const turns: Numbered[][] = []
  for (const each of entries) {
    const { entry } = each
    const isPrompt = entry.role === 'user' && entry.via === undefined && !isIdle(entry.text)
    if (isPrompt || turns.length === 0) turns.push([])
    turns.at(-1)?.push(each)
  }
  return turns
}
