/** Single flight on the machine. */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { forgetChild, noteChild, withMachineLock } from '../../../../src/core/model/disk/machine-lock.ts'
import { HEADLESS_LOCK } from '../../../../src/kernel/platform/layout.ts'
import { runModule } from '../../../support/module.ts'
import { NOW, tempDir } from '../../../support/project.ts'

const inside = async (): Promise<string> => 'in'

function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid
}

function heldBy(pid: number, ageMinutes = 0): string {
  const dir = tempDir()
  const file = path.join(dir, HEADLESS_LOCK)
  fs.writeFileSync(file, JSON.stringify({ pid, at: 0, n: 0 }))
  const then = Date.now() / 1000 - ageMinutes * 60
  fs.utimesSync(file, then, then)
  return dir
}

describe('the lock of the machine', () => {
  it('lets one in after the other, and leaves nothing behind', async () => {
    const dir = path.join(tempDir(), 'keeper')
    let running = 0
    let most = 0
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running)
      await sleep(30)
      running--
    }
    const done = await Promise.all([1, 2, 3].map(() => withMachineLock(dir, 20_000, work)))

    expect(done.every((one) => one !== null)).toBe(true)
    expect(most).toBe(1)
    expect(fs.readdirSync(dir)).toEqual([])
  })

  it('is given up after the time to wait, and given back when the work fails', async () => {
    const dir = heldBy(process.ppid)
    const before = Date.now()
    expect(await withMachineLock(dir, 100, inside)).toBeNull()
    expect(Date.now() - before).toBeGreaterThanOrEqual(95)
    expect(fs.readdirSync(dir)).toEqual([HEADLESS_LOCK])

    const free = tempDir()
    await expect(withMachineLock(free, 0, () => Promise.reject(new Error('work failed')))).rejects.toThrow(
      'work failed',
    )
    expect(fs.readdirSync(free)).toEqual([])
  })

  it('of a dead owner, of one that holds it for ten minutes, or of nobody is taken over', async () => {
    const nameless = heldBy(1)
    fs.writeFileSync(path.join(nameless, HEADLESS_LOCK), '{"pid":')

    expect(await withMachineLock(heldBy(deadPid()), 0, inside)).toEqual({ value: 'in' })
    expect(await withMachineLock(heldBy(process.ppid, 11), 0, inside)).toEqual({ value: 'in' })
    expect(await withMachineLock(heldBy(process.ppid, 9), 0, inside)).toBeNull()
    expect(await withMachineLock(nameless, 0, inside)).toEqual({ value: 'in' })
  })

  it('is waited for while a child of a dead owner lives', async () => {
    const dir = heldBy(deadPid())
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    noteChild(dir, child.pid ?? 0, NOW)
    const waiting = await withMachineLock(dir, 0, inside)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended

    expect(waiting).toBeNull()
    expect(await withMachineLock(dir, 0, inside)).toEqual({ value: 'in' })
    // The child of another stays known when one is forgotten.
    const other = tempDir()
    noteChild(other, process.ppid, NOW)
    forgetChild(other, process.pid)
    expect(await withMachineLock(other, 0, inside)).toBeNull()
  })

  it('taken over from its owner is not removed by him', async () => {
    const dir = tempDir()
    const file = path.join(dir, HEADLESS_LOCK)
    await withMachineLock(dir, 0, async () => fs.writeFileSync(file, 'of another'))

    expect(fs.readFileSync(file, 'utf8')).toBe('of another')
  })

  it('is taken over from a dead owner by one of many processes at a time', async () => {
    const dir = heldBy(deadPid())
    const log = path.join(dir, 'log')
    const script = `
      import fs from 'node:fs'
      import { setTimeout as sleep } from 'node:timers/promises'
      import { withMachineLock } from './src/core/model/disk/machine-lock.ts'
      for (let round = 0; round < 2; round++)
        await withMachineLock(${JSON.stringify(dir)}, 20_000, async () => {
          fs.appendFileSync(${JSON.stringify(log)}, 'in ')
          await sleep(20)
          fs.appendFileSync(${JSON.stringify(log)}, 'out ')
        })`
    await runModule(script, 4)

    expect(fs.readFileSync(log, 'utf8')).toBe('in out '.repeat(8))
    expect(fs.readdirSync(dir)).toEqual(['log'])
  }, 30_000)
})
