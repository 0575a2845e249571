/** Converts one file of an earlier version. */

import { type Concept, parseConcepts } from '../../core/knowledge/concept.ts'
import { allFacts, type Items } from '../../core/knowledge/items.ts'
import { pathBelow } from '../../kernel/memory/file-kind.ts'
import { notesIn } from '../../kernel/memory/note.ts'
import { newCursor } from '../../kernel/memory/session-state.ts'
import { isObject, parseObject } from '../../kernel/platform/json.ts'
import { id8OfFile, SESSIONS_DIR, sessionFile } from '../../kernel/platform/layout.ts'
import { NO_TIME } from '../../kernel/platform/time.ts'
import { readPiece } from '../../kernel/sessions/capture.ts'
import { theAgent } from '../../kernel/transcript/agent.ts'
import { openEntries } from '../../kernel/transcript/open-entries.ts'
import type { RefineOptions } from '../../kernel/transcript/refine.ts'
import { type Entry, entryKey, parseSession, type Tombstone } from '../../kernel/transcript/session.ts'
import { FACTS_VERSION, STATE_VERSION } from './files.ts'
import { arrivingKind, arrivingName } from './kinds.ts'
import { parseLegacyFacts, unproven } from './legacy-facts.ts'
import { type EarlierMemory, writtenAt } from './legacy-memory.ts'
import { convertNotes, renderLegacyNote, withoutUser } from './legacy-note.ts'
import { factsOfSections } from './legacy-sections.ts'
import { convertLines, firstInstant, formatEntries, sessionNamed } from './legacy-session.ts'

export interface LegacyFile {
  /** Relative to its memory, with slashes. */
  path: string
  text: string
  /** When it was written, where its source says so; ISO. Empty: its name and words tell. A file's own time is that of a copy. */
  written: string
}

/** The converted content; no field: the file stays as it is. */
export interface Made {
  holds?: { n: number; of: 'note' | 'concept' | 'entry' }
  /** From memory.md or an archive. */
  notes?: { file: string; text: string }
  /** A note that goes into an archive with others of its kind. `isLast`: its time follows from all others. */
  prose?: { at: string; note: string; isLast?: true }
  /** `spare`: the alternative name if another file has its name. */
  whole?: { to: string; text: string; spare?: string }
  facts?: Items
  concepts?: Concept[]
  isOldState?: true
  /** Converted in place, the file is deleted. */
  isSpent?: true
  isUnread?: true
}

export interface Converting {
  timezone: string
  /** Of the memory that all files are from. */
  earlier: EarlierMemory
  /** The files are converted in place. */
  isInPlace: boolean
  /** This user's own memory: its user entries count as the user's words. */
  isOwn: boolean
  /** The existing session files, whose ids no other session may have. */
  sessionFiles: readonly string[]
  /** Whether one of them has all these entries. */
  isCaptured: (keys: readonly string[]) => boolean
  /** How transcripts are read. */
  refine: RefineOptions
}

const EARLIER_VERSION = 'an earlier version'
/** As `notes/disk/handout.ts` begins it. */
const OUR_DELTA = '# Delta '

export function convertFile(file: LegacyFile, how: Converting): Made {
  const convert = CONVERTERS[arrivingName(file.path)]
  if (convert !== undefined) return convert(file, how)
  const { at, arriving, isUsersOnly } = arrivingKind(file.path) ?? {}
  if (at === undefined || arriving === undefined || (isUsersOnly === true && !how.isOwn)) return {}
  return { whole: { to: pathBelow(at, file.path), text: file.text } }
}

/** Other kinds are copied unchanged if the table of kinds says so. */
const CONVERTERS: Readonly<Record<string, (file: LegacyFile, how: Converting) => Made>> = {
  memory: fromMemory,
  archive: fromNotes,
  facts: fromFacts,
  'earlier-session-facts': ({ path, text, written }, { timezone, isOwn }) => {
    const session = sessionNamed(sessionStem(path), timezone)
    const id8Of = (named: string): string => (named === '' ? session.id8 : id8Named(named, timezone))
    const made = factsOf(text, id8Of, session.at ?? written, isOwn)
    return made.isUnread === true ? made : { ...made, isSpent: true }
  },
  concepts: fromConcepts,
  state: ({ text }) => {
    const raw = parseObject(text)
    if (raw === null) return { isUnread: true }
    return Number(raw.version) >= STATE_VERSION ? {} : { isOldState: true }
  },
  session: fromSession,
  raw: fromRaw,
  lines: fromLines,
  prose: fromProse,
  marker: () => ({ isSpent: true }),
  // One of this version is handed out again from the sessions. The words of v13's were to become a note.
  delta: (file, how) => (how.isInPlace && file.text.startsWith(OUR_DELTA) ? {} : fromProse(file, how)),
}

function fromNotes({ path, text }: LegacyFile, { timezone, isOwn }: Converting): Made {
  const converted = convertNotes(text, timezone)
  const notes = { file: baseName(path), text: isOwn ? converted : withoutUser(converted) }
  return { holds: { n: notesIn(converted).length - notesIn(text).length, of: 'note' }, notes }
}

/** The text of its sections stays where it is. */
function fromMemory(file: LegacyFile, how: Converting): Made {
  const facts = factsOfSections(file.text, how.timezone, how.earlier.version)
  return { ...fromNotes(file, how), ...(allFacts(facts).length === 0 ? {} : { facts }) }
}

/** In place, a file of this version is not changed. */
function fromFacts({ text }: LegacyFile, { timezone, isInPlace, isOwn }: Converting): Made {
  const meta = parseObject(text)?._meta
  if (isInPlace && isObject(meta) && Number(meta.version) >= FACTS_VERSION) return {}
  return factsOf(text, (session) => id8Named(session, timezone), '', isOwn)
}

function factsOf(text: string, id8Of: (session: string) => string, at: string, isOwn: boolean): Made {
  const facts = parseLegacyFacts(text, { id8Of, at })
  if (facts === null) return { isUnread: true }
  return { facts: isOwn ? facts : unproven(facts) }
}

/** Exchanges that are not texts are stored as JSON. */
function fromConcepts({ text }: LegacyFile, { isInPlace }: Converting): Made {
  const raw = parseObject(text)
  if (raw === null) return { isUnread: true }
  if (isInPlace && raw.version !== undefined) return {}
  const texts = (value: unknown): string[] =>
    (Array.isArray(value) ? value : []).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  const listed = Array.isArray(raw.concepts) ? raw.concepts : []
  const readable = listed.map((one) => (isObject(one) ? { ...one, exchanges: texts(one.exchanges) } : one))
  const concepts = parseConcepts(JSON.stringify({ ...raw, concepts: readable }))?.concepts ?? []
  return { holds: { n: concepts.length, of: 'concept' }, concepts }
}

/** An existing session stays: anyone may have written what the arriving one has more. */
function fromSession({ path, text }: LegacyFile, { sessionFiles }: Converting): Made {
  const name = baseName(path)
  if (knownFile(id8OfFile(name) ?? '', sessionFiles) !== null) return {}
  return { whole: { to: `${SESSIONS_DIR}/${name}`, text: formatEntries(parseSession(text).entries.map(withoutProof)) } }
}

function fromLines(file: LegacyFile, how: Converting): Made {
  const startedAt = firstInstant(file.text) ?? sessionNamed(sessionStem(file.path), how.timezone).at ?? NO_TIME
  const entries = convertLines(file.text, startedAt)
  // The transcript may be captured already: then it is the same session under another name, with tools in other words.
  const said = entries.filter((entry) => entry.role === 'user' || entry.role === 'assistant')
  if (said.length > 0 && how.isCaptured(said.map(entryKey))) return { isSpent: true }
  return fromEntries(file, entries, startedAt, how)
}

/** The transcript itself: read as capture reads it. A session that was captured from the host's own copy stays as it is. */
function fromRaw(file: LegacyFile, how: Converting): Made {
  const bytes = Buffer.from(file.text)
  const { entries, cursor } = readPiece(newCursor(file.path), { bytes, isLast: true }, how.refine)
  const all = [...entries, ...openEntries(cursor.refine).map(({ open: _, ...entry }) => entry as Entry)]
  const id8 = theAgent().parseHead(bytes).sessionId?.slice(0, 8) ?? ''
  if (knownFile(id8, how.sessionFiles) !== null) return { isSpent: true }
  const startedAt =
    all.find(({ ts }) => ts !== '')?.ts ?? sessionNamed(sessionStem(file.path), how.timezone).at ?? NO_TIME
  return fromEntries(file, all, startedAt, how)
}

function fromEntries(
  { path }: LegacyFile,
  entries: readonly (Entry | Tombstone)[],
  startedAt: string,
  { timezone, isOwn, sessionFiles }: Converting,
): Made {
  const { id8 } = sessionNamed(sessionStem(path), timezone)
  if (entries.length === 0) return { isSpent: true }
  const wanted = sessionFile(startedAt, id8)
  const spare = `${SESSIONS_DIR}/${sessionFile(startedAt, sessionNamed(`another ${id8}`, 'UTC').id8)}`
  const isFree = [null, wanted].includes(knownFile(id8, sessionFiles))
  const to = isFree ? `${SESSIONS_DIR}/${wanted}` : spare
  const lines = formatEntries(isOwn ? entries : entries.map(withoutProof))
  return { holds: { n: entries.length, of: 'entry' }, whole: { to, text: lines, spare }, isSpent: true }
}

/** Text written by a model becomes a note in an archive: searchable, but no proof. */
function fromProse(file: LegacyFile, { timezone, earlier }: Converting): Made {
  const { text, written } = file
  if (text.trim() === '') return { isSpent: true }
  const when = written === '' ? writtenAt(file, earlier) : { at: written, isDay: false }
  const body = text.replace(/\r\n?/g, '\n').replace(/^(#{1,2}) /gm, '##$1 ')
  const note = renderLegacyNote(when, `${body.trimEnd()}\n\n`, timezone)
  const last = arrivingName(file.path) === 'delta' ? { isLast: true as const } : {}
  return { holds: { n: 1, of: 'note' }, prose: { at: when.at, note, ...last }, isSpent: true }
}

/** The file with this session's id, compressed or not. */
function knownFile(id8: string, sessionFiles: readonly string[]): string | null {
  return sessionFiles.map((name) => name.replace(/\.gz$/, '')).find((name) => id8OfFile(name) === id8) ?? null
}

/** From a directory that anyone may have filled: its user entries are no proof. */
function withoutProof(entry: Entry | Tombstone): Entry | Tombstone {
  return entry.role === 'user' ? { ...entry, by: 'machine', via: EARLIER_VERSION } : entry
}

function id8Named(session: string, timezone: string): string {
  return /^[0-9a-z]{8}$/.test(session) || session === '' ? session : sessionNamed(session, timezone).id8
}

/** The name that all files of a session have in common. */
export function sessionStem(path: string): string {
  return baseName(path).replace(/\.(?:raw\.md|md|raw\.jsonl|l1\.jsonl|l2\.json)$/, '')
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
