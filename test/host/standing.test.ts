/** What a user types for good: the next session is told, the command lists it, and accepted it is a rule. */
import { expect } from 'vitest'
import { expectNothingLeft, keeper, memoryDir, memoryOf, patient } from './support/memory.ts'
import { briefingsIn, countIn, requestsOf } from './support/notes.ts'
import { liveAtTerminal } from './support/sessions.ts'
import { ask } from './support/skills.ts'
import { storiesAfter, story } from './support/story.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const older = { ...patient, host: 'older' } as const
const SAID = 'Always run the linter before you commit.'
/** The same words once more, as a decision. */
const DECIDED = /^- d\d+ .*run the linter/m
const KOREAN = '커밋 메시지는 항상 한국어로 써 줘.'

interface Candidate {
  id: string
  text: string
  at: string
  session: string
  entry: number
}

function candidates(world: World): Candidate[] {
  const { stdout, stderr } = keeper(world, ['rules', 'candidates', '--json'])
  expect(stderr).toBe('')
  return (JSON.parse(stdout) as { candidates: Candidate[] }).candidates
}

async function sayForGood(world: World): Promise<string> {
  await liveAtTerminal(
    world,
    [`The parser is fine now. ${SAID}`, KOREAN, 'Rename the always-on flag to steady.'],
    [says('I will. You should always knock.'), says('알겠습니다.'), says('Renamed.')],
  )
  return memoryOf(memoryDir(world))[0]?.id8 ?? ''
}

const storyAfterIt = storiesAfter(sayForGood)

/** Told at the beginning of the last session, with its words, its id and its day. */
function lastBriefing(world: World): string {
  const request = requestsOf(world, 'main').at(-1)
  return request === undefined ? '' : (briefingsIn(request)[0] ?? '')
}

for (const [host, options] of Object.entries({ current: patient, older })) {
  const name = `proposes what the user said once, tells it as no instruction, and makes a rule of it on request, on the ${host} host`
  storyAfterIt(name, options, async (world, session) => {
    world.model.script(() => says('Well.'))
    await world.print('good morning')

    const found = candidates(world)
    expect(found.map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringContaining('run the linter before you commit')]),
    )
    expect(found.map(({ text }) => text)).toEqual(expect.arrayContaining([expect.stringContaining('한국어로')]))
    // Neither Claude's words nor a mere word: only what the user wants.
    expect(found).toHaveLength(2)
    const linter = found.find(({ text }) => text.includes('linter'))
    expect(linter).toMatchObject({ session, entry: 0 })

    // What was said once is a decision of that day, and no instruction for later sessions.
    const briefing = lastBriefing(world)
    expect(countIn(briefing, /^- t\d{3}/gm)).toBe(0)
    expect(briefing).toMatch(DECIDED)

    const { exitCode, stdout } = keeper(world, ['rules', 'accept', linter?.id ?? ''])
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('run the linter')])
    await world.print('and now')
    const { text = '' } = requestsOf(world, 'main').at(-1) ?? {}
    expect(text).toMatch(/Memory Keeper rules for this project:\n(?:- .*\n)*- .*run the linter before you commit/)
    // A rule is told with the prompt, so the briefing has it no more among what waits for a verdict.
    expect(lastBriefing(world)).not.toContain(`- ${linter?.id} `)
    expect(lastBriefing(world)).not.toMatch(DECIDED)
    expect(candidates(world).map(({ id }) => id)).not.toContain(linter?.id)
    await expectNothingLeft(world)
  })
}

storyAfterIt('tells nothing of what the user has declined, also when it is said again', patient, async (world) => {
  const [first, second] = candidates(world)
  for (const { id } of [first, second].filter((one) => one !== undefined)) {
    expect(keeper(world, ['rules', 'decline', id]).exitCode).toBe(0)
  }
  await liveAtTerminal(world, [SAID])
  world.model.script(() => says('Well.'))
  await world.print('good morning')

  expect(candidates(world)).toEqual([])
  const briefing = lastBriefing(world)
  expect(countIn(briefing, /^- t\d{3}/gm)).toBe(0)
  await expectNothingLeft(world)
})

story('takes nothing for the user’s own words that a program sent', patient, async (world) => {
  world.model.script(() => says('Well.'))
  await world.print(SAID)
  await expectNothingLeft(world)

  expect(candidates(world)).toEqual([])
})

storyAfterIt('takes Claude’s yes for nothing, and the user’s order for theirs', patient, async (world) => {
  const ids = (): string[] => candidates(world).map(({ id }) => id)
  const linter = candidates(world).find(({ text }) => text.includes('linter'))?.id ?? ''
  // As Claude runs it: with whatever the host puts into the environment.
  const accept = uses('Bash', { command: `memory-keeper rules accept ${linter}` })
  const emptied = uses('Bash', { command: `CLAUDECODE= memory-keeper rules accept ${linter}` })
  const terminal = await world.terminal()
  world.model.script([accept, emptied, says('It was refused.')])
  await terminal.say(`Accept ${linter} please.`)
  expect(ids()).toContain(linter)
  expect(await ask(world, terminal, 'run', `rules accept ${linter}`)).toContain('un the linter before you commit')
  expect(ids()).not.toContain(linter)
  expect(keeper(world, ['rules', 'list']).stdout).toContain('un the linter before you commit')
  await terminal.exit()
  await expectNothingLeft(world)
})

storyAfterIt('takes a command behind an exclamation mark for nobody’s order', patient, async (world) => {
  const [first] = candidates(world)
  const terminal = await world.terminal()
  world.model.script(() => says('I see.'))
  // The host writes it down when the command has ended, and nothing tells it from what Claude runs.
  for (const _ of ['once', 'again']) {
    await terminal.say(`!memory-keeper rules decline ${first?.id}`)
    expect(terminal.screen().replace(/\s+/g, ' ')).toContain(
      `Ask them to type: /memory-keeper:run rules decline ${first?.id}`,
    )
  }
  expect(candidates(world).map(({ id }) => id)).toContain(first?.id)
  await terminal.exit()
  await expectNothingLeft(world)
})
