/** A command fails as it did in an earlier session: what was run next there reaches the model in the request that carries the failure. */
import { expect } from 'vitest'
import { readHookTimes } from '../../src/core/receipts/disk/journal.ts'
import { refuse } from './support/dialog.ts'
import { expectNothingLeft, expectQuiet, memoryDir, patient as patientOnly } from './support/memory.ts'
import { requestsOf } from './support/notes.ts'
import { recallsIn, receiptsOf } from './support/searcher.ts'
import { story } from './support/story.ts'
import { says, type Turn, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

/** With room for no note: the briefing tells nothing of it. */
const patient = { ...patientOnly, settings: { summarizer: 'extractive', briefingChars: 500 } }
const hosts = { current: patient, older: { ...patient, host: 'older', isSpotCheck: true } as const }
/** Scripts that fail for a reason of their own: words of the command itself would say nothing about it. */
const SCRIPTS = {
  'tides.sh': 'error: the tide table lacks the harbour of Reykjavik',
  'radio.sh': 'error: no lighthouse keeper answers the radio call',
}
const BUILD = 'sh tides.sh'
const NEW = 'sh radio.sh'
const REFUSED = 'git push --force'
const TASK =
  'Explore how the tide table is read in src/tide.ts and who calls readTide; report every caller and the flow.'

const bash = (command: string): Turn => uses('Bash', { command })

/** How many recalls stand in the newest request of the main thread. */
function recallsNow(world: World): string[] {
  const last = requestsOf(world, 'main').at(-1)
  return last === undefined ? [] : recallsIn(last)
}

/** How often a hook of this event ran. */
function ranAt(world: World, event: string): number {
  return readHookTimes(memoryDir(world)).filter((time) => time.event === event).length
}

/** A session in which the build failed, and something else was run. */
async function liveThroughAFailure(world: World, ...next: Turn[]): Promise<void> {
  writeScripts(world)
  world.model.script([
    bash(BUILD),
    ...next,
    says('The tide table got the harbour of Reykjavik from the vendored copy.'),
  ])
  await typed(world, 'build the tide table')
}

function writeScripts(world: World): void {
  for (const [name, reason] of Object.entries(SCRIPTS)) world.write(name, `echo "${reason}" >&2; exit 3\n`)
}

/** A session in a terminal with one prompt, to its end. */
async function typed(world: World, prompt: string): Promise<void> {
  const terminal = await world.terminal()
  await terminal.say(prompt)
  expectQuiet(terminal.screen())
  await terminal.exit()
  await expectNothingLeft(world)
}

for (const [host, options] of Object.entries(hosts)) {
  story(
    `a failure that an earlier session met is told with it, once, and a new one is not, on the ${host} host`,
    options,
    async (world) => {
      await liveThroughAFailure(world, bash('echo fetch-tides --all'))
      const before = requestsOf(world, 'main').length
      world.model.script([bash('echo fine'), bash(NEW), bash(BUILD), bash(BUILD), says('Well.')])
      const { stderr } = await world.print('build it again')
      expect(stderr).toBe('')
      await expectNothingLeft(world)

      // Prompt, success, new failure, known failure, the same again.
      const counts = requestsOf(world, 'main')
        .slice(before)
        .map((request) => recallsIn(request).length)
      expect(counts).toEqual([0, 0, 0, 1, 1])
      const [told = ''] = recallsNow(world)
      expect(told).toContain('run next: `echo fetch-tides --all`')
      expect(told).toContain('Claude: The tide table got the harbour of Reykjavik from the vendored copy.')
      expect(told.length).toBeLessThan(500)
      expect(receiptsOf(world).filter(({ fired }) => fired)).toHaveLength(1)
      // One for each failure of both sessions; none for what succeeded.
      expect(ranAt(world, 'PostToolUseFailure')).toBe(4)
      expect(ranAt(world, 'PostToolUse')).toBe(0)
    },
  )
}

story('a failure inside a subagent is not spoken of', patient, async (world) => {
  await liveThroughAFailure(world, bash('echo fetch-tides --all'))
  const before = ranAt(world, 'PostToolUseFailure')
  world.model.script([
    uses('Agent', {
      description: 'build',
      prompt: 'build please',
      subagent_type: 'general-purpose',
      run_in_background: false,
    }),
    says('It was built.'),
  ])
  world.model.onSubagent([bash(BUILD), says('It failed.')])
  const talk = world.stream()
  await talk.say('send one')
  await talk.end()
  await expectNothingLeft(world)

  expect(world.requests.flatMap((request) => recallsIn(request))).toEqual([])
  expect(ranAt(world, 'PostToolUseFailure')).toBe(before)
})

story(
  'what was refused there each time is told as refused',
  { ...patient, permissionMode: 'default', allowedTools: ['Bash(sh:*)'] },
  async (world) => {
    writeScripts(world)
    for (const words of ['not that one', 'never force it']) {
      world.model.script([bash(BUILD), bash(REFUSED), says('Never mind the tide table of Reykjavik.')])
      const terminal = await world.terminal()
      await terminal.send('build the tide table')
      await refuse(terminal, words)
      await terminal.exit()
      await expectNothingLeft(world)
    }
    world.model.script([bash(BUILD), says('Well.')])
    await world.print('build it again')

    expect(recallsNow(world)[0]).toContain(`refused each time: \`${REFUSED}\``)
  },
)

for (const isOn of [true, false])
  story(
    `before an agent starts, an earlier report on the same code ${isOn ? 'is named' : 'is not named by default'}`,
    { ...patient, settings: { ...patient.settings, ...(isOn ? { agentHints: true } : {}) } },
    async (world) => {
      const agent = { subagent_type: 'general-purpose', run_in_background: false }
      const launch = uses('Agent', { description: 'Explore tides', prompt: TASK, ...agent })
      world.model.script([launch, says('The flow is known.')])
      world.model.onSubagent([
        says(
          'src/tide.ts reads the tide table: readTide is called by src/harbour.ts and by src/pier.ts, and nobody else calls it. The flow ends with a chart for the captain, printed twice a day.',
        ),
      ])
      const talk = world.stream()
      await talk.say('explore the tides')
      await talk.end()
      await expectNothingLeft(world)
      world.model.script([launch, says('Again.')])
      world.model.onSubagent([says('The same.')])
      const later = world.stream()
      await later.say('explore the tides again')
      expect((await later.end()).stderr).toBe('')

      const told = requestsOf(world, 'main').flatMap((request) => recallsIn(request))
      expect(told.length > 0).toBe(isOn)
      if (isOn) expect(told.at(-1)).toContain('files: tide.ts')
    },
  )
