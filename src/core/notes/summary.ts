/** Summaries of an archive (`memory_….summary.json`) and of a session: checked before they are saved, and written by code until a model has written one. */

import { isToldNote, type Note, type WrittenNote } from '../../kernel/memory/note.ts'
import { isObject, parseObject } from '../../kernel/platform/json.ts'
import { NO_TIME } from '../../kernel/platform/time.ts'
import { dayOf, occursIn, plainLines, shortenTo } from '../../kernel/text/memory-words.ts'
import { select } from '../../kernel/text/select.ts'
import { escapedComments } from '../../kernel/text/shorten.ts'
import { estimateTokens } from '../../kernel/text/tokens.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { type Fact, isLive, isTold } from '../knowledge/item.ts'
import { byKind, type Items } from '../knowledge/items.ts'
import { structureWithin } from './structure.ts'

export interface ArchiveSummary {
  sourceFile: string
  generatedAt: string
  themes: { name: string; summary: string }[]
  keyDecisions: { decision: string; reason: string }[]
  issues: { issue: string; status: string }[]
  overallSummary: string
  /** A model wrote it and no audit has confirmed it yet: it is not injected. */
  unaudited?: true
}

/** Limits in characters; a longer text is not a summary. */
const MAX_NAME = 200
const MAX_TEXT = 1_500
const MAX_OVERALL = 6_000
const MAX_ITEMS = 30
/** The fields of the items of each list. */
const ITEMS = {
  themes: { name: MAX_NAME, summary: MAX_TEXT },
  keyDecisions: { decision: MAX_TEXT, reason: MAX_TEXT },
  issues: { issue: MAX_TEXT, status: MAX_NAME },
} as const
/** The caller fills in source and time. */
const OPTIONAL: ReadonlySet<string> = new Set(['sourceFile', 'generatedAt', 'reason'])
const RESOLVED = /^(?:resolved|closed|fixed|done)$/i

/** From a model or a person, alone or inside a code fence. An error names each wrong field and the expected value. */
export function parseSummary(text: string): { summary: ArchiveSummary } | { error: string } {
  const raw = parseObject(text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1))
  if (raw === null)
    return { error: 'expected one JSON object with themes, keyDecisions, issues and overallSummary; this is none' }
  const problems: string[] = []
  const textIn = (item: Json, name: string, at: string, max: number): string => {
    const value = item[name]
    if (OPTIONAL.has(name) && (value === undefined || value === null)) return ''
    const words = typeof value === 'string' ? tidy(value) : ''
    if (typeof value !== 'string') problems.push(`${at}${name}: expected a text, found ${kindOf(value)}`)
    else if (words === '' && !OPTIONAL.has(name)) problems.push(`${at}${name}: expected a text, found an empty one`)
    else if (words.length > max) problems.push(`${at}${name}: at most ${max} characters, found ${words.length}`)
    return words
  }
  const listIn = <K extends keyof typeof ITEMS>(name: K): ArchiveSummary[K] => {
    const value = raw[name]
    const fields = Object.entries(ITEMS[name])
    const shape = `{ ${Object.keys(ITEMS[name]).join(', ')} }`
    if (!Array.isArray(value)) problems.push(`${name}: expected a list of ${shape}, found ${kindOf(value)}`)
    const items: unknown[] = Array.isArray(value) ? value : []
    if (items.length > MAX_ITEMS) problems.push(`${name}: at most ${MAX_ITEMS} items, found ${items.length}`)
    const read = items.slice(0, MAX_ITEMS).flatMap((item, i) => {
      if (isObject(item))
        return [Object.fromEntries(fields.map(([field, max]) => [field, textIn(item, field, `${name}[${i}].`, max)]))]
      problems.push(`${name}[${i}]: expected ${shape}, found ${kindOf(item)}`)
      return []
    })
    return read as unknown as ArchiveSummary[K]
  }
  const summary: ArchiveSummary = {
    sourceFile: textIn(raw, 'sourceFile', '', MAX_NAME),
    generatedAt: textIn(raw, 'generatedAt', '', MAX_NAME),
    themes: listIn('themes'),
    keyDecisions: listIn('keyDecisions'),
    // Any other status counts as open.
    issues: listIn('issues').map((one) => ({ ...one, status: RESOLVED.test(one.status) ? 'resolved' : 'open' })),
    overallSummary: textIn(raw, 'overallSummary', '', MAX_OVERALL),
    ...(raw.unaudited === true ? { unaudited: true } : {}),
  }
  return problems.length > 0 ? { error: problems.join('; ') } : { summary }
}

type Json = Readonly<Record<string, unknown>>

export function formatSummary(summary: ArchiveSummary): string {
  return `${JSON.stringify(summary, null, 2)}\n`
}

/** All statements: every identifier in them must occur in the archive. */
export function summaryText({ themes, keyDecisions, issues, overallSummary }: ArchiveSummary): string {
  return [
    overallSummary,
    ...themes.flatMap(({ name, summary }) => [name, summary]),
    ...keyDecisions.flatMap(({ decision, reason }) => [decision, reason]),
    ...issues.map(({ issue }) => issue),
  ]
    .filter((text) => text !== '')
    .join('\n')
}

const OVERALL_TOKENS = 150
const CLAUSE_CHARS = 110
const STAND_IN_CHARS = 300
const MAX_FACTS = 12
const MAX_THEMES = 6

/** Used until a model has written one: facts of the sessions, directories that the notes name, one line per note. */
export function standInSummary(file: string, at: string, notes: readonly WrittenNote[], facts: Items): ArchiveSummary {
  const sessions = new Set(notes.flatMap(({ session }) => session ?? []))
  const isOfNotes = (fact: Fact): boolean => sessions.has(fact.session) && isLive(fact) && isTold(fact)
  const told = notes.filter(isToldNote)
  const known = byKind(facts)
  const decisions = known.decisions
    .filter(isOfNotes)
    .map(({ text, reason }) => ({ decision: shortLine(text), reason: shortLine(reason ?? '') }))
  const issues = known.issues
    .filter(isOfNotes)
    .map(({ text, status }) => ({ issue: shortLine(text), status: status ?? 'open' }))
  return {
    sourceFile: file,
    generatedAt: at,
    themes: themesOf(told),
    keyDecisions: withoutRepeats(decisions, ({ decision }) => decision),
    issues: withoutRepeats(issues, ({ issue }) => issue),
    overallSummary: overallOf(told),
  }
}

/** The period, then one line of each note with its day; if not all fit, the newest. */
function overallOf(notes: readonly WrittenNote[]): string {
  const days = notes.map(dayOfNote).filter((day) => day !== '')
  const [first = '', last = ''] = [days.toSorted()[0], days.toSorted().at(-1)]
  const count = `${notes.length} ${notes.length === 1 ? 'note' : 'notes'}.`
  const period = first === '' ? count : first === last ? `${first}, ${count}` : `${first} to ${last}, ${count}`
  const lines = notes.flatMap((note, i) => {
    const line = shortenTo(leadOf(note), CLAUSE_CHARS) ?? ''
    return line === '' ? [] : [{ text: [dayOfNote(note), line].filter((part) => part !== '').join(': '), i }]
  })
  const room = OVERALL_TOKENS - estimateTokens(period)
  return [period, ...select(lines, room, { cost: estimateTokens, rank: ({ i }) => -i }).map(({ text }) => text)].join(
    ' ',
  )
}

/** Empty: nothing dates it. */
function dayOfNote({ at }: Note): string {
  return at === NO_TIME ? '' : dayOf(at)
}

/** The topic of a note: the first prompt in it, or its first line. A heading without its text says nothing. */
function leadOf({ text, raw = '' }: WrittenNote): string {
  const body = raw.startsWith('## ') ? text.slice(text.indexOf('\n') + 1 || text.length) : text
  const lines = body.split('\n').flatMap((line) => (isHeading(line) ? [] : plainLines(line)))
  return lines.find((line) => line.startsWith('User: '))?.slice('User: '.length) ?? lines[0] ?? ''
}

/** Notes of ours escape theirs. */
function isHeading(line: string): boolean {
  const [marks = '', ...words] = line.trimStart().replace('\\', '').split(' ')
  return words.length > 0 && marks !== '' && [...marks].every((sign) => sign === '#')
}

/** The directories that the most notes name, each with the newest line that names it. */
function themesOf(notes: readonly Note[]): ArchiveSummary['themes'] {
  const named = new Map<string, { times: number; line: string }>()
  for (const note of notes) {
    for (const line of plainLines(note.text))
      for (const name of directoriesIn(line)) named.set(name, { times: (named.get(name)?.times ?? 0) + 1, line })
  }
  return [...named]
    .sort(([, a], [, b]) => b.times - a.times)
    .slice(0, MAX_THEMES)
    .map(([name, { line }]) => ({ name, summary: shortLine(line) }))
}

/** `src/auth` of `src/auth/jwt.ts`: two levels distinguish the parts of a project. */
function directoriesIn(text: string): Set<string> {
  const paths = text.match(/(?<![\w:/.])(?:[\w@.-]+[\\/])+[\w@-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,4}\b/gi) ?? []
  const steps = paths.map((path) =>
    path
      .split(/[\\/]/)
      .slice(0, -1)
      .filter((step) => !/^\.{1,2}$/.test(step)),
  )
  return new Set(steps.map((some) => some.slice(0, 2).join('/')).filter((name) => name !== '' && name.length <= 60))
}

function withoutRepeats<T>(items: readonly T[], textOf: (item: T) => string): T[] {
  const kept: T[] = []
  for (const item of items) {
    if (kept.length === MAX_FACTS) break
    if (textOf(item) !== '' && !occursIn(kept.map(textOf))(textOf(item))) kept.push(item)
  }
  return kept
}

function shortLine(text: string): string {
  return shortenTo(plainLines(text).join(' '), STAND_IN_CHARS) ?? ''
}

/** Removes control characters; line breaks become spaces, since each text is shown on one line. */
function tidy(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cs}\u0000-\u001F\u007F-\u009F]/gu, '')
    .trim()
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export interface SummaryMeta {
  id: string
  startedAt: string
  endedAt: string
  entries: number
  prompts: number
  tools: number
  parent: string | null
}

/** The digest by structure gets at least this share of the room beside the notes. */
const DIGEST_SHARE = 0.4
const RECORD = /^<!-- session \S+ entries=(\d+) -->$/m

/** `notes`: a model's notes about the session, oldest first; whole notes, the latest ones if not all fit. */
export function renderSessionSummary(
  meta: SummaryMeta,
  entries: readonly Numbered[],
  notes: readonly string[],
  maxTokens: number,
): string {
  const head = [
    `# Session ${meta.id}, ${meta.startedAt.slice(0, 10)} UTC`,
    `<!-- session ${meta.id} entries=${meta.entries} -->`,
    '',
    counts(meta),
  ].join('\n')
  const room = Math.max(60, maxTokens - estimateTokens(head))
  const newest = newestOf(notes, room)
  const left = Math.floor(room - newest.reduce((sum, note) => sum + noteCost(note), 0))
  const digest = structureWithin(entries, left)
  return `${[head, ...newest, ...(digest === '' ? [] : [digest])].join('\n\n')}\n`
}

/** How many entries the summary covers; null: it does not say. */
export function entriesInSummary(text: string): number | null {
  const match = RECORD.exec(text)
  return match === null ? null : Number(match[1])
}

/** The line that `counts` writes; versions before 0.7 wrote it without times for a session of which everything was forgotten. */
export const COUNTS_LINE = /^[\d:]*–(?:\d{4}-\d\d-\d\d )?[\d:]* UTC, \d+ prompts?, .*$/m

function counts({ startedAt, endedAt, entries, prompts, tools, parent }: SummaryMeta): string {
  const time = `${startedAt.slice(11, 16)}–${endedAt.slice(0, 10) === startedAt.slice(0, 10) ? '' : `${endedAt.slice(0, 10)} `}${endedAt.slice(11, 16)}`
  const from = parent === null ? '' : `, goes on from ${parent}`
  return `${time} UTC, ${count(prompts, 'prompt')}, ${count(tools, 'tool use')}, ${count(entries, 'entry', 'entries')}${from}`
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** Of a model's notes about a session, oldest first, the newest that fit. `room`: the tokens of the whole summary. */
export function newestOf(notes: readonly string[], room: number): string[] {
  const lines = notes.map((note, i) => ({ text: harmless(note), i })).filter(({ text }) => text !== '')
  return select(lines, room * (1 - DIGEST_SHARE), { cost: noteCost, rank: ({ i }) => -i }).map(({ text }) => text)
}

function noteCost(note: string): number {
  return estimateTokens(note) + 2
}

/** A note must not begin a heading or contain a record. */
function harmless(note: string): string {
  return escapedComments(note.trim().replace(/^#+ /gm, ''))
}
