/** The events that the host tells its plugins of, shown with one that only takes notes. */
import { afterAll, expect } from 'vitest'
import { makeProbe } from './support/probe.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'

const probe = makeProbe()
/** A busy machine may need more than the second and a half the host gives to the last hooks. */
const probed = { plugin: probe.dir, env: { CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '20000' } }
const slow = { command: 'tail -f /dev/null' }

afterAll(probe.end)

function events(): string[] {
  return probe.events().map(({ event, payload }) => [event, payload.source ?? payload.reason].filter(Boolean).join(':'))
}

function sawEvent(event: string): boolean {
  return probe.events().some((seen) => seen.event === event)
}

story(
  'a plugin gets each event: a turn, an interrupted one, /compact, /clear, /exit, a worktree',
  probed,
  async (world) => {
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
    probe.empty()
    world.model.script([says('here')])
    expect((await world.print('where', { args: ['--worktree', 'side'] })).result).toBe('here')
    expect(probe.events()[0]?.projectDir).toBe(world.file('.claude/worktrees/side'))
    expect(world.model.unscripted()).toBe(0)
  },
)
