/** The end of a turn: when a note becomes due, and when Claude is held to it. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { saveNote } from '../../../src/core/notes/disk/notes.ts'
import { memoryOf } from '../../support/notes.ts'
import { envOf, start } from '../../support/process.ts'
import {
  agentPath,
  append,
  linesFor,
  NOW,
  quietProject,
  readStateIn,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  turns,
  write,
} from '../../support/project.ts'
import { dueOf, namesOf } from '../../support/work.ts'
import { finishHere, hookHere, OWED_NOTE, owing, prompt, saveOwed, stop, work } from '../../support/world.ts'

const SESSION = sessionId(1)

function dueIn(project: TestProject, session = SESSION): number {
  return dueOf(readStateIn(project.memory), session)
}

describe('a note', () => {
  it('becomes due at the interval, once, and the finisher is started for it', () => {
    const project = quietProject({ saveInterval: 3 })

    expect(work(project, 0, 2)).toMatchObject({ out: '', started: [] })
    expect(dueIn(project)).toBe(0)
    expect(work(project, 2, 4)).toMatchObject({ out: '', started: [{ for: 'note' }] })
    expect(dueIn(project)).toBe(12)
    expect(readStateIn(project.memory)).toMatchObject({ counter: 0, cuts: 1 })
    expect(stop(project).started).toEqual([])
    expect(work(project, 4, 6).started).toEqual([])
    expect(work(project, 6, 7).started).toEqual([{ for: 'note' }])
    expect(dueIn(project)).toBe(21)
  })

  it('is about every session that is going on, since all of them count', () => {
    const project = quietProject({ saveInterval: 4 })
    work(project, 0, 2)
    work(project, 0, 2, sessionId(2))

    expect([SESSION, sessionId(2)].map((session) => dueIn(project, session))).toEqual([6, 6])
  })

  it('does not become due by what subagents do', () => {
    const project = quietProject({ saveInterval: 3 })
    const side = linesFor(SESSION, project.root, { isSidechain: true, agentId: 'ad53dcaa' })
    write(agentPath(project.transcriptOf(SESSION), 'ad53dcaa'), turns(side, 0, 9))

    expect(work(project, 0, 1).started).toEqual([])
    expect(readStateIn(project.memory).counter).toBe(1)
  })

  it('becomes due by the last tool, whose result the host has not written yet', async () => {
    const project = quietProject({ saveInterval: 3 })
    const lines = linesFor(SESSION, project.root)
    work(project, 0, 2)
    append(
      project.transcriptOf(SESSION),
      lines.prompt(30, 'one more') + lines.use(31, 'late', 'Bash', { command: 'make' }),
    )
    expect(stop(project).started).toEqual([{ for: 'note' }])
    append(project.transcriptOf(SESSION), lines.result(32, 'late', 'done') + lines.answer(33, 'It is made.'))
    await finishHere(project, { for: 'note' })

    expect(memoryOf(project)).toContain('entries=0-9')
    expect(readStateIn(project.memory)).toMatchObject({ counter: 0, cuts: 1 })
    expect(stop(project).started).toEqual([])
  })

  it('does not become due by what Claude does for us', () => {
    const project = quietProject({ saveInterval: 2 })
    const lines = linesFor(SESSION, project.root)
    work(project, 0, 1)
    append(
      project.transcriptOf(SESSION),
      lines.use(20, 's', 'Skill', { skill: 'memory-keeper:pending', args: 'note x' }) +
        lines.result(21, 's', 'done') +
        lines.use(22, 'm', 'mcp__plugin_memory-keeper_memory__save_note', { delta: 'x', note: 'y' }) +
        lines.result(23, 'm', 'Saved.'),
    )

    expect(stop(project).started).toEqual([])
    expect(readStateIn(project.memory).counter).toBe(1)
  })

  it('becomes due at another event only where a person or Claude is heard', () => {
    const project = quietProject({ saveInterval: 100 })
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
    const event = { hook_event_name: 'SubagentStop', session_id: SESSION, agent_id: 'x' }

    expect(hookHere(project, event).started).toEqual([])
    expect(readStateIn(project.memory).counter).toBe(3)
  })

  it('is announced where the user wants to see it, once', () => {
    const project = quietProject({ saveInterval: 3, quietStop: false })

    expect(work(project, 0, 2).out).toBe('')
    expect(work(project, 2, 3)).toMatchObject({
      context: '',
      notice: expect.stringContaining('a note is due'),
    })
    expect(stop(project).out).toBe('')
  })
})

/** What Stop says in each of these turns, one after the other. */
function heldIn(project: TestProject, turnCount: number): boolean[] {
  return Array.from({ length: turnCount }, () => {
    prompt(project)
    return stop(project).out !== ''
  })
}

describe('enforcement', () => {
  it('with "block" holds the turn in which the work became due, and what is owed is ready to be read', () => {
    const project = quietProject({ summarizer: 'agent', saveInterval: 2, enforcement: 'block' })
    const { out, started } = work(project, 0, 2)

    expect(JSON.parse(out)).toMatchObject({ decision: 'block', reason: expect.stringContaining('delta_temp.txt') })
    expect(fs.readFileSync(path.join(project.memory, 'delta_temp.txt'), 'utf8')).toContain('[User]')
    expect(started).toEqual([{ for: 'note' }])
  })

  it('with "block" waits for results that the host has not written yet', async () => {
    const project = quietProject({ summarizer: 'agent', saveInterval: 1, enforcement: 'block' })
    const lines = linesFor(SESSION, project.root)
    const transcript = project.transcriptOf(SESSION)
    append(transcript, lines.prompt(0, 'Run the checks.') + lines.use(1, 'toolu_1', 'Bash', { command: 'npm test' }))
    const late = JSON.stringify([transcript, lines.result(2, 'toolu_1', 'ok')])
    const code = `setTimeout(() => require('fs').appendFileSync(...${late}), 300)`
    const writer = start(['-e', code], project.root, envOf(project))
    const { out } = stop(project)
    await writer.ended

    expect(JSON.parse(out)).toMatchObject({ decision: 'block' })
  })

  it('"block" holds the turn back with numbered steps', async () => {
    const project = await owing({ enforcement: 'block' })
    const answer = JSON.parse(stop(project).out)

    expect(Object.keys(answer)).toEqual(['decision', 'reason'])
    expect(answer.decision).toBe('block')
    expect(answer.reason).toMatch(/^Memory Keeper: .*\nSTEP 1: .*"memory-keeper:pending".*\n/)
    expect(answer.reason).toContain(path.join(project.memory, 'delta_temp.txt'))
  })

  it('"stop" hands the same over as neutral feedback', async () => {
    const blocked = JSON.parse(stop(await owing({ enforcement: 'block' })).out).reason.replace(/args ".*?"/, '')
    const { out, context } = stop(await owing({ enforcement: 'stop' }))

    expect(Object.keys(JSON.parse(out))).toEqual(['hookSpecificOutput'])
    expect(context.replace(/args ".*?"/, '')).toBe(blocked)
  })

  it.each(['stop', 'block'])('"%s" asks once per turn, in at most two turns for the same work', async (enforcement) => {
    const project = await owing({ enforcement })
    expect(stop(project, { stop_hook_active: true }).out).toBe('')
    prompt(project)
    expect(stop(project).out).not.toBe('')
    expect(stop(project, { stop_hook_active: true }).out).toBe('')

    expect(heldIn(project, 3)).toEqual([true, false, false])
  })

  it('begins anew with other work', async () => {
    const project = await owing({ enforcement: 'block' })
    expect(heldIn(project, 3)).toEqual([true, true, false])
    saveOwed(project)
    expect(heldIn(project, 1)).toEqual([false])
    expect(work(project, 2, 4).out).toContain('"block"')
    await finishHere(project, { for: 'note' })

    expect(heldIn(project, 2)).toEqual([true, false])
  })

  it.each(['stop', 'block'])(
    '"%s" leaves alone a plan, a session that nobody watches, a turn that a machine began',
    async (enforcement) => {
      const project = await owing({ enforcement })

      expect(stop(project, { permission_mode: 'plan' }).out).toBe('')
      expect(stop(project, {}, { isAttended: false }).out).toBe('')
      prompt(project, { prompt: '<task-notification>done</task-notification>' })
      expect(stop(project).out).toBe('')
      expect(stop(project, {}, {}, sessionId(2)).out).not.toBe('')
      prompt(project)
      expect(stop(project).out).not.toBe('')
    },
  )

  it.each(['off', 'remind'])('"%s" never speaks at the end of a turn', async (enforcement) => {
    const project = await owing({ enforcement })

    expect(heldIn(project, 3)).toEqual([false, false, false])
  })

  it('does not hold anybody for what code writes', async () => {
    const project = await owing({ enforcement: 'stop', summarizer: 'extractive' })

    expect(stop(project).out).toBe('')
    expect(memoryOf(project)).toContain('author=extractive')
  })

  it('"block" without a model asks for the note only', () => {
    const project = quietProject({ summarizer: 'extractive', saveInterval: 2, enforcement: 'block' })
    const { reason } = JSON.parse(work(project, 0, 2).out)

    expect(reason).toContain('(facts ✓, reflection ✓, memory ✗)')
    expect(reason.match(/STEP \d+: .*"(memory-keeper:[\w-]+)"/g)).toHaveLength(1)
    expect(reason).toContain(
      'STEP 1: recent work waits for its note. Call the Skill tool with skill "memory-keeper:pending"',
    )
    const delta = namesOf(readStateIn(project.memory), 'note')[0] ?? ''
    expect(saveNote(storeOf(project), { delta, text: OWED_NOTE, author: 'agent' }, NOW).is).toBe('saved')
    expect(readStateIn(project.memory).work).toEqual([])
    expect(heldIn(project, 1)).toEqual([false])
  })

  it('comes before the announcement of a note', async () => {
    const project = await owing({ enforcement: 'block' })
    setAtHome(project, { summarizer: 'agent', saveInterval: 2, enforcement: 'block', rules: false, quietStop: false })

    expect(JSON.parse(work(project, 2, 4).out).decision).toBe('block')
  })
})
