/** A compaction: its summariser hears what must survive, and what follows it is briefed with what the summary dropped. */
import { expect } from 'vitest'
import { expectComplete, expectQuiet, expectUntouched, onlySession, patient, told } from './support/memory.ts'
import { briefingsIn, countIn, expectAllNoted, notesOf, requestsOf } from './support/notes.ts'
import { story } from './support/story.ts'
import { says, together, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const SUMMARY = '<analysis>Looked back.</analysis><summary>They worked on the harbour.</summary>'
const older = { ...patient, host: 'older', isSpotCheck: true } as const

function script(world: World): void {
  world.write('package.json', JSON.stringify({ name: 'harbour', version: '1.2.3', scripts: { test: 'node -e 0' } }))
  world.model.script([
    uses('Write', { file_path: world.file('src/harbour.ts'), content: 'export const depth = 12\n' }),
    uses('Bash', { command: 'npm test --silent' }),
    uses('Bash', { command: 'git frobnicate --deep' }),
    says('Deepened to 12. We decided to keep metres instead of feet because the charts use them.'),
  ])
  world.model.onCompaction([says(SUMMARY)])
}

/** One line for the host's summariser. */
const GUIDANCE = 'Keep file paths, commands, numbers, decisions and open issues word for word in the summary.'

function expectWhatSurvives(text: string | undefined): void {
  expect(text).toContain('src/harbour.ts')
  expect(text).toContain('npm test --silent')
  expect(text).toContain('keep metres instead of feet')
}

/** The request that comes after the compaction: one briefing, with this session's own work in it. */
function expectBriefed(world: World): void {
  const after = requestsOf(world, 'main').at(-1)
  const [briefing, ...others] = after === undefined ? [] : briefingsIn(after)
  expect(others).toEqual([])
  expect(briefing).toContain('before the compaction')
  expectWhatSurvives(briefing)
  expect(after?.text).toContain('They worked on the harbour.')
}

/** What is kept of the session up to its compaction. */
const DEEPENED = [
  'user: deepen the harbour',
  'Write ok: src/harbour.ts',
  'Bash ok: npm test --silent',
  expect.stringMatching(/^Bash failed: git frobnicate --deep/),
  expect.stringMatching(/^assistant: Deepened to 12\./),
]
const SUMMED_UP = expect.stringMatching(/^summary: This session is being continued [\s\S]*They worked on the harbour\./)

for (const [host, options] of Object.entries({ current: patient, older })) {
  story(`guides /compact in the terminal of the ${host} host and briefs after it`, options, async (world) => {
    script(world)
    world.model.script([says('Closed.')])
    const terminal = await world.terminal()
    await terminal.say('deepen the harbour')
    await terminal.say('/compact keep the numbers')
    expect(terminal.screen()).toContain('Compacted')
    await terminal.say('close it')
    expectQuiet(terminal.screen())
    await terminal.exit()

    const [compaction, ...others] = requestsOf(world, 'compaction')
    expect(others).toEqual([])
    const instructions = compaction?.lastUser.split('Your task is to create a detailed summary')[1] ?? ''
    expect(instructions).toContain('keep the numbers')
    expect(instructions).toContain(GUIDANCE)
    expect(countIn(terminal.screen(), GUIDANCE.slice(0, 20))).toBeLessThanOrEqual(1)
    expectBriefed(world)
    await expectComplete(world, 1)
    expect(notesOf(world)[0]?.text).toContain('src/harbour.ts')
    // The older host writes /exit into the transcript, if it still has the time.
    const typed = told(world, onlySession(world)).filter((line) => host === 'current' || line !== 'user: /exit')
    expect(typed).toEqual([
      ...DEEPENED,
      SUMMED_UP,
      'user: /compact keep the numbers',
      'user: close it',
      'assistant: Closed.',
    ])
    expectUntouched(world)
  })
}

const auto = { ...patient, settings: {}, isModelNoticed: true }
const NOTE = 'The user asked to deepen the harbour, and src/harbour.ts was written for it.'

story(
  'the hooks guide a compaction that the host makes by itself, note before it, and brief after it',
  auto,
  async (world) => {
    script(world)
    world.model.script([
      together(says('Looking.'), uses('Bash', { command: 'echo full' }, { usage: { input_tokens: 195_000 } })),
      says('Still here.'),
      says('Closed.'),
    ])
    world.model.onChild(() => says(NOTE))
    const talk = world.stream({ args: ['--autocompact', '100k'] })
    const { sessionId } = await talk.say('deepen the harbour')
    expect((await talk.say('fill it')).result).toBe('Still here.')
    // What the compaction is about to forget is noted in the background.
    await world.until('the note', () => notesOf(world).length > 0)
    expect(notesOf(world)[0]).toMatchObject({ author: 'headless', text: NOTE, from: 0 })
    expect((await talk.say('close it')).result).toBe('Closed.')
    expect((await talk.end()).stderr).toBe('')

    const [compaction, ...others] = requestsOf(world, 'compaction')
    expect(others).toEqual([])
    expect(compaction?.lastUser.split('Your task is to create a detailed summary')[1]).toContain(GUIDANCE)
    expectBriefed(world)
    await expectComplete(world, 1)
    expectAllNoted(world)
    expect(told(world, sessionId)).toEqual([
      ...DEEPENED,
      'user: fill it',
      'assistant: Looking.',
      'Bash ok: echo full → full',
      SUMMED_UP,
      'assistant: Still here.',
      'user: close it',
      'assistant: Closed.',
    ])
    expectUntouched(world)
  },
)
