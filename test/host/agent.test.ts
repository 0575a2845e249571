/** The agent's way: Claude is asked once with a prompt, calls the skill, and a Haiku agent reads, writes and saves the note. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { FACTS_REQUEST } from './support/extractor.ts'
import { STORAGE } from './support/harbour.ts'
import {
  everythingBelow,
  expectComplete,
  expectNothingLeft,
  expectQuiet,
  homeDir,
  memoryDir,
  memoryOf,
  onlySession,
  patient,
} from './support/memory.ts'
import { NOTE_REQUEST, notesOf, readMemoryFile, requestsOf, stateOf } from './support/notes.ts'
import { story } from './support/story.ts'
import { asksIn, obeys, PROSE, readsIt, savesNote, works } from './support/summariser.ts'
import type { Terminal } from './support/terminal.ts'
import { says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const settings = { summarizer: 'agent', saveInterval: 3 }
const NOTE = 'The user asked for steps, and echo step-1 up to echo step-3 were run. Nothing is open.'
const INVENTED = 'The user asked for steps, and src/lighthouse.ts was changed for it.'
/** Nothing is allowed but what the story needs: whatever asks is on the screen. */
const strict = { ...patient, settings, allowedTools: ['Bash(echo *)'] }

/** How often Claude has been asked at each request of the main thread. */
function asked(world: World): number[] {
  return requestsOf(world, 'main').map((request) => asksIn(request, NOTE_REQUEST))
}

/** A turn that makes a note due, and the finisher that lays its delta ready. */
async function workUntilDue(world: World, terminal: Terminal): Promise<void> {
  await terminal.say('take three steps')
  await world.until('the delta', () => existsSync(`${memoryDir(world)}/delta_temp.txt`))
}

/** There the file to read is outside of the directory that the host may read without a question. */
const below = { ...strict, permissionMode: 'dontAsk', isModelNoticed: false }
const older = { ...strict, isModelNoticed: false, host: 'older', isSpotCheck: true } as const

story('the agent saves the corrected note of a session in a subdirectory, without a question', below, (world) => {
  mkdirSync(world.file('src', 'deep'), { recursive: true })
  return saveInTerminal(world, 'src/deep')
})
story('the agent saves the corrected note on the older host, without a question', older, (world) =>
  saveInTerminal(world, '.'),
)

async function saveInTerminal(world: World, cwd: string): Promise<void> {
  world.model.script([...works(3, 'Taken.'), obeys, says('You are welcome.'), says('Bye.')])
  world.model.onSubagent([readsIt, savesNote(INVENTED), savesNote(NOTE), says('Done')])
  const terminal = await world.terminal({ cwd })
  // What it costs is said once, at the first start.
  await terminal.waitFor(/Claude itself is asked for the notes/)
  await workUntilDue(world, terminal)
  expect(readMemoryFile(world, 'delta_temp.txt')).toContain('[Tool: Bash] echo step-3')
  await terminal.say('thank you')

  expect(terminal.screen()).not.toMatch(/Do you want|wants to|permission/i)
  expect(terminal.screen()).toContain('You are welcome.')
  expect(terminal.screen()).not.toContain('MEMORY_KEEPER_DELTA')
  // A note that names a file which never occurred is refused.
  const results = requestsOf(world, 'subagent').map(({ toolResults }) => toolResults.join('\n'))
  expect(results[2]).toMatch(/Not saved[\s\S]*src\/lighthouse\.ts/)
  expect(results[3]).toMatch(/Saved as n-/)
  const [note, ...others] = notesOf(world)
  expect([note?.author, note?.text, note?.from, others]).toEqual(['agent', NOTE, 0, []])
  expect(readMemoryFile(world, 'memory.md')).not.toContain('lighthouse')
  expect(existsSync(`${memoryDir(world)}/delta_temp.txt`)).toBe(false)
  await terminal.say('and goodbye')
  await terminal.exit()

  // Asked once, for a note alone, one request more than the work needs; the agent is a small model with Read and our tools.
  expect(asked(world)).toEqual([0, 0, 0, 0, 1, 1, 1])
  expect(requestsOf(world, 'main').at(-1)?.text).not.toMatch(FACTS_REQUEST)
  const agent = requestsOf(world, 'subagent')
  expect(agent).toHaveLength(4)
  expect(agent[0]?.model).toContain('haiku')
  expect(agent[0]?.tools.map((name) => name.split('__').at(-1))).toEqual(
    expect.arrayContaining(['Read', 'save_memory']),
  )
  expect(agent[0]?.tools).toHaveLength(9)
  expect(requestsOf(world, 'child')).toEqual([])
  expect(world.model.unscripted()).toBe(0)
  await expectComplete(world, 1)
}

const atHome = { ...strict, permissionMode: 'default', settings: { ...settings, storage: 'home' } }

story('the agent saves the note of a memory in home storage, without a question', atHome, async (world) => {
  world.model.script([...works(3, 'Taken.'), obeys, says('You are welcome.')])
  world.model.onSubagent([readsIt, savesNote(NOTE), says('Done')])
  const terminal = await world.terminal()
  await terminal.say('take three steps')
  await world.until('the delta', () => everythingBelow(homeDir(world)).includes('\n# It waits for its note'))
  await terminal.say('thank you')
  expect(terminal.screen()).toContain('You are welcome.')
  expect(requestsOf(world, 'subagent').at(-1)?.toolResults.join()).toMatch(/Saved as n-/)
  await terminal.exit()
  expect(existsSync(memoryDir(world))).toBe(false)
  expect(everythingBelow(join(homeDir(world), 'projects'))).toContain(`author=agent`)
  await expectNothingLeft(world)
})

const planning = { ...strict, permissionMode: 'plan', settings: { ...settings, saveInterval: 1 } }

story('the hook asks for neither note nor facts in plan mode', planning, async (world) => {
  world.model.script([uses('Read', { file_path: world.file('README.md') }), says(PROSE), says('Nothing to do.')])
  const terminal = await world.terminal()
  await terminal.say(`${STORAGE} Read the file.`)
  await world.until('the delta', () => existsSync(`${memoryDir(world)}/delta_temp.txt`))
  await terminal.say('and now')
  await terminal.exit()

  expect(asked(world)).toEqual([0, 0, 0])
  for (const { text } of requestsOf(world, 'main')) expect(text).not.toMatch(FACTS_REQUEST)
  expect(notesOf(world)).toEqual([])
  await expectComplete(world, 1)
})

story('print mode asks for nothing, and saves nothing that is not owed', strict, async (world) => {
  // A model that saves of its own accord: the tool asks nobody, and refuses.
  const tool = 'mcp__plugin_memory-keeper_memory__save_memory'
  world.model.script([
    ...works(3, 'Taken.'),
    says('Welcome.'),
    uses('ToolSearch', { query: `select:${tool}` }),
    uses(tool, { delta: '1a2b3c4d-0-5', note: 'Something that nobody asked for happened.' }),
    says('Bye.'),
  ])
  const talk = world.stream()
  await talk.say('take three steps')
  await world.until('the delta', () => existsSync(`${memoryDir(world)}/delta_temp.txt`))
  expect((await talk.say('thank you')).result).toBe('Welcome.')
  expect((await talk.say('goodbye')).result).toBe('Bye.')
  await talk.end()

  expect(asked(world).filter((times) => times > 0)).toEqual([])
  expect(requestsOf(world, 'main').at(-1)?.toolResults.join('\n')).toMatch(/no delta that waits/)
  await expectComplete(world, 1)
  expect(notesOf(world).filter(({ author }) => author !== 'extractive')).toEqual([])
  expect(readMemoryFile(world, 'memory.md')).not.toContain('nobody asked for')
})

story(
  'the hook asks again only after more work, and the next start notes by code what Claude ignored',
  strict,
  async (world) => {
    world.model.script([...works(3, 'Taken.'), says('I will not.'), ...works(3, 'Taken again.'), says('Nor now.')])
    const terminal = await world.terminal()
    await workUntilDue(world, terminal)
    await terminal.say('thank you')
    await terminal.say('take three more')
    await world.until('the second note to be due', () => stateOf(world).cuts === 2)
    await terminal.say('and again')
    expect(asked(world)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 2])
    expectQuiet(terminal.screen())
    await terminal.exit()
    await expectComplete(world, 1)
    const ignored = onlySession(world)
    expect(notesOf(world)).toEqual([])

    world.model.script([says('A new day.')])
    const later = await world.print('a new day')
    expect([later.result, later.stderr]).toEqual(['A new day.', ''])
    // A start has little time for notes: what it leaves its finisher writes, and that one may note the new session, too.
    await expectComplete(world, 2)
    const kept = memoryOf(memoryDir(world)).find(({ id8 }) => id8 === ignored)
    const ofIgnored = () => notesOf(world).filter(({ session }) => session === ignored)
    await world.until('all of its notes', () => ofIgnored().at(-1)?.to === kept?.entries.length)
    const notes = ofIgnored()
    expect(notes.map(({ author }) => author)).toEqual(notes.map(() => 'extractive'))
    expect(notes[0]?.text).toContain('take three steps')
    const ends = [0, ...notes.map(({ to }) => to)]
    expect(notes.map(({ from }) => from)).toEqual(ends.slice(0, -1))
    expect(ends.at(-1)).toBe(kept?.entries.length)
  },
)
