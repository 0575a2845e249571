/** One finisher for a project, two on the machine, and no job that nobody does. */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { runFinisher } from '../../../../src/doors/hooks/finish.ts'
import type { Places } from '../../../../src/kernel/platform/disk/locate.ts'
import { ownerOf } from '../../../../src/kernel/platform/disk/owner.ts'
import {
  isFinisherMissing,
  type Job,
  nextJobs,
  requestFinisher,
  takeJobs,
  waitingProject,
} from '../../../../src/kernel/sessions/disk/finisher-queue.ts'
import { envOf, HOOK, payloadOf } from '../../../support/process.ts'
import {
  append,
  linesFor,
  linesNow,
  makeProject,
  quietProject,
  readStateIn,
  sessionId,
  type TestProject,
  treeOf,
  turns,
  write,
} from '../../../support/project.ts'
import { finisherWorld, stop } from '../../../support/world.ts'

const END: Job = { for: 'end', session: 'a' }
const NOTE: Job = { for: 'note' }
const CATCH_UP: Job = { for: 'catch-up' }
const DEAD = spawnSync(process.execPath, ['-e', '']).pid

/** The ids of the finishers that it starts; each is this process, or one that is dead. */
function asking(places: Places, pid: number | undefined): { ask: (job: Job) => void; started: number } {
  const asked = { started: 0, ask: (_: Job): void => undefined }
  asked.ask = (job) =>
    requestFinisher(places, job, () => {
      asked.started++
      return pid
    })
  return asked
}

function ownerFile({ homeDir, project }: Places): string {
  return path.join(homeDir, 'finishers', `${project.key}.json`)
}

describe('a finisher', () => {
  it('is started once while it lives, and sees all jobs', () => {
    const { places } = makeProject()
    const asked = asking(places, process.pid)
    for (const job of [END, NOTE, END]) asked.ask(job)

    expect(asked.started).toBe(1)
    expect(takeJobs(places, END)).toEqual(expect.arrayContaining([END, NOTE]))
    asked.ask(CATCH_UP)
    expect(asked.started).toBe(1)
    expect(nextJobs(places)).toEqual([CATCH_UP])
    expect(nextJobs(places)).toBeNull()
  })

  it('knows what the hook saw of a session that ended', () => {
    const { places } = makeProject()
    const seen: Job = { ...END, seen: { transcript: '/t.jsonl', host: 7 } }
    asking(places, undefined).ask(seen)

    expect(takeJobs(places, END)).toEqual([seen])
  })

  it('does once more what is asked for again while it is at it, and leaves nothing behind', () => {
    const { places } = makeProject()
    expect(takeJobs(places, END)).toEqual([END])
    asking(places, undefined).ask(END)

    expect(nextJobs(places)).toEqual([END])
    expect(nextJobs(places)).toBeNull()
    expect(Object.values(treeOf(path.join(places.homeDir, 'finishers')))).toEqual(['directory'])
  })

  it('that died is followed by another one, which does its jobs', () => {
    const { places } = makeProject()
    takeJobs(places, END)
    fs.writeFileSync(ownerFile(places), JSON.stringify(ownerOf(DEAD)))
    expect(isFinisherMissing(places)).toBe(true)
    const asked = asking(places, DEAD)
    asked.ask(NOTE)
    asked.ask(NOTE)

    expect(asked.started).toBe(2)
    expect(takeJobs(places, NOTE)).toEqual(expect.arrayContaining([END, NOTE]))
    expect(isFinisherMissing(places)).toBe(false)
  })

  it('is not started where two others work, and its job waits for the next event', () => {
    const project = makeProject()
    const others = ['one', 'two'].map((name) => ownerFile(makeProject(name, project.base).places))
    for (const file of others) write(file, JSON.stringify(ownerOf(process.pid)))
    const asked = asking(project.places, process.pid)
    asked.ask(END)

    expect(asked.started).toBe(0)
    expect(takeJobs(project.places, END)).toBeNull()
    expect(isFinisherMissing(project.places)).toBe(true)
    expect(stop(project).started).toEqual([CATCH_UP])
    fs.rmSync(others[0] ?? '')
    asked.ask(NOTE)
    expect(asked.started).toBe(1)
    expect(takeJobs(project.places, NOTE)).toHaveLength(2)
  })

  it('goes on with a project whose session ended while two others worked', async () => {
    const busy = quietProject()
    const late = makeProject('late.js', busy.base)
    append(late.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), late.root), 0, 2))
    stop(late)
    const others = ['one', 'two'].map((name) => ownerFile(makeProject(name, busy.base).places))
    for (const file of others) write(file, JSON.stringify(ownerOf(process.pid)))
    const asked = asking(late.places, process.pid)
    asked.ask({ for: 'end', session: sessionId(1) })
    expect(asked.started).toBe(0)
    expect(waitingProject(busy.places)).toBe(late.places.project.root)
    fs.rmSync(others[0] ?? '')
    await runFinisher(
      busy.root,
      NOTE,
      finisherWorld(busy, { locate: (dir) => (dir === late.root ? late : busy).places }),
    )

    expect(readStateIn(late.memory).sessions[sessionId(1)]).toMatchObject({ isEnded: true, watermark: 6 })
    expect(waitingProject(busy.places)).toBeNull()
  })

  it('is started and works where jobs have no place', () => {
    const { places } = makeProject()
    write(path.join(places.homeDir, 'finishers'), 'a file')
    const asked = asking(places, process.pid)
    for (const job of [END, NOTE]) asked.ask(job)

    expect(asked.started).toBe(2)
    expect(takeJobs(places, END)).toEqual([END])
    expect(nextJobs(places)).toBeNull()
  })

  it('works where a directory stands in the place of its name', () => {
    const { places } = makeProject()
    fs.mkdirSync(ownerFile(places), { recursive: true })
    const asked = asking(places, process.pid)
    asked.ask(END)

    expect(asked.started).toBe(1)
    expect(takeJobs(places, END)).toEqual([END])
    expect(nextJobs(places)).toBeNull()
  })

  it('does what comes while it works, and a failure keeps it from nothing', async () => {
    const project = quietProject()
    append(project.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), project.root), 0, 2))
    stop(project)
    const asked = asking(project.places, undefined)
    let waits = 0
    const wait = async (): Promise<void> => {
      if (waits++ === 0) {
        asked.ask({ for: 'end', session: sessionId(1) })
        throw new Error('the first one fails')
      }
    }
    await runFinisher(project.root, NOTE, finisherWorld(project, { wait }))

    expect(readStateIn(project.memory).sessions[sessionId(1)]).toMatchObject({ isEnded: true, watermark: 6 })
    expect(isFinisherMissing(project.places)).toBe(false)
    expect(asked.started).toBe(0)
  })
})

describe('open tool uses without a result', () => {
  it('start a finisher once, not at every event', () => {
    const project = quietProject({ saveInterval: 3 })
    const lines = linesFor(sessionId(1), project.root)
    append(
      project.transcriptOf(sessionId(1)),
      turns(lines, 0, 2) + lines.use(90, 'killed', 'Bash', { command: 'wait' }),
    )

    expect(stop(project).started).toEqual([NOTE])
    expect(stop(project).started).toEqual([])
    append(project.transcriptOf(sessionId(1)), lines.use(95, 'other', 'Bash', { command: 'more' }))
    expect(stop(project).started).toEqual([NOTE])
    expect(stop(project).started).toEqual([])
  })
})

describe.runIf(process.platform === 'linux')('sessions that end at once', () => {
  it('have one finisher after the other, and all of them are finished', async () => {
    const project = quietProject()
    const sessions = Array.from({ length: 8 }, (_, n) => sessionId(n + 1))
    for (const session of sessions) append(project.transcriptOf(session), turns(linesNow(session, project.root), 0, 2))
    let most = 0
    const look = (): number => {
      const running = fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isFinisherOf(pid, project))
      most = Math.max(most, running.length)
      return running.length
    }
    await Promise.all(sessions.map((session) => ended(project, session, look)))
    while (look() > 0) await sleep(20)

    expect(most).toBe(1)
    const known = readStateIn(project.memory).sessions
    expect(sessions.filter((session) => known[session]?.isEnded !== true)).toEqual([])
    expect(isFinisherMissing(project.places)).toBe(false)
  })
})

function isFinisherOf(pid: string, project: TestProject): boolean {
  try {
    const [, program = '', , root] = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return program.endsWith('keeper.cjs') && root === project.root
  } catch {
    return false
  }
}

/** The end of a session, told by a hook of its own. */
function ended(project: TestProject, session: string, look: () => number): Promise<unknown> {
  const hook = spawn(process.execPath, [HOOK], {
    cwd: project.root,
    env: envOf(project),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  hook.stdin.end(JSON.stringify(payloadOf(project, { hook_event_name: 'SessionEnd', session_id: session })))
  const timer = setInterval(look, 5)
  return new Promise((resolve) => hook.once('exit', resolve)).finally(() => clearInterval(timer))
}
