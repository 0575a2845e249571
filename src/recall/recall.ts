/**
 * Decides whether something is injected with a prompt, and what. Nothing is, unless one of four signals is found: a dead end is about to be
 * repeated, something built earlier is reported on, a rare name comes up again, or a question asks about the past.
 */

import { findName, hasName } from '../grounding/grounding-text.ts'
import { type Columns, KINDS } from '../search/corpus.ts'
import { parseQuestion, type Term } from '../search/question.ts'
import { type Ranked, rank, WEIGHTS, type Weights } from '../search/rank.ts'
import { traitsOf } from '../search/traits.ts'
import { stemOf } from '../text/token.ts'
import { stemsOf, tokenise } from '../text/words.ts'
import { callOf, commandsOf } from '../transcript/shell.ts'
import { isKept, type Pick, pick, type Recall, type Remembrance, weighEvidence, worthOf } from './pick.ts'
import type { Prompt } from './prompt.ts'

export function judgePrompt(prompt: Prompt, memory: Remembrance): Recall {
  const deadEnd = prompt.asks === null ? findDeadEnd(prompt, memory) : null
  if (deadEnd !== null) return deadEnd
  const named = findRareName(prompt, memory)
  if (prompt.asks === null) return named ?? judgeReport(prompt, memory)
  const asked = judgeQuestion(prompt, memory)
  return asked.signal === null ? (named ?? asked) : asked
}

function silence(verdict: string, scores: Recall['scores'] = {}): Recall {
  return { signal: null, verdict, scores, picks: [] }
}

/** Measured in `bench/recall.ts`: how many distinctive words must occur together, their minimum share of the worth, and their minimum strength. */
const GATE = {
  past: { words: 2, coverage: 0.25, strength: 0.2 },
  /** The question contains a name with a capital. */
  named: { words: 2, coverage: 0.26, strength: 0.75 },
  now: { words: 3, coverage: 0.45, strength: 0.75 },
  report: { words: 3, coverage: 0.6, strength: 1.5 },
  /** A name that the memory does not contain: the prompt is about something else. */
  unknownName: 0.3,
}

/** The number of documents ranked for a prompt. */
const RANKED = 24
/** A hook ranks fewer documents: measured, the result stays the same. */
const QUICK: Weights = { ...WEIGHTS, first: 60, reach: 1 }
/** A longer prompt, in tokens, is mostly pasted: its text need not be about the work. Only a question about the past counts. */
const LONGEST_SAID = 300
const PROMPT = KINDS.indexOf('prompt')
/** A report is about one or two earlier sessions: those with a hit of at least this share of the best score. */
const FEW_SESSIONS = 2
const NEAR_BEST = 0.4

function judgeQuestion(prompt: Prompt, memory: Remembrance): Recall {
  const isNamed = prompt.asks === 'past' && capitalsIn(prompt.text).size > 0
  const needed = prompt.asks === 'now' ? GATE.now : isNamed ? GATE.named : GATE.past
  const weighed = weigh(prompt, memory, needed)
  const kind = needed === GATE.now ? 'It is a question' : 'It asks about the past'
  return weighed.picks.length === 0
    ? silence(weighed.lacking, weighed.scores)
    : {
        signal: 'question',
        verdict: `${kind}, and ${weighed.share} of its distinctive words occur together in one memory.`,
        scores: weighed.scores,
        picks: weighed.picks,
      }
}

function judgeReport(prompt: Prompt, memory: Remembrance): Recall {
  const words = parseQuestion(prompt.text).terms.filter(({ word }) => !/^\d+$/.test(word))
  if (words.length < GATE.report.words) return silence('It only points at something.')
  if (isHopeless(words, memory)) return silence('Too little is remembered about it.')
  const { rows, picks, scores, lacking, share } = weigh(prompt, memory, GATE.report)
  if (picks.length === 0) return silence(lacking, scores)
  const isNear = ({ score }: Ranked): boolean => score >= (rows[0]?.score ?? 0) * NEAR_BEST
  if (new Set(rows.filter(isNear).flatMap(({ doc }) => memory.sessionOf(doc) ?? [])).size > FEW_SESSIONS)
    return silence('Its words are not those of one or two earlier sessions.', scores)
  const verdict = `It is about the work of an earlier session: ${share} of its distinctive words occur together there.`
  return {
    signal: 'built',
    verdict,
    scores,
    picks: picks.filter(isNear).sort((a, b) => kept(memory, b) - kept(memory, a)),
  }
}

/** Most prompts are about something else, which can be seen without ranking. */
function isHopeless(terms: readonly Term[], { columns, engine }: Remembrance): boolean {
  const stems = terms.map(({ stem }) => stem)
  const { found } = engine.look(stems, [1, 1, 1, 1], 0, null)
  const squares = worthOf(terms, found, columns.live).map((worth) => worth * worth)
  const known = squares.filter((_, i) => (found[i] ?? 0) > 0)
  const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0)
  return sum(known) <= GATE.report.coverage * sum(squares)
}

function kept({ columns }: Remembrance, { doc }: Pick): number {
  return Number(isKept(columns, doc))
}

interface Weighed {
  rows: readonly Ranked[]
  scores: Recall['scores']
  share: string
  /** Empty: `lacking` says why. */
  picks: readonly Pick[]
  lacking: string
}

function weigh({ text, asks }: Prompt, memory: Remembrance, needed: typeof GATE.past): Weighed {
  const { columns, engine, isWanted, unitOf } = memory
  const question = parseQuestion(text)
  const { terms } = question
  const isPast = asks === 'past' || asks === 'ours'
  const { rows: ranked, found } = rank(question, columns, engine, {
    limit: RANKED,
    weights: QUICK,
    ...(isWanted === undefined ? {} : { isWanted }),
  })
  const isPasted = (doc: number): boolean => columns.kind[doc] === PROMPT && (columns.length[doc] ?? 0) > LONGEST_SAID
  const rows = isPast ? ranked : ranked.filter(({ doc }) => !isPasted(doc))
  const worth = worthOf(terms, found, columns.live)
  const evidence = weighEvidence(rows, terms, worth, columns, engine)
  const capitals = capitalsIn(text)
  const isUnknown = terms.some(({ stem }, i) => found[i] === 0 && capitals.has(stem))
  const strength = evidence.coverage * evidence.mass * (isUnknown ? GATE.unknownName : 1)
  const { coverage, mass, words, isNear } = evidence
  const scores = { coverage, mass, words, near: Number(isNear), strength, needed: needed.strength }
  const share = `${Math.round(coverage * 100)} %`
  const without = (lacking: string): Weighed => ({ rows, scores, share, picks: [], lacking })
  if (words < needed.words) return without('No memory contains enough of its distinctive words together.')
  if (!isPast && !isNear) return without('Its distinctive words never occur together in the memory.')
  if (coverage <= needed.coverage) return without(`The memory covers only ${share} of it.`)
  if (strength <= needed.strength) {
    const found = Math.floor(strength * 100) / 100
    return without(`The memory contains too little about it: ${found}, where more than ${needed.strength} is needed.`)
  }
  const worthOfStem = new Map(terms.map(({ stem }, i) => [stem, worth[i] ?? 0]))
  const picks = pick(rows, columns, {
    worthOf: (stem) => worthOfStem.get(stem) ?? 0,
    isKind: (sentence) => (traitsOf(sentence) & question.wants) !== 0,
    textOf: (doc) => unitOf(doc)?.text ?? null,
  })
  return { rows, scores, share, picks, lacking: 'The matching memory has changed since.' }
}

/** Words written as names: with a capital inside a sentence. */
function capitalsIn(text: string): Set<number> {
  return new Set([...text.matchAll(/(?<=[\p{L}\p{N},;] )\p{Lu}\p{Ll}+/gu)].flatMap(([word]) => stemsOf(word)))
}

const ISSUE = KINDS.indexOf('issue')
/** The wording of facts by structure. */
const FAILS = /^`(.+?)` fails/
const REFUSED = /^Refused: (\w+) (.+) – /
/** A longer prompt names many things without asking for them. */
const MOST_ORDERED = 30
/** A single shorter word of a command (`run`, `add`, `pr`) occurs in many prompts. */
const TELLING_CHARS = 4
const TEST_RUN = /\b(?:test|pytest|vitest|jest)\b/

function findDeadEnd({ text }: Prompt, memory: Remembrance): Recall | null {
  const { columns, engine, unitOf } = memory
  const ordered = new Set(stemsOf(text))
  if (ordered.size === 0 || ordered.size > MOST_ORDERED) return null
  const stems = [...ordered]
  for (let doc = columns.kind.lastIndexOf(ISSUE, columns.count - 1); doc >= 0; doc = before(columns, doc)) {
    if (columns.dead[doc] || engine.placesOf(doc, stems).length === 0) continue
    const unit = unitOf(doc)
    if (unit === null || unit.state !== 'fresh' || !isOrdered(unit.text, text, ordered)) continue
    const whole = { doc, score: 1, from: 0, to: unit.text.length }
    const verdict = 'It asks for something that failed before and never passed, or that the user refused.'
    return { signal: 'dead-end', verdict, scores: {}, picks: [whole] }
  }
  return null
}

function before({ kind }: Columns, doc: number): number {
  return doc === 0 ? -1 : kind.lastIndexOf(ISSUE, doc - 1)
}

/** The prompt contains a long word of the command, or two shorter ones; or the file that the user did not want changed. Tests may fail. */
function isOrdered(issue: string, prompt: string, ordered: ReadonlySet<number>): boolean {
  const [, tool = 'Bash', target = FAILS.exec(issue)?.[1] ?? ''] = REFUSED.exec(issue) ?? []
  if (tool !== 'Bash') return hasName(prompt, target.slice(target.lastIndexOf('/') + 1))
  const matched = commandsOf(target)
    .filter((command) => !TEST_RUN.test(command))
    .flatMap(actionsOf)
    .filter((word) => stemsOf(word).some((stem) => ordered.has(stem)))
  return matched.length > 1 || matched.some((word) => word.length >= TELLING_CHARS)
}

/** `push`, `origin` of `git push origin main`; the program's name if no plain word follows it. */
function actionsOf(command: string): string[] {
  const [program = '', ...words] = callOf(command).split(' ')
  const end = words.findIndex((word) => !/^[a-z][a-z-]+$/i.test(word))
  const actions = (end < 0 ? words : words.slice(0, end)).slice(0, 2)
  return program === 'cd' ? [] : actions.length > 0 ? actions : [program]
}

const ANSWER = KINDS.indexOf('answer')
/** A name in more documents is not rare, and reading all of them would take long. */
const MOST_HOLDING = 60
/** The number of characters before the name, and in total. */
const BEFORE_NAME = 60
const AROUND_NAME = 160
/** A line of a note by structure that repeats a prompt: it contains the request, not the result. */
const ASKED = /^User: /

function findRareName({ names }: Prompt, memory: Remembrance): Recall | null {
  for (const name of names) {
    if (memory.isNameKnown(name)) continue
    const holding = docsNaming(name, memory)
    if (holding.length === 0 || holding.some((doc) => memory.isWanted?.(doc) === false)) continue
    const sessions = new Set(holding.map(memory.sessionOf).filter((session) => session !== null))
    if (sessions.size > FEW_SESSIONS) continue
    const picks = newestAbout(holding, name, memory)
    const verdict = `It names ${name}, known from ${sessions.size === 2 ? 'two earlier sessions' : 'one earlier session'}.`
    if (picks.length > 0) return { signal: 'name', verdict, scores: {}, picks }
  }
  return null
}

/** Newest first. Empty also if there are too many. */
function docsNaming(name: string, { columns, engine, unitOf }: Remembrance): number[] {
  const { docs, found } = engine.look(Array.from(tokenise(name), stemOf), [1, 1, 1, 1], MOST_HOLDING, null)
  const least = Math.min(...found)
  if (least === 0 || least > MOST_HOLDING) return []
  return docs
    .filter((doc) => hasName(unitOf(doc)?.text ?? '', name))
    .sort((a, b) => (columns.seconds[b] ?? 0) - (columns.seconds[a] ?? 0) || b - a)
}

/** The line with the name in the newest note or fact; else in the newest answer. */
function newestAbout(newest: readonly number[], name: string, { columns, unitOf }: Remembrance): Pick[] {
  const kept = newest.filter((doc) => isKept(columns, doc))
  const answers = newest.filter((doc) => columns.kind[doc] === ANSWER)
  for (const doc of [...kept, ...answers]) {
    const text = unitOf(doc)?.text ?? ''
    const at = findName(text, name, (place) => !ASKED.test(text.slice(text.lastIndexOf('\n', place) + 1)))
    if (at === null) continue
    const line = { from: text.lastIndexOf('\n', at) + 1, to: `${text}\n`.indexOf('\n', at) }
    const from = at - line.from > BEFORE_NAME ? text.indexOf(' ', at - BEFORE_NAME) + 1 : line.from
    const to = line.to - from > AROUND_NAME ? text.lastIndexOf(' ', from + AROUND_NAME) : line.to
    return [{ doc, score: 1, from, to: Math.max(to, at + name.length) }]
  }
  return []
}
