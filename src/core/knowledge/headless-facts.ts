/** The request to the headless child about a piece of a session (note, where it stands, facts, rules, settled issues, in one answer), the known facts for it, and the verdicts on rules. */

import { isObject, oneOrMore, textOr } from '../../kernel/platform/json.ts'
import { compareText, shortenTo, visibleLine } from '../../kernel/text/memory-words.ts'
import { splitSentences } from '../../kernel/text/sentences.ts'
import { tellingWords } from '../../kernel/text/words.ts'
import { answerIn, FAITHFUL, FENCE, fence, type ModelRequest } from '../model/headless.ts'
import type { Concepts } from './concept.ts'
import type { Draft } from './fact-draft.ts'
import { type Fact, isLive, isUnresolved } from './item.ts'
import { allFacts, byKind, type Items } from './items.ts'

/** A sentence of a model and the entry that shows it; null: the model named none. */
export interface ShownSentence {
  text: string
  entry: number | null
  /** The entry in which the user says what the sentence says about the user. */
  user?: number
}

export interface Extracted {
  note: ShownSentence[]
  /** Where the work stands at the end of the piece. */
  stands: ShownSentence | null
  drafts: Draft[]
  /** Instructions of the user, as a model reads them; the program looks the quote up. */
  rules: { text: string; quote: string }[]
  /** Known open issues that the piece settles; the text says how. */
  settles: (ShownSentence & { issue: string })[]
}

const MAX_SENTENCES = 12
/** What a piece is asked for. More are read: the last of a list are about the end of the piece, where corrections stand. */
export const MAX_FACTS = 10
const MOST_DRAFTS = 30
/** More than a piece contains. */
const MAX_RULES = 5
const MAX_SETTLES = 10

const WHAT_HOLDS =
  "What a later entry corrects holds only as corrected. What was proposed, asked, offered, planned or tried is no decision and not done. Prefer what the user said; where you add context to the user's words, say that the user said so."

const FACT =
  'facts: decisions (with reason), patterns that were learned, issues (open, or resolved with resolution) that a later session needs, at most ten: lasting, one sentence, understandable by itself. quote is copied word for word from the entry that proves it, from words of the user where the fact names the user; reasonQuote and resolutionQuote likewise. The output of a tool proves a pattern about the environment (a path, a name, a version, a limit), never a decision. done: the entry that shows it, where you report something as done. conceptId of a known concept, or a short conceptName. supersedes: the known decisions it replaces.'

export interface PieceToExtract {
  id: string
  /** The numbered entries. */
  text: string
  sentences: number
  /** The last piece of its session. */
  isLast: boolean
}

/** `known`: concepts, issues and decisions by id. `refused`: the problems of an earlier attempt. */
export function extractRequest(
  piece: PieceToExtract,
  known: readonly string[],
  refused: readonly string[] = [],
): ModelRequest {
  const count = Math.min(MAX_SENTENCES, Math.max(1, Math.round(piece.sentences)))
  const system = [
    'You keep the memory of a software project. From a piece of a coding session, whose entries are numbered, you take what a later session needs.',
    `note: about ${count} plain sentences: what the user asked for, what was done, decided and why, what failed; each with the number of the entry that shows it, and where it names the user, in user the number of the entry in which the user says so.`,
    'stands: one sentence about the end of the piece, with entry and user alike: what was asked last, what was refused, what waits for whom, what is open.',
    FACT,
    'rules: instructions of the user that hold beyond this session, quote copied from the user. settles: known open issues that this piece settles, how, and the entry that shows it. Empty lists where there is nothing.',
    WHAT_HOLDS,
    FAITHFUL,
    FENCE,
  ].join(' ')
  const last = piece.isLast ? ' It is the last piece of its session: check each open issue.' : ''
  const again =
    refused.length === 0
      ? ''
      : ` An earlier try was refused: ${refused.map(visibleLine).join(' ').slice(0, MAX_REFUSED)}`
  return {
    system,
    prompt: `Extract what a later session needs from this piece.${last}${again}`,
    stdin: `${known.length === 0 ? '' : fence('known', known.join('\n'), '')}${fence(piece.id, piece.text, 'Now answer. No progress reports.')}`,
    schema: SCHEMA,
  }
}

/** The maximum length of the listed problems. */
const MAX_REFUSED = 1_500

const WORD = { type: 'string' }
const NUMBER = { type: 'integer' }

function objectOf(properties: object, required: readonly string[]): object {
  return { type: 'object', properties, required }
}

/** Without a limit: the host refuses an answer that is longer, again and again, and all of it is lost. The program cuts. */
function listOf(items: object): object {
  return { type: 'array', items }
}

const SCHEMA = objectOf(
  {
    note: listOf(objectOf({ sentence: WORD, entry: NUMBER, user: NUMBER }, ['sentence', 'entry'])),
    stands: objectOf({ text: WORD, entry: NUMBER, user: NUMBER }, ['text', 'entry']),
    facts: listOf(
      objectOf(
        {
          type: { enum: ['decision', 'pattern', 'issue'] },
          text: WORD,
          quote: WORD,
          entry: NUMBER,
          done: NUMBER,
          reason: WORD,
          reasonQuote: WORD,
          status: { enum: ['open', 'resolved'] },
          resolution: WORD,
          resolutionQuote: WORD,
          files: listOf(WORD),
          conceptId: WORD,
          conceptName: WORD,
          supersedes: listOf(WORD),
        },
        ['type', 'text', 'quote', 'entry'],
      ),
    ),
    rules: listOf(objectOf({ text: WORD, quote: WORD }, ['text', 'quote'])),
    settles: listOf(objectOf({ issues: listOf(WORD), how: WORD, entry: NUMBER }, ['issues', 'how', 'entry'])),
  },
  ['note', 'stands', 'facts', 'rules', 'settles'],
)

/** Parses the answer as an object, as JSON in its text, or as a plain note: every readable field is used. */
export function parseExtracted(structured: unknown, text: string): Extracted {
  const raw = answerIn(structured, text)
  if (raw === null || !('note' in raw || 'facts' in raw || isObject(structured)))
    return { note: sentencesIn(text), stands: null, drafts: [], rules: [], settles: [] }
  const note = Array.isArray(raw.note)
    ? raw.note.filter(isObject).map((one) => shown(one.sentence, one.entry, one.user))
    : sentencesIn(textOr(raw.note, ''))
  const stands = isObject(raw.stands) ? shown(raw.stands.text, raw.stands.entry, raw.stands.user) : null
  return {
    note: note.filter((one) => one.text !== '').slice(0, MAX_SENTENCES),
    stands: stands?.text === '' ? null : stands,
    // Their fields may have any type: `checkDrafts` reads each.
    drafts: objectsIn(raw.facts, MOST_DRAFTS) as unknown as Draft[],
    rules: objectsIn(raw.rules, MAX_RULES).map((one) => ({ text: textOr(one.text, ''), quote: textOr(one.quote, '') })),
    settles: objectsIn(raw.settles, MAX_SETTLES)
      .flatMap(({ issues, issue, how, entry }) =>
        [...oneOrMore(issues), ...oneOrMore(issue)].map((id) => ({ issue: id, ...shown(how, entry) })),
      )
      .slice(0, MAX_SETTLES),
  }
}

function shown(text: unknown, entry: unknown, user?: unknown): ShownSentence {
  return {
    text: typeof text === 'string' ? text.trim() : '',
    entry: Number.isSafeInteger(entry) ? (entry as number) : null,
    ...(Number.isSafeInteger(user) ? { user: user as number } : {}),
  }
}

function sentencesIn(text: string): ShownSentence[] {
  return splitSentences(text.trim()).map((sentence) => shown(sentence, null))
}

function objectsIn(value: unknown, most: number): Record<string, unknown>[] {
  return (Array.isArray(value) ? value.filter(isObject) : []).slice(0, most)
}

export interface Judgement {
  candidate: string
  keep: boolean
  why: string
}

/** Each line begins with the candidate's key. */
export function judgeRequest(lines: readonly string[]): ModelRequest {
  const system = [
    'You judge what recurs in the sessions of a software project. Keep what holds beyond the moment and would help a later session: how the user wants things done, what solves a problem that comes back, how the system works.',
    'Do not keep what was meant for one task, what is obvious, or what merely sounds like an order. For each candidate answer with its key, keep, and why in one sentence.',
    FENCE,
  ].join(' ')
  const item = objectOf({ candidate: WORD, keep: { type: 'boolean' }, why: WORD }, ['candidate', 'keep', 'why'])
  return {
    system,
    prompt: 'Judge these candidates.',
    stdin: fence('candidates', lines.join('\n'), 'Now answer with verdicts.'),
    schema: objectOf({ verdicts: listOf(item) }, ['verdicts']),
  }
}

export function parseJudgements(structured: unknown, text: string): Judgement[] {
  const verdicts = answerIn(structured, text)?.verdicts
  return objectsIn(verdicts, Number.POSITIVE_INFINITY).flatMap(({ candidate, keep, why }) =>
    typeof candidate === 'string' && typeof keep === 'boolean' ? [{ candidate, keep, why: textOr(why, '') }] : [],
  )
}

/** A model compares at most this many names. */
const MAX_CONCEPTS = 40
const MAX_EACH = 6
const MAX_CHARS = 160
const LEAST = 0.25

/**
 * One line each, with the id first; includes all open issues of `session`. Others share at least this part of their words with the piece;
 * 0: the newest of those that share none, too. `isDated`: with the day of each. Empty: nothing is known yet.
 */
export function knownLines(
  facts: Items,
  concepts: Concepts,
  about: string,
  session: string,
  { least = LEAST, isDated = false } = {},
): string[] {
  const day = ({ at, lastAt = at }: Fact): string => (isDated && lastAt !== '' ? ` of ${lastAt.slice(0, 10)}` : '')
  const words = tellingWords(about)
  const { decisions, issues } = byKind(facts)
  const open = issues.filter(isUnresolved)
  const own = open.filter((fact) => fact.session === session)
  const near = nearest(
    open.filter((fact) => fact.session !== session),
    words,
    least,
  )
  return [
    ...conceptLines(facts, concepts, words),
    ...[...own, ...near].map((fact) => `${visibleLine(fact.id)} open issue${day(fact)}: ${short(fact.text)}`),
    ...nearest(decisions.filter(isLive), words, least).map(
      (fact) => `${visibleLine(fact.id)} decision${conceptOf(fact)}${day(fact)}: ${short(fact.text)}`,
    ),
  ]
}

/** The concepts nearest to this piece, in the order of their ids, so that the same state gives the same text. */
function conceptLines(facts: Items, { concepts }: Concepts, words: ReadonlySet<number>): string[] {
  const used = new Map<string, number>()
  for (const { concept } of allFacts(facts)) if (concept !== null) used.set(concept, (used.get(concept) ?? 0) + 1)
  const shared = (text: string): number => [...tellingWords(text)].filter((word) => words.has(word)).length
  const ranked = concepts
    .map((concept, i) => ({ concept, i, near: shared(`${concept.name} ${concept.keywords.join(' ')}`) }))
    .sort((a, b) => b.near - a.near || (used.get(b.concept.id) ?? 0) - (used.get(a.concept.id) ?? 0) || a.i - b.i)
  return ranked
    .slice(0, MAX_CONCEPTS)
    .sort((a, b) => a.i - b.i)
    .map(({ concept }) => `${visibleLine(concept.id)} concept: ${short(concept.name)}`)
}

/** Ranked by the words they share with the piece; facts that share too few are left out. */
function nearest(facts: readonly Fact[], words: ReadonlySet<number>, least: number): Fact[] {
  return facts
    .map((fact, i) => {
      const own = [...tellingWords(fact.text)]
      return { fact, i, near: own.filter((word) => words.has(word)).length / Math.max(4, own.length) }
    })
    .filter(({ near }) => near >= least)
    .sort((a, b) => b.near - a.near || (least > 0 ? a.i - b.i : compareText(b.fact.at, a.fact.at)))
    .slice(0, MAX_EACH)
    .map(({ fact }) => fact)
}

function conceptOf({ concept }: Fact): string {
  return concept === null ? '' : ` of ${visibleLine(concept)}`
}

function short(text: string): string {
  const line = visibleLine(text)
  return shortenTo(line, MAX_CHARS) ?? line.slice(0, MAX_CHARS)
}
