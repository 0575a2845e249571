/** What a piece of work looked at on disk, and whether all of it looks the same. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { list, readPart, readText, sizeOf, statOf } from '../../../../src/kernel/platform/disk/files.ts'
import { isAllAsSeen, traceReads } from '../../../../src/kernel/platform/disk/read-trace.ts'
import { fastDir, write } from '../../../support/project.ts'

const ALWAYS = Number.POSITIVE_INFINITY
const LONG_AGO = new Date('2026-01-01T00:00:00.250Z')

function place(): { dir: string; file: string } {
  const dir = fastDir()
  const file = path.join(dir, 'a.txt')
  write(file, 'one')
  return { dir, file }
}

describe('looks', () => {
  it('are noted for whatever is read or asked for, once each, also where nothing is', () => {
    const { dir, file } = place()
    const missing = path.join(dir, 'missing')
    const { value, seen } = traceReads(() => [readText(file), readPart(file, 0, 1), sizeOf(missing), list(dir)].length)

    expect(value).toBe(4)
    expect(seen.map(([one]) => one)).toEqual([file, missing, dir + path.sep])
    expect(isAllAsSeen(seen, ALWAYS)).toBe(true)
  })

  it('are noted no longer when the work is done, or has failed', () => {
    const { file } = place()
    const fail = (): never => {
      throw new Error('no')
    }
    expect(() => traceReads(fail)).toThrow('no')
    const { seen } = traceReads(() => 1)
    statOf(file)

    expect(seen).toEqual([])
  })

  it('differ once a file is written, replaced, removed or made, and once a name comes or goes', () => {
    const { dir, file } = place()
    const other = path.join(dir, 'b.txt')
    const elsewhere = path.join(fastDir(), 'c.txt')
    write(elsewhere, 'onemore')
    const changes: (() => void)[] = [
      () => fs.appendFileSync(file, 'more'),
      () => fs.renameSync(elsewhere, file),
      () => fs.rmSync(file),
      () => write(file, 'one'),
      () => write(other, ''),
      () => fs.rmSync(other),
    ]
    for (const change of changes) {
      const { seen } = traceReads(() => [readText(file), list(dir)])
      expect(isAllAsSeen(seen, ALWAYS)).toBe(true)
      change()
      expect(isAllAsSeen(seen, ALWAYS)).toBe(false)
    }
  })

  it('of a directory do not differ for a lock or a file that is being written', () => {
    const { dir } = place()
    const { seen } = traceReads(() => list(dir))
    write(path.join(dir, '.lock'), '')
    write(path.join(dir, 'a.txt.1.tmp'), '')

    expect(isAllAsSeen(seen, ALWAYS)).toBe(true)
  })

  it('of a link differ once it leads elsewhere, or to something that changed', () => {
    const { dir, file } = place()
    const link = path.join(dir, 'link')
    fs.symlinkSync(file, link)
    const before = traceReads(() => readText(link)).seen
    fs.appendFileSync(file, 'more')
    expect(isAllAsSeen(before, ALWAYS)).toBe(false)

    const again = traceReads(() => readText(link)).seen
    fs.rmSync(link)
    fs.symlinkSync(path.join(dir, 'nowhere'), link)
    expect(isAllAsSeen(again, ALWAYS)).toBe(false)
  })

  it('of a file that was written in the same moment are not trusted, and less where its times are whole seconds', () => {
    const { file } = place()
    fs.utimesSync(file, LONG_AGO, LONG_AGO)
    const { seen } = traceReads(() => readText(file))
    expect(isAllAsSeen(seen, LONG_AGO.getTime() + 10)).toBe(false)
    expect(isAllAsSeen(seen, LONG_AGO.getTime() + 1_000)).toBe(true)

    const whole = new Date('2026-01-01T00:00:00.000Z')
    fs.utimesSync(file, whole, whole)
    const coarse = traceReads(() => readText(file)).seen
    expect(isAllAsSeen(coarse, whole.getTime() + 1_000)).toBe(false)
    expect(isAllAsSeen(coarse, whole.getTime() + 3_000)).toBe(true)
  })

  it('are the same as long as all files are, and only then, whatever was read', () => {
    const { dir } = place()
    const names = ['x', 'y', 'z']
    fc.assert(
      fc.property(
        fc.subarray(names, { minLength: 1 }),
        fc.constantFrom(...names),
        fc.string(),
        (read, changed, text) => {
          const at = (name: string): string => path.join(dir, 'deep', name)
          const { seen } = traceReads(() => read.map((name) => readText(at(name))))
          const before = fs.existsSync(at(changed)) ? fs.readFileSync(at(changed), 'utf8') : null
          write(at(changed), `${before ?? ''}${text}.`)

          expect(isAllAsSeen(seen, ALWAYS)).toBe(!read.includes(changed))
        },
      ),
      { numRuns: 50 },
    )
  })
})
