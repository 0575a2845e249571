/** What a lock needs of the disk beyond plain files: others create, read and delete the same file at the same time. */
import path from 'node:path'
import { create, isBusy, pause, readOwnText, removeUnlessBusy, statOf, writeBytes } from './files.ts'

export interface LockFile {
  text: string
  mtimeMs: number
  ino: number
}

const REMOVE_TRIES = 7

/** Null: it is gone, or cannot be looked at now. */
export function readLock(file: string): LockFile | null {
  const lock = lookAtLock(file)
  return lock === 'gone' || lock === 'busy' ? null : lock
}

/** `busy`: Windows is deleting it, or another program lets nobody else open it. */
export function lookAtLock(file: string): LockFile | 'gone' | 'busy' {
  try {
    const facts = statOf(file)
    // We only create plain files: a link, a pipe or a directory has no owner, and is as old as can be.
    if (facts !== null && facts.kind !== 'file') return { text: '', mtimeMs: 0, ino: facts.ino }
    const text = facts === null ? null : readOwnText(file)
    return facts === null || text === null ? 'gone' : { text, mtimeMs: facts.mtimeMs, ino: facts.ino }
  } catch (error) {
    if (isBusy(error)) return 'busy'
    throw error
  }
}

/** Deletes it, or writes `instead` where Windows refuses that for longer: another program has it open. False: both are refused. */
export function removeBusy(file: string, instead = '', mostTries = REMOVE_TRIES): boolean {
  for (let tries = 0; tries < mostTries; tries++) {
    if (removeUnlessBusy(file)) return true
    pause(2 ** tries)
  }
  return rewriteLock(file, instead)
}

/** In its place. False: another program does not allow it. */
export function rewriteLock(file: string, text: string): boolean {
  try {
    return writeBytes(file, 0, Buffer.from(text))
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

/** The time that the file system gives to a file written now: the clocks of those who share a directory may differ. */
export function clockIn(dir: string): number {
  const file = path.join(dir, `clock.${process.pid}${Math.random().toFixed(9).slice(2)}.tmp`)
  create(file, '.')
  const { mtimeMs } = statOf(file) ?? { mtimeMs: Number.NaN }
  removeBusy(file)
  return mtimeMs
}
