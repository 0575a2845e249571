/**
 * A briefing as it was last rendered, kept in the user's cache directory and told again while everything that it was made of
 * looks the same. Nobody lists what that is: every look at the disk is noted while it is made. It can be deleted at any time.
 */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import type { State } from '../../memory/state.ts'
import { codeOf, disk, makeDir, readPrivate, realPath, replaceQuickly, statOf } from '../../platform/disk/files.ts'
import { parseObject } from '../../platform/json.ts'
import type { Briefing, BriefingLine } from '../../receipts/told.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { isAllAsSeen, type Looks, notingLooks } from './looks.ts'

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

function basisOf({ dir, places, ownership, config }: Store, { rotatedFiles }: State): string {
  return fingerprint(JSON.stringify([dir, places, ownership, config, rotatedFiles]))
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
