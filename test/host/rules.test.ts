/** Rules in full at the start and with a person's prompt, in the words of the user once there are some. */
import { expect } from 'vitest'
import { expectComplete, patient } from './support/memory.ts'
import { countIn, RULES, RULES_IN_FULL, requestsOf } from './support/notes.ts'
import { story } from './support/story.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const OWN = 'Memory Keeper rules for this project:\n- Speak of ships as she.\n- 항상 한국어로 답한다.'

/** How often the rules stand in each request of the main thread: a conversation keeps what it was told. */
function rulesIn(world: World, rules = RULES): number[] {
  return requestsOf(world, 'main').map(({ text }) => countIn(text, rules))
}

for (const host of ['current', 'older'] as const) {
  story(
    `tells the rules at the start and with each prompt of a person, on the ${host} host`,
    { ...patient, host },
    async (world) => {
      const agent = { description: 'look', prompt: 'look please', subagent_type: 'general-purpose' }
      world.model.script([
        says('One.'),
        uses('Agent', { ...agent, run_in_background: true }),
        ...['Sent.', 'Heard.', 'Done.', 'She sails.'].map((text) => says(text)),
      ])
      // Not before the turn that sent it is over: its notice is a turn of its own.
      world.model.onSubagent([says('All is well.', { delayMs: 1_500 })])
      const talk = world.stream()
      await talk.say('first')
      await talk.say('send one')
      expect((await talk.nextReply()).result).toBe('Heard.')
      await talk.say('and now')
      world.write(
        '.claude/memory/rules.md',
        '# Rules\n\n<!-- ours -->\n- Speak of ships as she.\n- 항상 한국어로 답한다.\n',
      )
      await talk.say('and from now on')
      const { exitCode, stderr } = await talk.end()
      expect([exitCode, stderr]).toEqual([0, ''])

      // A prompt, the agent's call, its answer, the notification, a person again, and one with their own rules beside the built-in line.
      expect(rulesIn(world)).toEqual([1, 2, 2, 2, 3, 4])
      expect(rulesIn(world, OWN)).toEqual([0, 0, 0, 0, 0, 1])
      expect(rulesIn(world, RULES_IN_FULL)).toEqual([1, 1, 1, 1, 1, 1])
      for (const { text } of requestsOf(world, 'subagent')) expect(text).not.toContain(RULES)
      await expectComplete(world, 1)
    },
  )
}
