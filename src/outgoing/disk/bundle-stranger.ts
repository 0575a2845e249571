/** A bundle of somebody else: its words come in as a stranger's, and what would speak in the user's name stays out. */
import type { BundleFile } from '../../copies/bundle.ts'
import { isSoundDate, timeInName, withSoundHeadings, withSoundTimes } from '../../copies/bundle-dates.ts'
import { type BundleKind, bundleKindOf } from '../../copies/bundle-kind.ts'
import { formatConcepts, parseConcepts } from '../../knowledge/concept.ts'
import { allFacts, type Fact, type Facts, formatFacts, parseFacts } from '../../knowledge/fact.ts'
import { isLive } from '../../knowledge/fact-list.ts'
import { PERMANENT_KINDS } from '../../knowledge/permanent.ts'
import type { Store } from '../../memory/disk/store.ts'
import { changeRecords, type NoteRecord, parseMemory } from '../../memory/note.ts'
import { pageName } from '../../pages/page.ts'
import { parseObject } from '../../platform/json.ts'
import { id8OfFile } from '../../platform/layout.ts'
import { allSessionFiles } from '../../sessions/disk/session-archive.ts'
import { type Entry, formatEntry, parseSession, type Tombstone } from '../../transcript/session.ts'
import { isSectioned } from '../legacy-sections.ts'

/** What would be told with prompts, change settings, or keep something out, in the user's place. */
const NOT_TAKEN: Readonly<Partial<Record<BundleKind, string>>> = {
  rules: 'rules are told with every prompt: memory-keeper rules add "…" takes one',
  standing: 'what somebody else wants always or never is not what you want',
  config: 'settings stay your own',
  forgotten: 'what somebody else forgot is not forgotten here',
  state: 'it is about another machine',
  'session-facts': 'the facts stand in facts.json',
  'session-summary': 'summaries are told as yours; the sessions come in',
  tier: 'summaries are told as yours; the sessions come in',
}

/** Stands before each of their texts, wherever it is told or found: nobody takes it for the user's own. */
const MARK = "(from somebody else's bundle)"
/** Before the names of their pages. */
const PAGE_PREFIX = 'somebody-elses-'

export function asStrangers(
  store: Store,
  all: readonly BundleFile[],
  now: string,
): { files: BundleFile[]; left: { path: string; why: string }[] } {
  const ours = new Set(allSessionFiles(store.dir).map(id8OfFile))
  const left = all.flatMap((file) => {
    const why = whyNotTaken(file, now)
    return why === undefined ? [] : [{ path: file.path, why }]
  })
  const files = all.flatMap(({ path: name, text }): BundleFile[] => {
    if (whyNotTaken({ path: name, text }, now) !== undefined) return []
    switch (bundleKindOf(name)) {
      case 'session':
      case 'packed':
        return [{ path: name, text: retold(text, timeInName(name) ?? now, now) }]
      case 'memory':
      case 'archive':
        return [{ path: name, text: strangersNotes(text, ours, now) }]
      case 'archive-summary':
        return [{ path: name, text: markedIn(soundJson(text, now), ['overallSummary']) }]
      case 'concepts':
        return [{ path: name, text: strangersConcepts(soundJson(text, now)) }]
      case 'facts':
        return [{ path: name, text: living(soundJson(text, now)) }]
      case 'page':
        return [strangersPage(name, text)]
      default:
        return []
    }
  })
  return { files, left }
}

/** Undefined: it is taken. */
function whyNotTaken({ path: name, text }: BundleFile, now: string): string | undefined {
  const kind = bundleKindOf(name) ?? 'state'
  const time = timeInName(name)
  if (NOT_TAKEN[kind] !== undefined) return NOT_TAKEN[kind]
  if (time !== null && !isSoundDate(time, now)) return 'its name has a date that cannot be'
  return kind === 'memory' && isSectioned(text) ? 'it is in the form of an earlier version' : undefined
}

function soundJson(text: string, now: string): string {
  const raw = parseObject(text)
  return raw === null ? text : JSON.stringify(withSoundTimes(raw, now))
}

function marked(text: string): string {
  return text.startsWith(MARK) || text.trim() === '' ? text : `${MARK} ${text}`
}

function markedIn(json: string, names: readonly string[]): string {
  const raw = parseObject(json)
  if (raw === null) return json
  const texts = names.flatMap((name) => (typeof raw[name] === 'string' ? [[name, marked(raw[name])]] : []))
  return `${JSON.stringify({ ...raw, ...Object.fromEntries(texts) })}\n`
}

function strangersConcepts(text: string): string {
  const theirs = parseConcepts(text)
  if (theirs === null) return text
  const concepts = theirs.concepts.map((one) => ({ ...one, name: marked(one.name), summary: marked(one.summary) }))
  return formatConcepts({ ...theirs, concepts })
}

/** Pages are told at every start: this one under a name that is no usual one, and as a quotation. */
function strangersPage(name: string, text: string): BundleFile {
  const own = name.startsWith(PAGE_PREFIX) ? name : `${PAGE_PREFIX}${name}`
  const quoted = text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => `> ${line}`.trimEnd())
  return { path: pageName(own) === null ? name : own, text: `${MARK}\n\n${quoted.join('\n')}\n` }
}

/** What it has the user say is no proof: this user did not type it. `began`: for entries whose time cannot be. */
function retold(text: string, began: string, now: string): string {
  const mark = (entry: Entry | Tombstone): Entry | Tombstone => {
    if (entry.role === 'tombstone') return entry
    const timed = isSoundDate(entry.ts, now) ? entry : { ...entry, ts: began }
    return timed.role === 'user' ? { ...timed, by: 'machine', via: VIA } : timed
  }
  return parseSession(text)
    .entries.map((entry) => formatEntry(mark(entry)))
    .join('')
}

/** Who said it instead of the user. */
const VIA = "somebody else's bundle"

/** Not this user's notes, and no record that one of this user's sessions is told. */
function strangersNotes(text: string, ours: ReadonlySet<string | null>, now: string): string {
  return parseMemory(withSoundHeadings(text, now))
    .map(({ raw, note }) => (note === null ? markedBlock(raw) : strangersNote(raw, ours, now)))
    .join('')
}

function strangersNote(raw: string, ours: ReadonlySet<string | null>, now: string): string {
  const theirs = ({ id, at, session, from, to, author }: NoteRecord): NoteRecord => ({
    id,
    at: isSoundDate(at, now) ? at : now,
    ...(ours.has(session) ? { session: null, from: 0, to: 0 } : { session, from, to }),
    author: author === 'user' ? 'agent' : author,
  })
  return changeRecords(raw, theirs, `\n${MARK}`)
}

/** What stands there by hand, or in the form of an earlier version; a title alone says nothing. */
function markedBlock(raw: string): string {
  const [, heading = '', words = ''] = /^((?:#{1,6} [^\n]*(?:\n|$)|[^\S\n]*\n)*)([\s\S]*)$/.exec(raw) ?? []
  return words.trim() === '' || words.startsWith(MARK) ? raw : `${heading}${MARK}\n${words}`
}

/** What they rejected or declined would keep it out here, too. */
function living(text: string): string {
  const facts = parseFacts(text)
  if (facts === null) return text
  const theirs = <T extends Fact>(all: readonly T[]): T[] =>
    all.filter(isLive).map((one) => ({ ...one, text: marked(one.text) }))
  const lists = {
    decisions: theirs(facts.decisions),
    patterns: theirs(facts.patterns),
    issues: theirs(facts.issues),
  }
  const permanent = { ...facts.permanent }
  for (const kind of PERMANENT_KINDS)
    permanent[kind] = permanent[kind].filter(({ status }) => status === 'active' || status === 'proposed')
  const alive: Facts = { ...facts, ...lists, permanent }
  return allFacts(alive).length === 0 && PERMANENT_KINDS.every((kind) => permanent[kind].length === 0)
    ? '{}'
    : formatFacts(alive)
}
