/** The copy in a file (a bundle): written without secrets, signed with a key at home, and added to a memory. Only the user's own bundles are accepted. */
import path from 'node:path'
import { kindNamed, type MemoryFile, scrubText } from '../../../core/files.ts'
import { withoutPlacesOf } from '../../../core/others/disk/shareable.ts'
import { takenOver } from '../../../core/vault/disk/joined.ts'
import { type ArrivingMemory, memoryTexts, mergeInto, planMergeOf, textBelow } from '../../../core/vault/disk/merge.ts'
import type { Merge } from '../../../core/vault/merge.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { EMPTY_STATE, formatState, parseState, type State } from '../../../kernel/memory/state.ts'
import { create, MOST_FILE_BYTES, makeDir, readOwnText, statOf } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { BUNDLE_KEY_FILE, STATE_FILE } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'

import { formatBundle, parseBundle } from '../bundle.ts'
import { withOwnOf, withoutPlaces } from '../places.ts'

/** A larger memory does not fit into one string. */
const MOST_BYTES = 400 * 1024 * 1024

/** `redactions`: newly found secrets. */
export function exportBundle(store: Store): { text: string; files: number; redactions: number } {
  const redact = redactorFor({ ...store.config, redaction: true })
  const without = withoutPlacesOf(store.places)
  let redactions = 0
  const files = filesIn(store).map(({ path: name, text }) => {
    const done = scrubText(name, withoutPlaces(name, text, without), redact)
    redactions += done.count
    return { path: name, text: done.text }
  })
  if (files.reduce((bytes, { text }) => bytes + text.length, 0) > MOST_BYTES)
    throw new KeeperError(
      'too-large',
      `The memory has more than ${MOST_BYTES / 1024 / 1024} MB, too much for one file. Copy ${store.dir} instead.`,
    )
  const key = keyAt(store)
  return { text: formatBundle(files, sum, (all) => signed(key, all)), files: files.length, redactions }
}

/** With the portable part of the state. */
function filesIn(store: Store): MemoryFile[] {
  const state = formatState(portable(store.readState()))
  return [...memoryTexts(store.dir), ...(state === formatState(EMPTY_STATE) ? [] : [{ path: STATE_FILE, text: state }])]
}

/** The part of the state that is valid on every machine. */
function portable({ rotatedFiles, stats, beganAt, lastMemoryUpdateTs }: State): State {
  return { ...EMPTY_STATE, rotatedFiles, stats, beganAt, lastMemoryUpdateTs }
}

export interface OpenedBundle {
  files: MemoryFile[]
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

/** Reads everything and changes nothing. `isKnown`: this bundle was already added. */
export function planBundle(store: Store, bundle: OpenedBundle): Merge & { isKnown: boolean } {
  return { ...planMergeOf(store, sourceOf(store, bundle)), isKnown: takenOver(store, nameOf(bundle)) !== null }
}

/** Call it under the lock. After a kill it can be repeated. Returns the directory of the backup, or null. */
export function performBundle(store: Store, bundle: OpenedBundle, now: string): string | null {
  return mergeInto(store, sourceOf(store, bundle), now)
}

/** Identifies the bundle. */
function nameOf({ sum: mark }: OpenedBundle): string {
  return `bundle ${mark}`
}

/** The memory in it, without secrets and with paths of this machine. */
function sourceOf(store: Store, bundle: OpenedBundle): ArrivingMemory {
  const redact = redactorFor({ ...store.config, redaction: true })
  const without = withoutPlacesOf(store.places)
  const files = bundle.files.map(({ path: name, text }) => {
    const clean = (one: string): string => scrubText(name, one, redact).text
    const isVerbatim = kindNamed(name)?.isVerbatim === true
    const own = withOwnOf(() => textBelow(store.dir, name), name, clean(text), isVerbatim ? clean : without)
    return { path: name, text: own }
  })
  const given = parseState(files.find((file) => file.path === STATE_FILE)?.text ?? '')
  const name = nameOf(bundle)
  // Its name says what is in it: whatever mark a version has recorded, it is the same.
  const mark = takenOver(store, name) ?? bundle.sum
  return { name, mark, files, state: given === null ? null : portable(given) }
}
