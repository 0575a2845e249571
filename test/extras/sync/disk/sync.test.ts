/** Sync with real git: what a machine remembers reaches the user's other machines, and what is forgotten goes everywhere. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readOthers } from '../../../../src/core/others/disk/others.ts'
import { syncLine, writeSync } from '../../../../src/extras/sync/disk/record.ts'
import { gitIn, hasGit } from '../../../support/git.ts'
import { type Machine, machine, machines, ORIGIN } from '../../../support/machines.ts'
import { runCommand, runCommandJson } from '../../../support/process.ts'
import { append, linesFor, sessionId, story, write } from '../../../support/project.ts'
import { finishHere, hookHere, LATER } from '../../../support/world.ts'

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 13, 12, minute)).toISOString()

const seen = ({ project }: Machine): string[] =>
  readOthers(project.places, 'machine')
    .map(({ who, text }) => `${who}: ${text}`)
    .sort()

function pair(): { desk: Machine; laptop: Machine; remote: string; base: string } {
  const { all, ...rest } = machines('desk', 'laptop')
  const [desk, laptop] = all as [Machine, Machine]
  return { desk, laptop, ...rest }
}

describe.skipIf(!hasGit)('sync', () => {
  it('brings what one machine decided to another one, under its name', () => {
    const { desk, laptop } = pair()
    desk.decide('Lanterns are drawn by hand.', at(1))

    const sent = desk.sync(at(2))
    const got = laptop.sync(at(3))

    expect([sent?.record.problem, got?.record.problem]).toEqual(['', ''])
    expect(sent?.isSent).toBe(true)
    expect(seen(laptop)).toEqual(['desk: Lanterns are drawn by hand.'])
    expect(desk.sync(at(4))?.isSent).toBe(false)
  })

  it('keeps one commit without history in one branch for each machine', () => {
    const { desk, laptop, remote } = pair()
    for (const minute of [1, 2, 3]) {
      desk.decide(`Decision ${minute}.`, at(minute))
      desk.sync(at(minute))
    }
    laptop.sync(at(5))

    const git = gitIn(remote)
    const branches = git('for-each-ref', '--format=%(refname)').trim().split('\n')
    expect(branches).toEqual([desk.id, laptop.id].map((id) => `refs/heads/machine/${id}`).sort())
    expect(git('rev-list', '--count', `machine/${desk.id}`).trim()).toBe('1')
    const objects = gitIn(path.join(laptop.project.keeper, 'sync', 'repo.git'))(
      'cat-file',
      '--batch-all-objects',
      '--batch-check',
    )
    // Of each branch a commit and its trees and files; nothing of what came before.
    expect(
      objects
        .trim()
        .split('\n')
        .filter((line) => line.includes(' commit ')),
    ).toHaveLength(2)
  })

  it('keeps everything while the remote is away, and fills an empty one again', () => {
    const { desk, laptop, remote } = pair()
    desk.decide('Lanterns are drawn by hand.', at(1))
    desk.sync(at(2))
    laptop.sync(at(3))
    fs.renameSync(remote, `${remote}.away`)

    desk.decide('Lanterns are red.', at(4))
    const failed = desk.sync(at(5))
    expect(failed?.record.problem).toContain('not there')
    laptop.sync(at(5))
    expect(seen(laptop)).toEqual(['desk: Lanterns are drawn by hand.'])

    gitIn(path.dirname(remote))('init', '-q', '--bare', remote)
    laptop.sync(at(6))
    expect(seen(laptop)).toEqual(['desk: Lanterns are drawn by hand.'])
    desk.sync(at(7))
    laptop.sync(at(8))
    expect(seen(laptop)).toEqual(['desk: Lanterns are drawn by hand.', 'desk: Lanterns are red.'])
  })

  it.skipIf(process.platform === 'win32')(
    'reaches a server by the settings of the user, and by no variable of a session',
    () => {
      const { desk, base, remote } = pair()
      const home = path.join(base, 'home')
      const trace = path.join(base, 'trace')
      const script = (name: string, body: string): string => {
        write(path.join(base, name), `#!/bin/sh\n${body}\n`)
        fs.chmodSync(path.join(base, name), 0o755)
        return path.join(base, name)
      }
      // As ssh is called: options, the host, the command.
      const ssh = script('ssh', 'while [ "$1" = -o ]; do shift 2; done; shift; exec sh -c "$*"')
      const evil = script('evil', `touch ${trace}; exit 1`)
      write(
        path.join(home, '.gitconfig'),
        `[core]\n\tsshCommand = ${ssh}\n\thooksPath = ${base}\n[alias]\n\tpush = !${evil}\n`,
      )
      writeSync(desk.project.keeper, { ...desk.record(), remote: `me@server.example:${remote}` })
      desk.decide('Lanterns are drawn by hand.', at(1))
      const env = { PATH: process.env.PATH, HOME: home, GIT_SSH_COMMAND: evil, GIT_ASKPASS: evil, SSH_ASKPASS: evil }

      expect(desk.sync(at(2), { env })).toMatchObject({ isSent: true, record: { problem: '' } })
      expect(gitIn(remote)('for-each-ref')).toContain(desk.id)
      expect(fs.existsSync(trace)).toBe(false)
    },
  )

  it('tells of a push that the remote rejects, and sends again later', () => {
    const { desk, laptop, remote } = pair()
    desk.decide('One.', at(1))
    desk.sync(at(1))
    gitIn(remote)('config', 'receive.denyNonFastForwards', 'true')
    desk.decide('Two.', at(2))

    expect(desk.sync(at(3))?.record.problem).toMatch(/rejected|denying/)
    gitIn(remote)('config', 'receive.denyNonFastForwards', 'false')
    expect(desk.sync(at(4))?.record.problem).toBe('')
    laptop.sync(at(5))
    expect(seen(laptop)).toEqual(['desk: One.', 'desk: Two.'])
  })

  it('keeps the folders of other projects, and gives a project to one directory of a machine only', () => {
    const { desk, laptop, base, remote } = pair()
    const other = machine(base, 'desk', remote, path.join(base, 'desk', 'second'))
    writeSync(desk.project.keeper, { ...desk.record(), machines: laptop.record().machines })
    desk.decide('Of the first.', at(1))
    other.decide('Of the second.', at(1))
    desk.sync(at(2))

    expect(other.sync(at(3))).toBeNull()
    write(
      path.join(other.project.root, '.git', 'config'),
      `[remote "origin"]\n\turl = https://example.com/team/second\n`,
    )
    other.sync(at(4))
    laptop.sync(at(5))
    expect(seen(laptop)).toEqual(['desk: Of the first.'])
  })

  it('is set up, confirmed, looked at and left by commands', () => {
    const { desk, base } = pair()
    const env = { PATH: process.env.PATH }
    const where = path.join(base, 'stick')
    const run = (one: Machine, ...args: string[]) => runCommand(one.project, args, env)
    const machineOf = (name: string): Machine => {
      const one = machine(base, name, where)
      fs.rmSync(path.join(one.project.keeper, 'sync'), { recursive: true })
      one.decide(`What ${name} decided.`, at(1))
      return one
    }
    const [a, b] = [machineOf('anvil'), machineOf('bellows')]
    expect(run(a, 'sync').err).toContain('sync init')
    expect(run(a, 'sync', 'init', a.project.root).err).toContain('repository of the project itself')
    expect(run(a, 'sync', 'init', ORIGIN).err).toContain('repository of the project itself')
    expect(run(a, 'sync', 'init', 'ext::sh -c id').err).toContain('cannot be used')
    expect(run(a, 'sync', 'init', where)).toMatchObject({ code: 0, err: '' })
    const key = path.join(a.project.keeper, 'sync', 'machine.key')
    if (process.platform !== 'win32') expect(fs.statSync(key).mode & 0o777).toBe(0o600)
    expect(run(a, 'sync', 'name', 'anvil').code).toBe(0)
    expect(run(a, 'sync').code).toBe(0)
    expect(run(b, 'sync', 'init', where).out).toContain('Not confirmed and not read')
    expect(seen(b)).toEqual([])

    const idOf = (one: Machine): string => String(runCommandJson(one.project, ['sync', 'status'], env).json.id)
    expect(run(b, 'sync', '--accept', idOf(a).slice(0, 8)).code).not.toBe(0)
    expect(run(b, 'sync', '--accept', idOf(a)).out).toContain('anvil: 1 line')
    expect(seen(b)).toEqual(['anvil: What anvil decided.'])
    expect(run(a, 'sync', '--accept', idOf(b)).code).toBe(0)
    expect(run(a, 'sync', 'name', 'Forge')).toMatchObject({ code: 0 })
    expect([run(a, 'sync').code, run(b, 'sync').code]).toEqual([0, 0])
    expect(seen(b)).toEqual(['forge: What anvil decided.'])
    expect(run(b, 'status').out).toMatch(/sync +with forge; last/)
    expect(run(b, 'doctor').out).toMatch(/sync.*with forge/)

    expect(run(b, 'sync', '--drop', 'forge').code).toBe(0)
    expect(seen(b)).toEqual([])
    expect(run(b, 'sync', 'off', '--erase').out).toContain('deleted from')
    expect(gitIn(where)('for-each-ref', '--format=%(refname)').trim().split('\n')).toHaveLength(1)
    expect(fs.existsSync(path.join(b.project.keeper, 'sync'))).toBe(false)
    expect(desk.record().remote).not.toBe(where)
  })
})

const WITH_GIT = { env: { PATH: process.env.PATH, HOME: '/nowhere' }, now: () => LATER }
/** Long after the last sync. */
const TOMORROW = { now: () => new Date(Date.now() + 24 * 60 * 60_000).toISOString() }

const start = (session: string) => ({ hook_event_name: 'SessionStart', session_id: session, source: 'startup' })

/** Fetched when a session starts, exchanged when one ends, and never waited for. */
describe.skipIf(!hasGit)('a second machine', () => {
  it('is told at its first session in a project what the first one did, and gets no directory by that', async () => {
    const { desk, laptop } = pair()
    const session = sessionId(7)
    append(desk.project.transcriptOf(session), story(linesFor(session, desk.project.root)))
    await finishHere(desk.project, { for: 'end', session }, WITH_GIT)
    expect(syncLine(desk.project.keeper, 'UTC')).toMatchObject({ isFine: true })

    const first = hookHere(laptop.project, start(sessionId(8)), TOMORROW)
    expect(first.started).toEqual([{ for: 'catch-up' }])
    expect(first.context).not.toContain('Other Machines')
    await finishHere(laptop.project, { for: 'catch-up' }, WITH_GIT)

    const { context, started } = hookHere(laptop.project, start(sessionId(9)), { now: () => new Date().toISOString() })
    expect(context).toMatch(/## From Your Other Machines\n- desk:stands-00000007 2026-01-13 \(from “desk”\): “/)
    expect(started).toEqual([])
    expect(fs.existsSync(laptop.project.memory)).toBe(false)
    expect(desk.record().machines[laptop.id]?.problem).toContain('sent nothing yet')
  })

  it('hears of nothing where sync is off, and no program is started for it', () => {
    const [desk] = machines('desk').all as [Machine]
    fs.rmSync(path.join(desk.project.keeper, 'sync'), { recursive: true })

    expect(hookHere(desk.project, start(sessionId(8)), TOMORROW).started).toEqual([])
    expect(desk.sync(LATER)).toBeNull()
  })
})
