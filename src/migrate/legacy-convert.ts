/** One file of an earlier version → what it becomes. */
import { type Concept, parseConcepts } from '../knowledge/concept.ts'
import { allFacts, type Facts } from '../knowledge/fact.ts'
import { notesIn } from '../memory/note.ts'
import { isObject, parseObject } from '../platform/json.ts'
import { id8OfFile, SESSIONS_DIR, sessionFile } from '../platform/layout.ts'
import { type Entry, parseSession, type Tombstone } from '../transcript/session.ts'
import { FACTS_VERSION, type FileKind, fileKindOf, type Joining, kindRow, placeOf, STATE_VERSION } from './file-kind.ts'
import { parseLegacyFacts, unproven } from './legacy-facts.ts'
import { convertNotes, renderLegacyNote, withoutUser } from './legacy-note.ts'
import { convertLines, firstInstant, formatEntries, sessionNamed } from './legacy-session.ts'

export interface LegacyFile {
  /** Below its memory, with slashes. */
  path: string
  text: string
  /** When it was last written; ISO. */
  written: string
}

/** Of these fields those that it has; none: it stays where it is. */
export interface Made {
  holds?: { n: number; of: 'note' | 'fact' | 'concept' | 'entry' }
  /** Of memory.md or an archive. */
  notes?: { file: string; text: string }
  /** A note that goes into an archive with others of its kind. */
  prose?: { at: string; note: string }
  /** `spare`: the name that it gets beside another file of its name. */
  whole?: { to: string; text: string; join: Joining; spare?: string }
  facts?: Facts
  concepts?: Concept[]
  isOldState?: true
  /** In place the file is removed. */
  isSpent?: true
  isUnread?: true
}

export interface Converting {
  timezone: string
  /** The files are converted where they are. */
  isInPlace: boolean
  /** This user's own memory: what it has the user say, the user said. */
  isOwn: boolean
  /** Session files that are there, whose ids no other session may have. */
  sessionFiles: readonly string[]
  /** The text of one of them; null: the state counts its bytes, so that only capture adds to it. */
  sessionText: (file: string) => string | null
}

const RETOLD = 'an earlier version'

export function convertFile(file: LegacyFile, how: Converting): Made {
  const kind = fileKindOf(file.path)
  const convert = CONVERTERS[kind]
  if (convert !== undefined) return convert(file, how)
  const { join, isUsersOnly } = kindRow(kind)
  const to = placeOf(file.path)
  if (to === null || join === undefined || (isUsersOnly === true && !how.isOwn)) return {}
  return { whole: { to, text: file.text, join } }
}

/** Other kinds come as they are, where the table of kinds says so. */
const CONVERTERS: Partial<Record<FileKind, (file: LegacyFile, how: Converting) => Made>> = {
  memory: fromNotes,
  archive: fromNotes,
  facts: fromFacts,
  'session-facts': ({ path, text, written }, { timezone, isOwn }) => {
    const session = sessionNamed(stemOf(path), timezone)
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
  lines: fromLines,
  prose: fromProse,
  marker: () => ({ isSpent: true }),
  // The words of the user's own one are in the sessions.
  delta: (file, how) => (how.isOwn ? {} : fromProse(file, how)),
}

function fromNotes({ path, text }: LegacyFile, { timezone, isOwn }: Converting): Made {
  const converted = convertNotes(text, timezone)
  const notes = { file: baseName(path), text: isOwn ? converted : withoutUser(converted) }
  return { holds: { n: notesIn(converted).length - notesIn(text).length, of: 'note' }, notes }
}

/** In place a file of this version stays as it is. */
function fromFacts({ text }: LegacyFile, { timezone, isInPlace, isOwn }: Converting): Made {
  const meta = parseObject(text)?._meta
  if (isInPlace && isObject(meta) && Number(meta.version) >= FACTS_VERSION) return {}
  return factsOf(text, (session) => id8Named(session, timezone), '', isOwn)
}

function factsOf(text: string, id8Of: (session: string) => string, at: string, isOwn: boolean): Made {
  const facts = parseLegacyFacts(text, { id8Of, at })
  if (facts === null) return { isUnread: true }
  return { holds: { n: allFacts(facts).length, of: 'fact' }, facts: isOwn ? facts : unproven(facts) }
}

/** Exchanges that are no texts are kept as JSON. */
function fromConcepts({ text }: LegacyFile, { isInPlace }: Converting): Made {
  const raw = parseObject(text)
  if (raw === null) return { isUnread: true }
  if (isInPlace && raw.version !== undefined) return {}
  const texts = (value: unknown): string[] =>
    (Array.isArray(value) ? value : []).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  const listed = Array.isArray(raw.concepts) ? raw.concepts : []
  const told = listed.map((one) => (isObject(one) ? { ...one, exchanges: texts(one.exchanges) } : one))
  const concepts = parseConcepts(JSON.stringify({ ...raw, concepts: told }))?.concepts ?? []
  return { holds: { n: concepts.length, of: 'concept' }, concepts }
}

/** A session that is here stays, unless it came from elsewhere before and the user's own goes on where it ends. */
function fromSession({ path, text }: LegacyFile, { isOwn, sessionFiles, sessionText }: Converting): Made {
  const name = baseName(path)
  const there = knownFile(id8OfFile(name) ?? '', sessionFiles)
  const before = there === null || !isOwn ? null : sessionText(there)
  const isLonger = before !== null && text.startsWith(before) && text.length > before.length
  if (there !== null && !isLonger) return {}
  const own = isOwn ? text : formatEntries(parseSession(text).entries.map(retold))
  return { whole: { to: `${SESSIONS_DIR}/${there ?? name}`, text: own, join: 'longer' } }
}

function fromLines({ path, text, written }: LegacyFile, { timezone, isOwn, sessionFiles }: Converting): Made {
  const { id8, at } = sessionNamed(stemOf(path), timezone)
  const startedAt = firstInstant(text) ?? at ?? written
  const entries = convertLines(text, startedAt)
  if (entries.length === 0) return { isSpent: true }
  const wanted = sessionFile(startedAt, id8)
  const spare = `${SESSIONS_DIR}/${sessionFile(startedAt, sessionNamed(`another ${id8}`, 'UTC').id8)}`
  const isFree = [null, wanted].includes(knownFile(id8, sessionFiles))
  const to = isFree ? `${SESSIONS_DIR}/${wanted}` : spare
  const lines = formatEntries(isOwn ? entries : entries.map(retold))
  return { holds: { n: entries.length, of: 'entry' }, whole: { to, text: lines, join: 'beside', spare }, isSpent: true }
}

/** Written down by a model: a note of an archive, found by search, proof of nothing. */
function fromProse({ path, text, written }: LegacyFile, { timezone }: Converting): Made {
  if (text.trim() === '') return { isSpent: true }
  const at = sessionNamed(stemOf(path), timezone).at ?? written
  const body = text.replace(/\r\n?/g, '\n').replace(/^(#{1,2}) /gm, '##$1 ')
  const note = renderLegacyNote({ at, isDay: false }, `${body.trimEnd()}\n\n`, timezone)
  return { holds: { n: 1, of: 'note' }, prose: { at, note }, isSpent: true }
}

/** One that has this session's id, compressed or not. */
function knownFile(id8: string, sessionFiles: readonly string[]): string | null {
  return sessionFiles.map((name) => name.replace(/\.gz$/, '')).find((name) => id8OfFile(name) === id8) ?? null
}

/** From a directory that anybody may have filled: what it has the user say is no proof. */
function retold(entry: Entry | Tombstone): Entry | Tombstone {
  return entry.role === 'user' ? { ...entry, by: 'machine', via: RETOLD } : entry
}

function id8Named(session: string, timezone: string): string {
  return /^[0-9a-z]{8}$/.test(session) || session === '' ? session : sessionNamed(session, timezone).id8
}

function stemOf(path: string): string {
  return baseName(path).replace(/\.(?:raw\.md|md|l1\.jsonl|l2\.json)$/, '')
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
