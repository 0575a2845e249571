/** The summary of one archive (`memory_….summary.json`): checked before it is kept, made by code until a model has written one. */
import type { Fact, Facts } from '../knowledge/fact.ts'
import type { Note } from '../memory/note.ts'
import { findThemes, shortStandIn, tellAll, tellingsOf, withoutRepeats } from '../outgoing/summary-stand-in.ts'

export interface ArchiveSummary {
  sourceFile: string
  generatedAt: string
  themes: { name: string; summary: string }[]
  keyDecisions: { decision: string; reason: string }[]
  issues: { issue: string; status: string }[]
  overallSummary: string
}

/** Characters; what needs more is no summary. */
const MAX_NAME = 200
const MAX_TEXT = 1_500
const MAX_OVERALL = 6_000
const MAX_ITEMS = 30

/** "not fixed" and "partially resolved" have a word of both. */
const OPEN =
  /\b(?:open|unresolved|unfixed|unsolved|pending|ongoing|in[ _-]?progress|todo|partial(?:ly)?|new|blocked|not|offen)\b|미해결|미완|진행|열림|보류|未解決|未解决|対応中/i
const RESOLVED =
  /\b(?:resolved|fixed|closed|done|solved|completed?|finished|behoben|erledigt|gelöst)\b|해결|완료|수정|닫힘|解決|解决|完了|修正/i

/** From a model or a person, alone or inside a code fence. Who stores it fills in source and time where they are missing. */
export function parseSummary(text: string): { summary: ArchiveSummary } | { error: string } {
  const raw = readObject(text)
  if (raw === null)
    return { error: 'expected one JSON object with themes, keyDecisions, issues and overallSummary; this is none' }
  const problems: string[] = []
  const read = readerOf(problems)
  const summary: ArchiveSummary = {
    sourceFile: read.text(raw, 'sourceFile', '', MAX_NAME, ''),
    generatedAt: read.text(raw, 'generatedAt', '', MAX_NAME, ''),
    themes: read.list(raw, 'themes', '{ name, summary }', (item, at) => ({
      name: read.text(item, 'name', at, MAX_NAME),
      summary: read.text(item, 'summary', at, MAX_TEXT),
    })),
    keyDecisions: read.list(raw, 'keyDecisions', '{ decision, reason }', (item, at) => ({
      decision: read.text(item, 'decision', at, MAX_TEXT),
      reason: read.text(item, 'reason', at, MAX_TEXT, ''),
    })),
    issues: read.list(raw, 'issues', '{ issue, status }', (item, at) => ({
      issue: read.text(item, 'issue', at, MAX_TEXT),
      status: read.status(item, at),
    })),
    overallSummary: read.text(raw, 'overallSummary', '', MAX_OVERALL),
  }
  return problems.length > 0 ? { error: problems.join('; ') } : { summary }
}

/** Always the same keys in the same order. */
export function formatSummary(summary: ArchiveSummary): string {
  const { sourceFile, generatedAt, themes, keyDecisions, issues, overallSummary } = summary
  const ordered: ArchiveSummary = {
    sourceFile,
    generatedAt,
    themes: themes.map((theme) => ({ name: theme.name, summary: theme.summary })),
    keyDecisions: keyDecisions.map(({ decision, reason }) => ({ decision, reason })),
    issues: issues.map(({ issue, status }) => ({ issue, status })),
    overallSummary,
  }
  return `${JSON.stringify(ordered, null, 2)}\n`
}

/** All that it claims: every identifier in it must occur in the archive. */
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

/** Until a model has written one, and if none ever does. */
export function standInSummary(file: string, at: string, notes: readonly Note[], facts: Facts): ArchiveSummary {
  const tellings = notes.flatMap(tellingsOf)
  const sessions = new Set(notes.flatMap(({ session }) => session ?? []))
  const ofNotes = (fact: Fact): boolean =>
    sessions.has(fact.session) && (fact.state === 'fresh' || fact.state === 'stale')
  const saidAs = (label: string): string[] =>
    tellings.filter((one) => one.label === label).map(({ text }) => shortStandIn(text))
  const ofFacts = {
    decisions: facts.decisions
      .filter(ofNotes)
      .map(({ text, reason }) => ({ decision: shortStandIn(text), reason: shortStandIn(reason ?? '') })),
    issues: facts.issues
      .filter(ofNotes)
      .map(({ text, status }) => ({ issue: shortStandIn(text), status: status ?? 'open' })),
  }
  const ofLines = {
    decisions: saidAs('Decided').map((decision) => ({ decision, reason: '' })),
    issues: saidAs('Open').map((issue) => ({ issue, status: 'open' })),
  }
  return {
    sourceFile: file,
    generatedAt: at,
    themes: findThemes(notes, tellings),
    keyDecisions: withoutRepeats([...ofFacts.decisions, ...ofLines.decisions], ({ decision }) => decision),
    issues: withoutRepeats([...ofFacts.issues, ...ofLines.issues], ({ issue }) => issue),
    overallSummary: tellAll(notes, tellings),
  }
}

type Json = Record<string, unknown>

interface Reader {
  text: (item: Json, name: string, at: string, max: number, fallback?: string) => string
  list: <T>(raw: Json, name: string, shape: string, parse: (item: Json, at: string) => T) => T[]
  status: (item: Json, at: string) => string
}

/** Reads fields and notes what is wrong with them, by the field's name and what it should be. */
function readerOf(problems: string[]): Reader {
  const text: Reader['text'] = (item, name, at, max, fallback) => {
    const value = item[name]
    if (fallback !== undefined && (value === undefined || value === null)) return fallback
    const words = typeof value === 'string' ? tidy(value) : ''
    if (typeof value !== 'string') problems.push(`${at}${name}: expected a text, found ${kindOf(value)}`)
    else if (words === '' && fallback === undefined) problems.push(`${at}${name}: expected a text, found an empty one`)
    else if (words.length > max) problems.push(`${at}${name}: at most ${max} characters, found ${words.length}`)
    return words
  }
  const list: Reader['list'] = (raw, name, shape, parse) => {
    const value = raw[name]
    if (!Array.isArray(value)) {
      problems.push(`${name}: expected a list of ${shape}, found ${kindOf(value)}`)
      return []
    }
    if (value.length > MAX_ITEMS) problems.push(`${name}: at most ${MAX_ITEMS} items, found ${value.length}`)
    return value.slice(0, MAX_ITEMS).flatMap((item: unknown, i) => {
      if (isRecord(item)) return [parse(item, `${name}[${i}].`)]
      problems.push(`${name}[${i}]: expected ${shape}, found ${kindOf(item)}`)
      return []
    })
  }
  const status: Reader['status'] = (item, at) => {
    const words = text(item, 'status', at, MAX_NAME)
    // What is not said to be done is not done.
    return RESOLVED.test(words) && !OPEN.test(words) ? 'resolved' : 'open'
  }
  return { text, list, status }
}

/** The object in a text: all of it, or what stands between the outermost braces. */
function readObject(text: string): Json | null {
  const from = text.indexOf('{')
  const to = text.lastIndexOf('}')
  if (from < 0 || to < from) return null
  try {
    const value: unknown = JSON.parse(text.slice(from, to + 1))
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** No control characters; line breaks become spaces, since each text is shown on one line. */
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

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
