/** Programs that are compiled once: what is kept is used, and whatever happens to it, the program runs. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMPILED_DIR, openPrograms, optimise, type Programs } from '../../../../src/kernel/platform/disk/compiled.ts'
import { fastDir } from '../../../support/project.ts'

const DAY_MS = 24 * 3_600_000
const NOW = Date.parse('2026-01-13T12:00:00.000Z')
const PROGRAM = `
const path = require('node:path')
function often() { return 'often' }
function seldom() { return 'seldom' }
exports.often = often
exports.seldom = seldom
exports.place = [path.basename(__filename), path.basename(__dirname)].join(' in ')
`

interface Place {
  cacheDir: string
  programs(more?: Partial<Parameters<typeof openPrograms>[0]>): Programs
  /** Loads the program, calls it for this, and ends. */
  run(doing?: string, more?: Partial<Parameters<typeof openPrograms>[0]>): unknown
  /** Of the programs: one that this process has seen in the same place is not compiled again. */
  copy(name: string): string
  kept(): string[]
  keptFile(): string
}

function makePlace(): Place {
  const dir = fastDir()
  const from = path.join(dir, 'dist')
  const cacheDir = path.join(dir, 'cache', 'memory-keeper')
  fs.mkdirSync(from)
  fs.writeFileSync(path.join(from, 'tool.cjs'), PROGRAM)
  const compiled = path.join(cacheDir, COMPILED_DIR)
  const place: Place = {
    cacheDir,
    programs: (more) => openPrograms({ from, cacheDir, built: 'b1', node: 'v20-x64', now: () => NOW, ...more }),
    run: (doing = 'often', more) => {
      const programs = place.programs(more)
      programs.doing(doing)
      const tool = programs.load('tool.cjs') as Record<string, (() => string) | string>
      const said = (tool[doing] as () => string)()
      programs.keep()
      return said
    },
    copy: (name) => {
      fs.cpSync(from, path.join(dir, name), { recursive: true })
      return path.join(dir, name)
    },
    kept: () => (fs.existsSync(compiled) ? fs.readdirSync(compiled).sort() : []),
    keptFile: () => path.join(compiled, place.kept()[0] ?? ''),
  }
  return place
}

/** What was kept is not used: nothing is known of what was done before. */
const ANEW = /^memory-keeper compiled 2 \d+ often$/

function headOf(place: Place): string {
  return fs.readFileSync(place.keptFile(), 'latin1').split('\n')[0] ?? ''
}

describe('a program', () => {
  it('runs as if it were required, and is kept for its user alone', () => {
    const place = makePlace()
    const { place: where } = place.programs().load('tool.cjs') as { place: string }

    expect(where).toBe('tool.cjs in dist')
    expect(place.run()).toBe('often')
    expect(place.kept()).toEqual(['tool-b1-v20-x64.bin'])
    expect(fs.statSync(place.keptFile()).mode & 0o777).toBe(0o600)
    expect(fs.statSync(path.dirname(place.keptFile())).mode & 0o777).toBe(0o700)
  })

  it.each([
    ['opt', / often seldom$/],
    ['no-opt', ANEW],
  ] as const)('is of use to others after a process without optimising only if it is kept with it: %s', (how, head) => {
    const place = makePlace()
    const programs = place.programs()
    const tool = programs.load('tool.cjs') as { often: () => string }
    optimise('no-opt')
    programs.doing('often')
    tool.often()
    optimise(how)
    programs.keep()
    optimise('opt')

    expect(place.run('seldom', { from: place.copy('again') })).toBe('seldom')
    expect(headOf(place)).toMatch(head)
  })

  it('is kept once for each thing it does, also while it runs, and not again', () => {
    const place = makePlace()
    for (let times = 0; times < 3; times++) place.run('often')
    place.run('seldom')

    expect(headOf(place)).toMatch(/ often seldom$/)
    const before = fs.statSync(place.keptFile())
    for (const doing of ['often', 'seldom']) place.run(doing)
    expect(fs.statSync(place.keptFile()).ino).toBe(before.ino)
    const programs = place.programs()
    programs.load('tool.cjs')
    for (const doing of ['often', 'one', 'two']) {
      programs.doing(doing)
      programs.keep()
    }
    expect(headOf(place)).toMatch(/ often seldom one two$/)
  })

  it('does as many different things as it likes, of which some are kept', () => {
    const place = makePlace()
    const programs = (word: string): void => {
      const one = place.programs()
      one.doing(word)
      one.load('tool.cjs')
      one.keep()
    }
    for (let n = 0; n < 40; n++) programs(`thing-${n}`)
    for (const strange of ['', '../x', 'a b', 'x'.repeat(41), 'often=9']) programs(strange)

    expect(headOf(place).split(' ').length - 4).toBe(16)
    expect(place.run()).toBe('often')
  })

  it('of another build or another Node is another one, and that which changed with its build the new one', () => {
    const place = makePlace()
    place.run()
    place.run('often', { node: 'v22-x64' })
    const file = path.join(place.cacheDir, '..', '..', 'dist', 'tool.cjs')
    fs.writeFileSync(file, PROGRAM.replace("return 'often'", "return 'OFTEN'"))

    expect(place.run('often', { built: 'b2' })).toBe('OFTEN')
    expect(place.kept()).toEqual(['tool-b1-v20-x64.bin', 'tool-b1-v22-x64.bin', 'tool-b2-v20-x64.bin'])
  })

  it('that has nothing to do is not kept, nor one without a cache directory or where nothing can be written', () => {
    const place = makePlace()
    const programs = place.programs()
    programs.load('tool.cjs')
    programs.keep()
    expect(place.run('often', { cacheDir: '' })).toBe('often')
    expect(place.kept()).toEqual([])
    // A file where its directory would be: not even root can write there.
    fs.mkdirSync(path.dirname(place.cacheDir), { recursive: true })
    fs.writeFileSync(place.cacheDir, '')
    expect(place.run()).toBe('often')
  })

  it('fails as it does without us when it is not there', () => {
    expect(() => makePlace().programs().load('gone.cjs')).toThrow(/Cannot find module/)
  })
})

describe('what is kept', () => {
  it('is not used once a byte of it is another, and is made again', () => {
    const place = makePlace()
    for (const doing of ['seldom', 'often']) place.run(doing)
    const sound = fs.readFileSync(place.keptFile())
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const bytes = Buffer.from(sound)
        const where = at % bytes.length
        bytes[where] = (bytes[where] ?? 0) ^ by
        fs.writeFileSync(place.keptFile(), bytes)
        expect(place.run()).toBe('often')
      }),
      { numRuns: 60 },
    )
    fs.writeFileSync(place.keptFile(), sound.subarray(0, sound.length - 1))
    place.run()
    expect(headOf(place)).toMatch(ANEW)
  })

  it.each(['', 'memory-keeper compiled 2 0\n', 'memory-keeper compiled 2 5\nabcdeabcd', '\n\n', 'x'.repeat(5_000)])(
    'is not used when it is something else: %j',
    (text) => {
      const place = makePlace()
      for (const doing of ['seldom', 'often']) place.run(doing)
      fs.writeFileSync(place.keptFile(), text)

      expect(place.run()).toBe('often')
      expect(headOf(place)).toMatch(ANEW)
    },
  )

  const elsewhere = (file: string): void => {
    fs.renameSync(file, `${file}-elsewhere`)
    fs.symlinkSync(`${file}-elsewhere`, file)
  }

  it.skipIf(process.getuid === undefined).each([
    ['others may write it', (file: string): void => fs.chmodSync(file, 0o666)],
    ['it is a link', elsewhere],
  ])('is not used where %s', (_, change) => {
    const place = makePlace()
    for (const doing of ['seldom', 'often']) place.run(doing)
    const file = place.keptFile()
    change(file)
    const linked = fs.existsSync(`${file}-elsewhere`) ? fs.readFileSync(`${file}-elsewhere`) : null

    expect(place.run()).toBe('often')
    expect(headOf(place)).toMatch(ANEW)
    expect(fs.lstatSync(file).mode & 0o777).toBe(0o600)
    if (linked !== null) expect(fs.readFileSync(`${file}-elsewhere`).equals(linked)).toBe(true)
  })

  it.skipIf(process.getuid === undefined).each([
    ['others may write the directory', (dir: string): void => fs.chmodSync(dir, 0o777)],
    ['the directory is a link', elsewhere],
  ])('is neither used nor kept where %s', (_, change) => {
    const place = makePlace()
    place.run()
    change(path.dirname(place.keptFile()))
    const before = fs.readFileSync(place.keptFile())
    // Would be refused by V8 and counted anew, if it were looked at.
    expect(place.run('seldom', { from: place.copy('one') })).toBe('seldom')

    expect(fs.readFileSync(place.keptFile()).equals(before)).toBe(true)
    expect(headOf(place)).toMatch(ANEW)
  })

  it('of other options of Node stays as it is for a day', () => {
    const place = makePlace()
    place.run()
    // V8 compares its own version, in the second word of each of the two.
    const bytes = fs.readFileSync(place.keptFile())
    const head = bytes.indexOf('\n') + 1
    const length = (bytes.length - head) / 2
    for (const from of [head, head + length]) bytes.writeUInt32LE((bytes.readUInt32LE(from + 4) ^ 1) >>> 0, from + 4)
    fs.writeFileSync(place.keptFile(), bytes)
    const at = new Date(NOW)
    fs.utimesSync(place.keptFile(), at, at)

    expect(place.run('often', { from: place.copy('one') })).toBe('often')
    expect(fs.readFileSync(place.keptFile()).equals(bytes)).toBe(true)
    expect(place.run('often', { from: place.copy('two'), now: () => NOW + 2 * DAY_MS })).toBe('often')
    expect(fs.readFileSync(place.keptFile()).equals(bytes)).toBe(false)
  })

  it('goes when nobody has used its build for a month', () => {
    const place = makePlace()
    place.run()
    const old = new Date(NOW - 31 * DAY_MS)
    fs.utimesSync(place.keptFile(), old, old)
    place.run('often', { built: 'b2' })

    expect(place.kept()).toEqual(['tool-b2-v20-x64.bin'])
  })

  it('loads the file that it requires in the same way, and keeps it as its own', () => {
    const place = makePlace()
    const from = place.copy('with-shared')
    fs.copyFileSync(path.join(from, 'tool.cjs'), path.join(from, 'shared.cjs'))
    fs.writeFileSync(path.join(from, 'tool.cjs'), 'module.exports = require("./shared.cjs")')

    expect(place.run('often', { from })).toBe('often')
    expect(place.kept()).toEqual(['tool-b1-v20-x64.bin', 'tool-shared-b1-v20-x64.bin'])
  })

  it('is bounded: with a new one the oldest goes', () => {
    const place = makePlace()
    for (let n = 10; n < 38; n++) {
      place.run('often', { built: `b${n}` })
      const at = new Date(NOW - DAY_MS + n * 1000)
      fs.utimesSync(path.join(place.cacheDir, COMPILED_DIR, `tool-b${n}-v20-x64.bin`), at, at)
    }

    expect(place.kept()).toHaveLength(24)
    expect(place.kept()[0]).toBe('tool-b14-v20-x64.bin')
  })
})
