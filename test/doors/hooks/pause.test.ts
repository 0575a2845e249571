/** A pause: nothing is captured, injected or called until it ends, and what happened meanwhile is not taken in later. */
import { describe, expect, it } from 'vitest'
import { verifySession } from '../../../src/kernel/sessions/disk/verify.ts'
import { isComplete } from '../../../src/kernel/transcript/verify.ts'
import { runCommand } from '../../support/process.ts'
import {
  append,
  linesFor,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  textsIn,
  treeOf,
} from '../../support/project.ts'
import { begin, finishHere, hookHere, prompt, stop } from '../../support/world.ts'

const SESSION = sessionId(1)
const OTHER = sessionId(2)
/** Lines of transcripts count milliseconds from here. */
const START = Date.parse('2026-01-13T09:00:00.000Z')
const at = (ms: number): string => new Date(START + ms).toISOString()

function type(
  project: TestProject,
  skill: string,
  now: number,
  words = '',
  session = SESSION,
  isAttended = true,
): string {
  const payload = {
    hook_event_name: 'UserPromptExpansion',
    expansion_type: 'slash_command',
    command_source: 'plugin',
    session_id: session,
    command_name: `memory-keeper:${skill}`,
    command_args: words,
  }
  const { out } = hookHere(project, payload, { now: () => at(now), isAttended })
  return JSON.parse(out).reason
}

function say(project: TestProject, ms: number, words: string, session = SESSION): void {
  const lines = linesFor(session, project.root)
  append(project.transcriptOf(session), lines.prompt(ms, words) + lines.answer(ms + 1, `About ${words}.`))
}

/** Something before, something during and something after a pause. */
function pausedProject(words = ''): TestProject {
  const project = quietProject({ rules: true })
  say(project, 0, 'before')
  stop(project)
  type(project, 'pause', 1000, words)
  say(project, 2000, 'during')
  return project
}

describe('a paused session', () => {
  it('is neither captured nor told anything, and no finisher is started', () => {
    const project = pausedProject()
    const before = treeOf(project.memory)

    expect(prompt(project, { prompt: 'during' })).toMatchObject({ out: '', started: [] })
    expect(stop(project)).toMatchObject({ out: '', started: [] })
    expect(hookHere(project, { hook_event_name: 'SessionEnd', session_id: SESSION })).toMatchObject({
      out: '',
      started: [],
    })
    expect(treeOf(project.memory)).toEqual(before)
    expect(begin(project, SESSION, 'resume').notice).toContain('/memory-keeper:resume')
  })

  it('leaves the other sessions of the project alone', () => {
    const project = pausedProject()
    say(project, 3000, 'elsewhere', OTHER)
    stop(project, {}, {}, OTHER)

    expect(textsIn(project.memory)).toContain('elsewhere')
    expect(prompt(project, {}, {}, OTHER).context).toContain('Memory Keeper rules')
  })

  it('goes on after it; what happened meanwhile is not taken in, and nothing is missing', () => {
    const project = pausedProject()
    stop(project)
    expect(type(project, 'resume', 5000)).toContain('records again')
    say(project, 6000, 'after')
    stop(project)

    expect(textsIn(project.memory)).toEqual(['before', 'About before.', 'after', 'About after.'])
    const verified = verifySession(
      storeOf(project),
      readStateIn(project.memory),
      SESSION,
      project.transcriptOf(SESSION),
    )
    expect(isComplete(verified)).toBe(true)
    expect(type(project, 'resume', 7000)).toContain('was not paused')
  })

  it('stays left out when the state is lost, and is taken in when the user asks for it', async () => {
    const project = pausedProject()
    type(project, 'resume', 5000)
    say(project, 6000, 'after')
    await finishHere(project, { for: 'catch-up' })
    expect(runCommand(project, ['import']).code).toBe(0)
    expect(textsIn(project.memory)).not.toContain('during')

    expect(runCommand(project, ['import', '--paused']).out).toContain('2 entries')
    expect(textsIn(project.memory).toSorted()).toEqual(
      ['before', 'About before.', 'during', 'About during.', 'after', 'About after.'].toSorted(),
    )
  })
})

describe('a paused project', () => {
  it('records no session, not even one that began meanwhile', async () => {
    const project = pausedProject('project')
    say(project, 3000, 'elsewhere', OTHER)
    stop(project, {}, {}, OTHER)
    await finishHere(project, { for: 'end', session: OTHER })
    expect(begin(project, sessionId(3)).context).toBe('')
    type(project, 'resume', 5000, '', OTHER)
    say(project, 6000, 'after', OTHER)
    stop(project, {}, {}, OTHER)
    await finishHere(project, { for: 'catch-up' })

    expect(textsIn(project.memory)).toEqual(['before', 'About before.', 'after', 'About after.'])
  })
})

it('only the user pauses and resumes', () => {
  const project = quietProject({ rules: true })

  expect(type(project, 'pause', 1000, '', SESSION, false)).toContain('Only you')
  expect(prompt(project).context).toContain('Memory Keeper rules')
})
