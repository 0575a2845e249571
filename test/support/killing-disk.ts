/** A disk under a process that is killed: before, after or in the middle of one of its writes. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { type Disk, disk } from '../../src/kernel/platform/disk/files.ts'

/** How a process dies at one of its writes. */
export interface Kill {
  /** So many writes go well before. */
  after: number
  how: 'before' | 'after' | 'partial'
}

export class Killed extends Error {}

export const anyKill: fc.Arbitrary<Kill> = fc.record({
  after: fc.nat(4),
  how: fc.constantFrom('before' as const, 'after' as const, 'partial' as const),
})

/** Does the work, or dies at it. Every kill is used once. `part`: what is left of it when the process dies in the middle. */
type Guard = <A extends unknown[], R>(work: (...args: A) => R, part: (...args: A) => void) => (...args: A) => R

export function killingAt(kills: Kill[]): Guard {
  let writes = 0
  return (work, part) =>
    (...args) => {
      const kill = kills[0]
      if (kill === undefined || writes++ < kill.after) return work(...args)
      kills.shift()
      if (kill.how === 'after') work(...args)
      if (kill.how === 'partial') part(...args)
      throw new Killed()
    }
}

export function killingDisk(kills: Kill[]): Disk {
  const guarded = killingAt(kills)
  const half = (text: string): Buffer => Buffer.from(text).subarray(0, Math.floor(Buffer.byteLength(text) / 2))
  return {
    replace: guarded(disk.replace, (file, content) => {
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(`${file}.1.tmp`, content.slice(0, 9))
    }),
    append: guarded(disk.append, (file, text) => fs.appendFileSync(file, half(text))),
    appendAt: guarded(disk.appendAt, (file, at, text) => {
      disk.appendAt(file, at, '')
      fs.appendFileSync(file, half(text))
    }),
    remove: guarded(disk.remove, () => undefined),
  }
}
