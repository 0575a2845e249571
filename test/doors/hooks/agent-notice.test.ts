/** What it costs where Claude itself is asked for the notes: said once to the user, and whenever a setting changes to it. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { noteNoticed } from '../../../src/core/model/disk/model-call.ts'
import { prepareStart } from '../../../src/doors/hooks/start.ts'
import { runCommand } from '../../support/process.ts'
import { makeProject, NOW, sessionId, setAtHome, storeOf, type TestProject } from '../../support/project.ts'
import { begin, finishHere, LATER, work } from '../../support/world.ts'

const COST =
  'Memory Keeper: Claude itself is asked for the notes, with your next prompt after every 25 tool uses: one more request of your conversation, and a small Haiku agent that reads 14,000 to 28,000 tokens, counted against the limits of a subscription. In the background instead: /memory-keeper:run config set summarizer auto'

/** The user knows of background calls already. */
function knowing(settings: object): TestProject {
  const project = makeProject()
  setAtHome(project, settings)
  noteNoticed(project.keeper, 'model', NOW)
  return project
}

function costsIn(text: string): string[] {
  return text.split('\n').filter((line) => line.includes('Claude itself is asked'))
}

describe('the line about what it costs', () => {
  it('is shown once to a person, in whichever project it is first', () => {
    const project = knowing({ summarizer: 'agent' })

    expect(costsIn(begin(project, sessionId(1), 'startup', { isAttended: false }).notice)).toEqual([])
    expect(costsIn(begin(project, sessionId(2)).notice)).toEqual([COST])
    expect(costsIn(begin(project, sessionId(3)).notice)).toEqual([])
    expect(JSON.parse(fs.readFileSync(path.join(project.keeper, 'notices.json'), 'utf8'))).toMatchObject({ model: NOW })
  })

  it('stands in the first notice of all, which then says of background calls only what they do there', () => {
    const project = makeProject()
    setAtHome(project, { summarizer: 'agent' })
    const { notice } = begin(project, sessionId(1))

    expect(costsIn(notice)).toEqual([COST])
    expect(notice).toContain('What it wrote is checked in the background by Claude Haiku')
    expect(notice).not.toContain('at the end of a session the new part goes to')
    expect(begin(project, sessionId(2)).notice).toBe('')
  })

  it.each([
    [{}, null],
    [{ summarizer: 'headless' }, null],
    [{ summarizer: 'agent', enforcement: 'off' }, null],
    [{ summarizer: 'agent', saveInterval: 7 }, /next prompt after every 7 tool uses: .* 14,000 to 28,000 tokens/],
    [{ summarizer: 'agent', maxFactsPerSession: 0 }, /one more request .* 12,000 to 25,000 tokens/],
    [{ enforcement: 'block' }, /before a turn ends after .* 14,000 to 28,000 tokens.*config set enforcement remind/],
    [{ summarizer: 'extractive', enforcement: 'block' }, /before a turn ends .* 12,000 to 25,000 tokens/],
  ])('is true of the settings %j', (settings, said) => {
    const [line = null] = costsIn(begin(knowing(settings), sessionId(1)).notice)

    if (said === null) expect(line).toBeNull()
    else expect(line).toMatch(said)
  })

  it('is no part of a start that was prepared', async () => {
    const project = knowing({ summarizer: 'extractive' })
    work(project, 0, 2)
    await finishHere(project, { for: 'end', session: sessionId(1) }, { now: () => LATER, isAlive: () => false })
    setAtHome(project, { summarizer: 'agent' })
    const isQuiet = (): boolean | undefined => prepareStart(storeOf(project), LATER, () => false)?.isQuiet

    expect(isQuiet()).toBe(false)
    expect(costsIn(begin(project, sessionId(2), 'startup', { now: () => LATER, isAlive: () => false }).notice)).toEqual(
      [COST],
    )
    expect(isQuiet()).toBe(true)
  })

  it('answers the setting that switches to it', () => {
    const project = knowing({})
    const set = (...words: string[]): string[] =>
      costsIn(runCommand(project, ['config', 'set', ...words]).out.replace(/\s+/g, ' '))

    expect(set('summarizer', 'agent', '--dry-run')).toEqual([])
    expect(set('summarizer', 'agent')[0]).toContain('a small Haiku agent that reads 14,000 to 28,000 tokens')
    expect(costsIn(begin(project, sessionId(1)).notice)).toEqual([])
    expect(set('saveInterval', '30')).toEqual([])
    expect(set('summarizer', 'auto')).toEqual([])
    expect(set('enforcement', 'block')[0]).toContain('14,000 to 28,000 tokens')
  })
})
