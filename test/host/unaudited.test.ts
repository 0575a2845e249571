/** What a model saved and no audit has confirmed: not told while an audit can come, told with a mark where none can. */
import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { expectNothingLeft, keeper, memoryDir, patient } from './support/memory.ts'
import { notesOf, readMemoryFile, requestsOf } from './support/notes.ts'
import { nextBriefing } from './support/sessions.ts'
import { story } from './support/story.ts'
import { obeys, readsIt, savesNote, works } from './support/summariser.ts'
import { audits, fails, says, uses } from './support/turn.ts'
import type { World } from './support/world.ts'

const NOTE = 'The user asked for steps, and echo step-1 up to echo step-3 were run. Nothing is open.'
const DECISION = 'We never run tests.'
const agent = { summarizer: 'agent', saveInterval: 3 }
const TELLS_DECISION = /^- d001 .*never run tests/m

/** Claude works, is asked for the note, and its agent saves it. */
async function saveNoteByAgent(world: World): Promise<void> {
  world.model.script([...works(3, 'Taken.'), obeys, says('You are welcome.')])
  world.model.onSubagent([readsIt, savesNote(NOTE), says('Done')])
  const terminal = await world.terminal()
  await terminal.say('take three steps')
  await world.until('the delta', () => existsSync(`${memoryDir(world)}/delta_temp.txt`))
  await terminal.say('thank you')
  await terminal.exit()
  await expectNothingLeft(world)
  expect(notesOf(world)[0]).toMatchObject({ author: 'agent', text: NOTE })
}

const alone = { ...patient, settings: { ...agent, modelCallsPerDay: 0 } }

story('a note of Claude’s agent is injected with a mark where no background call is allowed', alone, async (world) => {
  await saveNoteByAgent(world)
  const briefing = await nextBriefing(world)

  expect(briefing).toContain(`Note (written by Claude): (not audited) ${NOTE}`)
  expect(requestsOf(world, 'audit')).toEqual([])
  for (const command of ['status', 'doctor', 'facts'])
    expect(keeper(world, [command]).stdout).toMatch(/1 note waits for an audit: modelCallsPerDay is 0/)
})

const audited = { ...patient, settings: agent }

story(
  'a session is injected in its own words until the audit of its note says yes, then the note',
  audited,
  async (world) => {
    world.model.onAudit(() => fails(400, 'invalid_request_error', 'scripted'))
    await saveNoteByAgent(world)
    expect(notesOf(world)[0]).toMatchObject({ unaudited: true })
    world.model.onAudit(audits())
    const before = await nextBriefing(world)
    expect(before).toContain('User: take three steps')
    expect(before).not.toContain(NOTE)
    expect(before).not.toContain('not audited')

    const after = await nextBriefing(world)
    expect(after).toContain(`Note (written by Claude): ${NOTE}`)
  },
)

/** Nobody but Claude says so. */
async function rememberByBash(world: World): Promise<void> {
  const command = `memory-keeper remember "decision: ${DECISION}"`
  world.model.script([uses('Bash', { command }), says('I wrote it down.')])
  const terminal = await world.terminal()
  await terminal.say('Look at how the tests of this harbour are run.')
  await terminal.exit()
  await expectNothingLeft(world)
}

const decisions = (world: World): object[] => JSON.parse(readMemoryFile(world, 'facts.json')).decisions

story('a decision that Claude saved by a command waits for the audit, and goes after a no', audited, async (world) => {
  world.model.onAudit(() => fails(400, 'invalid_request_error', 'scripted'))
  await rememberByBash(world)
  expect(decisions(world)).toMatchObject([{ text: DECISION, author: 'agent', unaudited: true }])
  world.model.onAudit(audits([DECISION]))

  expect(await nextBriefing(world)).not.toMatch(TELLS_DECISION)
  const [audit] = requestsOf(world, 'audit').slice(-1)
  expect(audit?.text).toContain('Look at how the tests of this harbour are run.')
  expect(audit?.text).not.toContain('memory-keeper remember')
  expect(decisions(world)).toEqual([])
  expect(await nextBriefing(world)).not.toMatch(TELLS_DECISION)
})

story(
  'a decision that Claude saved by a command is marked as not audited where no audit can come',
  alone,
  async (world) => {
    await rememberByBash(world)
    const briefing = await nextBriefing(world)

    expect(briefing).toMatch(/^- d001 \S+ \(Claude\): \(not audited\) We never run tests\.$/m)
  },
)

const older = { ...audited, host: 'older', isSpotCheck: true } as const

story('a decision saved on the older host is injected with its place once the audit says yes', older, async (world) => {
  world.model.onAudit(audits())
  await rememberByBash(world)

  expect(decisions(world)).toMatchObject([{ text: DECISION, author: 'agent', evidence: { entry: 1 } }])
  expect(decisions(world)[0]).not.toHaveProperty('unaudited')
  expect(await nextBriefing(world)).toMatch(/^- d001 \S+ \(Claude\): We never run tests\.$/m)
})
