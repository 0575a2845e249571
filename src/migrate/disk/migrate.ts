/** Migration: the memory of an earlier version is read, planned, backed up, and then taken over; a kill anywhere leaves what a second run finishes. */
import path from 'node:path'
import { keptEffects } from '../../knowledge/disk/forgotten.ts'
import { readConcepts, readFacts } from '../../knowledge/disk/knowledge.ts'
import { backUp } from '../../memory/disk/migrate-backup.ts'
import type { Store } from '../../memory/disk/store.ts'
import { listArchives, MEMORY_HEAD } from '../../notes/disk/memory.ts'
import { rotationLimits } from '../../notes/rotation.ts'
import { list, readOwnText, statOf } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { CONCEPTS_FILE, FACTS_FILE, id8OfFile, MEMORY_FILE, SESSIONS_DIR, STATE_FILE } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { type LegacyFile, legacyKindOf } from '../legacy.ts'
import { sessionsBegun } from '../legacy-convert.ts'
import type { NoteWork } from '../legacy-note.ts'
import { type Migration, planMigration } from '../legacy-plan.ts'
import type { Target } from '../legacy-target.ts'
import { layoutIn, type MigrateOrigin, readLegacy } from './migrate-files.ts'
import { earlierMemory } from './migrate-notice.ts'
import { recordEffect, takenOver } from './migrate-record.ts'

export interface MigrateOptions {
  /** In which earlier versions wrote local times; empty: the system's. */
  timezone: string
  work: NoteWork
  now: string
}

export interface PlannedMigration extends Migration {
  origin: MigrateOrigin
  layout: string | null
  /** What the files of the origin say. */
  mark: string
  /** What the plan was made against. */
  against: string
}

/** Reads everything and changes nothing. */
export function planFrom(store: Store, origin: MigrateOrigin, options: MigrateOptions): PlannedMigration {
  const against = stampOf(store)
  const layout = layoutIn(origin.dir)
  const { files, left } = readLegacy(origin, redactorFor(store.config))
  const mark = markOf(files)
  const isDone = !origin.isInPlace && takenOver(store, origin.dir) === mark
  const migration = planMigration(isDone ? [] : files, targetOf(store, origin, files, options, layout !== 'current'))
  const effects = keptEffects(store, migration.effects)
  return { ...migration, effects, left: [...migration.left, ...left], origin, layout, mark, against }
}

export interface Migrated {
  /** Null: nothing was there that had to change. */
  backup: string | null
}

/**
 * `locked` runs its work under the lock, which nobody may hold for long: sessions with new names, and old names that nobody
 * uses, are written and removed without it. If somebody wrote since the plan was made, it is made again.
 */
export function performMigration(
  store: Store,
  early: PlannedMigration,
  options: MigrateOptions,
  locked: (work: () => PlannedMigration & Migrated) => PlannedMigration & Migrated,
): PlannedMigration & Migrated {
  if (isNothing(store, early)) return { ...early, backup: null }
  const backup = backUpFor(store, early, options.now)
  for (const effect of early.effects) if (isNewSession(store, effect)) store.perform([effect])
  const done = locked(() => {
    const isSame = stampOf(store) === early.against
    const plan = isSame ? early : planFrom(store, early.origin, options)
    if (!isSame) backUpFor(store, plan, options.now)
    for (const effect of plan.effects) if (effect.do !== 'remove' && !isWritten(store, effect)) store.perform([effect])
    return { ...plan, backup }
  })
  for (const effect of done.effects) if (effect.do === 'remove') store.perform([effect])
  if (!early.origin.isInPlace) store.perform([recordEffect(store, early.origin.dir, done.mark)])
  return done
}

function backUpFor(store: Store, { effects }: PlannedMigration, now: string): string | null {
  const touched = [...new Set(effects.map((effect) => effect.path))]
  const made = effects.flatMap((effect) => (effect.do === 'write' ? [effect.path] : []))
  return touched.length === 0 ? null : backUp(store, touched, made, now)
}

function isNewSession({ dir }: Store, effect: Effect): boolean {
  return effect.do === 'write' && isOfSession(effect) && statOf(path.join(dir, effect.path)) === null
}

function isWritten({ dir }: Store, effect: Effect): boolean {
  return effect.do === 'write' && isOfSession(effect) && readOwnText(path.join(dir, effect.path)) === effect.text
}

function isOfSession(effect: Effect): boolean {
  return effect.path.startsWith(`${SESSIONS_DIR}/`)
}

export function isNothing(store: Store, { effects, origin, mark }: PlannedMigration): boolean {
  return effects.length === 0 && (origin.isInPlace || takenOver(store, origin.dir) === mark)
}

/** The memory of an earlier version that `migrate` would take over; null: none. */
export function waitingMemory(store: Store, now: string): string | null {
  const dir = earlierMemory(store)
  if (dir === null || dir !== store.dir) return dir
  // A name may look old: what counts is whether anything would change.
  const plan = planFrom(store, { dir, isInPlace: true }, { timezone: store.config.timezone, work: 'all', now })
  return isNothing(store, plan) ? null : dir
}

/** Changes whenever one of the files does that a plan joins with something. */
function stampOf({ dir }: Store): string {
  return [MEMORY_FILE, FACTS_FILE, CONCEPTS_FILE, STATE_FILE]
    .map((file) => statOf(path.join(dir, file)))
    .map((facts) => (facts?.kind === 'file' ? `${facts.ino} ${facts.mtimeMs} ${facts.size}` : ''))
    .join('|')
}

export function targetOf(
  store: Store,
  { isInPlace, isOurs }: MigrateOrigin,
  files: readonly LegacyFile[],
  { timezone, work, now }: MigrateOptions,
  isOld: boolean,
): Target {
  const sessions = [SESSIONS_DIR, path.join(SESSIONS_DIR, 'archive')]
  const hasLines = files.some(({ path: one }) => legacyKindOf(one) === 'lines' || id8OfFile(baseName(one)) !== null)
  return {
    timezone,
    work,
    isInPlace,
    isOwn: isInPlace || isOurs === true,
    sessionFiles: sessions.flatMap((folder) => list(path.join(store.dir, folder))),
    isDeltaAlone: isOld && !hasLines,
    begun: sessionsBegun(files, timezone),
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

function markOf(files: readonly LegacyFile[]): string {
  return fingerprint(files.map(({ path: one, text }) => `${one} ${fingerprint(text)}`).join('\n'))
}

function baseName(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1)
}
