/** The copy in a file (a bundle): written without secrets and signed with a key at home; read back as one's own or as a stranger's. */
import path from 'node:path'
import { formatConcepts, parseConcepts } from '../../knowledge/concept.ts'
import { allFacts, type Fact, type Facts, formatFacts, parseFacts } from '../../knowledge/fact.ts'
import { isLive } from '../../knowledge/fact-list.ts'
import { PERMANENT_KINDS } from '../../knowledge/permanent.ts'
import type { Store } from '../../memory/disk/store.ts'
import { changeRecords, type NoteRecord, parseMemory } from '../../memory/note.ts'
import { EMPTY_STATE, formatState, type State } from '../../memory/state.ts'
import { pageName } from '../../pages/page.ts'
import { create, isWritable, list, MOST_FILE_BYTES, makeDir, readOwnText, statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { parseObject } from '../../platform/json.ts'
import { ARCHIVE_DIR, BUNDLE_KEY_FILE, id8OfFile, SESSIONS_DIR } from '../../platform/layout.ts'
import { type Redactor, redactorFor } from '../../redact/redact.ts'
import { allSessionFiles, readSessionText, unpackedName } from '../../sessions/disk/session-archive.ts'
import { scrubEntries, scrubJson, scrubJsonLines } from '../../sessions/scrub.ts'
import { type Entry, formatEntry, parseSession, type Tombstone } from '../../transcript/session.ts'
import {
  type Bundle,
  type BundleFile,
  type BundleForm,
  type BundleKind,
  bundleKindOf,
  formatBundle,
  isSoundDate,
  parseBundle,
  timeInName,
  withSoundHeadings,
  withSoundTimes,
} from '../bundle.ts'

/** Longer ones do not fit into one text. */
const MOST_BYTES = 400 * 1024 * 1024
const FOLDERS = ['', SESSIONS_DIR, `${SESSIONS_DIR}/${ARCHIVE_DIR}`]

export interface Exported {
  text: string
  files: BundleFile[]
  /** What only now was found to be a secret. */
  redactions: number
}

export function exportBundle(store: Store, form: BundleForm): Exported {
  const redact = redactorFor({ ...store.config, redaction: true })
  let redactions = 0
  const files = bundlePaths(store).flatMap((name): BundleFile[] => {
    const text = bundleText(store, name)
    if (text === null) return []
    const clean = cleaned(name, text, redact)
    redactions += clean.count
    return [{ path: name, text: clean.text }]
  })
  const bytes = files.reduce((sum, { text }) => sum + text.length, 0)
  if (bytes > MOST_BYTES)
    throw new KeeperError(
      'too-large',
      `The memory has more than ${MOST_BYTES / 1024 / 1024} MB, too much for one file. Copy ${store.dir} instead.`,
    )
  const key = keyAt(store)
  return { text: formatBundle(files, form, sum, (all) => signed(key, all)), files, redactions }
}

/** Files of this memory that a bundle holds; of a session that is there twice the plain one. */
export function bundlePaths(store: Store): string[] {
  return FOLDERS.flatMap((folder) => {
    const dir = path.join(store.dir, folder)
    return list(dir).flatMap((name) => {
      const one = folder === '' ? name : `${folder}/${name}`
      const kind = bundleKindOf(one)
      const plain = kind === 'packed' ? path.join(store.dir, SESSIONS_DIR, unpackedName(name) ?? '') : null
      const isTwice = plain !== null && statOf(plain) !== null
      return kind === null || isTwice || statOf(path.join(dir, name))?.kind !== 'file' ? [] : [one]
    })
  })
}

/** As a bundle holds it; null: it is not there, or says nothing. */
export function bundleText(store: Store, name: string): string | null {
  const kind = bundleKindOf(name)
  if (kind === 'packed') return readSessionText(store.dir, unpackedName(path.basename(name)) ?? '')
  if (kind !== 'state') return readOwnText(path.join(store.dir, name), MOST_FILE_BYTES)
  const text = formatState(portable(store.readState()))
  return text === formatState(EMPTY_STATE) ? null : text
}

/** What is true of the memory wherever it is: its archives, and since when it is kept. */
export function portable({ rotatedFiles, stats, beganAt, lastMemoryUpdateTs }: State): State {
  return { ...EMPTY_STATE, rotatedFiles, stats, beganAt, lastMemoryUpdateTs }
}

/** What holds no secret stays as it is, byte for byte. */
export function cleaned(name: string, text: string, redact: Redactor): { text: string; count: number } {
  const kind = bundleKindOf(name) as BundleKind
  if (kind === 'session' || kind === 'packed') return scrubEntries(text, redact)
  if (name.endsWith('.jsonl')) return scrubJsonLines(text, redact)
  return name.endsWith('.json') ? scrubJson(text, redact) : redact(text)
}

export interface OpenedBundle extends Bundle {
  /** This user has made it, and nobody changed it since. */
  isOwn: boolean
}

export function openBundle(store: Store, file: string): OpenedBundle {
  const facts = statOf(file)
  if (facts === null)
    throw new KeeperError('no-bundle', `${file} does not exist. memory-keeper export --out FILE makes one.`)
  if (facts.kind !== 'file') throw new KeeperError('no-bundle', `${file} is no file.`)
  if (facts.size > MOST_FILE_BYTES)
    throw new KeeperError('too-large', `${file} has ${facts.size} bytes: no bundle is so large.`)
  const parsed = parseBundle(readOwnText(file, MOST_FILE_BYTES) ?? '', sum)
  if (parsed.is === 'broken')
    throw new KeeperError('bad-bundle', `${file} cannot be taken in, and nothing was: ${parsed.problem}.`)
  const { files, sum: all, signature } = parsed
  const key = readKey(store)
  return { files, sum: all, signature, isOwn: key !== '' && signature !== '' && signed(key, all) === signature }
}

function crypto(): typeof import('node:crypto') {
  // Loaded here: hardly any command needs it.
  return process.getBuiltinModule('node:crypto')
}

function sum(text: string): string {
  return crypto().createHash('sha256').update(text).digest('hex')
}

function signed(key: string, all: string): string {
  return key === '' ? '' : crypto().createHmac('sha256', key).update(all).digest('hex')
}

/** Empty: there is none. */
function readKey({ places }: Store): string {
  return readOwnText(path.join(places.keeperDir, BUNDLE_KEY_FILE))?.trim() ?? ''
}

/** Made with the first bundle, readable by this user only. Empty: nothing can be written there, and bundles stay unsigned. */
function keyAt(store: Store): string {
  const { keeperDir } = store.places
  const known = readKey(store)
  if (known !== '') return known
  if (statOf(keeperDir) === null && isWritable(path.dirname(keeperDir))) makeDir(keeperDir)
  if (!isWritable(keeperDir)) return ''
  create(path.join(keeperDir, BUNDLE_KEY_FILE), `${crypto().randomBytes(32).toString('hex')}\n`)
  return readKey(store)
}

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
function whyNotTaken({ path: name }: BundleFile, now: string): string | undefined {
  const kind = bundleKindOf(name) ?? 'state'
  const time = timeInName(name)
  if (NOT_TAKEN[kind] !== undefined) return NOT_TAKEN[kind]
  return time !== null && !isSoundDate(time, now) ? 'its name has a date that cannot be' : undefined
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
