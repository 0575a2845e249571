/** What the next session is told of the last one, as it happened to a person: plans, programs, interruptions, other terminals. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { instantOf, tellAsOlder } from './support/aged.ts'
import { allowOnce, clearAndCarryOut, refuse } from './support/dialog.ts'
import {
  allTold,
  expectComplete,
  expectNothingLeft,
  expectQuiet,
  keeper,
  memoryDir,
  onlySession,
  patient,
  told,
} from './support/memory.ts'
import { briefingsIn, requestsOf } from './support/notes.ts'
import { liveAtTerminal } from './support/sessions.ts'
import { storiesAfter, story } from './support/story.ts'
import type { Terminal } from './support/terminal.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const repository = resolve(import.meta.dirname, '..', '..')
const ASKED = 'deepen the harbour in src/harbour.ts'
const ANSWERED = 'The harbour has a depth of 12 metres now, as the charts of 2019 show it.'
/** Runs until it is killed, and is easy to find. */
const ENDLESS = 'tail -f /dev/null'
const isEndless = ({ command }: { command: string }): boolean => command.startsWith(ENDLESS)

const storyAfterOne = storiesAfter(async (world) => {
  const path = world.file('src/harbour.ts')
  world.model.script([uses('Write', { file_path: path, content: 'export const depth = 12\n' })])
  await liveAtTerminal(world, [ASKED], [says(ANSWERED)])
  return onlySession(world)
})

/** Says one thing in a session that has just been started, and gives the briefing that its model got first. */
async function firstTold(world: World, terminal: Terminal): Promise<string> {
  const before = requestsOf(world, 'main').length
  world.model.script([says('Here we are.')])
  await terminal.say('where were we?')
  const request = requestsOf(world, 'main')[before]
  expect(request?.lastUser).toContain('where were we?')
  const [briefing = '', ...others] = request === undefined ? [] : briefingsIn(request)
  expect(others).toEqual([])
  expectQuiet(terminal.screen())
  return briefing
}

/** What a new session is told, and what the person who started it saw. */
async function nextSession(world: World): Promise<{ briefing: string; line: string }> {
  await expectNothingLeft(world)
  const terminal = await world.terminal()
  const line = startLine(terminal)
  const briefing = await firstTold(world, terminal)
  await terminal.exit()
  return { briefing, line }
}

/** The one line that a start shows. */
function startLine(terminal: Terminal): string {
  return /Memory Keeper: (.*?)\s*$/m.exec(terminal.screen())?.[1] ?? ''
}

/** The lines of one section, with times that are of their moment as `WHEN`. */
function sectionOf(briefing: string, title: string): string[] {
  const text = new RegExp(`^## ${title}\n([\\s\\S]*?)\n(?=## |</memory-keeper-)`, 'm').exec(briefing)?.[1]
  return text?.replace(/^- \d\d-\d\d \d\d:\d\d(?:–\d\d:\d\d)?(?= \[)/gm, '- WHEN').split('\n') ?? []
}

const PROJECT = '- project, branch main'

/** The first session, as every later one is told of it. */
function harbour(session: string): string[] {
  return [`- WHEN [${session}], 1 prompt, changed harbour.ts`, `  User: ${ASKED}`, `  Claude: ${ANSWERED}`]
}

storyAfterOne(
  'the briefing counts the run of a program between two sessions of a person',
  patient,
  async (world, past) => {
    world.model.script([says('There are forty gulls on the roof.')])
    const { sessionId } = await world.print('count the gulls')
    const { briefing, line } = await nextSession(world)

    expect(sectionOf(briefing, 'Current State')).toEqual([PROJECT, ...harbour(past)])
    expect(sectionOf(briefing, 'Recent Context')).toEqual(['- 1 headless run: started by programs, no person typed'])
    expect(briefing).not.toContain('gulls')
    expect(line).toMatch(/^2 sessions · \S+: The harbour has a depth of 12 metres now/)
    // It is kept and found all the same.
    expect(told(world, sessionId)).toEqual(['user: count the gulls', 'assistant: There are forty gulls on the roof.'])
    expect(keeper(world, ['search', '--deep', 'gulls on the roof']).stdout).toContain('forty gulls')
    await expectComplete(world, 3)
  },
)

storyAfterOne('the briefing has an interrupted answer, and what was asked', patient, async (world, past) => {
  const terminal = await world.terminal()
  world.model.script([says('The lighthouse is 40 metres high. '.repeat(60), { pieceDelayMs: 200 })])
  await terminal.send('paint the lighthouse red')
  await terminal.waitFor(/The lighthouse is 40 metres high\. The/)
  await terminal.key('Escape')
  await terminal.waitFor(/Interrupted/)
  await terminal.waitUntilIdle()
  await terminal.exit()
  const { briefing, line } = await nextSession(world)

  const [project, head, asked, answer, end, ...others] = sectionOf(briefing, 'Current State')
  expect([project, asked, end]).toEqual([
    PROJECT,
    '  User: paint the lighthouse red',
    '  Interrupted by the user in the middle of this answer.',
  ])
  expect(head).toMatch(/^- WHEN \[[0-9a-f]{8}\], 1 prompt$/)
  // As far as it came, in whole sentences.
  expect(answer).toMatch(/^ {2}Claude: (?:The lighthouse is 40 metres high\. ?)+$/)
  expect(others).toEqual(harbour(past))
  expect(line).toMatch(/^2 sessions · \S+: interrupted: paint the lighthouse red$/)
  await expectComplete(world, 3)
})

storyAfterOne('the briefing calls an interrupted tool use interrupted, never refused', patient, async (world, past) => {
  const terminal = await world.terminal()
  world.model.script([uses('Bash', { command: ENDLESS })])
  await terminal.send('watch the tide')
  await world.until('the tool', () => world.processes().find(isEndless))
  await terminal.key('Escape')
  await terminal.waitFor(/Interrupted/)
  await terminal.waitUntilIdle()
  await terminal.exit()
  const { briefing, line } = await nextSession(world)

  expect(sectionOf(briefing, 'Current State')).toEqual([
    PROJECT,
    expect.stringMatching(/^- WHEN \[[0-9a-f]{8}\], 1 prompt$/),
    '  User: watch the tide',
    `  Interrupted by the user at \`${ENDLESS}\`.`,
    ...harbour(past),
  ])
  expect(briefing).not.toMatch(/refused/i)
  expect(line).toMatch(/^2 sessions · \S+: interrupted: watch the tide$/)
  await expectComplete(world, 3)
})

storyAfterOne(
  'the briefing has a session of another terminal as running, up to its last finished turn',
  patient,
  async (world, past) => {
    const first = await world.terminal()
    world.model.script([says('The pier is 80 metres long.'), uses('Bash', { command: ENDLESS })])
    await first.say('measure the pier')
    await first.send('watch the tide')
    const tool = await world.until('the tool', () => world.processes().find(isEndless))
    const second = await world.terminal()
    expect(startLine(second)).toMatch(/^2 sessions · \S+: The pier is 80 metres long$/)
    const briefing = await firstTold(world, second)
    await second.exit()

    expect(sectionOf(briefing, 'Current State')).toEqual([
      PROJECT,
      expect.stringMatching(/^- WHEN \[[0-9a-f]{8}\], running now in another terminal, 2 prompts$/),
      '  User: measure the pier',
      '  Claude: The pier is 80 metres long.',
      ...harbour(past),
    ])
    expect(briefing).not.toMatch(/No answer|No closing answer|Interrupted|ended/)

    world.model.script([says('The tide is out.')])
    process.kill(tool.pid)
    await first.waitUntilIdle()
    await first.exit()
    // Now it is over, and all of it is told.
    const after = sectionOf((await nextSession(world)).briefing, 'Current State').join('\n')
    expect(after).toContain('User: watch the tide\n  Claude: The tide is out.')
    expect(after).not.toContain('running now')
    await expectComplete(world, 4)
  },
)

storyAfterOne('a resumed session gets the same bytes, although the memory has changed', patient, async (world) => {
  const terminal = await world.terminal()
  const first = await firstTold(world, terminal)
  await terminal.exit()
  await expectNothingLeft(world)
  const resumed = world.transcripts().find((path) => readFileSync(path, 'utf8').includes('where were we?')) ?? ''
  const sessionId = resumed.slice(resumed.lastIndexOf('/') + 1, -'.jsonl'.length)
  await liveAtTerminal(world, ['paint the lighthouse red'], [says('The lighthouse is red now.')])
  keeper(world, ['note', '--text', 'The ferry leaves at noon.'])

  const again = await world.terminal({ resume: sessionId })
  world.model.script([says('On we go.')])
  await again.say('go on')
  await again.exit()
  const request = requestsOf(world, 'main').at(-1)
  expect(request?.text).toContain('Here we are.')
  expect(request === undefined ? [] : briefingsIn(request)).toEqual([first])
  expect(first).toContain(ANSWERED)
  expect(first).not.toMatch(/lighthouse|ferry/)
  // A new one is told what has changed.
  const { briefing } = await nextSession(world)
  expect(briefing).toContain('The lighthouse is red now.')
  expect(briefing).toContain('The ferry leaves at noon.')
  await expectComplete(world, 4)
})

const planning = { ...patient, permissionMode: 'plan', allowedTools: ['Write', 'Edit', 'Bash'] }
const PLAN = '# Build the harbour\n\nThe charts need a harbour.\n\n1. Write src/harbour.ts.\n'

for (const host of ['current', 'older'] as const) {
  const options = { ...planning, host, isSpotCheck: true }
  story(`tells a plan as carried out that a new session began with, on the ${host} host`, options, async (world) => {
    world.write(join(world.home, '.claude', 'settings.json'), JSON.stringify({ showClearContextOnPlanAccept: true }))
    const planFile = (text: string): string => /(\/\S+\/plans\/[\w-]+\.md)/.exec(text)?.[1] ?? ''
    world.model.script([
      ({ text }) => uses('Write', { file_path: planFile(text), content: PLAN }),
      uses('ExitPlanMode', { plan: PLAN }),
      uses('Write', { file_path: world.file('src/harbour.ts'), content: 'export const depth = 12\n' }),
      says('The harbour is built.'),
    ])
    const terminal = await world.terminal()
    await terminal.send('plan the harbour')
    await clearAndCarryOut(terminal)
    await terminal.waitFor(/● The harbour is built\./)
    await terminal.waitUntilIdle()
    await terminal.exit()
    await expectNothingLeft(world)

    // The session that carries it out is told before its own first line is written.
    const [, , carrying] = requestsOf(world, 'main')
    expect(carrying?.lastUser).toContain('Implement the following plan:')
    const [atStart = ''] = carrying === undefined ? [] : briefingsIn(carrying)
    const id8s = allTold(memoryDir(world)).map(([first]) => first?.split('\n')[0])
    // Both may begin in the same second: their files have no order then.
    expect(id8s.toSorted()).toEqual(['user in plan: Implement the following plan:', 'user: plan the harbour'])
    expect(sectionOf(atStart, 'Current State').slice(1)).toEqual([
      expect.stringMatching(/^- WHEN \[[0-9a-f]{8}\], 1 prompt$/),
      '  User: plan the harbour',
      '  Plan shown: "Build the harbour".',
    ])

    const { briefing, line } = await nextSession(world)
    const [, head = '', ...lines] = sectionOf(briefing, 'Current State')
    const carriedOut = /^- WHEN \[([0-9a-f]{8})\], 1 prompt, changed harbour\.ts$/.exec(head)?.[1]
    expect(carriedOut, head).toBeDefined()
    expect(lines).toEqual([
      '  Carried out the approved plan "Build the harbour": The charts need a harbour.',
      '  Claude: The harbour is built.',
      expect.stringMatching(/^- WHEN \[[0-9a-f]{8}\], 1 prompt$/),
      '  User: plan the harbour',
      `  Planned here, carried out in [${carriedOut}].`,
    ])
    expect(`${atStart}\n${briefing}`).not.toMatch(/refused|rejected|interrupted|doesn't want/i)
    expect(line).toMatch(/^2 sessions · \S+: The harbour is built$/)
    await expectComplete(world, 3)
  })
}

const asking = { ...patient, permissionMode: 'default', allowedTools: [] }
const TASK = 'npm run test:ci'

story('the briefing has a command that was refused in two sessions, until it runs', asking, async (world) => {
  world.write('package.json', JSON.stringify({ name: 'harbour', scripts: { 'test:ci': 'echo every boat floats' } }))
  const refuseIt = async (words: string): Promise<void> => {
    world.model.script([uses('Bash', { command: TASK }), says('Then not.')])
    const terminal = await world.terminal()
    await terminal.send('check the boats')
    await refuse(terminal, words)
    await terminal.exit()
    await expectNothingLeft(world)
  }
  await refuseIt('not now')
  const { briefing: once } = await nextSession(world)
  expect(sectionOf(once, 'Current State')).toContain(`  User refused \`${TASK}\`: not now`)
  expect(sectionOf(once, 'Learned')).toEqual([])
  await refuseIt('it takes an hour, test one file')

  const third = await world.terminal()
  const [learned = '', ...others] = sectionOf(await firstTold(world, third), 'Learned')
  expect(learned.replace(/^- \d\d-\d\d \[[0-9a-f]{8}#1\] /, '')).toBe(
    `\`${TASK}\` was refused in 2 sessions; the user: “it takes an hour, test one file”`,
  )
  expect(others).toEqual([])
  world.model.script([uses('Bash', { command: TASK }), says('All of them float.')])
  await third.send('check all boats now')
  await allowOnce(third)
  await third.exit()

  const { briefing: after } = await nextSession(world)
  expect(sectionOf(after, 'Learned')).toEqual([])
  expect(after).toContain('Claude: All of them float.')
  await expectComplete(world, 5)
})

/** More than a start can read: before its only turn a session gets many long ones. */
function lengthen(path: string): void {
  const lines = readFileSync(path, 'utf8').split('\n')
  const first = lines.findIndex((line) => line.includes('"type":"user"'))
  const turn = lines.slice(first).filter((line) => /"type":"(?:user|assistant)"/.test(line))
  const earlier = Array.from({ length: 150 }, (_, i) =>
    turn.map((line) =>
      line
        .replaceAll(/"(uuid|parentUuid)":"[0-9a-f-]{8}/g, `"$1":"${String(i).padStart(8, '0')}`)
        .replaceAll('measure the harbour', `count the boats of pier ${i}`)

        .replaceAll(MEASURED, 'A boat lies there. '.repeat(1_000)),
    ),
  )
  writeFileSync(path, [...lines.slice(0, first), ...earlier.flat(), ...lines.slice(first)].join('\n'))
}

const MEASURED = 'It is measured: the harbour has 12 metres, and the table says so.'
const WORDS = ['the pier', 'the crane', 'the ferry', 'the buoy', 'the quay', 'the mole', 'the dock', 'the slip']

story(
  'the first start on a machine full of history has the last session in its briefing',
  { ...patient, plugin: false },
  async (world) => {
    await liveAtTerminal(world, ['measure the harbour'], [says(MEASURED)])
    const [path = ''] = world.transcripts()
    const today = path.slice(path.lastIndexOf('/') + 1, -'.jsonl'.length)
    lengthen(path)
    for (const [i, what] of WORDS.entries()) tellAsOlder(world, today, i + 1, { 'the harbour': what })
    for (const args of [
      ['marketplace', 'add', repository],
      ['install', 'memory-keeper@memory-keeper'],
    ]) {
      const { exitCode, stdout } = await world.claude(['plugin', ...args])
      expect(exitCode, stdout).toBe(0)
    }

    const terminal = await world.terminal()
    await terminal.waitFor(
      /Memory Keeper found 9 earlier sessions \(8 days\), searchable as they are read in the background/,
    )
    const before = requestsOf(world, 'main').length
    world.model.script([says('Here we are.')])
    await terminal.say('where were we?')
    const [request] = requestsOf(world, 'main').slice(before)
    const [briefing = ''] = request === undefined ? [] : briefingsIn(request)
    await terminal.exit()
    await expectNothingLeft(world)

    const state = sectionOf(briefing, 'Current State')
    expect(state[0]).toBe(PROJECT)
    // Only its end is read, and it is the last session nevertheless.
    expect(state[1]).toMatch(new RegExp(`^- WHEN \\[${today.slice(0, 8)}\\], the last \\d+ prompts$`))
    const asked = state.indexOf('  User: measure the harbour')
    expect(state[asked + 1]).toBe(`  Claude: ${MEASURED}`)
    expect(state.findIndex((line, i) => i > 1 && line.startsWith('- WHEN'))).toBe(asked + 2)
    // Newest first, and of the day on which it happened.
    const told = [...briefing.matchAll(/^- (\d\d-\d\d) \d\d:\d\d/gm)].map(([, day = '']) => day)
    const days = [0, ...WORDS.keys()].map((_, i) => instantOf(i).slice(5, 10))
    expect(told.length).toBeGreaterThan(2)
    expect(told.map((day) => days.indexOf(day))).toEqual([...told.keys()])
    expect(briefing).toContain(`- ${instantOf(1).slice(5, 10)} `)
    // By now all of it is read.
    expect(keeper(world, ['search', '--deep', 'measure the slip']).stdout).toContain('the slip')
    await expectComplete(world, 10)
  },
)
