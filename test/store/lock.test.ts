/** The lock: one owner at a time, and none that is dead. */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { isAlive, withLock } from '../../src/store/lock.ts'
import { tempDir } from '../support/project.ts'

function lockFile(): string {
  return path.join(tempDir(), '.lock')
}

function ownedBy(pid: number, host = os.hostname()): string {
  return JSON.stringify({ pid, host })
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
  it('is held while the work is done and gone afterwards', () => {
    const file = lockFile()
    const done = withLock(file, 0, () => fs.readFileSync(file, 'utf8'))

    expect(done?.value).toBe(ownedBy(process.pid))
    expect(fs.existsSync(file)).toBe(false)
  })

  it('is given back when the work fails', () => {
    const file = lockFile()

    expect(() =>
      withLock(file, 0, () => {
        throw new Error('work failed')
      }),
    ).toThrow('work failed')
    expect(fs.existsSync(file)).toBe(false)
  })

  it('lets nobody else in while its owner lives', () => {
    const file = lockFile()
    let inner: unknown = 'not tried'
    withLock(file, 0, () => {
      inner = withLock(file, 30, () => 'in')
    })

    expect(inner).toBeNull()
  })

  it('of a living process is not taken', () => {
    const file = lockFile()
    fs.writeFileSync(file, ownedBy(process.ppid))

    expect(withLock(file, 30, () => 'in')).toBeNull()
    expect(fs.readFileSync(file, 'utf8')).toBe(ownedBy(process.ppid))
  })

  it('of a dead process is taken over at once', () => {
    const file = lockFile()
    fs.writeFileSync(file, ownedBy(deadPid()))

    expect(withLock(file, 0, () => 'in')?.value).toBe('in')
    expect(fs.readdirSync(path.dirname(file))).toEqual([])
  })

  it('of another machine is left alone until it is old', () => {
    const file = lockFile()
    fs.writeFileSync(file, ownedBy(deadPid(), 'another-machine'))
    expect(withLock(file, 30, () => 'in')).toBeNull()
    makeOld(file, 120)

    expect(withLock(file, 0, () => 'in')?.value).toBe('in')
  })

  it('without a name is left alone while it is fresh and taken over later', () => {
    const file = lockFile()
    fs.writeFileSync(file, '')
    expect(withLock(file, 30, () => 'in')).toBeNull()
    makeOld(file, 10)

    expect(withLock(file, 0, () => 'in')?.value).toBe('in')
  })

  it('held longer than any work takes is taken over, though a process of that number lives', () => {
    const file = lockFile()
    fs.writeFileSync(file, ownedBy(process.ppid))
    makeOld(file, 120)

    expect(withLock(file, 0, () => 'in')?.value).toBe('in')
  })

  it('is not taken while another process is taking it over', () => {
    const file = lockFile()
    fs.writeFileSync(file, ownedBy(deadPid()))
    fs.writeFileSync(`${file}.steal`, '')

    expect(withLock(file, 30, () => 'in')).toBeNull()
    expect(fs.existsSync(file)).toBe(true)
  })

  it('is taken over in spite of an old guard file', () => {
    const file = lockFile()
    fs.writeFileSync(file, ownedBy(deadPid()))
    fs.writeFileSync(`${file}.steal`, '')
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
