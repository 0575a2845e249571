/** One file of an earlier version → what it becomes. */
import { type Concept, parseConcepts } from '../knowledge/concept.ts'
import type { Facts } from '../knowledge/fact.ts'
import { addRuleTo, parseRules } from '../pages/rule.ts'
import { isObject, parseObject } from '../platform/json.ts'
import {
  CONCEPTS_FILE,
  FACTS_FILE,
  id8OfFile,
  MEMORY_FILE,
  SESSIONS_DIR,
  STATE_FILE,
  sessionFile,
} from '../platform/layout.ts'
import { type Entry, parseSession, type Tombstone } from '../transcript/session.ts'
import { type LegacyFile, type LegacyKind, legacyKindOf } from './legacy.ts'
import { parseLegacyFacts, unproven } from './legacy-facts.ts'
import { convertNotes, countLegacyNotes, renderLegacyNote, withoutUser } from './legacy-note.ts'
import { convertLines, firstInstant, formatEntries, sessionNamed } from './legacy-session.ts'

/** Of the fields below `what`, those that it has. */
export interface Made {
  /** Where its content goes; empty: nowhere. */
  to: string
  what: string
  /** Of memory.md. */
  memory?: string
  archive?: { file: string; text: string }
  /** A note that goes into an archive with others of its kind. */
  prose?: { at: string; note: string }
  /**
   * A session, tier, page or summary. `join`: with what has the name already. `spare`: its name where another session has
   * the first one. Without either, a tier is added to what is there, and a page gets another name.
   */
  whole?: { text: string; spare?: string; join?: (there: string) => string }
  facts?: Facts
  concepts?: Concept[]
  isOldState?: true
  /** In place the file is removed. */
  isSpent?: true
  isUnread?: true
  notes?: number
  entries?: number
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

/** Before 0.5: later files are read as they are. */
export const FACTS_VERSION = 4
export const STATE_VERSION = 2
const RETOLD = 'an earlier version'
const UNREAD: Made = { to: '', what: 'could not be read', isUnread: true }

export function convertFile(file: LegacyFile, how: Converting): Made {
  return CONVERTERS[legacyKindOf(file.path)](file, how)
}

const CONVERTERS: Readonly<Record<LegacyKind, (file: LegacyFile, how: Converting) => Made>> = {
  memory: ({ text }, how) => {
    const notes = countLegacyNotes(text, how.timezone)
    return { to: MEMORY_FILE, what: counted(notes, 'note'), memory: notesOf(text, how), notes }
  },
  archive: ({ path, text }, how) => {
    const [file, notes] = [baseName(path), countLegacyNotes(text, how.timezone)]
    return { to: file, what: counted(notes, 'note'), archive: { file, text: notesOf(text, how) }, notes }
  },
  facts: fromFacts,
  concepts: fromConcepts,
  state: ({ text }) => {
    const raw = parseObject(text)
    if (raw === null) return UNREAD
    return { to: STATE_FILE, what: 'state', ...(Number(raw.version) >= STATE_VERSION ? {} : { isOldState: true }) }
  },
  marker: () => ({ to: '', what: 'not needed any more', isSpent: true }),
  delta: (file, how) => (how.isOwn ? kept('its words are in the sessions') : fromProse(file, how)),
  config: (file, how) => fromOwn(file, how, (there) => there),
  rules: (file, how) => fromOwn(file, how, (there) => withRules(there, file.text)),
  // What was forgotten elsewhere is forgotten here, too.
  forgotten: (file, how) => fromOwn(file, how, (there) => withLines(there, file.text)),
  // The next session takes the rules of 0.5.x over.
  standing: (file, how) => fromOwn(file, how, (there) => there),
  lines: fromLines,
  prose: fromProse,
  'session-facts': ({ path, text, written }, { timezone, isOwn }) => {
    const session = sessionNamed(stemOf(path), timezone)
    const id8Of = (named: string): string => (named === '' ? session.id8 : id8Named(named, timezone))
    return factsOf(text, id8Of, session.at ?? written, isOwn)
  },
  month: ({ path, text }, how) => wholeFile(`${SESSIONS_DIR}/archive/${baseName(path)}`, text, how),
  page: ({ path, text }, how) => wholeFile(baseName(path), text, how),
  session: fromSession,
  'of-session': ({ path, text }, how) => wholeFile(`${SESSIONS_DIR}/${baseName(path)}`, text, how, (there) => there),
  week: ({ path, text }, how) => wholeFile(`${SESSIONS_DIR}/${baseName(path)}`, text, how),
  'archive-summary': ({ path, text }, how) => wholeFile(baseName(path), text, how, (there) => there),
  own: () => kept('of no use to anybody else'),
  unknown: () => kept('not understood'),
}

function kept(what: string): Made {
  return { to: '', what }
}

function wholeFile(to: string, text: string, { isInPlace }: Converting, join?: (there: string) => string): Made {
  return { to, what: isInPlace ? 'renamed' : 'copied', whole: { text, ...(join === undefined ? {} : { join }) } }
}

/** Settings, rules and tombstones come in from the user's own memory only: rules are injected with prompts. */
function fromOwn({ path, text }: LegacyFile, how: Converting, join: (there: string) => string): Made {
  return how.isOwn ? wholeFile(baseName(path), text, how, join) : kept('only the user changes it')
}

function withRules(ours: string, theirs: string): string {
  const known = new Set(parseRules(ours).map((rule) => rule.toLowerCase()))
  return parseRules(theirs).reduce((text, rule) => (known.has(rule.toLowerCase()) ? text : addRuleTo(text, rule)), ours)
}

function withLines(ours: string, theirs: string): string {
  const known = new Set(ours.split('\n'))
  const fresh = theirs.split('\n').filter((line) => !known.has(line))
  return fresh.length === 0 ? ours : `${ours.replace(/\n?$/, '\n')}${fresh.join('\n')}\n`
}

/** A session that is here stays, unless it came from elsewhere before and the user's own goes on where it ends. */
function fromSession({ path, text }: LegacyFile, how: Converting): Made {
  const there = knownFile(id8OfFile(baseName(path)) ?? '', how.sessionFiles)
  const entries = how.isOwn ? [] : parseSession(text).entries.map(retold)
  if (there === null)
    return wholeFile(`${SESSIONS_DIR}/${baseName(path)}`, how.isOwn ? text : formatEntries(entries), how)
  const before = how.isOwn ? how.sessionText(there) : null
  const isLonger = before !== null && text.startsWith(before) && text.length > before.length
  return isLonger ? wholeFile(`${SESSIONS_DIR}/${there}`, text, how, () => text) : kept('here already')
}

function notesOf(text: string, { timezone, isOwn }: Converting): string {
  const notes = convertNotes(text, timezone)
  return isOwn ? notes : withoutUser(notes)
}

/** In place a file of this version stays as it is. */
function fromFacts({ text }: LegacyFile, { timezone, isInPlace, isOwn }: Converting): Made {
  const meta = parseObject(text)?._meta
  if (isInPlace && isObject(meta) && Number(meta.version) >= FACTS_VERSION) return kept('of this version')
  return factsOf(text, (session) => id8Named(session, timezone), '', isOwn)
}

function factsOf(text: string, id8Of: (session: string) => string, at: string, isOwn: boolean): Made {
  const facts = parseLegacyFacts(text, { id8Of, at })
  if (facts === null) return UNREAD
  const count = facts.decisions.length + facts.patterns.length + facts.issues.length
  return { to: FACTS_FILE, what: counted(count, 'fact'), facts: isOwn ? facts : unproven(facts), isSpent: true }
}

/** Exchanges that are no texts are kept as JSON. */
function fromConcepts({ text }: LegacyFile, { isInPlace }: Converting): Made {
  const raw = parseObject(text)
  if (raw === null) return UNREAD
  if (isInPlace && raw.version !== undefined) return kept('of this version')
  const texts = (value: unknown): string[] =>
    (Array.isArray(value) ? value : []).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  const listed = Array.isArray(raw.concepts) ? raw.concepts : []
  const told = listed.map((one) => (isObject(one) ? { ...one, exchanges: texts(one.exchanges) } : one))
  const concepts = parseConcepts(JSON.stringify({ ...raw, concepts: told }))?.concepts ?? []
  return { to: CONCEPTS_FILE, what: counted(concepts.length, 'concept'), concepts }
}

function fromLines(file: LegacyFile, { timezone, isOwn, sessionFiles }: Converting): Made {
  const { id8 } = sessionNamed(stemOf(file.path), timezone)
  const startedAt = firstInstant(file.text) ?? sessionNamed(stemOf(file.path), timezone).at ?? file.written
  const entries = convertLines(file.text, startedAt)
  if (entries.length === 0) return { to: '', what: 'empty', isSpent: true }
  const wanted = sessionFile(startedAt, id8)
  const there = knownFile(id8, sessionFiles)
  const spare = `${SESSIONS_DIR}/${sessionFile(startedAt, sessionNamed(`another ${id8}`, 'UTC').id8)}`
  return {
    to: there === null || there === wanted ? `${SESSIONS_DIR}/${wanted}` : spare,
    what: counted(entries.length, 'entry'),
    whole: { text: formatEntries(isOwn ? entries : entries.map(retold)), spare },
    isSpent: true,
    entries: entries.length,
  }
}

/** Written down by a model: a note of an archive, found by search, proof of nothing. */
function fromProse({ path, text, written }: LegacyFile, { timezone }: Converting): Made {
  if (text.trim() === '') return { to: '', what: 'empty', isSpent: true }
  const at = sessionNamed(stemOf(path), timezone).at ?? written
  const body = text.replace(/\r\n?/g, '\n').replace(/^(#{1,2}) /gm, '##$1 ')
  const note = renderLegacyNote({ at, is: 'time', isZoned: true }, `${body.trimEnd()}\n\n`, timezone)
  return { to: 'an archive', what: '1 note', prose: { at, note }, isSpent: true, notes: 1 }
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

function counted(n: number, word: string): string {
  return `${n} ${n === 1 ? word : word.replace(/y$/, 'ie').concat('s')}`
}

function stemOf(path: string): string {
  return baseName(path).replace(/\.(?:raw\.md|md|l1\.jsonl|l2\.json)$/, '')
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
