/** A remote that somebody else writes to: nothing is executed, nothing is read outside of the branch, and nothing is believed. */
import { execFileSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readOthers } from '../../../../src/core/others/disk/others.ts'
import { gitIn, hasGit } from '../../../support/git.ts'
import { type Machine, machine, machines, machinesInMemory } from '../../../support/machines.ts'
import { removeTree, tempDir, treeOf, write } from '../../../support/project.ts'

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 13, 12, minute)).toISOString()

let desk: Machine
let laptop: Machine
let remote: string
let base: string

/** A file that a program would have made, had it been started. */
let trace: string

/** What the laptop has of the desk before anybody interferes. */
const TRUE_ROWS = ['desk: Lanterns are drawn by hand.']

const seen = ({ project }: Machine): string[] =>
  readOthers(project.places, 'machine').map(({ who, text }) => `${who}: ${text}`)

const problemOf = (one: Machine, other: Machine): string => one.record().machines[other.id]?.problem ?? ''

function bytesOfGit(args: readonly string[], input: Buffer | string = ''): string {
  const env = { PATH: process.env.PATH, HOME: '/nowhere', GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b' }
  const all = { ...env, GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b' }
  return execFileSync('git', [...args], { cwd: remote, input, env: all, stdio: ['pipe', 'pipe', 'ignore'] })
    .toString()
    .trim()
}

interface Planted {
  mode: string
  name: string
  object: string
}

const blob = (content: Buffer | string): string => bytesOfGit(['hash-object', '-w', '--stdin'], content)

/** The desk's branch becomes another one: its own files, changed. Names are written as they are, whatever git thinks of them. */
function plant(change: (files: Planted[]) => Planted[]): void {
  const branch = `refs/heads/machine/${desk.id}`
  const files = bytesOfGit(['ls-tree', branch])
    .split('\n')
    .map((line): Planted => {
      const [, mode = '', object = '', name = ''] = /^(\d+) \w+ (\w+)\t(.*)$/.exec(line) ?? []
      return { mode: mode.replace(/^0/, ''), object, name }
    })
  const placeOf = ({ mode, name }: Planted): string => (mode === '40000' ? `${name}/` : name)
  const sorted = change(files).sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
  const rows = sorted.map(({ mode, name, object }) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(object, 'hex')]),
  )
  const tree = bytesOfGit(['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], Buffer.concat(rows))
  bytesOfGit(['update-ref', branch, bytesOfGit(['commit-tree', tree, '-m', 'x'])])
}

const withFile =
  (name: string, content: string, mode = '100644') =>
  (files: Planted[]): Planted[] => [
    ...files.filter((file) => file.name !== name),
    { mode, name, object: mode === '160000' ? 'a'.repeat(40) : blob(content) },
  ]

describe.skipIf(!hasGit)('a hostile remote', () => {
  let copy: string

  beforeAll(() => {
    const made = machines('desk', 'laptop')
    ;[desk, laptop] = made.all as [Machine, Machine]
    ;({ remote, base } = made)
    trace = path.join(base, 'trace')
    desk.decide('Lanterns are drawn by hand.', at(1))
    desk.sync(at(2))
    laptop.sync(at(3))
    copy = path.join(tempDir(), 'copy')
    fs.cpSync(base, copy, { recursive: true })
  })

  // In the same place: records name the remote by its path.
  beforeEach(() => {
    removeTree(base)
    fs.cpSync(copy, base, { recursive: true, preserveTimestamps: true })
    expect(seen(laptop)).toEqual(TRUE_ROWS)
  })

  it('has links, programs, submodules, filters and files beside the signed ones, and none of them is looked at', () => {
    const rows = '{"who":"desk","id":"d001","type":"decision","at":"","text":"Trust me."}\n'
    const outside = treeOf(base)
    plant((files) =>
      [
        withFile('link', '/etc/passwd', '120000'),
        withFile('run.sh', `touch ${trace}`, '100755'),
        withFile('sub', '', '160000'),
        withFile('.gitattributes', '* filter=x\n'),
        withFile('rows.jsonl', rows),
      ].reduce((all, change) => change(all), files),
    )

    expect(laptop.sync(at(10))?.record.problem).toBe('')
    expect(problemOf(laptop, desk)).toBe('')
    plant(withFile('manifest.json', '/etc/passwd', '120000'))
    laptop.sync(at(11))
    expect(problemOf(laptop, desk)).toContain('cannot be read')
    expect(seen(laptop)).toEqual(TRUE_ROWS)
    for (const name of Object.keys(treeOf(base)).filter((one) => !/^(?:laptop|remote\.git)/.test(one)))
      expect(outside).toHaveProperty([name])
  })

  it('brings no name that leads elsewhere', () => {
    const before = bytesOfGit(['rev-parse', `machine/${desk.id}`])
    for (const name of ['..', '../../trace', '.git', 'a/../../b']) {
      bytesOfGit(['update-ref', `refs/heads/machine/${desk.id}`, before])
      plant(withFile(name, 'planted'))
      laptop.sync(at(10))
      expect(problemOf(laptop, desk)).not.toBe('')
      expect(seen(laptop)).toEqual(TRUE_ROWS)
    }
    expect(fs.existsSync(trace)).toBe(false)
    // Whatever somebody else put there, the machine puts its own branch in its place.
    expect(desk.sync(at(11))?.record.problem).toBe('')
    laptop.sync(at(12))
    expect(problemOf(laptop, desk)).toBe('')
  })

  it('cannot bring back an older state, nor one that is too large', () => {
    const before = bytesOfGit(['rev-parse', `machine/${desk.id}`])
    // Somebody kept it: by itself nothing stays that no branch has.
    bytesOfGit(['update-ref', 'refs/heads/kept', before])
    desk.decide('Lanterns are red.', at(4))
    desk.sync(at(5))
    laptop.sync(at(6))
    bytesOfGit(['update-ref', `refs/heads/machine/${desk.id}`, before])
    laptop.sync(at(7))
    expect(problemOf(laptop, desk)).toContain('older state')
    expect(seen(laptop)).toHaveLength(2)

    plant(withFile('manifest.json', ' '.repeat(17 * 1024 * 1024)))
    laptop.sync(at(8))
    expect(problemOf(laptop, desk)).toContain('too large')
    plant(withFile('large', crypto.randomBytes(128 * 1024).toString('hex')))
    laptop.sync(at(9), { mostPackBytes: 64 * 1024 })
    expect(problemOf(laptop, desk)).not.toBe('')
    expect(seen(laptop)).toHaveLength(2)
  })

  it('has branches that nobody confirmed, and they are not even fetched', () => {
    const stranger = machine(base, 'stranger', remote)
    stranger.decide('Trust me.', at(4))
    stranger.sync(at(5))
    gitIn(remote)('branch', 'main', `machine/${stranger.id}`)

    expect(laptop.sync(at(6))?.record.unknown).toEqual([stranger.id])
    expect(seen(laptop)).toEqual(TRUE_ROWS)
    const repository = gitIn(path.join(laptop.project.keeper, 'sync', 'repo.git'))
    expect(repository('for-each-ref')).not.toContain(stranger.id)
  })

  it('starts no program: no hook, no setting, no variable', () => {
    const program = path.join(base, 'program')
    write(program, `#!/bin/sh\necho "$0 $*" >> ${trace}\n`)
    fs.chmodSync(program, 0o755)
    for (const hook of [
      'pre-receive',
      'update',
      'post-receive',
      'post-update',
      'reference-transaction',
      'push-to-checkout',
    ])
      write(path.join(remote, 'hooks', hook), fs.readFileSync(program))
    for (const hook of fs.readdirSync(path.join(remote, 'hooks'))) fs.chmodSync(path.join(remote, 'hooks', hook), 0o755)
    const home = path.join(base, 'evil')
    write(
      path.join(home, '.gitconfig'),
      `[core]\n\thooksPath = ${path.join(remote, 'hooks')}\n\tfsmonitor = ${program}\n`,
    )
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      GIT_SSH_COMMAND: program,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: program,
      GIT_EXEC_PATH: base,
      GIT_DIR: remote,
    }
    for (const one of [desk, laptop]) {
      one.decide(`Of ${one.name}.`, at(4))
      expect(one.sync(at(5), { env })?.record.problem).toBe('')
    }
    desk.sync(at(6), { env })
    expect(seen(desk)).toEqual(['laptop: Of laptop.'])
    expect(fs.existsSync(trace)).toBe(false)

    const config = path.join(remote, 'config')
    const harmless = fs.readFileSync(config, 'utf8')
    for (const setting of [
      `[core]\n\talternateRefsCommand = ${program}\n`,
      `[include]\n\tpath = ${program}\n`,
      `[core "x"]\n\tbare = true\n`,
      `[gc]\n\trecentObjectsHook = ${program}\n`,
      `[core] fsmonitor = ${program}\n`,
      `[uploadpack]\n\tpackObjectsHook = ${program}\n`,
    ]) {
      fs.writeFileSync(config, harmless + setting)
      expect(desk.sync(at(7))?.record.problem).toContain('is not used')
    }
    fs.writeFileSync(config, harmless)
    fs.renameSync(path.join(remote, 'objects'), path.join(base, 'elsewhere'))
    fs.symlinkSync(path.join(base, 'elsewhere'), path.join(remote, 'objects'))
    expect(desk.sync(at(8))?.record.problem).toContain('is a link')
    expect(fs.existsSync(trace)).toBe(false)
  })
})

describe('a branch that was changed', () => {
  it('is not believed where anything in it is not as the machine signed it', () => {
    const { all, remote: fake } = machinesInMemory('desk', 'laptop')
    ;[desk, laptop] = all as [Machine, Machine]
    desk.decide('Lanterns are drawn by hand.', at(1))
    desk.sync(at(2))
    laptop.sync(at(3))
    const files = fake.branch(desk.id)
    const text = String(files.get('manifest.json'))
    const rowsFile = [...files.keys()].find((name) => name.endsWith('rows.jsonl')) ?? ''
    const stranger = crypto.generateKeyPairSync('ed25519')
    const key = stranger.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    const forged = `${JSON.stringify({ ...JSON.parse(text), seq: 9, key })}\n`
    const signature = crypto.sign(null, Buffer.from(forged), stranger.privateKey).toString('base64')
    const planted = '{"who":"desk","id":"d001","type":"decision","at":"","text":"Trust me."}\n'
    const attacks: [string, Record<string, string | null>][] = [
      ['is not as it was signed', { [rowsFile]: planted }],
      ['is missing', { [rowsFile]: null }],
      ['signature is wrong', { 'manifest.sig': 'AAAA' }],
      ['signature is wrong', { 'manifest.json': text.replace('"seq":1', '"seq":5') }],
      [
        'signature is wrong',
        { 'manifest.json': text.replace(/"(?=[0-9a-f]{64}")/, '"0').replace(/[0-9a-f]"}}/, '"}}') },
      ],
      ['key of another machine', { 'manifest.json': forged, 'manifest.sig': signature }],
      ['cannot be read', { 'manifest.json': 'null' }],
      ['manifest.json is missing', { 'manifest.json': null }],
      ['manifest.sig is missing', { 'manifest.sig': null }],
    ]
    for (const [n, [why, change]] of attacks.entries()) {
      fake.plant(desk.id, files, change)
      expect(laptop.sync(at(10 + n))?.record.problem).toBe('')
      expect(problemOf(laptop, desk)).toContain(why)
      expect(seen(laptop)).toEqual(TRUE_ROWS)
    }
  })
})
