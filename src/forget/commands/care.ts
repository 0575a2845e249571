/** `scrub` and `dedupe`: mend what earlier versions or other tools left in the session files. */

import path from 'node:path'
import { removeKeptBriefing } from '../../briefing/disk/briefing-kept.ts'
import { refreshShare } from '../../copies/disk/share.ts'
import { hasFiles } from '../../copies/disk/vault.ts'
import { fillVault } from '../../copies/disk/vault-restore.ts'
import { type Command, inProject } from '../../memory/commands/command.ts'
import { type Context, underLock } from '../../memory/commands/context.ts'
import { count, warning } from '../../memory/commands/output.ts'
import { unreadFiles } from '../../memory/disk/our-files.ts'
import { COMMAND_WAIT_MS, type Store, sessionPath, stateEffect } from '../../memory/disk/store.ts'
import type { SessionState } from '../../memory/session-state.ts'
import { allSessions, sessionIn, withSessions } from '../../memory/state.ts'
import { disk, statOf } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { redactorFor } from '../../redact/redact.ts'
import { removeIndex } from '../../search/disk/index/index.ts'
import { readSession } from '../../sessions/disk/lineage.ts'
import { packedPath, sessionFacts } from '../../sessions/disk/session-archive.ts'
import { removeSessionRows, sessionFiles } from '../../sessions/disk/sessions.ts'
import { entryKey } from '../../transcript/session.ts'
import { scrubFiles, secretsInFiles } from '../disk/scrub.ts'

/** Redacts files written earlier, wherever we keep any of this project; entries keep their numbers. */
function runScrub(context: Context): number {
  const { store, out } = context
  if (!store.config.redaction) {
    throw new KeeperError(
      'redaction-off',
      'Redaction is switched off. To use it again: memory-keeper config set redaction true',
    )
  }
  const redact = redactorFor(store.config)
  // Looked for without the lock: hooks need not wait for what takes long and mostly finds nothing.
  const found = secretsInFiles(store, redact)
  const isLook = context.isDryRun || found.length === 0
  const files = found.map(({ file }) => file)
  const done = isLook ? found : underLock(store, COMMAND_WAIT_MS, () => scrubFiles(store, files, redact))
  const result = { files: done.length, redactions: done.reduce((sum, one) => sum + one.redactions, 0) }
  const unread = unreadFiles(store)
  // Its list of words may hold what was just taken out; the next search makes it anew.
  if (result.redactions > 0 && !context.isDryRun) {
    removeIndex(store, store.places.cacheDir)
    removeSessionRows(store)
    removeKeptBriefing(store)
    refreshShare(store)
  }
  out.json({ ...result, ...(unread.length === 0 ? {} : { unread }) })
  for (const file of unread) out.warn(warning(`${file} cannot be read, so nobody knows whether a secret is in it.`))
  out.say(
    result.redactions === 0
      ? 'No secrets found.'
      : `Redacted ${count(result.redactions, 'secret')} in ${count(result.files, 'file')}, copies in the vault and in backups included.`,
  )
  return 0
}

/** A look only, or nothing there yet: no lock, which would make the directory. */
function isUntouched({ store, isDryRun }: Context): boolean {
  return isDryRun || (statOf(store.dir) === null && statOf(store.places.vault) === null)
}

/** Sessions that are wholly contained in another one (the same transcript taken in twice): the fullest is kept. */
function runDedupe(context: Context): number {
  const { store, out } = context
  const work = (): Double[] => {
    const doubles = findDoubles(store)
    if (!context.isDryRun && doubles.length > 0) {
      removeSessions(store, doubles)
      removeFromVault(store, doubles)
    }
    return doubles
  }
  const removed = isUntouched(context) ? work() : underLock(store, COMMAND_WAIT_MS, work)
  out.json({ removed })
  out.say(
    removed.length === 0
      ? 'No session is stored twice.'
      : `Removed ${count(removed.length, 'session')} contained in others:`,
    ...removed.map(({ file, keptIn }) => `  ${file} (all of it is in ${keptIn})`),
  )
  return 0
}

interface Double {
  file: string
  keptIn: string
}

function findDoubles(store: Store): Double[] {
  const sessions = sessionFiles(store)
    .map((file) => ({ file, keys: readSession(store, file).map(entryKey) }))
    .sort((a, b) => b.keys.length - a.keys.length)
  const kept: { file: string; keys: Set<string>; first: string | undefined }[] = []
  const doubles: Double[] = []
  for (const { file, keys } of sessions) {
    const fuller = kept.find(
      (other) => keys.length > 0 && other.keys.has(keys[0] ?? '') && keys.every((key) => other.keys.has(key)),
    )
    if (fuller) doubles.push({ file, keptIn: fuller.file })
    else kept.push({ file, keys: new Set(keys), first: keys[0] })
  }
  return doubles
}

/** A restore must not bring them back. The vault gets the fuller session first. */
function removeFromVault(store: Store, doubles: readonly Double[]): void {
  if (store.dir !== store.places.inProject || !hasFiles(store.places.vault)) return
  fillVault(store)
  for (const { file, keptIn } of doubles) {
    const isSafe = sessionFacts(store.places.vault, keptIn) !== null
    if (isSafe) for (const copy of bothOf(file)) disk.remove(path.join(store.places.vault, copy))
  }
}

/** Plain and compressed, whichever there is. */
function bothOf(file: string): string[] {
  return [sessionPath(file), packedPath(file)]
}

/** The state forgets the file but not how far its transcript was read: it does not come back. */
function removeSessions(store: Store, doubles: readonly Double[]): void {
  const state = store.readState()
  const idOf = new Map(allSessions(state).map(([id, session]) => [session.file, id]))
  const emptied: [string, SessionState][] = []
  for (const { file, keptIn } of doubles) {
    const id = idOf.get(file)
    const parent = idOf.get(keptIn)
    const session = id === undefined ? undefined : sessionIn(state, id)
    if (id !== undefined && session) {
      emptied.push([
        id,
        {
          ...session,
          file: '',
          entries: 0,
          bytes: 0,
          watermark: 0,
          ...(parent ? { forkOf: { session: parent } } : {}),
        },
      ])
    }
  }
  store.perform([
    stateEffect(withSessions(state, emptied)),
    ...doubles.flatMap(({ file }) => bothOf(file).map((name) => ({ do: 'remove' as const, path: name }))),
  ])
}

export const CARE_COMMANDS: readonly Command[] = [
  {
    usage: 'scrub',
    about: 'redact secrets in files written earlier',
    writes: true,
    example: 'memory-keeper scrub --dry-run',
    run: inProject(runScrub),
  },
  {
    usage: 'dedupe',
    about: 'remove sessions that are wholly contained in another one',
    writes: true,
    example: 'memory-keeper dedupe --dry-run',
    run: inProject(runDedupe),
  },
]
