/** Whether all is well, and what to do when it is not: the checks of `doctor` and of the page. Nothing is changed. */

import type { Store } from '../../memory/disk/store.ts'
import { readHookTimes } from '../../receipts/disk/journal.ts'
import { transcriptsBehind } from '../../sessions/disk/coverage.ts'
import { capturedIn } from '../../sessions/disk/meanwhile.ts'
import type { Check, HealthWorld } from './check.ts'
import { checkNotes, checkReadable, checkSetAside } from './health-broken.ts'
import { checkBadLines, checkCoverage, checkDeletion, checkFiles, checkHooks } from './health-capture.ts'
import {
  checkConfig,
  checkDisk,
  checkGone,
  checkLock,
  checkLog,
  checkModes,
  checkNode,
  checkSecrets,
  checkState,
  checkStrays,
  checkVault,
  checkWritable,
} from './health-files.ts'
import { checkConflicts, checkDuplicates, checkPlugin, checkStatusline } from './health-host.ts'
import { checkEmbedder, checkIndex, checkMigration, checkShared, checkStanding } from './health-memory.ts'
import { checkBackground, checkCap, checkClaudeMd, checkMemory, checkWaiting, examineFacts } from './health-notes.ts'
import { readHost } from './host.ts'

export function checkHealth(store: Store, world: HealthWorld): Check[] {
  const { now } = world
  const host = later(() => readHost(store.places))
  const hooks = later(() => readHookTimes(store.dir))
  const captured = later(() => capturedIn(store, () => now))
  const behind = later(() => transcriptsBehind(captured()))
  const all: [name: string, check: () => Check][] = [
    ['plugin', () => checkPlugin(host(), hooks().at(-1)?.at ?? null, now)],
    ['one installation', () => checkDuplicates(host(), world)],
    ['other memories', () => checkConflicts(host())],
    ['hooks', () => checkHooks(store, hooks().at(-1), now)],
    ['status line', () => checkStatusline(host())],
    ['coverage', () => checkCoverage(captured(), behind())],
    ['deletion by the host', () => checkDeletion(behind(), host(), now)],
    ['session files', () => checkFiles(captured())],
    ['unreadable lines', () => checkBadLines(captured())],
    ['memory', () => checkStanding(store)],
    ['shared memory', () => checkShared(store)],
    ['earlier version', () => checkMigration(store, now)],
    ['state', () => checkState(store)],
    ['readable', () => checkReadable(store)],
    ['set aside', () => checkSetAside(store)],
    ['memory.md', () => checkMemory(store)],
    ['notes', () => checkNotes(store)],
    ['facts', () => examineFacts(store)],
    ['waiting notes', () => checkWaiting(store, now)],
    ['background notes', () => checkBackground(store, now)],
    ['daily cap', () => checkCap(store, now)],
    ['search index', () => checkIndex(store)],
    ['embedder', () => checkEmbedder(store)],
    ['CLAUDE.md', () => checkClaudeMd(store)],
    ['vault', () => checkVault(store)],
    ['secrets', () => checkSecrets(store)],
    ['permissions', () => checkModes(store)],
    ['writable', () => checkWritable(store)],
    ['config', () => checkConfig(store)],
    ['lock', () => checkLock(store)],
    ['left behind', () => checkStrays(store, now)],
    ['gone projects', () => checkGone(store)],
    ['log', () => checkLog(store)],
    ['disk', () => checkDisk(store)],
    ['node', () => checkNode(world)],
  ]
  return all.map(([name, check]) => tryCheck(name, check))
}

/** A check that fails is a finding too: the doctor must not fall ill. */
export function tryCheck(name: string, check: () => Check): Check {
  try {
    return check()
  } catch (error) {
    return {
      name,
      verdict: 'problem',
      finding: (error as Error).message,
      fix: 'make the file readable and writable for you, then look again',
    }
  }
}

/** Read once, by whoever needs it first: what cannot be read must fail in a check, not before. */
function later<T>(read: () => T): () => T {
  let value: { of: T } | null = null
  return () => {
    value ??= { of: read() }
    return value.of
  }
}
