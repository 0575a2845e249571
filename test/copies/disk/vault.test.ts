/** The vault: what a project lost comes back. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type HookPayload, runCommand, runCommandJson } from '../../support/process.ts'
import {
  append,
  linesNow,
  makeProject,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  textsIn,
  treeOf,
  turn,
  turns,
  write,
} from '../../support/project.ts'
import { finishHere, type Hooked, hookHere } from '../../support/world.ts'

const SESSION = sessionId(1)
const OTHER = sessionId(2)

const clock = (): string => new Date().toISOString()

function hook(project: TestProject, payload: HookPayload): Hooked {
  return hookHere(project, payload, { now: clock })
}

function finish(project: TestProject): Promise<void> {
  return finishHere(project, { for: 'catch-up' }, { now: clock })
}

/** Two sessions captured, a page by hand, the vault filled. */
async function keptProject(): Promise<TestProject> {
  const project = quietProject()
  for (const session of [SESSION, OTHER]) {
    append(project.transcriptOf(session), turns(linesNow(session, project.root), 0, 2))
    hook(project, { hook_event_name: 'Stop', session_id: session })
  }
  write(path.join(project.memory, 'project.md'), '# by hand\n')
  await finish(project)
  expect(fs.existsSync(path.join(project.keeper, 'logs'))).toBe(false)
  return project
}

function begin(project: TestProject): Hooked {
  return hook(project, { hook_event_name: 'SessionStart', session_id: sessionId(9), source: 'startup' })
}

/** All that is worth keeping: without what belongs to the machine or to the moment. */
function worthOf(dir: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(treeOf(dir)).filter(([name]) => !/^(?:journal|logs|\.owner|\.lock|notices\.json)/.test(name)),
  )
}

describe('the vault', () => {
  it('holds a copy of everything', async () => {
    const project = await keptProject()

    expect(worthOf(project.places.vault)).toEqual(worthOf(project.memory))
    expect(fs.existsSync(path.join(project.places.vault, '.owner'))).toBe(false)
  })

  it('brings all back after the memory was deleted, and says so', async () => {
    const project = await keptProject()
    const before = worthOf(project.memory)
    fs.rmSync(project.memory, { recursive: true })

    expect(begin(project).notice).toMatch(/restored/)
    expect(worthOf(project.memory)).toEqual(before)
    expect(begin(project).notice).toBe('')
    append(project.transcriptOf(SESSION), turn(linesNow(SESSION, project.root), 2))
    hook(project, { hook_event_name: 'Stop', session_id: SESSION })
    expect(textsIn(project.memory)).toHaveLength(15)
    expect(readStateIn(project.memory).counter).toBe(5)
  })

  it('brings back sessions whose transcripts the host has deleted', async () => {
    const project = await keptProject()
    fs.rmSync(path.dirname(project.transcriptOf(SESSION)), { recursive: true })
    fs.rmSync(project.memory, { recursive: true })
    begin(project)

    expect(textsIn(project.memory)).toHaveLength(12)
  })

  it.each(['Stop', 'UserPromptSubmit', 'SessionEnd'])(
    'brings all back when the memory is deleted within a session: %s',
    async (event) => {
      const project = await keptProject()
      fs.rmSync(project.transcriptOf(OTHER))
      fs.rmSync(project.memory, { recursive: true })
      append(project.transcriptOf(SESSION), turn(linesNow(SESSION, project.root), 2))
      const { out } = hook(project, { hook_event_name: event, session_id: SESSION })
      await finish(project)

      expect(/restored/.test(out)).toBe(event !== 'SessionEnd')
      expect(begin(project).notice).toBe('')
      expect(textsIn(project.memory)).toHaveLength(15)
      expect(Object.keys(readStateIn(project.places.vault).sessions).sort()).toEqual([SESSION, OTHER].sort())
    },
  )

  it('brings all back when it was killed on the way', async () => {
    const project = await keptProject()
    fs.rmSync(project.memory, { recursive: true })
    storeOf(project).prepare()
    begin(project)

    expect(textsIn(project.memory)).toHaveLength(12)
  })

  it('does not double what came after it was filled', async () => {
    const project = await keptProject()
    append(project.transcriptOf(SESSION), turn(linesNow(SESSION, project.root), 2))
    hook(project, { hook_event_name: 'Stop', session_id: SESSION })
    fs.rmSync(project.memory, { recursive: true })
    begin(project)
    hook(project, { hook_event_name: 'Stop', session_id: SESSION })

    expect(textsIn(project.memory)).toHaveLength(15)
  })

  it('gives back single files by hand, and leaves what is there', async () => {
    const project = await keptProject()
    const before = worthOf(project.memory)
    const file = Object.keys(before).find((name) => name.startsWith(path.join('sessions', '2'))) ?? ''
    fs.rmSync(path.join(project.memory, file))
    write(path.join(project.memory, 'project.md'), '# changed\n')
    const planned = runCommandJson(project, ['restore', '--dry-run'])
    expect(planned.json).toMatchObject({ restored: [file], dryRun: true })
    expect(fs.existsSync(path.join(project.memory, file))).toBe(false)

    expect(runCommandJson(project, ['restore']).json).toMatchObject({ restored: [file], dryRun: false })
    expect(worthOf(project.memory)).toEqual({ ...before, 'project.md': '# changed\n' })
    expect(runCommand(project, ['verify']).code).toBe(0)
  })

  it('gives back everything by hand', async () => {
    const project = await keptProject()
    const before = worthOf(project.memory)
    fs.rmSync(project.memory, { recursive: true })

    expect(runCommand(project, ['restore']).code).toBe(0)
    expect(worthOf(project.memory)).toEqual(before)
  })

  it('that is empty makes restore fail with a word about when it is filled', () => {
    const ran = runCommand(makeProject(), ['restore'])

    expect(ran.code).toBe(1)
    expect(ran.err).toContain('filled when a session ends')
  })
})
