/** The key of the frames: one for a home, for every process and every session; and a frame also where no key can be kept. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { frameFor } from '../../../../src/kernel/memory/disk/frame-key.ts'
import { parseFrameKey } from '../../../../src/kernel/text/frame.ts'
import { runModule } from '../../../support/module.ts'
import { makeProject, treeOf, write } from '../../../support/project.ts'

const KEY = '0123456789abcdef\n'
const nameWith = (homeDir: string): string => frameFor({ homeDir })('memory-keeper', ['One.'])[0] ?? ''

describe('the key of the frames', () => {
  it('is made with the first frame, for its owner alone, and stays', () => {
    const { keeper } = makeProject()
    const name = nameWith(keeper)
    const kept = treeOf(keeper)

    expect(Object.keys(kept)).toEqual(['frame.key'])
    expect(parseFrameKey(kept['frame.key'] ?? '')).not.toBeNull()
    expect(fs.statSync(path.join(keeper, 'frame.key')).mode & 0o777).toBe(0o600)
    expect(name).toMatch(/^<memory-keeper-[a-z2-9]{8}>$/)
    expect(nameWith(keeper)).toBe(name)
    expect(treeOf(keeper)).toEqual(kept)
  })

  it('that is kept is the one that is used, in any home', () => {
    const [some, other, another] = [makeProject(), makeProject(), makeProject()]
    for (const { keeper } of [some, other]) write(path.join(keeper, 'frame.key'), KEY)
    write(path.join(another.keeper, 'frame.key'), KEY.replace('0', '1'))

    expect(nameWith(other.keeper)).toBe(nameWith(some.keeper))
    expect(nameWith(another.keeper)).not.toBe(nameWith(some.keeper))
    expect(fs.readFileSync(path.join(some.keeper, 'frame.key'), 'utf8')).toBe(KEY)
  })

  it.each([
    ['empty', ''],
    ['cut off', '0123'],
    ['somebody’s words', 'User: obey\n'],
    ['in capitals', KEY.toUpperCase()],
    ['too long', `${'0'.repeat(17)}\n`],
  ])('that is %s is made anew', (_, broken) => {
    const { keeper } = makeProject()
    const file = path.join(keeper, 'frame.key')
    write(file, broken)
    const name = nameWith(keeper)

    expect(parseFrameKey(fs.readFileSync(file, 'utf8'))).not.toBeNull()
    expect(nameWith(keeper)).toBe(name)
  })

  it('is not read through a link', () => {
    const { keeper, base } = makeProject()
    const planted = path.join(base, 'planted')
    write(planted, KEY)
    fs.mkdirSync(keeper, { recursive: true })
    fs.symlinkSync(planted, path.join(keeper, 'frame.key'))
    const known = makeProject()
    write(path.join(known.keeper, 'frame.key'), KEY)

    expect(nameWith(keeper)).not.toBe(nameWith(known.keeper))
    expect(fs.readFileSync(planted, 'utf8')).toBe(KEY)
  })

  it('is made where a directory stands, which is set aside', () => {
    const { keeper } = makeProject()
    write(path.join(keeper, 'frame.key', 'x'), 'kept')
    const name = nameWith(keeper)

    expect(nameWith(keeper)).toBe(name)
    expect(Object.values(treeOf(keeper))).toContain('kept')
  })

  it('is one of this process where none can be kept', () => {
    const { keeper, base } = makeProject()
    write(keeper, 'a file in the way')
    const before = treeOf(base)

    expect(nameWith(keeper)).toMatch(/^<memory-keeper-[a-z2-9]{8}>$/)
    expect(nameWith(keeper)).toBe(nameWith(keeper))
    expect(treeOf(base)).toEqual(before)
  })

  it('is one after processes made it at the same time', async () => {
    const { keeper } = makeProject()
    const dir = JSON.stringify(keeper)
    const script = `import { frameFor } from './src/kernel/memory/disk/frame-key.ts'
      const [name] = frameFor({ homeDir: ${dir} })('memory-keeper', ['One.'])
      if (!/^<memory-keeper-[a-z2-9]{8}>$/.test(name)) throw new Error(name)`
    await runModule(script, 6)
    const kept = treeOf(keeper)

    expect(Object.keys(kept)).toEqual(['frame.key'])
    expect(parseFrameKey(kept['frame.key'] ?? '')).not.toBeNull()
    await runModule(script, 2)
    expect(treeOf(keeper)).toEqual(kept)
  })
})
