/** Migration: reads the memory of an earlier version, plans, backs up, and converts; after a kill, a second run completes it. */

import path from 'node:path'
import { MEMORY_HEAD } from '../../../core/notes/disk/memory.ts'
import { takenOver } from '../../../core/vault/disk/joined.ts'
import { hereOf, markOfFiles, type PlannedMerge, performMerge, planMergeOf } from '../../../core/vault/disk/merge.ts'
import { FOLDERS, pathsIn } from '../../../kernel/memory/disk/memory-paths.ts'
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { withEarlierTitle } from '../../../kernel/memory/earlier-sections.ts'
import { modeOf, setMode, statOf } from '../../../kernel/platform/disk/files.ts'
import type { Effect } from '../../../kernel/platform/effect.ts'
import { MEMORY_FILE } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { sessionFiles } from '../../../kernel/sessions/disk/sessions.ts'
import { once } from '../../../kernel/text/once.ts'
import { entryKey } from '../../../kernel/transcript/session.ts'
import type { LegacyFile } from '../legacy-convert.ts'
import { type Existing, type Migration, planMigration } from '../legacy-plan.ts'
import { earlierMemory, type MigrateOrigin, readLegacy } from './migrate-files.ts'

export interface MigrateOptions {
  /** The time zone of local times written by earlier versions; empty: the system's. */
  timezone: string
  now: string
}

export interface PlannedMigration extends PlannedMerge, Pick<Migration, 'taken' | 'timezone'> {
  origin: MigrateOrigin
}

/** Reads everything and changes nothing. */
export function planFrom(store: Store, origin: MigrateOrigin, options: MigrateOptions): PlannedMigration {
  const { files, left } = readLegacy(origin, redactorFor(store.config))
  const [name, mark] = [origin.isInPlace ? '' : origin.dir, markOfFiles(files)]
  const titled = origin.isOfV3 === true ? files.map(withTitle) : files
  const made = planMigration(takenOver(store, name) === mark ? [] : titled, targetOf(store, origin, options))
  const source = { name, mark, files: made.files, state: null }
  const merge = planMergeOf(store, source, (file) => made.replaced.has(file))
  const { taken, timezone } = made
  // Files are deleted last.
  const effects = [
    ...merge.effects,
    ...(made.isOldState ? [stateEffect(store.readState())] : []),
    ...made.spent.map((one): Effect => ({ do: 'remove', path: one })),
  ]
  return { ...merge, effects, left: [...made.left, ...left], taken, timezone, origin }
}

function withTitle(file: LegacyFile): LegacyFile {
  return file.path === MEMORY_FILE ? { ...file, text: withEarlierTitle(file.text) } : file
}

/** `backup`: null if no existing file had to change. */
export type Migrated = PlannedMigration & { backup: string | null }

/** Call it under the lock: it plans again, since the files may have changed since the user saw the plan. */
export function performMigration(store: Store, origin: MigrateOrigin, options: MigrateOptions): Migrated {
  const plan = planFrom(store, origin, options)
  const backup = performMerge(store, plan, options.now)
  if (origin.isInPlace) closeToOthers(store.dir)
  return { ...plan, backup }
}

/** Earlier versions made files that others may read. */
function closeToOthers(dir: string): void {
  for (const one of [...FOLDERS, ...pathsIn(dir).filter((name) => !name.startsWith('.git'))]) {
    const file = path.join(dir, one)
    const kind = statOf(file)?.kind
    const isOpen = ((modeOf(file) ?? 0) & 0o077) !== 0
    if (isOpen && (kind === 'dir' || kind === 'file')) setMode(file, kind === 'dir' ? 0o700 : 0o600)
  }
}

export function isNothing(store: Store, { effects, source: { name, mark } }: PlannedMigration): boolean {
  return effects.length === 0 && (name === '' || takenOver(store, name) === mark)
}

/** The earlier memory that `migrate` would convert; null: none. */
export function waitingMemory(store: Store, now: string): string | null {
  const dir = earlierMemory(store)
  if (dir === null || dir !== store.dir) return dir
  // A name may only look old: it counts whether anything would change.
  const plan = planFrom(store, { dir, isInPlace: true }, { timezone: store.config.timezone, now })
  return isNothing(store, plan) ? null : dir
}

function targetOf(store: Store, { isInPlace }: MigrateOrigin, { timezone }: MigrateOptions): Existing {
  const here = hereOf(store)
  const known = once(() => sessionFiles(store).map((file) => new Set(readSession(store, file).map(entryKey))))
  return {
    ...here,
    timezone,
    isInPlace,
    isOwn: isInPlace,
    isCaptured: (keys) => known().some((session) => keys.every((key) => session.has(key))),
    sessionFiles: here.sessions.map((one) => path.basename(one)),
    // The texts are redacted when they are read.
    refine: { outputChars: store.config.toolOutputChars, redact: (text) => text, isForeign: true },
    memoryHead: MEMORY_HEAD,
  }
}
