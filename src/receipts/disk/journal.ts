/** Append-only records, one JSON line each, bounded in size. */
import path from 'node:path'
import { disk, readOwnText, sizeOf } from '../../platform/disk/files.ts'
import { HOOK_TIMES_FILE, JOURNAL_DIR } from '../../platform/layout.ts'

const MAX_BYTES = 512 * 1024

export interface HookTime {
  at: string
  event: string
  ms: number
  session?: string
  /** Characters told to Claude, by part. */
  told?: Record<string, number>
  /** Which rules were among it: the name of their text. */
  rules?: string
}

export function noteHookTime(dir: string, time: HookTime): void {
  disk.append(path.join(dir, JOURNAL_DIR, HOOK_TIMES_FILE), `${JSON.stringify(time)}\n`)
}

export function readHookTimes(dir: string): HookTime[] {
  const lines = (readOwnText(path.join(dir, JOURNAL_DIR, HOOK_TIMES_FILE)) ?? '').split('\n')
  return lines.flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as HookTime]
    } catch {
      return []
    }
  })
}

/** Keeps the newer half of a journal that has grown too large. Call it under the lock. */
export function trimJournal(dir: string): void {
  const file = path.join(dir, JOURNAL_DIR, HOOK_TIMES_FILE)
  if ((sizeOf(file) ?? 0) <= MAX_BYTES) return
  const lines = (readOwnText(file) ?? '').split('\n')
  disk.replace(file, lines.slice(Math.floor(lines.length / 2)).join('\n'))
}
