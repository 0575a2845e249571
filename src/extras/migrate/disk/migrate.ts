/** Migration: reads the memory of an earlier version, plans, backs up, and converts; after a kill, a second run completes it. */

import path from 'node:path'
import { keptEffects } from '../../../core/forget/disk/arriving.ts'
import { readConcepts, readFacts } from '../../../core/knowledge/disk/knowledge.ts'
import { listArchives, MEMORY_HEAD, repairMemory } from '../../../core/notes/disk/memory.ts'
import { rotationLimits } from '../../../core/notes/rotation.ts'
import { FOLDERS, pathsIn } from '../../../kernel/memory/disk/memory-paths.ts'
import { backUp } from '../../../kernel/memory/disk/migrate-backup.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { withEarlierTitle } from '../../../kernel/memory/earlier-sections.ts'
import { allSessions } from '../../../kernel/memory/state.ts'
import { list, modeOf, readOwnText, setMode, statOf } from '../../../kernel/platform/disk/files.ts'
import { isArchiveFile, MEMORY_FILE, SESSIONS_DIR, STATE_FILE, summaryFileOf } from '../../../kernel/platform/layout.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { readSessionText } from '../../../kernel/sessions/disk/session-archive.ts'
import { sessionFiles } from '../../../kernel/sessions/disk/sessions.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import { once } from '../../../kernel/text/once.ts'
import { entryKey } from '../../../kernel/transcript/session.ts'
import type { LegacyFile } from '../legacy-convert.ts'
import { type Existing, type Migration, planMigration } from '../legacy-plan.ts'
import { earlierMemory, type MigrateOrigin, readLegacy, recordEffect, takenOver } from './migrate-files.ts'

export interface MigrateOptions {
  /** The time zone of local times written by earlier versions; empty: the system's. */
  timezone: string
  now: string
}

export interface PlannedMigration extends Migration {
  origin: MigrateOrigin
  /** A fingerprint of the origin's files: the same files are not migrated twice. */
  mark: string
}

/** Reads everything and changes nothing. */
export function planFrom(store: Store, origin: MigrateOrigin, options: MigrateOptions): PlannedMigration {
  const { files, left } = readLegacy(origin, redactorFor(store.config))
  const mark = fingerprint(files.map(({ path: one, text }) => `${one} ${fingerprint(text)}`).join('\n'))
  const isDone = !origin.isInPlace && takenOver(store, origin.dir) === mark
  const known = origin.isOfV3 === true ? files.map(withTitle) : files
  const migration = planMigration(isDone ? [] : known, targetOf(store, origin, options))
  const effects = keptEffects(store, migration.effects)
  return { ...migration, effects, left: [...migration.left, ...left], origin, mark }
}

function withTitle(file: LegacyFile): LegacyFile {
  return file.path === MEMORY_FILE ? { ...file, text: withEarlierTitle(file.text) } : file
}

/** `backup`: null if no existing file had to change. */
export type Migrated = PlannedMigration & { backup: string | null }

/** Call it under the lock: it plans again, since the files may have changed since the user saw the plan. */
export function performMigration(store: Store, origin: MigrateOrigin, options: MigrateOptions): Migrated {
  const plan = planFrom(store, origin, options)
  const backup = isNothing(store, plan) ? null : perform(store, plan, options.now)
  // Also if nothing is left to do: it indexes archives that a killed run wrote.
  repairMemory(store, options.now)
  for (const effect of plan.effects) if (effect.do === 'remove') store.perform([effect])
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

function perform(store: Store, { effects, origin, mark }: PlannedMigration, now: string): string | null {
  const written = effects.flatMap((effect) => (effect.do === 'remove' ? [] : [effect.path]))
  const summaries = written.filter(isArchiveFile).map(summaryFileOf)
  const touched = [...new Set([...effects.map((effect) => effect.path), STATE_FILE])]
  const made = [...written, STATE_FILE, ...summaries.filter((file) => statOf(path.join(store.dir, file)) === null)]
  const backup = effects.length === 0 ? null : backUp(store, touched, made, now)
  for (const effect of effects) if (effect.do !== 'remove') store.perform([effect])
  if (!origin.isInPlace) store.perform([recordEffect(store, origin.dir, mark)])
  return backup
}

export function isNothing(store: Store, { effects, origin, mark }: PlannedMigration): boolean {
  return effects.length === 0 && (origin.isInPlace || takenOver(store, origin.dir) === mark)
}

/** The earlier memory that `migrate` would convert; null: none. */
export function waitingMemory(store: Store, now: string): string | null {
  const dir = earlierMemory(store)
  if (dir === null || dir !== store.dir) return dir
  // A name may only look old: it counts whether anything would change.
  const plan = planFrom(store, { dir, isInPlace: true }, { timezone: store.config.timezone, now })
  return isNothing(store, plan) ? null : dir
}

function targetOf(store: Store, { isInPlace, isOurs }: MigrateOrigin, { timezone, now }: MigrateOptions): Existing {
  const sessions = [SESSIONS_DIR, path.join(SESSIONS_DIR, 'archive')]
  const known = once(() => sessionFiles(store).map((file) => new Set(readSession(store, file).map(entryKey))))
  return {
    timezone,
    isInPlace,
    isOwn: isInPlace || isOurs === true,
    sessionText: (file) =>
      allSessions(store.readState()).some(([, one]) => one.file === file) ? null : readSessionText(store.dir, file),
    isCaptured: (keys) => known().some((session) => keys.every((key) => session.has(key))),
    sessionFiles: sessions.flatMap((folder) => list(path.join(store.dir, folder))),
    // The texts are redacted when they are read.
    refine: { outputChars: store.config.toolOutputChars, redact: (text) => text, isForeign: true },
    textOf: (file) => readOwnText(path.join(store.dir, file)),
    archives: listArchives(store),
    facts: readFacts(store),
    concepts: readConcepts(store),
    state: store.readState(),
    limits: rotationLimits(store.config),
    conceptSimilarity: store.config.conceptSimilarity,
    memoryHead: MEMORY_HEAD,
    now,
  }
}
