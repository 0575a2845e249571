/** What a lock needs of the disk beyond plain files: others create, read and delete the same file at the same time. */
import path from 'node:path'
import { create, disk, factsOf, isBusy, pause, readOwnText, writeBytes } from './files.ts'

export interface LockFile {
  text: string
  mtimeMs: number
  ino: number
}

const REMOVE_TRIES = 7

/** Null: it is gone, or Windows is deleting it. */
export function readLock(file: string): LockFile | null {
  try {
    const facts = factsOf(file)
    // We only create plain files: a link, a pipe or a directory has no owner, and is as old as can be.
    if (facts !== null && facts.kind !== 'file') return { text: '', mtimeMs: 0, ino: facts.ino }
    const text = facts === null ? null : readOwnText(file)
    return facts === null || text === null ? null : { text, mtimeMs: facts.mtimeMs, ino: facts.ino }
  } catch (error) {
    if (isBusy(error)) return null
    throw error
  }
}

/** Deletes it. Windows refuses that while another program has it open: then it is emptied, if that is allowed; an empty lock names nobody. */
export function removeBusy(file: string): void {
  for (let tries = 0; ; tries++) {
    try {
      if (tries < REMOVE_TRIES) disk.remove(file)
      else writeBytes(file, 0, new Uint8Array())
      return
    } catch (error) {
      if (!isBusy(error)) throw error
      if (tries === REMOVE_TRIES) return
      pause(2 ** tries)
    }
  }
}

/** The time that the file system gives to a file written now: the clocks of those who share a directory may differ. */
export function clockIn(dir: string): number {
  const file = path.join(dir, `clock.${process.pid}${Math.random().toFixed(9).slice(2)}.tmp`)
  create(file, '.')
  const { mtimeMs } = factsOf(file) ?? { mtimeMs: Number.NaN }
  removeBusy(file)
  return mtimeMs
}
