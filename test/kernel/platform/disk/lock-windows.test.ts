/** The lock on a file system that refuses what Windows refuses. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withMachineLock } from '../../../../src/core/model/disk/machine-lock.ts'
import { stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { disk } from '../../../../src/kernel/platform/disk/files.ts'
import { holderOf, isAlive, withLock } from '../../../../src/kernel/platform/disk/lock.ts'
import { quietProject, storeOf, tempDir, treeOf } from '../../../support/project.ts'
import { work } from '../../../support/world.ts'

let windows: Windows
let file = ''
beforeEach(() => {
  file = path.join(tempDir(), '.lock')
  windows = enterWindows()
})
afterEach(() => {
  vi.useRealTimers()
  leaveWindows()
})

describe('a lock that is still being deleted', () => {
  it.each(['EPERM', 'EBUSY', 'EACCES'] as const)('counts as taken and is tried again (%s)', (code) => {
    windows.deleting(file, 9, code)

    expect(withLock(file, 10_000, () => 'in')?.value).toBe('in')
    expect(fs.readdirSync(path.dirname(file))).toEqual([])
  })

  it('is given up after the time to wait, and nothing is thrown', () => {
    windows.deleting(file, 1e9)

    expect(withLock(file, 20, () => 'in')).toBeNull()
    expect(holderOf(file)).toBeNull()
  })

  it('is a real refusal on another system', () => {
    windows.deleting(file, 1)
    setPlatform('linux')

    expect(() => withLock(file, 20, () => 'in')).toThrow(expect.objectContaining({ code: 'EPERM' }))
  })
})

describe('a lock that cannot be deleted because another program has it open', () => {
  it('is deleted a moment later', () => {
    windows.open(file, 4)

    expect(withLock(file, 0, () => 'done')?.value).toBe('done')
    expect(fs.existsSync(file)).toBe(false)
  })

  it('says that it is free, and is taken at once, while it still cannot be deleted', () => {
    windows.open(file, 1e9)
    expect(withLock(file, 0, () => 'done')?.value).toBe('done')
    expect(fs.existsSync(file)).toBe(true)
    const held = withLock(file, 0, () => ({
      owner: JSON.parse(fs.readFileSync(file, 'utf8')),
      inner: withLock(file, 20, () => 'in'),
    }))

    expect(held?.value).toMatchObject({ owner: { pid: process.pid }, inner: null })
    windows.open(file, 0)
    expect(withLock(file, 0, () => 'in')?.value).toBe('in')
    expect(fs.readdirSync(path.dirname(file))).toEqual([])
  })

  it('and cannot be written is taken again by the process that left it, as soon as that is possible', () => {
    const shut = (): void => windows.open(file, 1e9, 'EBUSY', true)
    withLock(file, 0, shut)
    expect(withLock(file, 20, () => 'in')).toBeNull()
    windows.open(file, 0, 'EBUSY', true)

    expect(fs.existsSync(file)).toBe(true)
    expect(withLock(file, 0, () => 'in')?.value).toBe('in')
    expect(fs.readdirSync(path.dirname(file))).toEqual([])
  })

  it('and cannot be written is given back later by a server, without another call', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    withLock(file, 0, () => windows.open(file, 1e9, 'EPERM', true))
    vi.advanceTimersByTime(10_000)
    expect(fs.existsSync(file)).toBe(true)
    windows.open(file, 0, 'EPERM', true)
    vi.advanceTimersByTime(1_000)

    expect(fs.existsSync(file)).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('left behind and taken by another process meanwhile stays with that one', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    withLock(file, 0, () => windows.open(file, 1e9, 'EPERM', true))
    windows.open(file, 0, 'EPERM', true)
    const other = JSON.stringify({ pid: process.ppid, host: os.hostname() })
    fs.writeFileSync(file, other)
    vi.advanceTimersByTime(10_000)

    expect(withLock(file, 20, () => 'in')).toBeNull()
    expect(fs.readFileSync(file, 'utf8')).toBe(other)
  })

  it('does not change what the work has returned or thrown, even if it cannot be emptied', () => {
    const shut = (): string => {
      windows.open(file, 1e9, 'EPERM', true)
      return 'done'
    }
    expect(withLock(file, 0, shut)?.value).toBe('done')
    expect(fs.existsSync(file)).toBe(true)
    windows.open(file, 0, 'EPERM', true)
    fs.rmSync(file)

    const fail = (): void => {
      shut()
      throw new Error('work failed')
    }
    expect(() => withLock(file, 0, fail)).toThrow('work failed')
  })

  it('of a dead owner is taken over, and is waited for where it cannot be written', () => {
    fs.writeFileSync(file, JSON.stringify({ pid: 99_999_999, host: os.hostname() }))
    windows.open(file, 1e9, 'EBUSY', true)
    expect(withLock(file, 20, () => 'in')).toBeNull()
    windows.open(file, 0, 'EBUSY', true)
    windows.open(file, 1e9)

    expect(withLock(file, 20, () => 'in')?.value).toBe('in')
  })

  it('of a background call leaves the result of the call as it is', async () => {
    const dir = path.dirname(file)
    const call = async (): Promise<string> => {
      windows.open(path.join(dir, 'headless.lock'), 20)
      return 'answer'
    }

    expect(await withMachineLock(dir, 0, call)).toEqual({ value: 'answer' })
    expect(await withMachineLock(dir, 10_000, async () => 'next')).toEqual({ value: 'next' })
  })
})

describe('a file that cannot be replaced because another program has it open', () => {
  it('is waited for, under a lock in all for less than a hook waits for the lock', () => {
    const busy = path.join(path.dirname(file), 'busy')
    const replace = (): void => {
      windows.open(busy, 1e9)
      expect(() => disk.replace(busy, 'x')).toThrow(expect.objectContaining({ code: 'EBUSY' }))
    }
    replace()
    expect(windows.waited()).toBe(635)
    withLock(file, 0, () => {
      replace()
      replace()
    })

    expect(windows.waited()).toBeGreaterThan(635)
    expect(windows.waited()).toBeLessThanOrEqual(635 + 120)
    expect(treeOf(path.dirname(file))).toEqual({})
  })

  it('gives up its new content, too, where that is open itself: what failed is the rename', () => {
    const file = path.join(tempDir(), 'scanned')
    windows.openBeside(file)

    expect(() => disk.replace(file, 'x')).toThrow(expect.objectContaining({ code: 'EBUSY', syscall: 'rename' }))
    expect(fs.existsSync(file)).toBe(false)
  })

  it('is replaced as soon as it is free', () => {
    const busy = path.join(path.dirname(file), 'busy')
    windows.open(busy, 5)
    withLock(file, 0, () => disk.replace(busy, 'x'))

    expect(fs.readFileSync(busy, 'utf8')).toBe('x')
  })

  it('stays where it is when it cannot be set aside', () => {
    const project = quietProject()
    work(project, 0, 1)
    const state = path.join(project.memory, 'memory-index.json')
    fs.writeFileSync(state, 'broken')
    windows.openBeside(state)

    expect(() => storeOf(project).readState()).toThrow(expect.objectContaining({ code: 'EBUSY', syscall: 'rename' }))
    expect(fs.readFileSync(state, 'utf8')).toBe('broken')
  })

  it('ends the section, and the memory is as free and as whole as before', () => {
    const project = quietProject()
    work(project, 0, 1)
    const store = storeOf(project)
    const before = treeOf(project.memory)
    windows.open(path.join(project.memory, 'memory-index.json'), 1e9)
    const count = (): void => store.perform([stateEffect({ ...store.readState(), counter: 99 })])

    expect(store.whileLocked(0, count)).toBeNull()
    expect(treeOf(project.memory)).toEqual(before)
    expect(fs.readFileSync(path.join(project.keeper, 'logs', 'memory-keeper.log'), 'utf8')).toMatch(/ lock: EBUSY /)
    windows.open(path.join(project.memory, 'memory-index.json'), 0)
    expect(store.whileLocked(0, count)).not.toBeNull()
    expect(store.readState().counter).toBe(99)
  })
})

type Refusal = 'EPERM' | 'EACCES' | 'EBUSY'

interface Windows {
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
function enterWindows(): Windows {
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

function leaveWindows(): void {
  vi.restoreAllMocks()
  setPlatform(REAL_PLATFORM)
}

function setPlatform(value: NodeJS.Platform): void {
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
