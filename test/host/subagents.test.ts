/** Subagents: their work is kept below the session that sent them. */
import { expect } from 'vitest'
import { expectComplete, expectQuiet, expectUntouched, onlySession, patient, told } from './support/memory.ts'
import { story } from './support/story.ts'
import { says, type Turn, uses } from './support/turn.ts'

function sends(description: string, background: boolean): Turn {
  const subagent_type = 'general-purpose'
  return uses('Agent', { description, prompt: `${description} please`, subagent_type, run_in_background: background })
}

story(
  'capture keeps the work of a subagent that Claude waits for, and of one in the background',
  patient,
  async (world) => {
    world.model.script([
      sends('look', false),
      says('It was seen.'),
      sends('listen', true),
      says('Sent.'),
      says('Good.'),
    ])
    world.model.onSubagent([uses('Bash', { command: 'echo inside' }), says('I saw it.')])
    world.model.onSubagent([uses('Bash', { command: 'echo behind' }), says('All is well.')])
    const talk = world.stream()
    const { sessionId, result } = await talk.say('send one')
    expect(result).toBe('It was seen.')
    await talk.say('send another')
    expect((await talk.nextReply()).result).toBe('Good.')
    expect((await talk.end()).stderr).toBe('')

    await expectComplete(world, 1)
    const entries = told(world, sessionId)
    expect(entries.filter((entry) => !entry.startsWith('subagent'))).toEqual([
      'user: send one',
      'Agent ok: [general-purpose] look look please → I saw it.',
      'assistant: It was seen.',
      'user: send another',
      expect.stringMatching(/^Agent ok: \[general-purpose\] listen listen please/),
      'assistant: Sent.',
      // The notice that it has finished is the host's, not a person's.
      'assistant: Good.',
    ])
    expect(entries.filter((entry) => entry.startsWith('subagent'))).toEqual([
      'subagent Bash ok: echo inside → inside',
      'subagent: I saw it.',
      'subagent Bash ok: echo behind → behind',
      'subagent: All is well.',
    ])
    expectUntouched(world)
  },
)

story('capture keeps two subagents of a terminal, each below its own name', patient, async (world) => {
  const terminal = await world.terminal()
  world.model.script([sends('left', true), sends('right', true), says('Sent.')])
  world.model.script(() => says('Heard.'))
  world.model.onSubagent(({ text, toolResults }) => {
    const side = text.includes('left please') ? 'left' : 'right'
    return toolResults.length > 0 ? says(`${side} is done`) : uses('Bash', { command: `echo ${side}` })
  })
  await terminal.send('send two')
  await terminal.waitFor(/Heard\./)
  await world.until('both to be done', () => world.requests.filter(({ kind }) => kind === 'subagent').length === 4)
  await terminal.waitUntilIdle()
  expectQuiet(terminal.screen())
  await terminal.exit()

  await expectComplete(world, 1)
  const entries = told(world, onlySession(world))
  for (const side of ['left', 'right']) {
    expect(entries.filter((entry) => entry.startsWith('subagent') && entry.includes(side))).toEqual([
      `subagent Bash ok: echo ${side} → ${side}`,
      `subagent: ${side} is done`,
    ])
  }
  expect(entries.filter((entry) => entry.startsWith('user'))).toEqual(['user: send two'])
})
