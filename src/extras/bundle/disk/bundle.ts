/** The copy in a file (a bundle): written without secrets, signed with a key at home, and added to a memory. Only the user's own bundles are accepted. */
import path from 'node:path'
import { type JoinFrom, type JoinMemory, memoryJoin } from '../../../core/extra.ts'
import { kindNamed, scrubText } from '../../../core/files.ts'
import { withoutForgottenFiles } from '../../../core/forget/disk/arriving.ts'
import { withoutPlacesOf } from '../../../core/others/disk/shareable.ts'
import { memoryFiles } from '../../../core/vault/disk/vault.ts'
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { EMPTY_STATE, formatState, parseState, type State } from '../../../kernel/memory/state.ts'
import { create, MOST_FILE_BYTES, makeDir, readOwnText, statOf } from '../../../kernel/platform/disk/files.ts'
import type { Effect } from '../../../kernel/platform/effect.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { BUNDLE_KEY_FILE, STATE_FILE } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { pack, readSessionText, unpackedName } from '../../../kernel/sessions/disk/session-archive.ts'

import { formatBundle, parseBundle } from '../bundle.ts'
import { withoutPlaces, withPlacesOf } from '../places.ts'
import { type CopyFile, fileCopy, type MemoryTexts, planBack } from '../plan.ts'

/** A larger memory does not fit into one string. */
const MOST_BYTES = 400 * 1024 * 1024

/** `redactions`: newly found secrets. */
export function exportBundle(store: Store): { text: string; files: number; redactions: number } {
  const redact = redactorFor({ ...store.config, redaction: true })
  const without = withoutPlacesOf(store.places)
  let redactions = 0
  const clean = (name: string, text: string): string => {
    const done = scrubText(name, withoutPlaces(name, text, without), redact)
    redactions += done.count
    return done.text
  }
  const files = fileCopy(textsIn(store), clean)
  if (files.reduce((bytes, { text }) => bytes + text.length, 0) > MOST_BYTES)
    throw new KeeperError(
      'too-large',
      `The memory has more than ${MOST_BYTES / 1024 / 1024} MB, too much for one file. Copy ${store.dir} instead.`,
    )
  const key = keyAt(store)
  return { text: formatBundle(files, sum, (all) => signed(key, all)), files: files.length, redactions }
}

function textsIn(store: Store): MemoryTexts {
  const textOf = (name: string): string | null => {
    const packed = unpackedName(path.basename(name))
    if (packed !== null) return readSessionText(store.dir, packed)
    if (name !== STATE_FILE) return readOwnText(path.join(store.dir, name), MOST_FILE_BYTES)
    const text = formatState(portable(store.readState()))
    return text === formatState(EMPTY_STATE) ? null : text
  }
  return { paths: memoryFiles(store.dir).map((name) => name.split(path.sep).join('/')), textOf }
}

/** The part of the state that is valid on every machine. */
function portable({ rotatedFiles, stats, beganAt, lastMemoryUpdateTs }: State): State {
  return { ...EMPTY_STATE, rotatedFiles, stats, beganAt, lastMemoryUpdateTs }
}

export interface OpenedBundle {
  files: CopyFile[]
  /** Identifies the bundle. */
  sum: string
  /** Signed with this user's key, and unchanged since. */
  isSigned: boolean
}

/** `isMine`: the user vouches for it. Otherwise only a bundle signed with this user's key is opened. */
export function openBundle(store: Store, file: string, isMine = false): OpenedBundle {
  const stat = statOf(file)
  if (stat?.kind !== 'file')
    throw new KeeperError('no-bundle', `${file} is not a file. memory-keeper export --out FILE creates one.`)
  if (stat.size > MOST_FILE_BYTES)
    throw new KeeperError('too-large', `${file} has ${stat.size} bytes: no bundle is so large.`)
  const parsed = parseBundle(readOwnText(file, MOST_FILE_BYTES) ?? '', sum)
  if (parsed.is === 'broken') throw new KeeperError('bad-bundle', `Nothing of ${file} was added: ${parsed.problem}.`)
  const key = readKey(store)
  const isSigned = key !== '' && parsed.signature === signed(key, parsed.sum)
  if (!isSigned && !isMine)
    throw new KeeperError(
      'not-yours',
      `${file} is not signed with your key (${keyFile(store)}), so nothing of it is added. If you made it on another machine: copy that key, or add --mine. To share memory with others, use memory-keeper share.`,
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
  return path.join(places.homeDir, BUNDLE_KEY_FILE)
}

/** Empty: there is no key. */
function readKey(store: Store): string {
  return readOwnText(keyFile(store))?.trim() ?? ''
}

/** Created with the first bundle, readable by this user only. */
function keyAt(store: Store): string {
  if (readKey(store) === '') {
    makeDir(store.places.homeDir)
    create(keyFile(store), `${crypto().randomBytes(32).toString('hex')}\n`)
  }
  return readKey(store)
}

export interface BundlePlan {
  effects: readonly Effect[]
  /** Files that could not be read. */
  left: readonly string[]
  /** This bundle was already added. */
  isKnown: boolean
}

/** Reads everything and changes nothing. */
export function planBundle(store: Store, bundle: OpenedBundle, now: string): BundlePlan {
  if (isKnownBundle(store, bundle, now)) return { effects: [], left: [], isKnown: true }
  const { exact, from } = planned(store, bundle, now)
  const { effects, left } = joining().plan(store, from, now)
  return { effects: [...exact, ...effects], left, isKnown: false }
}

/** Call it under the lock. After a kill it can be repeated. Returns the directory of the backup, or null. */
export function performBundle(store: Store, bundle: OpenedBundle, now: string): string | null {
  if (isKnownBundle(store, bundle, now)) return null
  const { exact, from } = planned(store, bundle, now)
  for (const effect of exact) store.perform([effect])
  return joining().perform(store, from, now)
}

function isKnownBundle(store: Store, bundle: OpenedBundle, now: string): boolean {
  return joining().plan(store, { dir: nameOf(bundle), files: [] }, now).isKnown
}

function joining(): JoinMemory {
  const join = memoryJoin()
  if (join === null)
    throw new KeeperError('no-join', 'This program cannot join memories: it was built without `migrate`.')
  return join
}

/** Identifies the bundle. */
function nameOf({ sum: mark }: OpenedBundle): string {
  return `bundle ${mark}`
}

/** Without secrets and forgotten content: the files to write unchanged, and those to merge. */
function planned(store: Store, bundle: OpenedBundle, now: string): { exact: Effect[]; from: JoinFrom } {
  const redact = redactorFor({ ...store.config, redaction: true })
  const here = textsIn(store)
  const without = withoutPlacesOf(store.places)
  const clean = bundle.files.map(({ path: name, text }) => {
    const { text: scrubbed } = scrubText(name, text, redact)
    return { path: name, text: withPlacesOf(() => here.textOf(name), name, scrubbed, without) }
  })
  const { is, files } = planBack(withoutForgottenFiles(store, clean), here)
  const joined = is === 'joined' ? files.map((file) => ({ ...file, written: now })) : []
  return {
    exact: is === 'exact' ? files.flatMap(written) : [],
    from: { dir: nameOf(bundle), files: joined },
  }
}

function written({ path: name, text }: CopyFile): Effect[] {
  if (kindNamed(name)?.isPacked === true) return [{ do: 'writeBytes', path: name, bytes: pack(Buffer.from(text)) }]
  if (name !== STATE_FILE) return [{ do: 'write', path: name, text }]
  const theirs = parseState(text)
  return theirs === null ? [] : [stateEffect(portable(theirs))]
}
