/** What in some entries carries weight: sentences and outcomes that a later session would want to know, each with how much. */

import { familyOf, isLesson, outcomeOf, tellingLine, weightOf } from './digest-commands.ts'
import { isOvertaken } from './digest-overtaken.ts'
import { type Statement, statementsIn } from './digest-said.ts'
import { commitsIn } from './digest-shell.ts'
import { type Speech, speechesIn } from './digest-speech.ts'
import type { Numbered } from './digest-types.ts'
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
import { oneLine } from './memory-words.ts'
import { statedIn } from './standing.ts'

export type Kind = 'standing' | 'decision' | 'correction' | 'issue' | 'solved' | 'outcome' | 'cause' | 'information'

/** One thing worth knowing, and where it stands. */
export interface Weighty {
  n: number
  kind: Kind
  text: string
  weight: number
  /** A failure: up to this entry it may be told what came of it. */
  until?: number
}

/** How much each kind weighs; what a person said weighs more than what Claude did, an outcome more than a plan. */
const WEIGHT: Readonly<Record<Kind, number>> = {
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
const SHELLS: ReadonlySet<string> = new Set(['Bash', 'PowerShell'])
const MAX_SENTENCE = 400
const CAUSE =
  /\b(?:because|root cause|caused by|the (?:cause|reason|culprit|problem|bug|issue) (?:is|was)|turns? out|turned out|due to|the fix (?:is|was)|that's why|which is why|it was .{2,60}\bthat)\b|때문|원인|이유는|덕분에|탓에|原因|ため|のせい|因为|由于|\b(?:weil|ursache|liegt daran|lag daran|wegen)\b/
/** Numbers with a meaning, names of things, files. */
const NAMES =
  /`[^`\n]{2,80}`|\b[\w-]+\.[a-z]{1,5}\b|\b[\w.-]+\/[\w./-]+|\b[a-z]+[A-Z]\w+|\b[A-Z]{2,}\b|\b\w+_\w+\b|(?<=[a-z,] )[A-Z][a-z]+|\b\d[\d.,]*\s?(?:%|[a-zA-Z]{1,3}\b|개|명|초|분|일|원|月|日|秒)?/g

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
    for (const one of plainlySaid(speech, i > 0)) if (!told.has(`${one.n} ${one.text}`)) found.push(one)
  }
  return found
}

/** Turn by turn: of a long piece only the last few would be told otherwise. */
function saidIn(entries: readonly Numbered[], speeches: readonly Speech[]): Weighty[] {
  const turns = turnsOf(entries).map((turn) => statementsIn(turn, speechesIn(turn)))
  const decided = turns.flatMap((turn) => turn.decided)
  const of = (kind: Kind) => (one: Statement) => weighty(kind, one.n, one.text, one.by === 'user' ? 1 : CLAUDES_SHARE)
  return [
    ...decided
      .filter(
        (one, i) => !decided.slice(i + 1).some((later) => later.by === 'user' && isOvertaken(one.text, later.text)),
      )
      .map(of('decision')),
    ...statementsIn(entries, speeches).open.map(of('issue')),
    ...turns.flatMap((turn) => turn.resolved).map(of('solved')),
  ]
}

/** Corrections, causes, and what a person tells beside what is asked for. */
function plainlySaid({ n, by, text, sentences, isFinal, isJson }: Speech, isReply: boolean): Weighty[] {
  if (isJson || isIdle(text) || (by === 'user' && (isHostCommand(text) || /^[!/]/.test(text)))) return []
  if (by === 'assistant' && !isFinal && !sentences.some((one) => CAUSE.test(one.text.toLowerCase()))) return []
  return sentences.flatMap((sentence, i) => {
    const said = oneLine(sentence.text)
    if (said.length > MAX_SENTENCE || wordCount(said) < 3 || isMachineLine(said) || isPersona(said)) return []
    const lower = said.toLowerCase()
    const isAsked = isQuestion(said) || isOffer(said)
    if (by === 'user') {
      if (isReply && i === 0 && isCorrection(said) && !isAsked) return [weighty('correction', n, said, 1)]
      return isAsked ? [] : [weighty('information', n, said, information(said))]
    }
    if (isAsked || isPlan(said)) return []
    if (CAUSE.test(lower)) return [weighty('cause', n, said, 1)]
    return isFinal && !sentence.isItem ? [weighty('information', n, said, information(said) * CLAUDES_SHARE)] : []
  })
}

/** How much a sentence holds that cannot be guessed: names, numbers, causes. */
function information(text: string): number {
  const names = new Set(text.match(NAMES) ?? []).size
  const words = Math.min(wordCount(text), 24) / 12
  return Math.min(names, 4) * 0.4 + words * 0.5 + (CAUSE.test(text.toLowerCase()) ? 1 : 0) - (isRequest(text) ? 0.5 : 0)
}

/** Commands that failed and then worked, that taught something or stayed broken; commits. */
function outcomesIn(entries: readonly Numbered[]): Weighty[] {
  const ends = new Map(turnsOf(entries).flatMap((turn) => turn.map(({ n }) => [n, turn.at(-1)?.n ?? n] as const)))
  const found: Weighty[] = []
  const failing = new Map<string, Weighty>()
  for (const { n, entry } of entries) {
    if (!('name' in entry) || !SHELLS.has(entry.name)) continue
    const { cmd, ok: said, output = '' } = entry
    if (said === true) for (const message of commitsIn(cmd)) found.push(weighty('outcome', n, message, COMMITS_SHARE))
    if (weightOf(cmd) < 2) continue
    const ok = outcomeOf(cmd, said, output)
    const family = familyOf(cmd)
    const failed = failing.get(family)
    if (ok === false && failed === undefined) {
      const line = tellingLine(output, ok)
      if (line !== null)
        failing.set(family, { ...weighty('outcome', n, line, isLesson(line) ? LESSONS_SHARE : 1), until: n })
    } else if (ok === true && failed !== undefined) {
      found.push({ ...failed, until: ends.get(n) ?? n })
      failing.delete(family)
    }
  }
  for (const failed of failing.values()) found.push({ ...failed, kind: 'issue', until: entries.at(-1)?.n ?? failed.n })
  return found
}

function weighty(kind: Kind, n: number, text: string, share: number): Weighty {
  return { n, kind, text, weight: WEIGHT[kind] * share }
}

/** Each from a prompt to the next. */
export function turnsOf(entries: readonly Numbered[]): Numbered[][] {
  const turns: Numbered[][] = []
  for (const each of entries) {
    const isPrompt = each.entry.role === 'user' && each.entry.via === undefined
    if (isPrompt || turns.length === 0) turns.push([])
    turns.at(-1)?.push(each)
  }
  return turns
}
