/** The units in each file of a memory. Of a broken file, the readable part is used. */

import { earlierSectionsIn } from '../../kernel/memory/earlier-sections.ts'
import { BY_CLAUDE, isClaudesOwn, isToldNote, parseMemory } from '../../kernel/memory/note.ts'
import {
  archiveStamp,
  FACTS_FILE,
  id8OfFile,
  isArchiveFile,
  MEMORY_FILE,
  RULES_FILE,
  SESSIONS_DIR,
} from '../../kernel/platform/layout.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { type Entry, entryId, isOurCall, isOurs, type Tombstone, whyNotUsers } from '../../kernel/transcript/session.ts'
import { COUNTS_LINE, entriesInSummary } from '../notes/summary.ts'
import { formatLine, parseTier, type TierBlock } from '../notes/tier.ts'
import { mondayOf, periodOf } from '../notes/tier-period.ts'
import { isOthersFile } from '../others/others.ts'
import { isUntouchedTemplate, pageName, pageText } from '../pages/page.ts'
import { parseRules } from '../pages/rule.ts'
import { authorNamed } from '../receipts/authored-line.ts'
import { type Kind, UNAUDITED, type Unit } from '../../kernel/memory/document.ts'
import {
  aboutFact,
  conceptUnits,
  factUnits,
  joinedUnits,
  type NewUnit,
  OTHERS_PREFIX,
  otherUnits,
  place,
  readArchiveSummary,
  readShared,
  SHARED_PREFIX,
  sharerOf,
} from './units-json.ts'
import { prosePieces } from './units-prose.ts'

/** The kinds of files in a memory; a session is read line by line, with `entryUnit`. */
export type SourceKind =
  | 'session'
  | 'notes'
  | 'facts'
  | 'concepts'
  | 'archive-summary'
  | 'session-summary'
  | 'tier'
  | 'page'
  | 'rules'
  | 'host'
  | 'shared'
  | 'others'

/** The prefix of a file that the host keeps about the project. */
export const HOST_PREFIX = 'host:'
const CONCEPTS_FILE = 'concepts.json'

/** By its path below the memory directory, with slashes; null: not searchable. */
export function sourceKindOf(path: string): SourceKind | null {
  if (path.startsWith(HOST_PREFIX)) return 'host'
  if (path.startsWith('sessions/archive/')) return /^\d{4}-\d\d\.md$/.test(baseName(path)) ? 'tier' : null
  if (path.startsWith('sessions/')) return kindInSessions(baseName(path))
  if (path.startsWith(SHARED_PREFIX)) return sharerOf(path) === null ? null : 'shared'
  if (path.startsWith(OTHERS_PREFIX)) return isOthersFile(baseName(path)) ? 'others' : null
  if (path.includes('/')) return null
  if (path === MEMORY_FILE || isArchiveFile(path)) return 'notes'
  if (path === FACTS_FILE) return 'facts'
  if (path === CONCEPTS_FILE) return 'concepts'
  if (path === RULES_FILE) return 'rules'
  if (/^memory_[\d_]+\.summary\.json$/.test(path)) return 'archive-summary'
  return /\.md$/i.test(path) && pageName(path) !== null ? 'page' : null
}

function kindInSessions(name: string): SourceKind | null {
  if (id8OfFile(name) !== null) return 'session'
  if (SESSION_SUMMARY.test(name)) return 'session-summary'
  return WEEK.test(name) ? 'tier' : null
}

const SESSION_SUMMARY = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_([0-9a-z]{8})\.md$/
const WEEK = /^week-(\d{4})-W?(\d\d)\.md$/

/** The session that a file in `sessions/` belongs to, or null. */
export function sessionOf(path: string): string | null {
  const name = baseName(path)
  return id8OfFile(name) ?? SESSION_SUMMARY.exec(name)?.[7] ?? null
}

/** Parts of a session that only repeat the memory: the turn of one of our skills, and agents that used our tools. */
export interface Ours {
  isTurn: boolean
  agents: readonly string[]
}

export const NOTHING_OURS: Ours = { isTurn: false, agents: [] }

/** The state after one more entry. */
export function withEntry(ours: Ours, entry: Entry | Tombstone): Ours {
  if (entry.role === 'user' && !isMark(entry)) return { ...ours, isTurn: isOurCall(entry.text) }
  const isNew = entry.role === 'subagent' && isOurs(entry) && !ours.agents.includes(entry.agent)
  return isNew ? { ...ours, agents: [...ours.agents, entry.agent] } : ours
}

export function isRepeated(ours: Ours, entry: Entry | Tombstone): boolean {
  return ours.isTurn || (entry.role === 'subagent' && ours.agents.includes(entry.agent))
}

/** Null: nothing to index. Deleted entries and calls of our own tools say nothing about the work. */
export function entryUnit(entry: Entry | Tombstone, id8: string, n: number): Unit | null {
  if (entry.role === 'tombstone' || isOurs(entry) || isMark(entry)) return null
  const text = 'text' in entry ? spoken(entry) : joinedUnits([`${entry.name} ${entry.cmd}`, done(entry)])
  return {
    id: entryId(id8, n),
    kind: KIND_OF_ROLE[entry.role],
    n,
    at: entry.ts,
    text,
    // The author of such a prompt is unknown: it must not be shown as the user's.
    state: entry.role === 'user' && entry.by === 'machine' ? whyNotUsers(entry) : '',
    ...(entry.role === 'user' && entry.sent === true ? { by: 'author unknown' as const } : {}),
    about: aboutFact(id8, n, n),
  }
}

/** Not by its text: units of older sessions stay as they are in the index. */
function isMark(entry: Entry | Tombstone): boolean {
  return entry.role === 'user' && (entry.via === 'interrupt' || entry.via === 'host')
}

/** A message is also found by its sender's name. */
function spoken(entry: Extract<Entry, { text: string }>): string {
  return entry.role === 'teammate' ? `${entry.from}: ${entry.text}` : entry.text
}

function done(entry: Extract<Entry, { name: string }>): string {
  return entry.refused === true ? '(refused)' : (entry.output ?? '')
}

const KIND_OF_ROLE: Readonly<Record<Entry['role'], Kind>> = {
  user: 'prompt',
  assistant: 'answer',
  tool: 'tool',
  subagent: 'subagent',
  teammate: 'subagent',
  summary: 'compaction',
}

/** For a file that is read as a whole; units in the order of the file. */
export function unitsIn(path: string, text: string): Unit[] {
  const kind = sourceKindOf(path)
  if (kind === null || kind === 'session') return []
  return READERS[kind](path, text).map((unit, n) => ({ ...NOTHING_KNOWN, ...unit, n }))
}

/** Identifies a unit within its file, independent of its position. */
export function unitHash({ kind, at, state, about, text }: Unit): number {
  return Number.parseInt(fingerprint(`${kind}\n${at}\n${state}\n${about}\n${text}`).slice(-8), 16)
}

const NOTHING_KNOWN = { at: '', state: '', about: '' }

const READERS: Readonly<Record<Exclude<SourceKind, 'session'>, (path: string, text: string) => NewUnit[]>> = {
  notes: readNotes,
  facts: (_, text) => factUnits(text),
  concepts: (_, text) => conceptUnits(text),
  'archive-summary': readArchiveSummary,
  'session-summary': readSessionSummary,
  tier: readTier,
  page: readPage,
  rules: (path, text) => parseRules(text).map((rule, k) => ({ id: place(path, k), kind: 'rule', text: rule })),
  host: (path, text) => numbered(path, 'host', prosePieces(text)),
  shared: readShared,
  others: (_, text) => otherUnits(text),
}

/** Includes text that a person wrote between the notes, named by its position in the file, and what Claude wrote there with v3 or v4. */
function readNotes(path: string, text: string): NewUnit[] {
  let byHand = 0
  const blocks = parseMemory(text.replace(/\r\n?/g, '\n'))
  const sections = earlierSectionsIn(blocks)
  return blocks.flatMap((block): NewUnit[] => {
    const { raw, note } = block
    if (note !== null) {
      const range = note.session === null || note.to <= note.from ? '' : aboutFact(note.session, note.from, note.to - 1)
      const state = isToldNote(note) ? (isClaudesOwn(note) ? BY_CLAUDE : '') : UNAUDITED
      return [
        { id: note.id, kind: 'note', at: note.at, text: note.text, state, by: authorNamed(note.author), about: range },
      ]
    }
    const at = dateIn(raw) || (archiveStamp(path) ?? '')
    const by = sections.has(block) ? 'Claude' : 'the user'
    return prosePieces(raw).map((piece) => ({
      id: place(path, byHand++),
      kind: 'note',
      at,
      text: piece,
      by,
    }))
  })
}

/** `## 2026-01-13 12:00:00 UTC …`: the beginning of a note in every version. */
function dateIn(raw: string): string {
  const match = /^## (\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?)?/.exec(raw)
  return match === null ? '' : `${match[1]}T${match[2] ?? '00:00'}${match[3] ?? ':00'}.000Z`
}

/** Without the heading, which only repeats the file name, and the counts, which say nothing of what the session was about. */
export function summaryWords(text: string): string {
  return pageText(text)
    .replace(/^# Session .*\n+/, '')
    .replace(COUNTS_LINE, '')
    .trim()
}

function readSessionSummary(path: string, text: string): NewUnit[] {
  const [, year, month, day, hour, minute, second, id8 = ''] = SESSION_SUMMARY.exec(baseName(path)) ?? []
  const told = summaryWords(text)
  const entries = entriesInSummary(text) ?? 0
  const range = entries > 0 ? aboutFact(id8, 0, entries - 1) : ''
  const at = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  return told === '' ? [] : [{ id: `S:${id8}`, kind: 'session', at, text: told, about: range }]
}

function readTier(path: string, text: string): NewUnit[] {
  const name = baseName(path)
  const period = periodOf(path.slice(SESSIONS_DIR.length + 1))
  const { blocks, hand } = period === null ? { blocks: [], hand: [text] } : parseTier(period, text)
  const at = period?.from ?? beginOf(name)
  return [
    ...numbered(name, 'tier', prosePieces(hand.join('\n'))).map((unit) => ({ ...unit, at })),
    ...blocks.map((block) => blockUnit(name, block)).filter(({ text }) => text !== ''),
  ]
}

/** Named after its session, not its position, since other blocks come and go before it. */
function blockUnit(name: string, { id8, at, entries, lines, hand }: TierBlock): NewUnit {
  const text = [...lines.map(formatLine), ...hand].join('\n')
  return { id: `${name}#${id8}`, kind: 'tier', at, text, about: entries > 0 ? aboutFact(id8, 0, entries - 1) : '' }
}

/** For a week or month with the name format of earlier versions. */
function beginOf(name: string): string {
  const [, year, week] = WEEK.exec(name) ?? []
  return year === undefined
    ? `${name.slice(0, 7)}-01T00:00:00.000Z`
    : mondayOf({ year: Number(year), week: Number(week) })
}

function readPage(path: string, text: string): NewUnit[] {
  const name = pageName(path)
  if (name === null || isUntouchedTemplate(name, text)) return []
  return numbered(`page:${name}`, 'page', prosePieces(text))
}

function numbered(name: string, kind: Kind, texts: readonly string[]): NewUnit[] {
  return texts.map((text, k) => ({ id: place(name, k), kind, text }))
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
