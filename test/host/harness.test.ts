/** The harness itself: what a story can do with the real host, shown with a plugin that only takes notes. */
import { afterAll, beforeEach, expect } from 'vitest'
import { makeProbe } from './support/probe.ts'
import { story } from './support/story.ts'
import { fails, says, together, uses } from './support/turn.ts'

const probe = makeProbe()
/** A busy machine may need more than the second and a half the host gives to the last hooks. */
const probed = { plugin: probe.dir, env: { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '20000' } }
const slow = { command: 'tail -f /dev/null' }

beforeEach(probe.empty)
afterAll(probe.end)

function events(): string[] {
  return probe.events().map(({ event, payload }) => [event, payload.source ?? payload.reason].filter(Boolean).join(':'))
}

function sawEvent(event: string): boolean {
  return probe.events().some((seen) => seen.event === event)
}

story('prints an answer, resumes the session and forks it', probed, async (world) => {
  world.model.script([says('one'), says('two'), says('three')])
  const first = await world.print('first')
  const second = await world.print('second', { resume: first.sessionId })
  const third = await world.print('third', { resume: first.sessionId, fork: true })

  expect([first, second, third].map((run) => run.result)).toEqual(['one', 'two', 'three'])
  expect([first.exitCode, first.isError, first.stderr]).toEqual([0, false, ''])
  expect(second.sessionId).toBe(first.sessionId)
  expect(third.sessionId).not.toBe(first.sessionId)
  expect(world.requests.at(-1)?.text).toMatch(/first[\s\S]*one[\s\S]*second[\s\S]*two[\s\S]*third/)
  expect(world.transcripts()).toHaveLength(2)
  expect(JSON.stringify(world.transcript(third.sessionId))).toContain('"content":"first"')
  expect(world.model.unscripted()).toBe(0)
})

story('talks over several prompts, with tools one by one and in parallel, and compacts', probed, async (world) => {
  world.model.script([
    together(
      says('Looking.', { thinking: 'Hm.' }),
      uses('Bash', { command: 'echo left' }),
      uses('Bash', { command: 'echo right' }),
    ),
    uses('Write', { file_path: world.file('note.txt'), content: 'kept' }),
    says('done'),
    says('after'),
  ])
  world.model.onCompaction([says('<summary>They looked left and right.</summary>')])
  const talk = world.stream()

  expect((await talk.say('look around')).result).toBe('done')
  await talk.say('/compact')
  expect((await talk.say('go on')).result).toBe('after')
  expect((await talk.end()).exitCode).toBe(0)

  expect(world.requests.map((request) => request.kind)).toEqual(['main', 'main', 'main', 'compaction', 'main'])
  expect(world.requests[1]?.toolResults.toSorted()).toEqual(['left', 'right'])
  expect(world.requests.at(-1)?.text).toContain('They looked left and right.')
  expect(world.read('note.txt')).toBe('kept')
  expect(events()).toContain('SessionStart:compact')
})

story('sends a subagent ahead and another into the background', probed, async (world) => {
  const send = (background: boolean) =>
    uses('Agent', {
      description: 'look',
      prompt: 'look',
      subagent_type: 'general-purpose',
      run_in_background: background,
    })
  world.model.script([send(false), says('seen'), send(true), says('waiting'), says('heard')])
  world.model.onSubagent([uses('Bash', { command: 'echo sub' }), says('ahead'), says('behind', { delayMs: 1_500 })])
  const talk = world.stream()

  expect((await talk.say('send one')).result).toBe('seen')
  expect((await talk.say('send another')).result).toBe('waiting')
  expect((await talk.nextReply()).result).toBe('heard')
  await talk.end()

  expect(world.requests.filter((request) => request.agentId !== null)).toHaveLength(3)
  expect(world.requests.at(-1)?.text).toContain('behind')
  expect(world.transcripts().filter((path) => path.includes('/subagents/'))).toHaveLength(2)
})

story('drives the terminal: a turn, an interrupted one, /compact, /clear and /exit', probed, async (world) => {
  const terminal = await world.terminal()
  world.model.script([says('Hello there.'), uses('Bash', slow), says('Again.'), says('Anew.')])
  await terminal.say('hello')
  expect(terminal.screen()).toContain('Hello there.')

  await terminal.send('wait')
  await world.until('the tool', () => sawEvent('PreToolUse'))
  await terminal.key('Escape')
  await terminal.waitFor(/Interrupted/)

  await terminal.say('once more')
  await terminal.say('/compact')
  expect(terminal.screen()).toContain('Compacted')
  await terminal.say('/clear')
  await terminal.say('anew')
  expect(await terminal.exit()).toBe(0)

  expect(events().filter((event) => event.includes(':'))).toEqual([
    'SessionStart:startup',
    'SessionStart:compact',
    'SessionEnd:clear',
    'SessionStart:clear',
    'SessionEnd:prompt_input_exit',
  ])
  expect(world.model.unscripted()).toBe(0)
})

story('kills the host with no warning, closes its window, and finds what is left', probed, async (world) => {
  const terminal = await world.terminal()
  world.model.script([uses('Bash', slow)])
  await terminal.send('wait')
  await world.until('the tool', () => world.processes().some(({ command }) => command.startsWith('tail')))
  await terminal.kill()
  expect(sawEvent('SessionEnd')).toBe(false)
  expect(world.processes().map(({ command }) => command)).toContain('tail -f /dev/null')

  const another = await world.terminal()
  await another.close()
  await world.until('the end of the session', () => sawEvent('SessionEnd'))
})

story('works in a worktree, and shows an error of the model', probed, async (world) => {
  world.model.script([says('here')])
  const run = await world.print('where', { args: ['--worktree', 'side'] })
  expect(run.result).toBe('here')
  expect(probe.events()[0]?.projectDir).toBe(world.file('.claude/worktrees/side'))

  // The host tries again: an error has to last.
  world.model.script(() => fails(400, 'invalid_request_error', 'too long'))
  const failed = await world.print('fail')
  expect([failed.isError, failed.exitCode]).toEqual([true, 1])
  expect(failed.result).toContain('too long')
  expect(world.processes()).toEqual([])
})

story(
  'runs the older host too, in print and in the terminal',
  { ...probed, host: 'older', isSpotCheck: true },
  async (world) => {
    world.model.script([uses('Bash', { command: 'command -v claude' }), says('one'), says('two')])
    expect((await world.print('first')).result).toBe('one')
    expect(world.requests[1]?.toolResults).toEqual([`${world.dir}/bin/claude`])

    const terminal = await world.terminal()
    await terminal.say('second')
    expect(terminal.screen()).toContain('two')
    await terminal.exit()
    expect((await world.claude(['--version'])).stdout).toContain('2.1.197')
  },
)
