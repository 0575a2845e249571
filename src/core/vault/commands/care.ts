/** `scrub` and `dedupe`: repair what earlier versions or other tools left in the session files. */

import path from 'node:path'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, underLock } from '../../../kernel/memory/commands/context.ts'
import { count, warning } from '../../../kernel/memory/commands/output.ts'
import { unreadFiles } from '../../../kernel/memory/disk/our-files.ts'
import { COMMAND_WAIT_MS, type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import type { SessionState } from '../../../kernel/memory/session-state.ts'
import { allSessions, sessionIn, withSessions } from '../../../kernel/memory/state.ts'
import { disk } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { readSession } from '../../../kernel/sessions/disk/lineage.ts'
import { sessionFileState, sessionForms } from '../../../kernel/sessions/disk/session-archive.ts'
import { sessionFiles } from '../../../kernel/sessions/disk/sessions.ts'
import { entryKey } from '../../../kernel/transcript/session.ts'
import { removeCaches, renewDerived } from '../../forget/disk/forget.ts'
import { scrubFiles, secretsInFiles } from '../../forget/disk/scrub.ts'
import { hasFiles } from '../disk/vault.ts'
import { fillVault } from '../disk/vault-restore.ts'

/** Redacts existing files in all places where we store this project; entries keep their numbers. */
function runScrub(context: Context): number {
  const { store, out } = context
  if (!store.config.redaction) {
    throw new KeeperError(
      'redaction-off',
      'Redaction is switched off. To use it again: memory-keeper config set redaction true',
    )
  }
  const redact = redactorFor(store.config)
  // Searches without the lock: hooks must not wait for a long search that usually finds nothing.
  const found = secretsInFiles(store, redact)
  const isLook = context.isDryRun || found.length === 0
  const files = found.map(({ file }) => file)
  const done = isLook ? found : underLock(store, COMMAND_WAIT_MS, () => scrubFiles(store, files, redact))
  const result = { files: done.length, redactions: done.reduce((sum, one) => sum + one.redactions, 0) }
  const unread = unreadFiles(store)
  const isDone = result.redactions > 0 && !context.isDryRun
  if (isDone) removeCaches(store)
  const left = isDone ? renewDerived(store) : []
  for (const why of left) out.warn(warning(why))
  out.json({ ...result, ...(unread.length === 0 ? {} : { unread }) })
  for (const file of unread) out.warn(warning(`${file} cannot be read: it may contain a secret.`))
  out.say(
    result.redactions === 0
      ? 'No secrets found.'
      : `Redacted ${count(result.redactions, 'secret')} in ${count(result.files, 'file')}, copies in the vault and in backups included.`,
  )
  return left.length === 0 ? 0 : 1
}

/** Removes sessions that another one contains completely (the same transcript imported twice); the fullest is kept. */
function runDedupe({ store, out, isDryRun }: Context): number {
  const found = findDoubles(store)
  const removed = isDryRun || found.length === 0 ? found : underLock(store, COMMAND_WAIT_MS, () => removeDoubles(store))
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
    .map((file) => ({ file, keys: new Set(readSession(store, file).map(entryKey)) }))
    .sort((a, b) => b.keys.size - a.keys.size)
  const kept: typeof sessions = []
  return sessions.flatMap((session) => {
    const { file, keys } = session
    const fuller = kept.find((other) => keys.size > 0 && [...keys].every((key) => other.keys.has(key)))
    if (fuller !== undefined) return [{ file, keptIn: fuller.file }]
    kept.push(session)
    return []
  })
}

/** The state drops the file but keeps how far its transcript was read, so that neither capture nor a restore brings it back. */
function removeDoubles(store: Store): Double[] {
  const doubles = findDoubles(store)
  const state = store.readState()
  const idOf = new Map(allSessions(state).map(([id, session]) => [session.file, id]))
  const emptied = doubles.flatMap(({ file, keptIn }): [string, SessionState][] => {
    const id = idOf.get(file)
    const session = id === undefined ? undefined : sessionIn(state, id)
    const parent = idOf.get(keptIn)
    const fork = parent === undefined ? {} : { forkOf: { session: parent } }
    if (id === undefined || session === undefined) return []
    return [[id, { ...session, file: '', entries: 0, bytes: 0, watermark: 0, ...fork }]]
  })
  store.perform([
    stateEffect(withSessions(state, emptied)),
    ...doubles.flatMap(({ file }) => sessionForms(file).map((name) => ({ do: 'remove' as const, path: name }))),
  ])
  const { vault, inProject } = store.places
  if (store.dir !== inProject || !hasFiles(vault)) return doubles
  // The fuller session is copied to the vault first.
  fillVault(store)
  for (const { file, keptIn } of doubles)
    if (sessionFileState(vault, keptIn) !== null)
      for (const copy of sessionForms(file)) disk.remove(path.join(vault, copy))
  return doubles
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
