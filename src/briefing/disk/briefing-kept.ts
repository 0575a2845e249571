/**
 * A briefing as it was last rendered, kept in the user's cache directory and told again while everything that it was made of
 * looks the same. Nobody lists what that is: every look at the disk is noted while it is made. It can be deleted at any time.
 */

import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import type { State } from '../../memory/state.ts'
import {
  codeOf,
  disk,
  type FileStat,
  list,
  looks,
  makeDir,
  readPrivate,
  realPath,
  replaceQuickly,
  statOf,
} from '../../platform/disk/files.ts'
import { parseObject } from '../../platform/json.ts'
import type { Briefing, BriefingLine } from '../../receipts/receipt.ts'
import { fingerprint } from '../../text/fingerprint.ts'

const BRIEFINGS_DIR = 'briefings'
/** Another shape of the file: older ones are not read. */
const VERSION = 1
/** Another program may render otherwise: it is looked at like everything else. */
const PROGRAM = typeof __filename === 'string' ? path.join(path.dirname(__filename), 'start.cjs') : ''

interface Kept {
  version: number
  /** Of what is not read while it is made. */
  basis: string
  seen: Looks
  lines: BriefingLine[]
}

/** What `make` gives, without making it where that would give the same again. It depends on nothing but store, state and disk. */
export function keptBriefing(store: Store, state: State, make: () => Briefing | null): Briefing | null {
  const file = keptFile(store)
  if (file === null) return make()
  const basis = basisOf(store, state)
  const known = readKept(file, basis)
  if (known !== null) return known
  const { value, seen } = notingLooks(() => {
    statOf(PROGRAM)
    return make()
  })
  if (value !== null) keep(store, file, { version: VERSION, basis, seen, lines: value.lines })
  return value
}

/** It says what is remembered: whoever makes something forgotten removes it. */
export function removeKeptBriefing(store: Store): void {
  const file = keptFile(store)
  if (file !== null) disk.remove(file)
}

/** Where it is kept; null: there is no place for it. */
export function keptFile({ dir, places }: Store): string | null {
  return places.cacheDir === '' ? null : path.join(places.cacheDir, BRIEFINGS_DIR, fingerprint(realPath(dir)))
}

/** What is told and not read from a file while it is made. */
function basisOf({ dir, places, ownership, config }: Store, { rotatedFiles, sessions }: State): string {
  const ends = Object.entries(sessions).flatMap(([id, { file, goal, stands, refine }]) =>
    goal === undefined && stands === undefined
      ? []
      : [[id, file, goal, stands, (refine as { ts?: unknown } | undefined)?.ts]],
  )
  return fingerprint(JSON.stringify([dir, places, ownership, config, rotatedFiles, ends]))
}

function readKept(file: string, basis: string): Briefing | null {
  const atMs = statOf(file)?.mtimeMs
  const text = atMs === undefined ? null : readable(file)
  const kept = text === null ? null : (parseObject(text) as Kept | null)
  if (atMs === undefined || kept?.version !== VERSION || kept.basis !== basis) return null
  if (!isWhole(kept) || !isAllAsSeen(kept.seen, atMs)) return null
  return { text: kept.lines.map((line) => line.text).join('\n'), lines: kept.lines }
}

/** Somebody may have changed the file. */
function isWhole({ seen, lines }: Kept): boolean {
  const areTexts = (all: readonly unknown[]): boolean => all.every((one) => typeof one === 'string')
  return (
    Array.isArray(seen) &&
    seen.every((one) => Array.isArray(one) && one.length === 2 && areTexts(one)) &&
    Array.isArray(lines) &&
    lines.every((line) => areTexts([line?.section, line?.text, line?.reason]))
  )
}

/**
 * Under the lock, and only if nothing has changed while it was made: what is forgotten meanwhile must not come to lie here. A session
 * does not wait for it.
 */
function keep(store: Store, file: string, kept: Kept): void {
  if (!store.isPrepared()) return
  try {
    store.whileLocked(0, () => {
      if (!isAllAsSeen(kept.seen, Number.POSITIVE_INFINITY)) return
      makeDir(path.dirname(file))
      replaceQuickly(file, `${JSON.stringify(kept)}\n`)
    })
  } catch (error) {
    // No place to keep it: it is rendered again.
    if (codeOf(error) === '') throw error
  }
}

function readable(file: string): string | null {
  try {
    return readPrivate(file)?.toString() ?? null
  } catch (error) {
    if (codeOf(error) === '') throw error
    return null
  }
}

/** What every path looked like just before it was looked at, in this order. */
export type Looks = readonly (readonly [file: string, look: string])[]

/** Stamps on disk are as fine as the system's clock ticks; where they are whole seconds, two of them may be one. */
const TICK_MS = 20
const COARSE_MS = 2_000
/** Names that come and go with every write. */
const PASSING = /^\.lock|\.tmp$/

interface Look {
  look: string
  /** From when on another write would look different. */
  settledMs: number
}

/** Does the work, and tells of every file and directory that was read or asked for, also where there was none. */
export function notingLooks<T>(work: () => T): { value: T; seen: Looks } {
  const seen = new Map<string, string>()
  const note = (file: string): void => {
    if (seen.has(file)) return
    // Looking at it is no look of the work.
    looks.note = null
    seen.set(file, lookAt(file).look)
    looks.note = note
  }
  looks.note = note
  try {
    return { value: work(), seen: [...seen] }
  } finally {
    looks.note = null
  }
}

/**
 * Whether nothing has changed since then. `atMs`: when all of it had been looked at. What was written in the same moment may have been
 * written once more without looking different, and counts as changed.
 */
export function isAllAsSeen(seen: Looks, atMs: number): boolean {
  return seen.every(([file, before]) => {
    const { look, settledMs } = lookAt(file)
    return look === before && settledMs < atMs
  })
}

/** Of a link also what it leads to. */
function lookAt(file: string): Look {
  const own = statOf(file)
  if (own?.kind !== 'link') return lookOf(file, own)
  const target = realPath(file)
  const there = lookOf(target, statOf(target))
  return { look: `${own.ino} ${own.mtimeMs} ${there.look}`, settledMs: there.settledMs }
}

/** Of a directory its names: its time changes with every lock that is taken in it. */
function lookOf(file: string, facts: FileStat | null): Look {
  if (facts === null) return { look: '-', settledMs: 0 }
  const { kind, ino, size, mtimeMs } = facts
  if (kind !== 'dir')
    return { look: `${ino} ${size} ${mtimeMs}`, settledMs: mtimeMs + (mtimeMs % 1000 === 0 ? COARSE_MS : TICK_MS) }
  const names = list(file).filter((name) => !PASSING.test(name))
  return { look: fingerprint(names.join('\n')), settledMs: 0 }
}
