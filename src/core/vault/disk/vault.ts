/** The copy at home (the vault): lists its files, the files that a project can restore from it, and what files have lost compared with it. */
import path from 'node:path'
import { settledIn, stateIn } from '../../../kernel/memory/disk/settled.ts'
import { type Store, sessionPath, stateEffect } from '../../../kernel/memory/disk/store.ts'
import {
  against,
  type FoundCopy,
  isCopied,
  isGuarded,
  isLost,
  keptCopy,
} from '../../../kernel/memory/disk/vault-copy.ts'
import { allStored, findSession, type State } from '../../../kernel/memory/state.ts'
import { withWork } from '../../../kernel/memory/work.ts'
import { copyFile, list, readOwnText, statOf } from '../../../kernel/platform/disk/files.ts'
import {
  GITIGNORE_FILE,
  id8OfFile,
  isSetAside,
  JOURNAL_DIR,
  KEPT_DIR,
  LOCAL_FILES,
  LOGS_DIR,
  NOTICES_FILE,
  SESSIONS_DIR,
  STATE_FILE,
} from '../../../kernel/platform/layout.ts'
import {
  allSessionFiles,
  packedPath,
  sessionFileState,
  unpackedName,
} from '../../../kernel/sessions/disk/session-archive.ts'
import { count } from '../../../kernel/text/figures.ts'
import { once } from '../../../kernel/text/once.ts'
import { isRender } from '../../notes/tier.ts'

/**
 * Whether the store needs no copy of this file of `from`: a session that it has compressed or plain, or what is made from sessions that
 * it has. A store that lost its files contains nothing.
 */
export function replacedTest(store: Store, from: string): (name: string) => boolean {
  const isWhole = (session: string): boolean => sessionFileState(store.dir, session)?.isWhole === true
  const whole = once(() => new Set(allSessionFiles(store.dir).filter(isWhole).map(id8OfFile)))
  return (name) => {
    const base = path.basename(name)
    if (otherForm(name) !== null) return isWhole(unpackedName(base) ?? base)
    const below = path.relative(SESSIONS_DIR, name).split(path.sep).join('/')
    if (below.startsWith('../')) return false
    if (below.endsWith('.l2.json')) return whole().has(/_([0-9a-z]{8})\.l2\.json$/.exec(below)?.[1] ?? '')
    if (!below.endsWith('.md')) return false
    return isRender(below, readOwnText(path.join(from, name)) ?? '', (id8) => whole().has(id8))
  }
}

/** For a session file: the name of the compressed form of a plain one, and vice versa. */
export function otherForm(name: string): string | null {
  const base = path.basename(name)
  if (id8OfFile(base) !== null && name === sessionPath(base)) return packedPath(base)
  const plain = unpackedName(base)
  return plain !== null && name === packedPath(plain) ? sessionPath(plain) : null
}

export function hasFiles(dir: string): boolean {
  return memoryFiles(dir).length > 0
}

/** The files that a restore would copy. */
export function missingFrom(store: Store, from: string): string[] {
  const isReplaced = replacedTest(store, from)
  return memoryFiles(from).filter(
    (name) =>
      name !== STATE_FILE && !isSetAside(name) && statOf(path.join(store.dir, name)) === null && !isReplaced(name),
  )
}

/** Copies missing files, and adds sessions that the state does not know. Existing files stay. Call it under the lock. */
export function adoptFiles(store: Store, from: string): number {
  const missing = copyMissing(store, from)
  const theirs = stateIn(from)
  if (theirs !== null) store.perform([stateEffect(withSessionsOf(store, theirs))])
  return missing
}

/** Byte for byte. The state is not copied. Call it under the lock. */
export function copyMissing(store: Store, from: string): number {
  const missing = missingFrom(store, from)
  for (const name of missing) copyFile(path.join(from, name), path.join(store.dir, name))
  return missing.length
}

/** Our state with the sessions of another one, and their work. Its settled sessions are known here if their files were copied. */
export function withSessionsOf(store: Store, theirs: State): State {
  const hasOwn = statOf(path.join(store.dir, STATE_FILE)) !== null
  const ours = hasOwn ? store.readState() : theirs
  const settled = settledIn(store.dir).all()
  const unknown = Object.entries(allStored(theirs)).filter(([id]) => settled[id] === undefined)
  const settledDirs = [...new Set([...ours.settledDirs, ...theirs.settledDirs])]
  const arriving = theirs.work.filter(({ kind, about }) => {
    const [id] = kind === 'note' || kind === 'facts' ? (findSession({ sessions: theirs.sessions }, about) ?? []) : []
    return id !== undefined && !Object.hasOwn(ours.sessions, id)
  })
  return withWork({ ...ours, settledDirs, sessions: { ...Object.fromEntries(unknown), ...ours.sessions } }, arriving)
}

const NAMED_AS_FILE = /\.(?:md|jsonl?|txt|gz)(?:\.broken-[^.]+)?$/

/** The files of a memory or its copy, without those that belong to this machine or place. */
export function memoryFiles(dir: string, folder = ''): string[] {
  return list(path.join(dir, folder)).flatMap((name) => {
    const file = path.join(folder, name)
    if (LOCAL_FILES.includes(name) || name.endsWith('.tmp') || file === LOGS_DIR || file === JOURNAL_DIR) return []
    const kind = statOf(path.join(dir, file))?.kind
    // A directory with a file's name is not ours.
    if (kind === 'dir' && !NAMED_AS_FILE.test(name)) return memoryFiles(dir, file)
    return kind === 'file' ? [file] : []
  })
}

/** The number of sessions that an empty project could restore. */
export function onlyInVault(store: Store): number {
  if (store.dir !== store.places.inProject || store.ownership === 'foreign') return 0
  return missingFrom(store, store.places.vault).filter(
    (name) => id8OfFile(path.basename(name).replace(/\.gz$/, '')) !== null,
  ).length
}

export interface Loss {
  /** Relative to the memory directory. */
  name: string
  found: FoundCopy
}

/** Files that the program creates again. */
const REMADE: readonly string[] = [GITIGNORE_FILE, NOTICES_FILE]

/** Only the files directly in the memory: a session start must not check those of a thousand sessions. */
export function topLosses(store: Store): Loss[] {
  const { vault } = store.places
  return lossesAmong(store, [...plainFilesIn(vault), ...plainFilesIn(path.join(vault, KEPT_DIR))])
}

export function lossesAmong(store: Store, names: readonly string[]): Loss[] {
  if (store.dir !== store.places.inProject || store.ownership === 'foreign') return []
  return [...new Set(names)].flatMap((name): Loss[] => {
    const found = isGuarded(name) && !REMADE.includes(name) ? lossOf(store, name) : null
    return found === null ? [] : [{ name, found }]
  })
}

function plainFilesIn(dir: string): string[] {
  return list(dir).filter((name) => statOf(path.join(dir, name))?.kind === 'file')
}

function lossOf({ dir, places: { vault } }: Store, name: string): FoundCopy | null {
  const copies = [...(isCopied({ dir, vault }, name) ? [] : [path.join(vault, name)]), keptCopy(vault, name)]
  const lost = copies.find((copy) => isLost(dir, name, copy))
  return lost === undefined ? null : against(dir, name, lost)
}

/** For people: `memory.md lost 3 notes`. */
export function renderLoss({ name, found }: Loss): string {
  if (found.is !== 'text') return `${name} ${found.is === 'unread' ? 'cannot be read' : `is ${found.is}`}`
  return `${name} lost ${found.notes > 0 ? count(found.notes, 'note') : `${found.lost} of ${count(found.of, 'line')}`}`
}
