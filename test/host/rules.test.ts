/** Rules in full at the start and with a person's prompt: each, every third, their own, with broken settings; and what the user sees of them. */
import { expect } from 'vitest'
import { expectComplete, expectNothingLeft, expectQuiet, patient } from './support/memory.ts'
import { countIn, RULES, RULES_IN_FULL, requestsOf } from './support/notes.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const older = { ...patient, host: 'older' } as const
const settings = { summarizer: 'extractive' }

/** How often the rules stand in each request of the main thread: a conversation keeps what it was told. */
function rulesIn(world: World, rules = RULES): number[] {
  return requestsOf(world, 'main').map(({ text }) => countIn(text, rules))
}

async function talk(world: World, prompts: number): Promise<void> {
  world.model.script(Array.from({ length: prompts }, (_, i) => says(`answer ${i + 1}`)))
  const conversation = world.stream()
  for (let i = 1; i <= prompts; i++) await conversation.say(`prompt ${i}`)
  const { exitCode, stderr } = await conversation.end()
  expect([exitCode, stderr]).toEqual([0, ''])
  await expectNothingLeft(world)
}

for (const [host, options] of Object.entries({ current: patient, older })) {
  story(
    `tells the rules in full at the start, and a line with each of five prompts, on the ${host} host`,
    options,
    async (world) => {
      await talk(world, 5)

      expect(rulesIn(world)).toEqual([1, 2, 3, 4, 5])
      expect(rulesIn(world, RULES_IN_FULL)).toEqual([1, 1, 1, 1, 1])
      await expectComplete(world, 1)
    },
  )
}

const everyThird = { ...patient, settings: { ...settings, rulesInjectionFrequency: 3 } }

story('tells the rules with every third prompt', everyThird, async (world) => {
  await talk(world, 6)

  expect(rulesIn(world)).toEqual([0, 0, 1, 1, 1, 2])
})

story('tells the rules though every config is broken', patient, async (world) => {
  world.write(`${world.home}/.claude/memory-keeper/config.json`, '{"rules": tru')
  await talk(world, 1)
  world.write('.claude/memory/config.json', '[1, 2')
  await talk(world, 2)

  expect(rulesIn(world)).toEqual([1, 1, 2])
})

story('tells the rules where the memory itself is broken', patient, async (world) => {
  await talk(world, 1)
  world.write('.claude/memory/memory-index.json', '{"sessions": [')
  await talk(world, 2)

  expect(rulesIn(world)).toEqual([1, 1, 2])
  await expectComplete(world, 2)
})

const OWN = 'Memory Keeper rules for this project:\n- Speak of ships as she.\n- 항상 한국어로 답한다.'

story("tells the user's own rules instead, from the next prompt on", patient, async (world) => {
  world.model.script([says('one'), says('two')])
  const conversation = world.stream()
  await conversation.say('first')
  world.write(
    '.claude/memory/rules.md',
    '# Rules\n\n<!-- ours -->\n- Speak of ships as she.\n- 항상 한국어로 답한다.\n',
  )
  await conversation.say('second')
  await conversation.end()
  await expectNothingLeft(world)

  expect(rulesIn(world)).toEqual([1, 1])
  expect(rulesIn(world, OWN)).toEqual([0, 1])
})

const off = { ...patient, settings: { ...settings, rules: false } }

story('tells no rules when they are switched off', off, async (world) => {
  await talk(world, 2)

  for (const { text } of requestsOf(world, 'main')) expect(text).not.toMatch(/Memory Keeper rules/)
})

story('leaves nothing of the rules on the screen', patient, async (world) => {
  world.model.script([says('one'), says('two')])
  const terminal = await world.terminal()
  await terminal.say('first')
  await terminal.say('second')

  expectQuiet(terminal.screen())
  expect(terminal.screen()).not.toMatch(/rules injected/i)
  expect(rulesIn(world)).toEqual([1, 2])
  await terminal.exit()
  await expectNothingLeft(world)
})

const line = { ...patient, settings: { ...settings, rulesIndicator: 'line' } }

story('shows a line with each prompt on request', line, async (world) => {
  world.model.script([says('one'), says('two')])
  const terminal = await world.terminal()
  await terminal.say('first')
  await terminal.say('second')

  expect(countIn(terminal.screen(), '[rules injected]')).toBe(2)
  expect(rulesIn(world)).toEqual([1, 2])
  await terminal.exit()
  await expectNothingLeft(world)
})

story('tells no rules with a turn that a machine began', patient, async (world) => {
  const agent = { description: 'look', prompt: 'look please', subagent_type: 'general-purpose' }
  world.model.script([
    uses('Agent', { ...agent, run_in_background: true }),
    says('Sent.'),
    says('Heard.'),
    says('Done.'),
  ])
  // Not before the turn that sent it is over: its notice is a turn of its own.
  world.model.onSubagent([says('All is well.', { delayMs: 1_500 })])
  const conversation = world.stream()
  await conversation.say('send one')
  expect((await conversation.nextReply()).result).toBe('Heard.')
  await conversation.say('and now')
  await conversation.end()
  await expectNothingLeft(world)

  // The agent's call, its answer, the notification, a person again.
  expect(rulesIn(world)).toEqual([1, 1, 1, 2])
  for (const { text } of requestsOf(world, 'subagent')) expect(text).not.toContain(RULES)
})
