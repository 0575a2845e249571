/** While the state cannot be read, sessions wait in their transcripts; once it can, they are captured, none lost and none twice. */
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runCommand, runCommandJson } from '../../../support/process.ts'
import {
  append,
  fastDir,
  linesFor,
  quietProject,
  readStateIn,
  sessionId,
  type TestProject,
  textsIn,
  treeOf,
  turns,
  write,
} from '../../../support/project.ts'
import { hideFiles } from '../../../support/unreadable.ts'
import { begin, finishHere, hookHere, LATER, prompt, stop } from '../../../support/world.ts'

const FIRST = sessionId(1)
const SECOND = sessionId(2)

afterEach(() => vi.restoreAllMocks())

async function end(project: TestProject, session: string): Promise<void> {
  hookHere(project, { hook_event_name: 'SessionEnd', session_id: session })
  await finishHere(project, { for: 'end', session }, { now: () => LATER, isAlive: () => false })
}

function work(project: TestProject, session: string, from: number, to: number): void {
  append(project.transcriptOf(session), turns(linesFor(session, project.root), from, to))
  stop(project, {}, {}, session)
}

const stateOf = (project: TestProject): string => path.join(project.memory, 'memory-index.json')

/** One session is noted and goes on; then nobody may read the state, and another session begins and ends. */
async function interrupted(): Promise<{ project: TestProject; before: Record<string, string> }> {
  const project = quietProject({}, fastDir())
  work(project, FIRST, 0, 3)
  await end(project, FIRST)
  const before = treeOf(project.memory)
  hideFiles([stateOf(project)])
  work(project, FIRST, 3, 5)
  begin(project, SECOND)
  prompt(project, {}, {}, SECOND)
  work(project, SECOND, 10, 13)
  hookHere(project, { hook_event_name: 'SessionEnd', session_id: SECOND })
  return { project, before }
}

describe('a state that nobody may read', () => {
  it('leaves the project and the home as they are; no hook starts anything', async () => {
    const { project, before } = await interrupted()
    const { started } = hookHere(project, { hook_event_name: 'SessionEnd', session_id: SECOND })

    expect(started).toEqual([])
    await expect(finishHere(project, { for: 'end', session: SECOND })).rejects.toThrow(
      expect.objectContaining({ code: 'unreadable' }),
    )
    vi.restoreAllMocks()
    expect(treeOf(project.memory)).toEqual(before)
    expect(fs.existsSync(project.places.atHome)).toBe(false)
  })

  it('is told of at every start and by doctor, with the way back, and what is remembered is told', async () => {
    const { project } = await interrupted()
    const first = begin(project, sessionId(8))

    expect(first.notice).toContain(stateOf(project))
    expect(first.notice).toContain('sessions wait in their transcripts, which Claude Code deletes after 30 days')
    expect(first.notice.split('\n')).toHaveLength(1)
    expect(first.context).toContain('question')
    expect(begin(project, sessionId(9)).notice).toBe(first.notice)
    const { out } = runCommand(project, ['doctor'])
    expect(out).toContain(`chmod u+rw ${stateOf(project)}`)
    expect(out).toContain('Claude Code deletes after 30 days (cleanupPeriodDays)')
  })

  it.each([['note', '--text', 'x'], ['import'], ['import', '--dry-run'], ['import', '--all'], ['verify']])(
    'makes %s %s fail with the way back',
    async (...args) => {
      const { project } = await interrupted()

      expect(runCommand(project, args)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/memory-index\.json cannot be read\..*memory-keeper restore/),
      })
    },
  )

  it('that can be read again gets all of it from the transcripts, once, with its notes', async () => {
    const { project } = await interrupted()
    vi.restoreAllMocks()
    await end(project, SECOND)
    await end(project, FIRST)

    expect(
      textsIn(project.memory)
        .filter((text) => text.startsWith('question'))
        .sort(),
    ).toEqual([0, 1, 2, 3, 4, 10, 11, 12].map((n) => `question ${n}`).sort())
    expect(textsIn(project.memory)).toHaveLength(8 * 3)
    expect(runCommandJson(project, ['verify'])).toMatchObject({ code: 0, json: { complete: true } })
    const notes = fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8').match(/session=\w+ entries=\d+-\d+/g)
    expect(notes).toEqual([
      'session=00000001 entries=0-9',
      expect.stringMatching(/session=0000000[12] entries=(?:9-15|0-9)/),
      expect.stringMatching(/session=0000000[12] entries=(?:9-15|0-9)/),
    ])
  })

  it('gets it at the next start where only that comes', async () => {
    const { project } = await interrupted()
    vi.restoreAllMocks()
    begin(project, sessionId(5))

    expect(textsIn(project.memory).filter((text) => text.startsWith('question 1'))).not.toEqual([])
  })

  it('gets it where the user deletes the state instead', async () => {
    const { project } = await interrupted()
    vi.restoreAllMocks()
    fs.rmSync(stateOf(project))
    await end(project, sessionId(5))

    expect(textsIn(project.memory)).toHaveLength(8 * 3)
    expect(new Set(textsIn(project.memory)).size).toBe(8 * 3)
  })
})

describe('a directory in the place of the state', () => {
  it('is set aside, and the state comes back from the vault', async () => {
    const project = quietProject({}, fastDir())
    work(project, FIRST, 0, 3)
    await end(project, FIRST)
    const before = readStateIn(project.memory)
    fs.rmSync(stateOf(project))
    fs.mkdirSync(stateOf(project))
    write(path.join(stateOf(project), 'file'), 'of somebody\n')
    work(project, FIRST, 3, 4)

    const after = readStateIn(project.memory)
    expect(after.beganAt).toBe(before.beganAt)
    expect(textsIn(project.memory)).toHaveLength(4 * 3)
    const [aside = ''] = fs.readdirSync(project.memory).filter((name) => name.startsWith('memory-index.json.broken-'))
    expect(fs.readFileSync(path.join(project.memory, aside, 'file'), 'utf8')).toBe('of somebody\n')
    expect(runCommand(project, ['doctor']).out).toContain(aside)
  })
})

describe('a memory at home', () => {
  it('has notes and tells them like any other', async () => {
    const project = quietProject({ storage: 'home' }, fastDir())
    work(project, FIRST, 0, 4)
    await end(project, FIRST)

    expect(fs.readFileSync(path.join(project.places.atHome, 'memory.md'), 'utf8')).toContain('session=00000001')
    expect(begin(project, SECOND).context).toContain('question')
  })
})
