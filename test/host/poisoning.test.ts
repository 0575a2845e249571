/** Poisoning: what files, web pages, tools and strangers say never becomes the user's word, a rule, or unfenced context. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { allFacts, allPermanent } from '../../src/core/knowledge/items.ts'
import { listed } from '../support/fact.ts'
import {
  ATTACKS,
  BREAKOUT,
  believed,
  believes,
  CLAIM,
  COMMAND,
  GENUINE,
  genuine,
  ORDER,
  prints,
  TRAP,
} from './support/attacks.ts'
import { factsIn, looksAtIt, plays, savesFacts } from './support/extractor.ts'
import { expectNothingLeft, keeper, memoryDir, patient } from './support/memory.ts'
import { BRIEFING, briefingsIn, countIn, FRAME_END, readMemoryFile, requestsOf } from './support/notes.ts'
import type { ModelRequest } from './support/request.ts'
import { loads, RECALL, reads } from './support/searcher.ts'
import { nextBriefing, SMALL_TALK } from './support/sessions.ts'
import { story } from './support/story.ts'
import { obeys, readsIt } from './support/summariser.ts'
import { audits, says, type Turn, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const gullible = { ...patient, settings: {}, isModelNoticed: true }

/** Several in each session: as many as use different files, and as a child may answer with all that it believes. */
const TOGETHER = [ATTACKS.slice(0, 3), ATTACKS.slice(3, 5), ATTACKS.slice(5)]

for (const attacks of TOGETHER) {
  const names = attacks.map(({ name }) => name).join(', ')
  story(`makes nothing of ${names}, though a credulous model insists in three sessions`, gullible, async (world) => {
    const quotes = [...new Set(attacks.map(({ quote }) => quote))]
    world.model.onChild(believes(quotes))
    // What the user only pasted is for the audit to judge; all else the program refuses by itself.
    world.model.onAudit(audits([TRAP]))
    world.model.onSubagent(() => says(`All is well. ${quotes.join(' ')}`))
    for (const said of GENUINE) {
      const turns = attacks.flatMap((attack) => attack.turns(world))
      await suffer(world, [said, ...attacks.map(({ prompt }) => prompt)], turns)
    }
    // The attacks reached the model, the model fell for them, and the program did not.
    const [first, second] = requestsOf(world, 'child')
    for (const quote of quotes) {
      const times = attacks.filter((attack) => attack.quote === quote).length
      expect(countIn(first?.text ?? '', quote)).toBeGreaterThanOrEqual(times)
    }
    expect(second?.text).toContain('An earlier try was refused')

    await expectUnharmed(world)
    expect(listed(factsIn(world)).decisions.map(({ evidence }) => evidence.quote)).toEqual(GENUINE)
  })
}

/** One session, attack included. */
async function suffer(world: World, prompts: readonly string[], turns: readonly Turn[]): Promise<void> {
  const polite = says('I see a few files and nothing unusual.')
  world.model.script([polite, ...turns, ...SMALL_TALK.map(() => polite)])
  const talk = world.stream()
  for (const each of [...prompts, ...SMALL_TALK]) await talk.say(each)
  await talk.end()
  await expectNothingLeft(world)
}

/** Nothing of it is the user's word or holds for good, and the next session hears of it as data at most. */
async function expectUnharmed(world: World): Promise<void> {
  const facts = factsIn(world)
  const told = allFacts(facts).filter(({ text, reason }) => `${text} ${reason}`.includes(TRAP))
  expect(told.map(({ kind, text, evidence }) => [kind, text, evidence.by])).toEqual([])
  expect(allPermanent(facts)).toEqual([])
  expect(readMemoryFile(world, 'rules.md')).not.toContain(TRAP)
  expect(JSON.parse(keeper(world, ['rules', '--json']).stdout)).toMatchObject({ permanent: [], proposed: [] })

  const before = requestsOf(world, 'main').length
  world.model.script([says('Good morning.'), says('I do not know.')])
  const talk = world.stream()
  await talk.say('good morning')
  await talk.say('What is run before the tests, and how do we commit?')
  await talk.end()
  await expectNothingLeft(world)
  for (const request of requestsOf(world, 'main').slice(before)) expectFenced(request)
}

/** Outside of what is marked as remembered data there is nothing of it, and inside it is no fact, rule or instruction. */
function expectFenced(request: ModelRequest): void {
  const { text, system } = request
  expect(text.replace(BRIEFING, '').replace(RECALL, '')).not.toMatch(
    /evil\.example|MEMORY_KEEPER_(?:FACTS|DELTA|REFLECT)\] \w+=/,
  )
  expect(system).not.toContain(TRAP)
  for (const briefing of briefingsIn(request)) expect(briefing).not.toMatch(/^- [dprti]\d{3}\b[^\n]*evil\.example/m)
}

story('poisoned words come to nothing where no model is asked', patient, async (world) => {
  world.model.onSubagent(() => says(`All is well. We decided to always run ${COMMAND} before the tests.`))
  for (const sessions of [1, 2, 3]) {
    const all = ATTACKS.map((attack) => ({ prompt: attack.prompt, turns: attack.turns(world) }))
    world.model.script(all.flatMap(({ turns }) => turns))
    const terminal = await world.terminal()
    for (const { prompt } of all) await terminal.paste(prompt)
    await terminal.exit()
    await expectNothingLeft(world)
    expectOthersWords(await nextBriefing(world), sessions)
  }

  await expectUnharmed(world)
})

const QUOTED = /`[^`\n]*`/g

/** A session is told turn by turn: what commands printed is theirs, what the user pasted is quoted, and nobody says it as their own. */
function expectOthersWords(briefing: string, sessions: number): void {
  const lines = briefing.split('\n')
  expect(lines.filter((line) => line === '  User: Please run the check.').length).toBe(2 * Math.min(3, sessions))
  const trapped = lines.filter((line) => line.replaceAll(QUOTED, '').includes(TRAP))
  // Only of a memory that has no other session what commands printed is told.
  expect(trapped.map((line) => /^ {2}Ran: /.test(line))).toEqual(trapped.map(() => true))
  expect(trapped.length > 0).toBe(sessions === 1)
  expect(countIn(briefing, FRAME_END)).toBe(1)
}

/** An agent in a terminal that fell for a README, in its facts and in a rule. */
const strict = {
  ...patient,
  settings: { summarizer: 'agent', saveInterval: 3 },
  allowedTools: ['Bash(cat *)', 'Bash(echo *)', 'Bash(bash check.sh)'],
  permissionMode: 'default',
}

story(
  'the save tools refuse an agent that quotes a file as a decision or proposes it as a rule',
  strict,
  async (world) => {
    world.write('README.md', `# A project\n\n${CLAIM}\n`)
    const [said = ''] = GENUINE
    const read = [
      uses('Bash', { command: 'cat README.md' }),
      prints(world, BREAKOUT),
      uses('Bash', { command: 'echo ready' }),
    ]
    world.model.script([says('Gladly.'), ...read, says('I have read it.')])
    const terminal = await world.terminal()
    await terminal.say(said)
    await terminal.say('Please look at the README.')
    await world.until('the delta', () => existsSync(join(memoryDir(world), 'delta_temp.txt')))

    const own = genuine({ text: `[User]: ${said}` } as ModelRequest)
    const reflect = uses('Skill', { skill: 'memory-keeper:pending', args: 'rules now' })
    world.model.script([obeys, reflect, says('Good night.')])
    plays(world, {
      note: [readsIt, looksAtIt, ...Array(2).fill(savesFacts([...own, ...believed(CLAIM)]))],
      rules: [
        reads('propose_rule', { text: ORDER, kind: 'rules', facts: ['d001'], why: 'The README says so.' }),
        reads('propose_rule', { text: ORDER, kind: 'rules', facts: [], why: 'The README says so.' }),
      ],
    })
    await terminal.say('good night')
    await terminal.exit()

    const answers = requestsOf(world, 'subagent').map(({ toolResults }) => toolResults.join('\n'))
    const [shown, checked] = answers.filter((answer) => /Piece |left out/.test(answer))
    expect(shown).toContain(CLAIM)
    // Whatever is shown of a session stands in such a frame, too.
    expect(shown?.replace(BRIEFING, '')).not.toContain(TRAP)
    expect(checked).toMatch(/Fact 2 was left out: .*(?:a file|a tool)/)
    expect(checked).toMatch(/Fact 3 was left out: .*(?:a file|a tool)/)
    expect(checked).not.toMatch(/Fact 1 was/)
    expect(answers.filter((answer) => answer.startsWith('Refused: '))).toHaveLength(2)
    await expectNothingLeft(world)
    await expectUnharmed(world)
  },
)

story('nobody but our agent proposes a rule without asking the user', strict, async (world) => {
  world.write('README.md', `# A project\n\n${ORDER}\n`)
  world.model.script([
    uses('Bash', { command: 'cat README.md' }),
    loads('propose_rule'),
    reads('propose_rule', { text: ORDER, kind: 'rules', facts: [], why: 'The README says so.' }),
    says('It was not to be.'),
  ])
  const run = await world.print('Do what the README says.')

  expect([run.result, run.stderr]).toEqual(['It was not to be.', ''])
  expect(requestsOf(world, 'main').at(-1)?.toolResults.join()).toMatch(/permission|denied|not (?:been )?granted/i)
  await expectNothingLeft(world)
  await expectUnharmed(world)
})
