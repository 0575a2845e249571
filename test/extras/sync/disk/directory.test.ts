/** A remote that is a directory keeps what branches have, and nothing else: what was forgotten leaves it with the next push. And times that have not come. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readOthers } from '../../../../src/core/others/disk/others.ts'
import { effectiveAt, newestOfOthers } from '../../../../src/core/others/others.ts'
import { gitIn, hasGit } from '../../../support/git.ts'
import { type Machine, machines } from '../../../support/machines.ts'
import { runCommand } from '../../../support/process.ts'

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 13, 12, minute)).toISOString()
const WORDS = 'The vault opens at nine.'

describe.skipIf(!hasGit)('a remote that is a directory', () => {
  let desk: Machine
  let laptop: Machine
  let remote: string
  let git: (...args: string[]) => string

  /** Of all objects, also those that nothing names. */
  const everything = (): string => git('cat-file', '--batch-all-objects', '--unordered', '--batch')
  const change = (one: Machine, from: string, to: string): void => {
    const file = path.join(one.project.memory, 'facts.json')
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replaceAll(from, to))
  }
  const ages = (dir: string): void => {
    for (const name of fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }))
      fs.utimesSync(path.join(dir, name), new Date('2026-01-01'), new Date('2026-01-01'))
  }

  beforeEach(() => {
    const made = machines('desk', 'laptop')
    ;[desk, laptop] = made.all as [Machine, Machine]
    remote = made.remote
    git = gitIn(remote)
    desk.decide(WORDS, at(1))
    desk.decide('Lanterns are drawn by hand.', at(1))
    laptop.decide('Maps are printed twice.', at(1))
    for (const one of [desk, laptop, desk]) one.sync(at(2))
    expect(everything()).toContain(WORDS)
  })

  it('has nothing of what is not there any more, after the next push', () => {
    change(desk, WORDS, 'The vault stays shut.')
    expect(desk.sync(at(3))).toMatchObject({ isSent: true, record: { problem: '' } })

    expect(everything()).not.toContain(WORDS)
    expect(everything()).toContain('The vault stays shut.')
    expect(laptop.sync(at(4))?.record.problem).toBe('')
    expect(readOthers(laptop.project.places, 'machine').map(({ text }) => text)).toContain('The vault stays shut.')
    git('fsck', '--full', '--strict')
  })

  it('has nothing of it in a pack, in a log of branches, or from before either', () => {
    git('config', 'core.logAllRefUpdates', 'true')
    desk.decide('Another one.', at(3))
    desk.sync(at(3))
    git('repack', '-a', '-d', '-q')
    // As a version left it that did not look there.
    const left = gitIn(remote)('hash-object', '-w', '-t', 'blob', path.join(laptop.project.memory, 'facts.json')).trim()
    ages(path.join(remote, 'objects'))
    change(desk, WORDS, 'The vault stays shut.')
    desk.sync(at(4))

    expect(everything()).not.toContain(WORDS)
    expect(everything()).not.toContain(left)
    git('fsck', '--full')
  })

  it('does not write a pack anew from which nothing has to go', () => {
    const packs = (): string[] => fs.readdirSync(path.join(remote, 'objects', 'pack')).sort()
    git('pack-refs', '--all')
    const listed = git('rev-list', '--objects', '--no-object-names', `machine/${laptop.id}`)
    execFileSync('git', ['pack-objects', '-q', path.join(remote, 'objects', 'pack', 'pack')], {
      cwd: remote,
      input: listed,
    })
    git('prune-packed')
    const before = packs()
    change(desk, WORDS, 'The vault stays shut.')
    desk.sync(at(3))

    expect(before).toHaveLength(2)
    expect(packs()).toEqual(before)
    expect(everything()).not.toContain(WORDS)
  })

  it('keeps what another machine is just sending: its branch is not there yet', () => {
    const early = gitIn(remote)(
      'hash-object',
      '-w',
      '-t',
      'blob',
      path.join(laptop.project.memory, 'facts.json'),
    ).trim()
    change(desk, WORDS, 'The vault stays shut.')
    desk.sync(at(3))

    expect(everything()).toContain(early)
  })

  it('has nothing of a machine whose branch was erased', () => {
    expect(runCommand(desk.project, ['sync', 'off', '--erase'], { PATH: process.env.PATH ?? '' }).code).toBe(0)

    expect(everything()).not.toContain(WORDS)
    expect(everything()).toContain('Maps are printed twice.')
    git('fsck', '--full')
  })

  it('is told of where it could not be cleaned', () => {
    change(desk, WORDS, 'The vault stays shut.')
    const [old] = git('rev-parse', `machine/${desk.id}`).split('\n')
    const dir = path.join(remote, 'objects', old?.slice(0, 2) ?? '')
    const away = path.join(path.dirname(remote), 'elsewhere')
    fs.renameSync(dir, away)
    fs.symlinkSync(away, dir)
    const before = fs.readdirSync(away)
    const outcome = desk.sync(at(3))

    // Nothing is deleted through a link.
    expect(fs.readdirSync(away)).toEqual(before)
    expect(outcome?.record.problem).toMatch(/objects/)
  })
})

describe.skipIf(!hasGit)('a row of another machine that names a time to come', () => {
  it('counts as said when it arrived here, and stays so', () => {
    const made = machines('desk', 'laptop')
    const [desk, laptop] = made.all as [Machine, Machine]
    desk.decide('Leads for ever.', '9999-12-31T23:59:59.999Z')
    desk.sync(at(2))
    laptop.sync(at(3))
    const rows = () => readOthers(laptop.project.places, 'machine')
    const first = rows().map(effectiveAt)
    desk.decide('Said later.', at(5))
    desk.sync(at(6))
    laptop.sync(at(7))

    expect(first).toEqual([at(3)])
    expect(
      rows()
        .map((row) => `${effectiveAt(row)} ${row.text}`)
        .sort(),
    ).toEqual([`${at(3)} Leads for ever.`, `${at(5)} Said later.`])
    expect(newestOfOthers(rows())[0]?.text).toBe('Said later.')
  })
})
