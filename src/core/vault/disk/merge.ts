/** Joins another memory of today's form into this one: that of another directory, of a bundle, or what was made of an earlier version's. */

import path from 'node:path'
import { backUp } from '../../../kernel/memory/disk/migrate-backup.ts'
import { stateIn } from '../../../kernel/memory/disk/settled.ts'
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, allStored, formatState, type State, withSessions } from '../../../kernel/memory/state.ts'
import { MOST_FILE_BYTES, readOwnText, statOf } from '../../../kernel/platform/disk/files.ts'
import type { Effect } from '../../../kernel/platform/effect.ts'
import {
  CONCEPTS_FILE,
  FACTS_FILE,
  id8OfFile,
  isArchiveFile,
  STATE_FILE,
  summaryFileOf,
} from '../../../kernel/platform/layout.ts'
import { adoptFile, readAgain } from '../../../kernel/sessions/disk/cursor.ts'
import { pack, readSessionText, unpackedName } from '../../../kernel/sessions/disk/session-archive.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import { earlierVersions } from '../../extra.ts'
import { isInFileCopy, kindInPlace, type MemoryFile } from '../../files.ts'
import { withoutForgottenFiles } from '../../forget/disk/arriving.ts'
import { NO_CONCEPTS } from '../../knowledge/concept.ts'
import { readConcepts, readFacts } from '../../knowledge/disk/knowledge.ts'
import { NO_ITEMS } from '../../knowledge/items.ts'
import { listArchives, repairMemory } from '../../notes/disk/memory.ts'
import { rotationLimits } from '../../notes/rotation.ts'
import { type Here, type Merge, planMerge } from '../merge.ts'
import { recordEffect, takenOver } from './joined.ts'
import { memoryFiles, withSessionsOf } from './vault.ts'

export interface ArrivingMemory {
  /** Identifies it; empty: its files are in this memory. */
  name: string
  /** A fingerprint of what was given: the same is not joined again, also not what was deleted since. */
  mark: string
  files: readonly MemoryFile[]
  /** How far transcripts are captured; null: it does not say. */
  state: State | null
}

export interface PlannedMerge extends Merge {
  source: ArrivingMemory
}

export function markOfFiles(files: readonly MemoryFile[]): string {
  return fingerprint(files.map(({ path: name, text }) => `${name} ${fingerprint(text)}`).join('\n'))
}

/** The memory in another directory. */
export function arrivingIn(dir: string): ArrivingMemory {
  const files = memoryTexts(dir)
  return { name: dir, mark: markOfFiles(files), files, state: stateIn(dir) }
}

/** What a copy in a file contains, without the state. */
export function memoryTexts(dir: string): MemoryFile[] {
  return pathsOf(dir).flatMap((name) => {
    const text = name === STATE_FILE || !isInFileCopy(name) ? null : textBelow(dir, name)
    return text === null ? [] : [{ path: name, text }]
  })
}

/** With slashes, as rows of file kinds name them. If a session is there in both forms, the plain one counts. */
function pathsOf(dir: string): string[] {
  const paths = memoryFiles(dir).map((name) => name.split(path.sep).join('/'))
  const plain = new Set(paths.map((name) => path.basename(name)))
  return paths.filter((name) => !plain.has(unpackedName(path.basename(name)) ?? ''))
}

/** Of a compressed session: its entries. */
export function textBelow(dir: string, name: string): string | null {
  const packed = unpackedName(path.basename(name))
  return packed === null ? readOwnText(path.join(dir, name), MOST_FILE_BYTES) : readSessionText(dir, packed)
}

/** Reads everything and changes nothing. `isReplaced`: our files in whose place theirs come, which are not joined with themselves. */
export function planMergeOf(
  store: Store,
  source: ArrivingMemory,
  isReplaced: (path: string) => boolean = () => false,
): PlannedMerge {
  const isDone = takenOver(store, source.name) === source.mark
  const files = earlierVersions()?.inTodaysForm(source.files) ?? source.files
  const theirs = isDone ? [] : withoutForgottenFiles(store, files)
  const { effects, left } = planMerge(theirs, hereOf(store, isReplaced))
  return { effects: changing(store, effects), left, source }
}

/** A file may be written twice. */
function changing(store: Store, effects: readonly Effect[]): Effect[] {
  const now = new Map<string, string>()
  return effects.filter((effect) => {
    if (effect.do !== 'write') return true
    const before = now.get(effect.path) ?? textBelow(store.dir, effect.path)
    now.set(effect.path, effect.text)
    return before !== effect.text
  })
}

/** `isReplaced`: its files count as missing. */
export function hereOf(store: Store, isReplaced: (path: string) => boolean = () => false): Here {
  return {
    textOf: (name) => (isReplaced(name) ? null : textBelow(store.dir, name)),
    sessions: pathsOf(store.dir).filter((name) => id8OfFile(plainName(name)) !== null),
    archives: listArchives(store).filter((name) => !isReplaced(name)),
    known: {
      facts: isReplaced(FACTS_FILE) ? NO_ITEMS : readFacts(store),
      concepts: isReplaced(CONCEPTS_FILE) ? NO_CONCEPTS : readConcepts(store),
    },
    limits: rotationLimits(store.config),
    conceptSimilarity: store.config.conceptSimilarity,
  }
}

/** Call it under the lock. After a kill it can be repeated. Returns the backup's directory; null: no file had to change. */
export function mergeInto(store: Store, source: ArrivingMemory, now: string): string | null {
  return performMerge(store, planMergeOf(store, source), now)
}

/** The state that counts what was written comes behind it, and the record last. */
export function performMerge(store: Store, { effects, source }: PlannedMerge, now: string): string | null {
  const touched = [...new Set([...effects.map((effect) => effect.path), STATE_FILE])]
  const isAnyThere = touched.some((file) => statOf(path.join(store.dir, file)) !== null)
  const backup = effects.length > 0 && isAnyThere ? backUp(store, touched, madeBy(store, effects), now) : null
  for (const effect of effects) if (effect.do !== 'remove') store.perform([packedAgain(effect)])
  store.perform(stateEffects(store, source))
  if (source.name !== '' && takenOver(store, source.name) !== source.mark)
    store.perform([recordEffect(store, source.name, source.mark)])
  // Also if nothing is left to do: it indexes archives that a killed run wrote.
  repairMemory(store, now)
  for (const effect of effects) if (effect.do === 'remove') store.perform([effect])
  return backup
}

function packedAgain(effect: Effect): Effect {
  if (effect.do !== 'write' || kindInPlace(effect.path)?.isPacked !== true) return effect
  return { do: 'writeBytes', path: effect.path, bytes: pack(Buffer.from(effect.text)) }
}

/** The summaries are written by repairMemory. */
function madeBy(store: Store, effects: readonly Effect[]): string[] {
  const written = effects.flatMap((effect) => (effect.do === 'remove' ? [] : [effect.path]))
  const summaries = written.filter(isArchiveFile).map(summaryFileOf)
  return [...written, STATE_FILE, ...summaries.filter((file) => statOf(path.join(store.dir, file)) === null)]
}

/** Theirs that we do not know, and ours whose files have more than the state counts: a killed run may have written them. */
function stateEffects(store: Store, { files, state: theirs }: ArrivingMemory): Effect[] {
  const ours = store.readState()
  const known = allStored(ours)
  const joined = theirs === null ? ours : withSessionsOf(store, theirs)
  const arrived = new Set(files.map(({ path: name }) => plainName(name)))
  let { counter } = joined
  const changed = allSessions(joined).flatMap(([id, session]): [string, SessionState][] => {
    const { file, transcript } = session
    if (!arrived.has(file)) return []
    const read = known[id] === undefined ? adoptFile(store, file, transcript) : readAgain(store, session, transcript)
    if (read.bytes === session.bytes) return []
    // Tool uses since the last note.
    counter += Math.max(0, read.tools - session.tools)
    return [[id, read]]
  })
  const next = withSessions({ ...joined, counter }, changed)
  return formatState(next) === formatState(ours) ? [] : [stateEffect(next)]
}

/** Of a session: without the suffix of the compressed form. */
function plainName(name: string): string {
  return unpackedName(path.basename(name)) ?? path.basename(name)
}
