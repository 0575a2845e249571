/** The copy in a file (a bundle): written without secrets, signed with a key at home, and added to a memory. Only the user's own comes in. */
import path from 'node:path'
import { backUp } from '../../memory/disk/migrate-backup.ts'
import { type Store, stateEffect } from '../../memory/disk/store.ts'
import { allSessions, EMPTY_STATE, formatState, parseState, type State } from '../../memory/state.ts'
import { targetOf } from '../../migrate/disk/migrate.ts'
import { recordEffect, takenOver } from '../../migrate/disk/migrate-files.ts'
import { planMigration } from '../../migrate/legacy-plan.ts'
import { withoutForgottenFiles } from '../../notes/disk/forgotten.ts'
import { repairMemory } from '../../notes/disk/memory.ts'
import { addRuleTo, parseRules } from '../../pages/rule.ts'
import { create, isWritable, list, MOST_FILE_BYTES, makeDir, readOwnText, statOf } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { KeeperError } from '../../platform/error.ts'
import {
  ARCHIVE_DIR,
  BUNDLE_KEY_FILE,
  FORGOTTEN_FILE,
  id8OfFile,
  RULES_FILE,
  SESSIONS_DIR,
} from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import {
  allSessionFiles,
  pack,
  packedPath,
  readSessionText,
  unpackedName,
} from '../../sessions/disk/session-archive.ts'
import { scrubByName } from '../../sessions/scrub.ts'
import { type BundleFile, type BundleKind, bundleKindOf, formatBundle, parseBundle } from '../bundle.ts'
import { rejoin } from './vault-restore.ts'

/** Longer ones do not fit into one text. */
const MOST_BYTES = 400 * 1024 * 1024
const FOLDERS = ['', SESSIONS_DIR, `${SESSIONS_DIR}/${ARCHIVE_DIR}`]

/** `redactions`: secrets that only now were found. */
export function exportBundle(store: Store): { text: string; files: BundleFile[]; redactions: number } {
  const redact = redactorFor({ ...store.config, redaction: true })
  let redactions = 0
  const files = bundlePaths(store).flatMap((name): BundleFile[] => {
    const text = bundleText(store, name)
    const clean = text === null ? null : scrubByName(name, text, redact)
    redactions += clean?.count ?? 0
    return clean === null ? [] : [{ path: name, text: clean.text }]
  })
  if (files.reduce((bytes, { text }) => bytes + text.length, 0) > MOST_BYTES)
    throw new KeeperError(
      'too-large',
      `The memory has more than ${MOST_BYTES / 1024 / 1024} MB, too much for one file. Copy ${store.dir} instead.`,
    )
  const key = keyAt(store)
  return { text: formatBundle(files, sum, (all) => signed(key, all)), files, redactions }
}

/** Files of this memory that a bundle contains; of a session that is there twice the plain one. */
function bundlePaths(store: Store): string[] {
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

/** The text of a file as a bundle contains it; null: there is none. */
function bundleText(store: Store, name: string): string | null {
  const kind = bundleKindOf(name)
  if (kind === 'packed') return readSessionText(store.dir, unpackedName(path.basename(name)) ?? '')
  if (kind !== 'state') return readOwnText(path.join(store.dir, name), MOST_FILE_BYTES)
  const text = formatState(portable(store.readState()))
  return text === formatState(EMPTY_STATE) ? null : text
}

/** What is true of the memory on every machine. */
function portable({ rotatedFiles, stats, beganAt, lastMemoryUpdateTs }: State): State {
  return { ...EMPTY_STATE, rotatedFiles, stats, beganAt, lastMemoryUpdateTs }
}

export interface OpenedBundle {
  files: BundleFile[]
  /** By which it is known again. */
  sum: string
  /** Signed with this user's key, and not changed since. */
  isSigned: boolean
}

/** `isMine`: the user vouches for it. Without that, only what this user's key signed is opened. */
export function openBundle(store: Store, file: string, isMine = false): OpenedBundle {
  const stat = statOf(file)
  if (stat?.kind !== 'file')
    throw new KeeperError('no-bundle', `${file} is no file. memory-keeper export --out FILE makes one.`)
  if (stat.size > MOST_FILE_BYTES)
    throw new KeeperError('too-large', `${file} has ${stat.size} bytes: no bundle is so large.`)
  const parsed = parseBundle(readOwnText(file, MOST_FILE_BYTES) ?? '', sum)
  if (parsed.is === 'broken') throw new KeeperError('bad-bundle', `Nothing of ${file} was added: ${parsed.problem}.`)
  const key = readKey(store)
  const isSigned = key !== '' && parsed.signature === signed(key, parsed.sum)
  if (!isSigned && !isMine)
    throw new KeeperError(
      'not-yours',
      `${file} is not signed with your key (${keyFile(store)}), so nothing of it is added. If you made it on another machine: copy that key, or add --mine. What somebody else remembers comes by memory-keeper share.`,
    )
  return { files: parsed.files, sum: parsed.sum, isSigned }
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

function keyFile({ places }: Store): string {
  return path.join(places.keeperDir, BUNDLE_KEY_FILE)
}

/** Empty: there is none. */
function readKey(store: Store): string {
  return readOwnText(keyFile(store))?.trim() ?? ''
}

/** Made with the first bundle, readable by this user only. Empty: home cannot be written, and bundles stay unsigned. */
function keyAt(store: Store): string {
  const { keeperDir } = store.places
  const known = readKey(store)
  if (known !== '') return known
  if (statOf(keeperDir) === null && isWritable(path.dirname(keeperDir))) makeDir(keeperDir)
  if (!isWritable(keeperDir)) return ''
  create(keyFile(store), `${crypto().randomBytes(32).toString('hex')}\n`)
  return readKey(store)
}

export interface BundlePlan {
  effects: Effect[]
  /** Sessions that are not here: written first, without the lock. */
  sessions: Effect[]
  /** Files that could not be read. */
  left: string[]
  /** This very bundle came in before. */
  isKnown: boolean
}

/** Reads everything and changes nothing. */
export function planBundle(store: Store, bundle: OpenedBundle, now: string): BundlePlan {
  return planFiles(store, bundle, prepared(store, bundle), now)
}

/** Without secrets, and without what was forgotten here. */
function prepared(store: Store, { files }: OpenedBundle): BundleFile[] {
  const redact = redactorFor({ ...store.config, redaction: true })
  const clean = files.map((file) => ({ ...file, text: scrubByName(file.path, file.text, redact).text }))
  return withoutForgottenFiles(store, clean)
}

function planFiles(store: Store, { sum: mark }: OpenedBundle, files: readonly BundleFile[], now: string): BundlePlan {
  if (takenOver(store, sourceOf(mark)) !== null) return { effects: [], sessions: [], left: [], isKnown: true }
  return isPartOf(store, files) ? exactly(store, files) : joined(store, files, now)
}

function sourceOf(mark: string): string {
  return `bundle ${mark}`
}

/** Nothing is here that the bundle has not: an empty memory, or what a killed import of this bundle left. */
function isPartOf(store: Store, files: readonly BundleFile[]): boolean {
  const texts = new Map(files.map((file) => [file.path, file.text]))
  return bundlePaths(store).every(
    (name) => bundleKindOf(name) === 'state' || bundleText(store, name) === texts.get(name),
  )
}

/** All files as they were, the state that knows of archives last. */
function exactly(store: Store, files: readonly BundleFile[]): BundlePlan {
  const missing = files.filter((file) => bundleText(store, file.path) !== file.text)
  const { session, packed, state, others } = byKind(missing)
  const states = state.flatMap(({ text }) => {
    const theirs = parseState(text)
    return theirs === null ? [] : [stateEffect(portable(theirs))]
  })
  return {
    effects: [...others.map(written), ...states],
    sessions: [
      ...session.map(written),
      ...packed.map(
        ({ path: name, text }): Effect => ({ do: 'writeBytes', path: name, bytes: pack(Buffer.from(text)) }),
      ),
    ],
    left: [],
    isKnown: false,
  }
}

function byKind(files: readonly BundleFile[]): Record<'session' | 'packed' | 'state' | 'others', BundleFile[]> {
  const of = (kind: BundleKind): BundleFile[] => files.filter((file) => bundleKindOf(file.path) === kind)
  const [session, packed, state] = [of('session'), of('packed'), of('state')]
  const others = files.filter((file) => ![...session, ...packed, ...state].includes(file))
  return { session, packed, state, others }
}

function written({ path: name, text }: BundleFile): Effect {
  return { do: 'write', path: name, text }
}

/** Beside what is there. Notes, facts, concepts, tiers and pages are joined as those of an earlier version are. */
function joined(store: Store, files: readonly BundleFile[], now: string): BundlePlan {
  const { session, packed, others } = byKind(files)
  const ours = new Map(allSessionFiles(store.dir).map((file) => [id8OfFile(file), file]))
  const beside: Effect[] = []
  const legacy = others.flatMap((file) => {
    const effect = BESIDE[bundleKindOf(file.path) ?? 'page']
    if (effect === undefined) return [{ ...file, written: now }]
    beside.push(...effect(readOwnText(path.join(store.dir, file.path)), file))
    return []
  })
  const origin = { dir: '', isInPlace: false, isOurs: true }
  const options = { timezone: store.config.timezone, now }
  const { effects, left } = planMigration(legacy, targetOf(store, origin, options))
  return {
    effects: [...beside, ...effects],
    sessions: [...session, ...packed].flatMap((file) => sessionEffect(store, file, ours)),
    left,
    isKnown: false,
  }
}

type Beside = (ours: string | null, theirs: BundleFile) => Effect[]

const ifMissing: Beside = (ours, theirs) => (ours === null ? [written(theirs)] : [])

const BESIDE: Partial<Record<BundleKind, Beside>> = {
  'session-facts': ifMissing,
  'session-summary': ifMissing,
  config: ifMissing,
  // Of 0.5.x: the next session takes its rules over.
  standing: ifMissing,
  rules: (ours, theirs) => changed(RULES_FILE, ours, ours === null ? theirs.text : withRules(ours, theirs.text)),
  // What was forgotten elsewhere is forgotten here, too.
  forgotten: (ours, theirs) => changed(FORGOTTEN_FILE, ours, rejoin(FORGOTTEN_FILE, ours ?? '', theirs.text)),
}

function changed(name: string, ours: string | null, text: string): Effect[] {
  return text === ours ? [] : [{ do: 'write', path: name, text }]
}

function withRules(ours: string, theirs: string): string {
  const known = new Set(parseRules(ours).map((rule) => rule.toLowerCase()))
  return parseRules(theirs).reduce((text, rule) => (known.has(rule.toLowerCase()) ? text : addRuleTo(text, rule)), ours)
}

/** Ours stays, unless it came from elsewhere and theirs goes on where it ends. */
function sessionEffect(
  store: Store,
  { path: name, text }: BundleFile,
  ours: ReadonlyMap<string | null, string>,
): Effect[] {
  const file = unpackedName(path.basename(name)) ?? path.basename(name)
  const there = ours.get(id8OfFile(file))
  if (there === undefined) return [{ do: 'write', path: `${SESSIONS_DIR}/${file}`, text }]
  const before = readSessionText(store.dir, there) ?? ''
  const isCounted = allSessions(store.readState()).some(([, session]) => session.file === there)
  if (isCounted || !text.startsWith(before) || text.length === before.length) return []
  return [
    { do: 'write', path: `${SESSIONS_DIR}/${there}`, text },
    { do: 'remove', path: packedPath(there) },
  ]
}

/** `locked` runs its work under the lock. Killed anywhere, it is done again. Returns where the backup is, or null. */
export function performBundle(
  store: Store,
  bundle: OpenedBundle,
  now: string,
  locked: (work: () => string | null) => string | null,
): string | null {
  const files = prepared(store, bundle)
  // A thousand files take their time: nobody waits for those that nobody else can know.
  for (const effect of planFiles(store, bundle, files, now).sessions) store.perform([effect])
  return locked(() => {
    const { effects, sessions } = planFiles(store, bundle, files, now)
    const all = [...sessions, ...effects]
    const touched = [...new Set(all.map((effect) => effect.path))]
    const backup = touched.length === 0 ? null : backUp(store, touched, touched, now)
    for (const effect of all) store.perform([effect])
    repairMemory(store, now)
    store.perform([recordEffect(store, sourceOf(bundle.sum), now)])
    return backup
  })
}
