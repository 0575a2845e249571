/** A full memory becomes an archive: the newest notes stay, and the archive gets its summary from the agent or the child. */
import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { estimateTokens } from '../../src/kernel/text/tokens.ts'
import { expectComplete, keeper, memoryDir, patient } from './support/memory.ts'
import { archivesOf, countIn, notesOf, readMemoryFile, requestsOf, SUMMARY_REQUEST, stateOf } from './support/notes.ts'
import { story } from './support/story.ts'
import { asksIn, obeys, readsIt, savesNote, savesSummary, works } from './support/summariser.ts'
import { says } from './support/turn.ts'
import type { World } from './support/world.ts'

const NOTE = 'The user asked for steps, and echo step-1 up to echo step-3 were run. Nothing is open.'
const SUMMARY = {
  themes: [{ name: 'Harbour', summary: 'The quays of the harbour were measured.' }],
  keyDecisions: [{ decision: 'Depths stay in metres.', reason: 'The charts use them.' }],
  issues: [{ issue: 'The lighthouse is dark.', status: 'open' }],
  overallSummary: 'The quays of the harbour were measured one after the other. Depths stay in metres.',
}
/** The threshold without its margin. */
const FULL_TOKENS = 950
const limits = { rotationThresholdTokens: 1000, carryoverTokens: 150, saveInterval: 3 }

/** Notes by hand, so many that one more makes it rotate. */
function fillMemory(world: World): string[] {
  const texts = ['north', 'south', 'east', 'west'].map(
    (quay) =>
      `The ${quay} quay of the harbour was measured again, and its depth was written into the table beside the others. ` +
      'Depths stay in metres, because the charts use them. The lighthouse is dark since the storm, and a new lamp is ordered; ' +
      'until it comes, nobody enters at night. The fishermen asked for a second crane, which is not decided yet.',
  )
  for (const text of texts) expect(keeper(world, ['note', '--text', text]).exitCode).toBe(0)
  expect(archivesOf(world)).toEqual([])
  expect(estimateTokens(readMemoryFile(world, 'memory.md'))).toBeGreaterThan(FULL_TOKENS - 120)
  return texts
}

/** Every note is there once, the carryover is the newest, and the archive is known. */
function expectRotated(world: World, texts: readonly string[], author: string): string {
  const [archive = '', ...others] = archivesOf(world)
  expect(others).toEqual([])
  const all = notesOf(world).map(({ text }) => text)
  for (const text of [...texts, NOTE]) expect(all.filter((each) => each === text)).toHaveLength(1)
  expect(readMemoryFile(world, archive)).toContain('north quay')
  const memory = readMemoryFile(world, 'memory.md')
  expect(memory).not.toContain('north quay')
  expect(memory).toContain(`author=${author}`)
  const { rotatedFiles, stats } = stateOf(world)
  expect([rotatedFiles.map(({ file }) => file), stats.totalRotations]).toEqual([[archive], 1])
  return archive
}

function expectSummary(world: World, archive: string): void {
  const summary = JSON.parse(readMemoryFile(world, archive.replace(/\.md$/, '.summary.json')))
  expect(summary).toMatchObject({ ...SUMMARY, sourceFile: archive })
  expect(stateOf(world).rotatedFiles[0]?.summaryGenerated).toBe(true)
}

const agent = { ...patient, allowedTools: ['Bash(echo *)'], settings: { summarizer: 'agent', ...limits } }

story('the hook asks Claude for the summary of an archive, and the agent saves it', agent, async (world) => {
  const texts = fillMemory(world)
  world.model.script([...works(3, 'Taken.'), obeys, says('One.'), obeys, says('Two.'), says('Three.')])
  world.model.onSubagent([readsIt, savesNote(NOTE), says('Done'), readsIt, savesSummary(SUMMARY), says('Done')])
  const terminal = await world.terminal()
  await terminal.say('take three steps')
  await world.until('the delta', () => existsSync(`${memoryDir(world)}/delta_temp.txt`))
  await terminal.say('first')
  const archive = expectRotated(world, texts, 'agent')
  // Until somebody writes a summary, one made by code stands in.
  expect(JSON.parse(readMemoryFile(world, archive.replace(/\.md$/, '.summary.json')))).toMatchObject({
    sourceFile: archive,
  })
  expect(stateOf(world).rotatedFiles[0]?.summaryGenerated).toBe(false)
  await terminal.say('second')
  expectSummary(world, archive)
  await terminal.say('third')
  expect(terminal.screen()).not.toMatch(/Do you want|permission/i)
  await terminal.exit()

  const asked = requestsOf(world, 'main').map((request) => asksIn(request, SUMMARY_REQUEST))
  expect(asked).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1])
  const reader = requestsOf(world, 'subagent')[3]
  expect(reader?.model).toContain('haiku')
  expect(reader?.tools).toEqual(expect.arrayContaining(['Read', 'mcp__plugin_memory-keeper_memory__save_summary']))
  await expectComplete(world, 1)
})

const auto = { ...patient, settings: limits, isModelNoticed: true }

story('the child writes the summary of an archive', auto, async (world) => {
  const texts = fillMemory(world)
  world.model.script(works(3, 'Taken.'))
  world.model.onChild(({ system }) => says(system.includes('JSON') ? JSON.stringify(SUMMARY) : NOTE))
  const run = await world.print('take three steps')

  expect([run.result, run.stderr]).toEqual(['Taken.', ''])
  await expectComplete(world, 1)
  expectSummary(world, expectRotated(world, texts, 'headless'))
  expect(requestsOf(world, 'child')).toHaveLength(2)
  // The next session is told one line about it.
  world.model.script([says('Four.')])
  await world.print('fourth')
  expect(
    countIn(requestsOf(world, 'main').at(-1)?.text ?? '', 'The quays of the harbour were measured one after'),
  ).toBe(1)
  await expectComplete(world, 2)
})
