/** The copy in a file (a bundle): written without secrets, signed with a key at home, and added to a memory. Only the user's own comes in. */
import path from 'node:path'
import { type Store, stateEffect } from '../../memory/disk/store.ts'
import { EMPTY_STATE, formatState, parseState, type State } from '../../memory/state.ts'
import { performMigration, planFrom } from '../../migrate/disk/migrate.ts'
import { type MigrateOrigin, recordEffect, takenOver } from '../../migrate/disk/migrate-files.ts'
import { withoutForgottenFiles } from '../../notes/disk/forgotten.ts'
import { repairMemory } from '../../notes/disk/memory.ts'
import { create, isWritable, list, MOST_FILE_BYTES, makeDir, readOwnText, statOf } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { KeeperError } from '../../platform/error.ts'
import { ARCHIVE_DIR, BUNDLE_KEY_FILE, SESSIONS_DIR } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import { pack, readSessionText, unpackedName } from '../../sessions/disk/session-archive.ts'
import { scrubByName } from '../../sessions/scrub.ts'
import { type BundleFile, bundleKindOf, formatBundle, parseBundle } from '../bundle.ts'

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
  /** Files that could not be read. */
  left: string[]
  /** This very bundle came in before. */
  isKnown: boolean
}

/** Reads everything and changes nothing. */
export function planBundle(store: Store, bundle: OpenedBundle, now: string): BundlePlan {
  if (takenOver(store, nameOf(bundle)) !== null) return { effects: [], left: [], isKnown: true }
  const files = prepared(store, bundle)
  if (isPartOf(store, files)) return { effects: exactly(store, files), left: [], isKnown: false }
  const { effects, left } = planFrom(store, originOf(bundle, files, now), { timezone: store.config.timezone, now })
  return { effects, left, isKnown: false }
}

/** Call it under the lock. Killed anywhere, it is done again. Returns where the backup is, or null. */
export function performBundle(store: Store, bundle: OpenedBundle, now: string): string | null {
  if (takenOver(store, nameOf(bundle)) !== null) return null
  const files = prepared(store, bundle)
  const options = { timezone: store.config.timezone, now }
  if (!isPartOf(store, files)) return performMigration(store, originOf(bundle, files, now), options).backup
  for (const effect of exactly(store, files)) store.perform([effect])
  repairMemory(store, now)
  store.perform([recordEffect(store, nameOf(bundle), now)])
  return null
}

/** By which it is known again. */
function nameOf({ sum: mark }: OpenedBundle): string {
  return `bundle ${mark}`
}

/** Without secrets, and without what was forgotten here. */
function prepared(store: Store, { files }: OpenedBundle): BundleFile[] {
  const redact = redactorFor({ ...store.config, redaction: true })
  const clean = files.map((file) => ({ ...file, text: scrubByName(file.path, file.text, redact).text }))
  return withoutForgottenFiles(store, clean)
}

/** Beside what is there, its files join as those of an earlier memory of the user do. */
function originOf(bundle: OpenedBundle, files: readonly BundleFile[], now: string): MigrateOrigin {
  const legacy = files.flatMap(({ path: name, text }) => {
    const plain = unpackedName(path.basename(name))
    const isState = bundleKindOf(name) === 'state'
    return isState ? [] : [{ path: plain === null ? name : `${SESSIONS_DIR}/${plain}`, text, written: now }]
  })
  return { dir: nameOf(bundle), isInPlace: false, isOurs: true, files: legacy }
}

/** Nothing is here that the bundle has not: an empty memory, or what a killed import of this bundle left. */
function isPartOf(store: Store, files: readonly BundleFile[]): boolean {
  const texts = new Map(files.map((file) => [file.path, file.text]))
  return bundlePaths(store).every(
    (name) => bundleKindOf(name) === 'state' || bundleText(store, name) === texts.get(name),
  )
}

/** The missing files as they were, the state that knows of archives last. */
function exactly(store: Store, files: readonly BundleFile[]): Effect[] {
  const missing = files.filter((file) => bundleText(store, file.path) !== file.text)
  const state = missing.find((file) => bundleKindOf(file.path) === 'state')
  const theirs = state === undefined ? null : parseState(state.text)
  return [
    ...missing.filter((file) => file !== state).map(written),
    ...(theirs === null ? [] : [stateEffect(portable(theirs))]),
  ]
}

function written({ path: name, text }: BundleFile): Effect {
  return bundleKindOf(name) === 'packed'
    ? { do: 'writeBytes', path: name, bytes: pack(Buffer.from(text)) }
    : { do: 'write', path: name, text }
}
