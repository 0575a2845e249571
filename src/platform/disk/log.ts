/** What went wrong, for `doctor` and for people: one line each, never a word of a session. */
import path from 'node:path'
import { LOG_FILE, LOGS_DIR } from '../layout.ts'
import { codeOf, disk, readText, refused, rename, sizeOf } from './files.ts'

const MAX_BYTES = 1_000_000

/** Never throws: there is nobody left to tell. */
export function logFailure(dir: string, at: string, where: string, error: unknown): void {
  try {
    const file = path.join(dir, LOGS_DIR, LOG_FILE)
    if ((sizeOf(file) ?? 0) > MAX_BYTES) rename(file, `${file}.1`)
    disk.append(file, `${at} ${where}: ${describe(error)}\n`)
  } catch {
    return
  }
}

/** Does it if it can; otherwise the failure is logged, and life goes on with something else. */
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

/** From now on each file that is not read, since it is no plain file or too large, is a line in this log. */
export function logRefused(dir: string, now: () => string): void {
  // A name may hold anything, a line break too.
  const note = (file: string): void => logEvent(dir, now(), `not read: ${file.replace(/\p{C}/gu, '\ufffd')}`)
  // Before a memory is opened there is no log to write to.
  if (refused.note === null) for (const file of refused.files) note(file)
  refused.note = note
}

/** As `logEvent`, unless the log says it already. */
export function logOnce(dir: string, at: string, what: string): void {
  const isThere = attempt(dir, at, what, () => readText(path.join(dir, LOGS_DIR, LOG_FILE))?.includes(what), false)
  if (!isThere) logEvent(dir, at, what)
}

/** A parser's message quotes what it read, which may be a secret: only its kind and place are told. */
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
