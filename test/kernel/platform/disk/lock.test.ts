/** The lock: one owner at a time, and none that is dead. */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { holderOf, isAlive, withLock } from '../../../../src/kernel/platform/disk/lock.ts'
import { buildModule, runToEnd } from '../../../support/module.ts'
import { tempDir } from '../../../support/project.ts'

function lockFile(): string {
  return path.join(tempDir(), '.lock')
}

/** As version 0.5.1 writes it; on macOS and Windows this version, too. */
function ownedBy(pid: number, host = os.hostname()): string {
  return JSON.stringify({ pid, host })
}

/** What this process writes into a lock. */
function ourOwn(): Record<string, unknown> {
  const file = lockFile()
  return JSON.parse(withLock(file, 0, () => fs.readFileSync(file, 'utf8'))?.value ?? '')
}

/** A process that has lived. */
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid
}

function makeOld(file: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds
  fs.utimesSync(file, then, then)
}

describe('a lock', () => {
  it('is held while the work is done, by nobody else meanwhile, and gone afterwards, also when the work fails', () => {
    const file = lockFile()
    let inner: unknown = 'not tried'
    const done = withLock(file, 0, () => {
      inner = withLock(file, 30, () => 'in')
      return fs.readFileSync(file, 'utf8')
    })

    expect(JSON.parse(done?.value ?? '')).toMatchObject({ pid: process.pid, host: os.hostname() })
    expect(inner).toBeNull()
    expect(fs.existsSync(file)).toBe(false)
    const fail = (): void => {
      throw new Error('work failed')
    }
    expect(() => withLock(file, 0, fail)).toThrow('work failed')
    expect(fs.existsSync(file)).toBe(false)
  })

  it.each<[string, () => string, number, boolean]>([
    ['a living process is not taken', () => ownedBy(process.ppid), 0, false],
    ['a living process, held longer than any work takes, is', () => ownedBy(process.ppid), 120, true],
    ['a dead process is taken over at once', () => ownedBy(deadPid()), 0, true],
    ['another machine is left alone', () => ownedBy(deadPid(), 'another-machine'), 0, false],
    ['another machine is taken over when it is old', () => ownedBy(deadPid(), 'another-machine'), 120, true],
    ['nobody is left alone while it is fresh', () => '', 0, false],
    ['nobody is taken over later', () => '', 10, true],
  ])('of %s', (_, owner, seconds, isTaken) => {
    const file = lockFile()
    const text = owner()
    fs.writeFileSync(file, text)
    if (seconds > 0) makeOld(file, seconds)

    expect(withLock(file, isTaken ? 0 : 30, () => 'in')).toEqual(isTaken ? { value: 'in' } : null)
    if (isTaken) expect(fs.readdirSync(path.dirname(file))).toEqual([])
    else expect(fs.readFileSync(file, 'utf8')).toBe(text)
  })

  it('is not taken because the clock of this machine is ahead of the file system', () => {
    const file = lockFile()
    fs.writeFileSync(file, ownedBy(1, 'another-machine'))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    try {
      expect(withLock(file, 30, () => 'in')).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })

  it('is not taken while another process is taking it over, unless its guard file is old', () => {
    const file = lockFile()
    fs.writeFileSync(file, ownedBy(deadPid()))
    fs.writeFileSync(`${file}.steal`, '')
    expect(withLock(file, 30, () => 'in')).toBeNull()
    expect(fs.existsSync(file)).toBe(true)
    makeOld(`${file}.steal`, 60)

    expect(withLock(file, 1000, () => 'in')?.value).toBe('in')
    expect(fs.readdirSync(path.dirname(file))).toEqual([])
  })

  it('taken over from its owner is not removed by him', () => {
    const file = lockFile()
    withLock(file, 0, () => fs.writeFileSync(file, ownedBy(process.ppid)))

    expect(fs.readFileSync(file, 'utf8')).toBe(ownedBy(process.ppid))
  })
})

it.skipIf(process.platform !== 'linux')('takes a killed process that nobody has buried for dead', async () => {
  // The inner one dies at once; the outer one, which should ask for its end, sleeps.
  const outer = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 20'], { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const inner = await new Promise<number>((resolve) => outer.stdout.once('data', (text) => resolve(Number(text))))
    await vi.waitFor(() => expect(fs.readFileSync(`/proc/${inner}/stat`, 'utf8')).toMatch(/\) Z/))

    expect(isAlive(inner)).toBe(false)
    expect(isAlive(outer.pid ?? 0)).toBe(true)
  } finally {
    outer.kill('SIGKILL')
  }
})

describe.skipIf(process.platform !== 'linux')('an owner that names start, boot and pid namespace', () => {
  const written = (changed: object): string => {
    const file = lockFile()
    fs.writeFileSync(file, JSON.stringify({ ...ourOwn(), ...changed }))
    return file
  }

  it('keeps its lock while it lives, however old the lock looks', () => {
    const file = written({})
    makeOld(file, 7200)

    expect(withLock(file, 30, () => 'in')).toBeNull()
    expect(holderOf(file)).toMatchObject({ verdict: 'alive', isStuck: false })
  })

  it('is dead when its pid started at another time, or the machine was started again since', () => {
    expect(withLock(written({ start: '1' }), 0, () => 'in')?.value).toBe('in')
    expect(withLock(written({ boot: 'another-boot' }), 0, () => 'in')?.value).toBe('in')
  })

  it('of another machine is never robbed, and is reported when it has waited for long', () => {
    const file = written({ boot: 'another-boot', host: 'another-machine' })
    expect(holderOf(file)).toMatchObject({ verdict: 'unknown', isStuck: false })
    makeOld(file, 7200)

    expect(withLock(file, 30, () => 'in')).toBeNull()
    expect(holderOf(file)).toMatchObject({ verdict: 'unknown', isStuck: true })
  })

  it('that is killed hard leaves its lock free at once', async () => {
    const file = lockFile()
    const owner = spawn(process.execPath, [await holder(file)])
    await vi.waitFor(() => expect(fs.existsSync(`${file}.held`)).toBe(true), { timeout: 20_000, interval: 10 })
    expect(withLock(file, 30, () => 'in')).toBeNull()
    const ended = new Promise((resolve) => owner.once('exit', resolve))
    owner.kill('SIGKILL')
    await ended

    expect(fs.existsSync(file)).toBe(true)
    expect(withLock(file, 0, () => 'in')?.value).toBe('in')
  }, 30_000)
})

/** A script that takes this lock, writes a file beside it, and holds the lock until it is killed. */
function holder(file: string): Promise<string> {
  return buildModule(`
    import fs from 'node:fs'
    import { withLock } from './src/kernel/platform/disk/lock.ts'
    withLock(${JSON.stringify(file)}, 0, () => {
      fs.writeFileSync(${JSON.stringify(`${file}.held`)}, '')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)
    })`)
}

/** Adds one to the number in this file, so often, each time under the lock. */
function counter(file: string, rounds: number): Promise<string> {
  return buildModule(`
    import fs from 'node:fs'
    import { withLock } from './src/kernel/platform/disk/lock.ts'
    const file = ${JSON.stringify(file)}
    for (let round = 0; round < ${rounds}; round++) {
      const done = withLock(file + '.lock', 60_000, () => {
        const seen = Number(fs.readFileSync(file, 'utf8'))
        fs.writeFileSync(file, '')
        fs.writeFileSync(file, String(seen + 1))
      })
      if (done === null) process.exit(3)
    }`)
}

it('two writers with 200 rounds each lose nothing', async () => {
  const file = path.join(tempDir(), 'count')
  fs.writeFileSync(file, '0')
  const script = await counter(file, 200)
  await Promise.all([1, 2].map(() => runToEnd([process.execPath, script])))

  expect(fs.readFileSync(file, 'utf8')).toBe('400')
  expect(fs.readdirSync(path.dirname(file))).toEqual(['count'])
}, 60_000)

/** With its own /proc, as in a container, and with the one of its parent. */
const SPACES = [
  ['--pid', '--fork', '--kill-child', '--mount-proc'],
  ['--pid', '--fork', '--kill-child'],
]
const maySeparate = SPACES.every((args) => spawnSync('unshare', [...args, 'true']).status === 0)
const isFirstSpace = maySeparate && fs.readlinkSync('/proc/self/ns/pid') === 'pid:[4026531836]'

const whySkipped = maySeparate ? '' : ' (skipped: this user may not make one, or this system has none)'

describe.skipIf(!maySeparate).each(SPACES.map((args) => [args]))(`in another pid namespace${whySkipped} %s`, (args) => {
  const inOther = (script: string): string[] => ['unshare', ...args, process.execPath, script]

  it('a living owner keeps its lock, however old the lock looks', async () => {
    const file = lockFile()
    const [program = '', ...rest] = inOther(await holder(file))
    const owner = spawn(program, rest)
    try {
      await vi.waitFor(() => expect(fs.existsSync(`${file}.held`)).toBe(true), { timeout: 20_000, interval: 10 })
      makeOld(file, 7200)
      const before = fs.readFileSync(file, 'utf8')

      expect(isAlive(Number(JSON.parse(before).pid))).toBe(true)
      expect(JSON.parse(before).pid).toBe(1)
      expect(withLock(file, 100, () => 'in')).toBeNull()
      expect(fs.readFileSync(file, 'utf8')).toBe(before)
    } finally {
      owner.kill('SIGKILL')
    }
  }, 30_000)

  it.skipIf(!isFirstSpace)(
    'a killed owner is seen from the first namespace, and its lock is free',
    async () => {
      const file = lockFile()
      const [program = '', ...rest] = inOther(await holder(file))
      const owner = spawn(program, rest)
      await vi.waitFor(() => expect(fs.existsSync(`${file}.held`)).toBe(true), { timeout: 20_000, interval: 10 })
      expect(holderOf(file)?.verdict).toBe('alive')
      owner.kill('SIGKILL')

      await vi.waitFor(() => expect(holderOf(file)?.verdict).toBe('dead'), { timeout: 20_000, interval: 10 })
      expect(withLock(file, 0, () => 'in')?.value).toBe('in')
    },
    30_000,
  )

  it('a writer does not rob a living owner outside of it', async () => {
    const file = lockFile()
    const script = await buildModule(`
      import { withLock } from './src/kernel/platform/disk/lock.ts'
      process.exit(withLock(${JSON.stringify(file)}, 300, () => 'in') === null ? 0 : 3)`)
    const tried = withLock(file, 0, () => {
      makeOld(file, 7200)
      const { status } = spawnSync('unshare', inOther(script).slice(1))
      return { status, isHeld: fs.existsSync(file) }
    })

    expect(tried?.value).toEqual({ status: 0, isHeld: true })
  }, 30_000)

  it('one of two writers with 200 rounds each loses nothing', async () => {
    const file = path.join(tempDir(), 'count')
    fs.writeFileSync(file, '0')
    const script = await counter(file, 200)
    await Promise.all([runToEnd([process.execPath, script]), runToEnd(inOther(script))])

    expect(fs.readFileSync(file, 'utf8')).toBe('400')
  }, 60_000)
})
