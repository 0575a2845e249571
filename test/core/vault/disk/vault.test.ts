/** The vault: what a project lost comes back. */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { keepWhole, type Whole } from '../../../support/furnished.ts'
import { type HookPayload, runCommand, runCommandJson } from '../../../support/process.ts'
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
} from '../../../support/project.ts'
import { finishHere, type Hooked, hookHere } from '../../../support/world.ts'

const SESSION = sessionId(1)
const OTHER = sessionId(2)
const clock = (): string => new Date().toISOString()

function hook(project: TestProject, payload: HookPayload): Hooked {
  return hookHere(project, payload, { now: clock })
}

let project: TestProject
let whole: Whole
let before: Record<string, string>
/** Two sessions captured, a page by hand, the vault filled. */
beforeAll(async () => {
  project = quietProject()
  for (const session of [SESSION, OTHER]) {
    append(project.transcriptOf(session), turns(linesNow(session, project.root), 0, 2))
    hook(project, { hook_event_name: 'Stop', session_id: session })
  }
  write(path.join(project.memory, 'project.md'), '# by hand\n')
  await finish()
  expect(fs.existsSync(path.join(project.keeper, 'logs'))).toBe(false)
  before = worthOf(project.memory)
  whole = keepWhole(project)
})
beforeEach(() => whole.reset())
afterAll(() => whole.remove())

const finish = (): Promise<void> => finishHere(project, { for: 'catch-up' }, { now: clock })
const begin = (): Hooked =>
  hook(project, { hook_event_name: 'SessionStart', session_id: sessionId(9), source: 'startup' })
const removeMemory = (): void => fs.rmSync(project.memory, { recursive: true })

/** One more turn is captured. */
function goOn(event = 'Stop'): Hooked {
  append(project.transcriptOf(SESSION), turn(linesNow(SESSION, project.root), 2))
  return hook(project, { hook_event_name: event, session_id: SESSION })
}

/** All that is worth keeping: without what belongs to the machine or to the moment. */
function worthOf(dir: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(treeOf(dir)).filter(([name]) => !/^(?:journal|logs|\.owner|\.lock|notices\.json)/.test(name)),
  )
}

describe('the vault', () => {
  it('holds a copy of everything, and brings all back after the memory was deleted, and says so', () => {
    expect(worthOf(project.places.vault)).toEqual(before)
    expect(fs.existsSync(path.join(project.places.vault, '.owner'))).toBe(false)
    removeMemory()

    expect(begin().notice).toMatch(/restored/)
    expect(worthOf(project.memory)).toEqual(before)
    expect(begin().notice).toBe('')
    goOn()
    expect(textsIn(project.memory)).toHaveLength(15)
    expect(readStateIn(project.memory).counter).toBe(5)
  })

  it.each(['Stop', 'UserPromptSubmit', 'SessionEnd'])(
    'brings all back when the memory is deleted within a session: %s',
    async (event) => {
      fs.rmSync(project.transcriptOf(OTHER))
      removeMemory()
      const { out } = goOn(event)
      await finish()

      expect(/restored/.test(out)).toBe(event !== 'SessionEnd')
      expect(begin().notice).toBe('')
      expect(textsIn(project.memory)).toHaveLength(15)
      expect(Object.keys(readStateIn(project.places.vault).sessions).sort()).toEqual([SESSION, OTHER].sort())
    },
  )

  it('brings all back when it was killed on the way, also where the host has deleted the transcripts', () => {
    fs.rmSync(path.dirname(project.transcriptOf(SESSION)), { recursive: true })
    removeMemory()
    storeOf(project).prepare()
    begin()

    expect(textsIn(project.memory)).toHaveLength(12)
  })

  it('does not double what came after it was filled', () => {
    goOn()
    removeMemory()
    begin()
    hook(project, { hook_event_name: 'Stop', session_id: SESSION })

    expect(textsIn(project.memory)).toHaveLength(15)
  })

  it('gives back everything by hand', () => {
    removeMemory()

    expect(runCommand(project, ['restore']).code).toBe(0)
    expect(worthOf(project.memory)).toEqual(before)
  })

  it('gives back single files by hand, and leaves what is there', () => {
    const file = Object.keys(before).find((name) => name.startsWith(path.join('sessions', '2'))) ?? ''
    fs.rmSync(path.join(project.memory, file))
    write(path.join(project.memory, 'project.md'), '# changed\n')
    expect(runCommandJson(project, ['restore', '--dry-run']).json).toMatchObject({ restored: [file], dryRun: true })
    expect(fs.existsSync(path.join(project.memory, file))).toBe(false)

    expect(runCommandJson(project, ['restore']).json).toMatchObject({ restored: [file], dryRun: false })
    expect(worthOf(project.memory)).toEqual({ ...before, 'project.md': '# changed\n' })
    expect(runCommand(project, ['verify']).code).toBe(0)
  })

  it('that is empty makes restore fail with a word about when it is filled', () => {
    const ran = runCommand(makeProject(), ['restore'])

    expect(ran.code).toBe(1)
    expect(ran.err).toContain('filled when a session ends')
  })
})
