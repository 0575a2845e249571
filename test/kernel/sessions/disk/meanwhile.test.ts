/** While the state cannot be read, sessions are kept at home; once it can, they join the memory, none lost and none twice. */
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
  await end(project, SECOND)
  return { project, before }
}

describe('a state that nobody may read', () => {
  it('leaves the project as it is; sessions are captured at home', async () => {
    const { project, before } = await interrupted()

    expect(runCommandJson(project, ['verify'])).toMatchObject({ code: 0, json: { complete: true } })
    expect(textsIn(project.places.atHome)).toHaveLength(8 * 3)
    vi.restoreAllMocks()
    expect(treeOf(project.memory)).toEqual(before)
  })

  it('is told of at every start and by doctor, with the way back, and what is remembered is told', async () => {
    const { project } = await interrupted()
    const first = begin(project, sessionId(8))

    expect(first.notice).toContain(stateOf(project))
    expect(first.notice.split('\n')).toHaveLength(1)
    expect(first.context).toContain('question')
    expect(begin(project, sessionId(9)).notice).toBe(first.notice)
    expect(runCommand(project, ['doctor']).out).toContain(`chmod u+rw ${stateOf(project)}`)
    expect(runCommand(project, ['note', '--text', 'x'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be read'),
    })
  })

  it('that can be read again gets all of it, once, with its notes', async () => {
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
    expect(fs.existsSync(project.places.atHome)).toBe(false)
    const notes = fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8').match(/session=\w+ entries=\d+-\d+/g)
    expect(notes).toEqual([
      'session=00000001 entries=0-9',
      expect.stringMatching(/session=0000000[12] entries=(?:9-15|0-9)/),
      expect.stringMatching(/session=0000000[12] entries=(?:9-15|0-9)/),
    ])
  })

  it('gets it also where the host has deleted the transcripts meanwhile', async () => {
    const { project } = await interrupted()
    for (const session of [FIRST, SECOND]) fs.rmSync(project.transcriptOf(session))
    vi.restoreAllMocks()
    await end(project, sessionId(5))
    await end(project, sessionId(5))

    expect(textsIn(project.memory)).toHaveLength(8 * 3)
    expect(new Set(textsIn(project.memory)).size).toBe(8 * 3)
    expect(Object.keys(readStateIn(project.memory).sessions).sort()).toEqual([FIRST, SECOND])
  })

  it('gets it where the user deletes the state instead', async () => {
    const { project } = await interrupted()
    vi.restoreAllMocks()
    fs.rmSync(stateOf(project))
    for (const session of [FIRST, SECOND]) fs.rmSync(project.transcriptOf(session))
    await end(project, sessionId(5))
    await end(project, sessionId(5))

    expect(textsIn(project.memory)).toHaveLength(8 * 3)
    expect(new Set(textsIn(project.memory)).size).toBe(8 * 3)
  })

  it('leaves a memory at home that was there before', async () => {
    const project = quietProject({ storage: 'home' }, fastDir())
    work(project, sessionId(7), 0, 1)
    fs.rmSync(project.transcriptOf(sessionId(7)))
    fs.writeFileSync(path.join(project.keeper, 'config.json'), '{"summarizer":"extractive","rules":false}')
    work(project, FIRST, 0, 1)
    hideFiles([stateOf(project)])
    work(project, FIRST, 1, 2)
    vi.restoreAllMocks()
    await end(project, FIRST)

    expect(fs.existsSync(path.join(project.places.atHome, 'memory-index.json'))).toBe(true)
    expect(fs.existsSync(path.join(project.places.atHome, '.meanwhile'))).toBe(false)
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
