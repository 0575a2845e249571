/** `export`: a whole memory as one bundle, without secrets, signed with a key at home so that it is known again as one's own. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { EMPTY_STATE, formatState, type State } from '../../memory/state.ts'
import { create, isWritable, list, MOST_FILE_BYTES, makeDir, readOwnText, statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { ARCHIVE_DIR, BUNDLE_KEY_FILE, SESSIONS_DIR } from '../../platform/layout.ts'
import { type Redactor, redactorFor } from '../../redact/redact.ts'
import { readSessionText, unpackedName } from '../../sessions/disk/session-archive.ts'
import { scrubEntries, scrubJson, scrubJsonLines } from '../../sessions/scrub.ts'
import { type Bundle, type BundleFile, type BundleForm, formatBundle, parseBundle } from '../bundle.ts'
import { type BundleKind, bundleKindOf } from '../bundle-kind.ts'

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
