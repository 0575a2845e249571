/** The log for `doctor` and for people: one line per failure, never any text of a session. */
import path from 'node:path'
import { LOG_FILE, LOGS_DIR } from '../layout.ts'
import { codeOf, disk, readText, refused, rename, sizeOf } from './files.ts'

const MAX_BYTES = 1_000_000

/** Never throws: nobody could report the error. */
export function logFailure(dir: string, at: string, where: string, error: unknown): void {
  try {
    const file = path.join(dir, LOGS_DIR, LOG_FILE)
    if ((sizeOf(file) ?? 0) > MAX_BYTES) rename(file, `${file}.1`)
    disk.append(file, `${at} ${where}: ${describe(error)}\n`)
  } catch {
    return
  }
}

/** Runs `work`; if it throws, logs the failure and returns `otherwise`. */
export function attempt<T>(dir: string, at: string, where: string, work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (error) {
    logFailure(dir, at, where, error)
    return otherwise
  }
}

export function logEvent(dir: string, at: string, what: string): void {
  logFailure(dir, at, what, null)
}

/** From now on, logs each file that is refused because it is too large or no plain file. */
export function logRefused(dir: string, now: () => string): void {
  // A file name may contain line breaks.
  const note = (file: string): void => logEvent(dir, now(), `not read: ${file.replace(/\p{C}/gu, '\ufffd')}`)
  // Files refused before the memory was opened could not be logged yet.
  if (refused.note === null) for (const file of refused.files) note(file)
  refused.note = note
}

/** As `logEvent`, unless the log already contains the line. */
export function logOnce(dir: string, at: string, what: string): void {
  const isThere = attempt(dir, at, what, () => readText(path.join(dir, LOGS_DIR, LOG_FILE))?.includes(what), false)
  if (!isThere) logEvent(dir, at, what)
}

/** A parser's message quotes its input, which may be a secret: only the error's kind and place are logged. */
function describe(error: unknown): string {
  if (error === null) return 'noted'
  if (!(error instanceof Error)) return 'unknown error'
  // The stack repeats the message, which may have several lines.
  const frames = error.stack?.split(error.message).at(-1) ?? ''
  const place = /^ +at .*$/m.exec(frames)?.[0]?.trim() ?? ''
  const code = codeOf(error)
  if (code !== '') return `${code} ${'path' in error ? String(error.path) : ''} ${place}`
  return `${error.name} ${place}`
}
