/** One file of an earlier version → what it becomes. */
import { type Concept, parseConcepts } from '../knowledge/concept.ts'
import { parseState, type State } from '../memory/state.ts'
import { convertSections, isSectioned } from '../outgoing/legacy-sections.ts'
import { parseTalk, RETOLD } from '../outgoing/legacy-talk.ts'
import { isObject, parseObject } from '../platform/json.ts'
import { id8OfFile, SESSIONS_DIR, sessionFactsFile, sessionSummaryFile } from '../platform/layout.ts'
import type { Entry, Tombstone } from '../transcript/session.ts'
import { type LegacyFile, type LegacyKind, legacyKindOf } from './legacy.ts'
import { type FromFacts, type LegacyFact, parseLegacyFacts, unproven } from './legacy-facts.ts'
import { convertNotes, countLegacyNotes, type NoteWork } from './legacy-note.ts'
import {
  convertLines,
  firstInstant,
  formatEntries,
  type LegacySession,
  sessionFileOf,
  sessionNamed,
  weekFileOf,
} from './legacy-session.ts'

export type Made =
  | { is: 'notes'; text: string; facts: LegacyFact[]; notes: number }
  | { is: 'archive'; file: string; text: string; notes: number }
  | { is: 'facts'; from: FromFacts /** Set aside under this name. */; broken: string | null }
  | { is: 'session-facts'; file: string; session: string; facts: LegacyFact[] }
  | { is: 'concepts'; concepts: Concept[] }
  | { is: 'state'; state: State; isOld: boolean }
  | { is: 'counter'; counter: number }
  /** `spare`: where another session has that name. */
  | { is: 'entries'; file: string; spare: string; text: string; entries: number }
  | { is: 'summary'; file: string; text: string }
  /** As it is, under this name. */
  | { is: 'file'; file: string; text: string }
  /** Nothing of it is needed any more. */
  | { is: 'spent' }
  | { is: 'kept'; why: string }

export interface Converting {
  timezone: string
  work: NoteWork
  /** Where these files lie is where they are to stay. */
  isInPlace: boolean
  /** This user's own memory: what it has the user say, the user said. */
  isOwn: boolean
  /** Session files that are there, whose ids nobody else may have. */
  sessionFiles: readonly string[]
  /** What waited for a note is nowhere else. */
  isDeltaAlone: boolean
  /** When the sessions began whose lines are there, by the stems of their names: all files of one are named alike. */
  begun: ReadonlyMap<string, string>
}

/** What `begun` is to be. */
export function sessionsBegun(files: readonly LegacyFile[], timezone: string): Map<string, string> {
  const lines = files.filter(({ path }) => legacyKindOf(path) === 'lines')
  return new Map(lines.map((file) => [stemOf(file.path), begunAt(file, timezone)]))
}

function begunAt({ path, text, written }: LegacyFile, timezone: string): string {
  return firstInstant(text) ?? sessionNamed(stemOf(path), timezone).at ?? written
}

export const UNREADABLE = 'could not be read'
const FACTS_VERSION = 4
const STATE_VERSION = 2

export function convertFile(file: LegacyFile, how: Converting): Made {
  const kind = legacyKindOf(file.path)
  if (how.work === 'times' && kind !== 'memory' && kind !== 'archive') return { is: 'kept', why: 'times only' }
  return CONVERTERS[kind](file, how)
}

const kept = (why: string) => (): Made => ({ is: 'kept', why })

const CONVERTERS: Readonly<Record<LegacyKind, (file: LegacyFile, how: Converting) => Made>> = {
  memory: fromMemory,
  archive: fromArchive,
  facts: fromFacts,
  concepts: fromConcepts,
  state: fromState,
  counter: ({ text }) => ({ is: 'counter', counter: Math.max(0, Number.parseInt(text, 10) || 0) }),
  marker: () => ({ is: 'spent' }),
  delta: (file, how) =>
    how.isDeltaAlone ? fromTalk(file, how) : { is: 'kept', why: 'its words stand in the sessions' },
  config: kept('settings stay where they are: memory-keeper config list'),
  lines: fromLines,
  talk: fromTalk,
  'session-facts': fromSessionFacts,
  'session-summary': fromSessionSummary,
  week: fromWeek,
  month: ({ path, text }) => ({ is: 'file', file: `${SESSIONS_DIR}/archive/${baseName(path)}`, text }),
  page: ({ path, text }) => ({ is: 'file', file: baseName(path), text }),
  current: ({ path, text }) => ({ is: 'file', file: `${SESSIONS_DIR}/${baseName(path)}`, text }),
  'archive-summary': ({ path, text }) => ({ is: 'summary', file: baseName(path), text }),
  own: kept('of no use to anybody else'),
  unknown: kept('not understood'),
}

function fromMemory({ text, written }: LegacyFile, { timezone, work }: Converting): Made {
  if (work === 'all' && isSectioned(text)) {
    const { facts, ...from } = convertSections(text, timezone, written)
    const ofSections = facts.map((fact): LegacyFact => ({ fact: { id: '', ...fact }, conceptId: '', conceptName: '' }))
    const notes = from.notes + countLegacyNotes(from.text, timezone)
    return { is: 'notes', text: convertNotes(from.text, timezone), facts: ofSections, notes }
  }
  const notes = countLegacyNotes(text, timezone)
  return { is: 'notes', text: convertNotes(text, timezone, work), facts: [], notes }
}

function fromArchive({ path, text }: LegacyFile, { timezone, work }: Converting): Made {
  const notes = countLegacyNotes(text, timezone)
  return { is: 'archive', file: baseName(path), text: convertNotes(text, timezone, work), notes }
}

/** In place a file of our own version stays as it is. */
function fromFacts({ text, written }: LegacyFile, { timezone, isInPlace, isOwn }: Converting): Made {
  const meta = parseObject(text)?._meta
  if (isInPlace && isObject(meta) && meta.version === FACTS_VERSION) return { is: 'kept', why: 'of this version' }
  const id8Of = (session: string): string => id8Named(session, timezone)
  const from = parseLegacyFacts(text, { id8Of, at: '', session: '' })
  const broken = from.isBroken ? `facts.json.broken-${written.replace(/\D/g, '').slice(0, 14)}` : null
  return { is: 'facts', from: isOwn ? from : unproven(from), broken }
}

function fromSessionFacts({ path, text, written }: LegacyFile, how: Converting): Made {
  const { timezone, isOwn } = how
  const session = sessionNamed(stemOf(path), timezone)
  const at = session.at ?? written
  const id8Of = (named: string): string => (named === '' ? session.id8 : id8Named(named, timezone))
  const from = parseLegacyFacts(text, { id8Of, at, session: '' })
  const { facts, isBroken } = isOwn ? from : unproven(from)
  if (isBroken && facts.length === 0) return { is: 'kept', why: UNREADABLE }
  const file = fileBeside(path, session, at, how)
  return { is: 'session-facts', file: sessionFactsFile(file), session: session.id8, facts }
}

/** What a topic's exchanges were told by is kept, whatever its form. */
function fromConcepts({ text }: LegacyFile, { isInPlace }: Converting): Made {
  const raw = parseObject(text)
  if (raw === null) return { is: 'kept', why: UNREADABLE }
  if (isInPlace && raw.version !== undefined) return { is: 'kept', why: 'of this version' }
  const listed = Array.isArray(raw.concepts) ? raw.concepts : []
  const told = listed.map((one) => (isObject(one) ? { ...one, exchanges: asTexts(one.exchanges) } : one))
  return { is: 'concepts', concepts: parseConcepts(JSON.stringify({ ...raw, concepts: told }))?.concepts ?? [] }
}

function fromState({ text }: LegacyFile): Made {
  const state = parseState(text)
  if (state === null) return { is: 'kept', why: UNREADABLE }
  return { is: 'state', state, isOld: !(Number(parseObject(text)?.version) >= STATE_VERSION) }
}

function fromLines(file: LegacyFile, how: Converting): Made {
  const session = sessionNamed(stemOf(file.path), how.timezone)
  const startedAt = begunAt(file, how.timezone)
  const entries = convertLines(file.text, startedAt)
  // From a directory that anybody may have filled: what it has the user say is no proof.
  return toEntries(session, startedAt, how.isOwn ? entries : entries.map(retold), how)
}

function fromTalk({ path, text, written }: LegacyFile, how: Converting): Made {
  const session = sessionNamed(stemOf(path), how.timezone)
  const startedAt = session.at ?? written
  const made = toEntries(session, startedAt, parseTalk(text, startedAt), how)
  // The same session in its own lines has the name.
  return made.is === 'entries' && how.begun.has(stemOf(path)) ? { ...made, file: made.spare } : made
}

function toEntries(
  session: LegacySession,
  startedAt: string,
  entries: readonly (Entry | Tombstone)[],
  { sessionFiles }: Converting,
): Made {
  if (entries.length === 0) return { is: 'spent' }
  const wanted = sessionFileOf(session, startedAt)
  const there = knownFile(session, sessionFiles)
  const spare = `${SESSIONS_DIR}/${sessionFileOf(sessionNamed(`another ${session.id8}`, 'UTC'), startedAt)}`
  const file = there === null || there === wanted ? `${SESSIONS_DIR}/${wanted}` : spare
  return { is: 'entries', file, spare, text: formatEntries(entries), entries: entries.length }
}

/** The session file that what else there is of a session stands beside. */
function fileBeside(path: string, session: LegacySession, at: string, { begun, sessionFiles }: Converting): string {
  const startedAt = begun.get(stemOf(path))
  const there = startedAt === undefined ? knownFile(session, sessionFiles) : null
  return `${SESSIONS_DIR}/${there ?? sessionFileOf(session, startedAt ?? at)}`
}

/** One that has this session's id, compressed or not. */
function knownFile({ id8 }: LegacySession, sessionFiles: readonly string[]): string | null {
  const plain = sessionFiles.map((name) => name.replace(/\.gz$/, ''))
  return plain.find((name) => id8OfFile(name) === id8) ?? null
}

function fromSessionSummary({ path, text, written }: LegacyFile, how: Converting): Made {
  const session = sessionNamed(stemOf(path), how.timezone)
  return { is: 'file', file: sessionSummaryFile(fileBeside(path, session, session.at ?? written, how)), text }
}

function fromWeek({ path, text, written }: LegacyFile): Made {
  const file = weekFileOf(Number(/\d+/.exec(baseName(path))?.[0]), text, written)
  return file === null ? { is: 'kept', why: 'no such week' } : { is: 'file', file: `${SESSIONS_DIR}/${file}`, text }
}

function retold(entry: Entry | Tombstone): Entry | Tombstone {
  return entry.role === 'user' ? { ...entry, by: 'machine', via: RETOLD } : entry
}

function id8Named(session: string, timezone: string): string {
  return /^[0-9a-z]{8}$/.test(session) || session === '' ? session : sessionNamed(session, timezone).id8
}

function asTexts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : []
  return list.map((one: unknown) => (typeof one === 'string' ? one : JSON.stringify(one)))
}

function stemOf(path: string): string {
  return baseName(path).replace(/\.(?:raw\.md|md|l1\.jsonl|l2\.json)$/, '')
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
