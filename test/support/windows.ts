/** A file system that refuses what Windows refuses while another program has a file open: node:fs with these refusals before it. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { vi } from 'vitest'
import { isAlive } from '../../src/platform/disk/lock.ts'

export type Refusal = 'EPERM' | 'EACCES' | 'EBUSY'

export interface Windows {
  /** Somebody deleted it while another program has it open: its name is taken, and it can be neither opened nor looked at, so often. */
  deleting(file: string, times: number, code?: Refusal): void
  /** Another program has it open and allows neither deleting nor renaming, so often. `isShut`: nor writing. */
  open(file: string, times: number, code?: Refusal, isShut?: boolean): void
  /** A scanner has every file open whose name begins with the name of this one and a dot, for ever. */
  openBeside(file: string): void
  /** What was waited in all, in milliseconds; nobody really waits. */
  waited(): number
}

/** Until `leaveWindows()`. */
export function enterWindows(): Windows {
  // What a process knows of itself is asked once: on the real system. So is what Node loads at its first recursive removal.
  isAlive(process.pid)
  fs.rmSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mk-test-')), { recursive: true })
  setPlatform('win32')
  const left: Record<'deleting' | 'open' | 'shut', Map<string, { times: number; code: Refusal }>> = {
    deleting: new Map(),
    open: new Map(),
    shut: new Map(),
  }
  const refuse = (kind: keyof typeof left, syscall: string, file: unknown): void => {
    const scanned = [...left[kind].keys()].find((one) => one.endsWith('*') && String(file).startsWith(one.slice(0, -1)))
    const refusal = left[kind].get(scanned ?? String(file))
    if (refusal === undefined || refusal.times-- <= 0) return
    throw Object.assign(new Error(`${refusal.code}: ${syscall} '${file}'`), { code: refusal.code, syscall, path: file })
  }
  before('openSync', (file) => {
    refuse('deleting', 'open', file)
    refuse('shut', 'open', file)
  })
  before('lstatSync', (file) => refuse('deleting', 'lstat', file))
  before('unlinkSync', (file) => refuse('open', 'unlink', file))
  before('rmSync', (file) => refuse('open', 'rm', file))
  before('renameSync', (from, to) => {
    refuse('open', 'rename', from)
    refuse('open', 'rename', to)
  })
  let ms = 0
  vi.spyOn(Atomics, 'wait').mockImplementation((...args: unknown[]) => {
    ms += Number(args[3])
    return 'timed-out'
  })
  return {
    deleting: (file, times, code = 'EPERM') => left.deleting.set(file, { times, code }),
    open: (file, times, code = 'EBUSY', isShut = false) => {
      left.open.set(file, { times, code })
      if (isShut) left.shut.set(file, { times, code })
    },
    openBeside: (file) => left.open.set(`${file}.*`, { times: Number.POSITIVE_INFINITY, code: 'EBUSY' }),
    waited: () => ms,
  }
}

const REAL_PLATFORM = process.platform

export function leaveWindows(): void {
  vi.restoreAllMocks()
  setPlatform(REAL_PLATFORM)
}

export function setPlatform(value: NodeJS.Platform): void {
  Object.defineProperty(process, 'platform', { ...Object.getOwnPropertyDescriptor(process, 'platform'), value })
}

/** Runs `look` before the real function. */
function before(
  name: 'openSync' | 'lstatSync' | 'unlinkSync' | 'rmSync' | 'renameSync',
  look: (...args: unknown[]) => void,
): void {
  const real = fs[name] as (...args: unknown[]) => unknown
  vi.spyOn(fs, name).mockImplementation(((...args: unknown[]) => {
    look(...args)
    return real(...args)
  }) as never)
}
