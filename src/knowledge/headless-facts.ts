/** What we ask of the headless child about a piece of a session: its note and its facts in one answer, then only what is missing; the verdicts on rules, and what is known already. */

import { FAITHFUL, FENCE, fence, type ModelRequest } from '../model/headless.ts'
import { isObject, parseObject, textOr, texts } from '../platform/json.ts'
import { shortenTo, textOnOneLine } from '../text/memory-words.ts'
import { tellingWords } from '../text/words.ts'
import type { Concepts } from './concept.ts'
import { allFacts, type Fact, type Facts } from './fact.ts'
import type { Checked, Draft, DraftQuestion } from './fact-draft.ts'
import { isLive } from './fact-list.ts'

export interface Extracted {
  /** Null: there is none in the answer. */
  note: string | null
  drafts: Draft[]
  /** Instructions of the user's, as a model reads them; the quote is looked up. */
  rules: { text: string; quote: string }[]
  nothingIn: number[]
}

const FACT =
  'A fact is a decision (with its reason), a pattern that was learned, or an issue (open, or resolved with its resolution) that a later session should know: lasting, one sentence, understandable by itself. Its quote is copied word for word from the text and proves it. Its concept is the conceptId of a known one, or a short conceptName where none fits. supersedes names a known decision it replaces, resolves a known issue it solves.'

const RULES =
  'rules lists instructions of the user that hold beyond this session, if any: text is one sentence, quote is copied word for word from what the user said.'
/** Nobody gives more in one piece. */
const MAX_RULES = 5

/** `known`: concepts, issues and decisions by id. */
export function noteAndFactsRequest(
  delta: { id: string; text: string },
  wanted: { sentences: number; facts: number },
  known: readonly string[],
): ModelRequest {
  const count = Math.max(1, Math.round(wanted.sentences))
  const system = [
    'You keep the memory of a software project. About a piece of a coding session you write a note and its facts.',
    `The note is one plain paragraph of about ${count} ${count === 1 ? 'sentence' : 'sentences'}: what its user asked for, what was done, what was decided and why, what failed, what is still open; no heading, no list.`,
    FACT,
    `At most ${wanted.facts} facts; none where nothing lasting happened.`,
    RULES,
    FAITHFUL,
    FENCE,
  ].join(' ')
  return {
    system,
    prompt: 'Write the note and the facts of this piece.',
    stdin: `${knownFence(known)}${fence(delta.id, delta.text, 'Now answer with note and facts.')}`,
    schema: schemaOf(wanted.facts, ['note', 'facts'], { note: { type: 'string' }, rules: RULES_SCHEMA }),
  }
}

/** Later rounds: the facts that did not hold, and the entries that none covers. */
export function missingFactsRequest(
  checked: Checked,
  drafts: readonly Draft[],
  known: readonly string[],
  room: number,
): ModelRequest {
  const system = [
    'You correct and complete the facts of a coding session for the memory of a software project.',
    FACT,
    `For each fact that was refused send a corrected one, or none. For each numbered entry send the fact that it holds, or put its number into nothingIn. At most ${room} facts.`,
    FAITHFUL,
    FENCE,
  ].join(' ')
  const refused = checked.refused.map(
    ({ number, problem }) => `Refused: ${JSON.stringify(drafts[number - 1] ?? {})}\nbecause: ${problem}`,
  )
  const text = [...refused, ...checked.questions.map(asked)].join('\n\n')
  return {
    system,
    prompt: 'Correct and complete the facts.',
    stdin: `${knownFence(known)}${fence('missing', text, 'Now answer with facts and nothingIn.')}`,
    schema: schemaOf(room, ['facts', 'nothingIn'], { nothingIn: { type: 'array', items: { type: 'integer' } } }),
  }
}

function asked({ entry, excerpt, ask }: DraftQuestion): string {
  return `#${entry}: ${excerpt}\n${ask}`
}

function knownFence(known: readonly string[]): string {
  return known.length === 0 ? '' : fence('known', known.join('\n'), '')
}

/** The answer as an object, or JSON in its text, or a plain note: each field that can be read. */
export function parseExtracted(structured: unknown, text: string): Extracted {
  const raw = isObject(structured) ? structured : jsonIn(text)
  if (raw === null) return { note: text.trim() === '' ? null : text, drafts: [], rules: [], nothingIn: [] }
  const note = typeof raw.note === 'string' && raw.note.trim() !== '' ? raw.note : null
  const facts = Array.isArray(raw.facts) ? raw.facts.filter(isObject) : []
  const nothingIn = Array.isArray(raw.nothingIn)
    ? raw.nothingIn.filter((n): n is number => Number.isSafeInteger(n))
    : []
  const rules = (Array.isArray(raw.rules) ? raw.rules.filter(isObject) : []).slice(0, MAX_RULES)
  return {
    note,
    drafts: facts.map(draftOf),
    rules: rules.map((rule) => ({ text: textOr(rule.text, ''), quote: textOr(rule.quote, '') })),
    nothingIn,
  }
}

const RULES_SCHEMA = {
  type: 'array',
  maxItems: MAX_RULES,
  items: {
    type: 'object',
    properties: { text: { type: 'string' }, quote: { type: 'string' } },
    required: ['text', 'quote'],
  },
}

/** Wrong types are left out: the check says what is missing. */
export function draftOf(raw: Readonly<Record<string, unknown>>): Draft {
  const optional: Partial<Record<keyof Draft, unknown>> = {}
  for (const name of OPTIONAL) if (typeof raw[name] === 'string' && raw[name] !== '') optional[name] = raw[name]
  if (Number.isSafeInteger(raw.entry)) optional.entry = raw.entry
  if (Array.isArray(raw.files)) optional.files = texts(raw.files)
  const word = (value: unknown): string => (typeof value === 'string' ? value : '')
  return { type: word(raw.type), text: word(raw.text), quote: word(raw.quote), ...optional } as Draft
}

const OPTIONAL = ['reason', 'status', 'resolution', 'conceptId', 'conceptName', 'supersedes', 'resolves'] as const

/** A model may wrap it into a fence or a sentence. */
function jsonIn(text: string): Record<string, unknown> | null {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')]
  const raw = from < 0 || to < from ? null : parseObject(text.slice(from, to + 1))
  return raw !== null && ('note' in raw || 'facts' in raw) ? raw : null
}

function schemaOf(maxFacts: number, required: readonly string[], more: object): object {
  const word = { type: 'string' }
  const properties = {
    type: { enum: ['decision', 'pattern', 'issue'] },
    text: word,
    reason: word,
    quote: word,
    files: { type: 'array', items: word },
    status: { enum: ['open', 'resolved'] },
    resolution: word,
    conceptId: word,
    conceptName: word,
    supersedes: word,
    resolves: word,
  }
  const facts = {
    type: 'array',
    maxItems: maxFacts,
    items: { type: 'object', properties, required: ['type', 'text', 'quote'] },
  }
  return { type: 'object', properties: { ...more, facts }, required }
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
  const item = {
    type: 'object',
    properties: { candidate: { type: 'string' }, keep: { type: 'boolean' }, why: { type: 'string' } },
    required: ['candidate', 'keep', 'why'],
  }
  return {
    system,
    prompt: 'Judge these candidates.',
    stdin: fence('candidates', lines.join('\n'), 'Now answer with verdicts.'),
    schema: { type: 'object', properties: { verdicts: { type: 'array', items: item } }, required: ['verdicts'] },
  }
}

export function parseJudgements(structured: unknown, text: string): Judgement[] {
  const raw = isObject(structured) ? structured : parseObject(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  const verdicts = Array.isArray(raw?.verdicts) ? raw.verdicts : []
  return verdicts.flatMap((one): Judgement[] => {
    if (!isObject(one) || typeof one.candidate !== 'string' || typeof one.keep !== 'boolean') return []
    return [{ candidate: one.candidate, keep: one.keep, why: typeof one.why === 'string' ? one.why : '' }]
  })
}

/** More names than a reader compares. */
const MAX_CONCEPTS = 40
const MAX_EACH = 6
const MAX_CHARS = 160

/** One line each, the ids first. Empty: nothing is known yet. */
export function knownLines(facts: Facts, concepts: Concepts, about: string): string[] {
  const words = tellingWords(about)
  const open = facts.issues.filter((fact) => isLive(fact) && fact.status === 'open')
  return [
    ...conceptLines(facts, concepts, words),
    ...nearest(open, words).map((fact) => `${textOnOneLine(fact.id)} open issue: ${short(fact.text)}`),
    ...nearest(facts.decisions.filter(isLive), words).map(
      (fact) => `${textOnOneLine(fact.id)} decision${conceptOf(fact)}: ${short(fact.text)}`,
    ),
  ]
}

/** Those this piece is most about, in the order of their ids, so that the same state gives the same text. */
function conceptLines(facts: Facts, { concepts }: Concepts, words: ReadonlySet<number>): string[] {
  const used = new Map<string, number>()
  for (const { concept } of allFacts(facts)) if (concept !== null) used.set(concept, (used.get(concept) ?? 0) + 1)
  const shared = (text: string): number => [...tellingWords(text)].filter((word) => words.has(word)).length
  const ranked = concepts
    .map((concept, i) => ({ concept, i, near: shared(`${concept.name} ${concept.keywords.join(' ')}`) }))
    .sort((a, b) => b.near - a.near || (used.get(b.concept.id) ?? 0) - (used.get(a.concept.id) ?? 0) || a.i - b.i)
  return ranked
    .slice(0, MAX_CONCEPTS)
    .sort((a, b) => a.i - b.i)
    .map(({ concept }) => `${textOnOneLine(concept.id)} concept: ${short(concept.name)}`)
}

/** By the words they share with the piece; those that share none are not about it. */
function nearest(facts: readonly Fact[], words: ReadonlySet<number>): Fact[] {
  return facts
    .map((fact, i) => {
      const own = [...tellingWords(fact.text)]
      return { fact, i, near: own.filter((word) => words.has(word)).length / Math.max(4, own.length) }
    })
    .filter(({ near }) => near >= LEAST)
    .sort((a, b) => b.near - a.near || a.i - b.i)
    .slice(0, MAX_EACH)
    .map(({ fact }) => fact)
}

const LEAST = 0.25

function conceptOf({ concept }: Fact): string {
  return concept === null ? '' : ` of ${textOnOneLine(concept)}`
}

function short(text: string): string {
  const line = textOnOneLine(text)
  return shortenTo(line, MAX_CHARS) ?? line.slice(0, MAX_CHARS)
}
