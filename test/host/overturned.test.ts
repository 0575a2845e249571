/** A decision that the user takes back, in a session of one sentence and while no model answers: what the next session is told of it. */

import { expect } from 'vitest'
import { listed } from '../support/fact.ts'
import { namesOf } from '../support/work.ts'
import { factsIn } from './support/extractor.ts'
import { STORAGE, storage } from './support/harbour.ts'
import { expectComplete, patient } from './support/memory.ts'
import { callsOf, notesOf, requestsOf, stateOf } from './support/notes.ts'
import type { ModelRequest } from './support/request.ts'
import { liveAtTerminal, nextBriefing, SMALL_TALK } from './support/sessions.ts'
import { story } from './support/story.ts'
import { audits, extracts, fails, type Turn } from './support/turn.ts'
import type { World } from './support/world.ts'

const auto = { ...patient, settings: {}, isModelNoticed: true }
const CORRECTION = 'No, keep the tide tables in PostgreSQL.'
const kept = {
  type: 'decision',
  text: 'The tide tables are kept in PostgreSQL.',
  quote: 'keep the tide tables in PostgreSQL',
  conceptName: 'tide tables',
}

/** The decision is told to a session that comes next. */
async function decide(world: World): Promise<void> {
  world.model.onChild([extracts({ note: 'The user decided to keep the tide tables in SQLite.', facts: [storage] })])
  world.model.onAudit(audits())
  await liveAtTerminal(world, [STORAGE, ...SMALL_TALK])
  expect(await decisionsTold(world)).toEqual([expect.stringContaining(`(the user): ${storage.text}`)])
}

/** As a child takes it back that is shown the decision. */
function overturns(request: ModelRequest): Turn {
  const old = /^(d\d{3}) decision[^:\n]*: The tide tables are kept in SQLite\./m.exec(request.text)?.[1] ?? 'not shown'
  const entry = Number(/^#(\d+) \[User\]: No, keep/m.exec(request.text)?.[1] ?? -1)
  const note = [{ sentence: 'The user wants the tide tables in PostgreSQL.', entry, user: entry }]
  return extracts({ note, facts: [{ ...kept, entry, supersedes: [old] }] })
}

async function decisionsTold(world: World): Promise<string[]> {
  const [, told = ''] = /\n## Core Decisions\n([\s\S]*?)(?:\n## |\n<\/)/.exec(await nextBriefing(world)) ?? []
  return told.split('\n').filter((line) => /^- d\d{3}/.test(line))
}

story(
  'the briefing leaves out a decision that one short sentence of a later session took back',
  auto,
  async (world) => {
    await decide(world)
    world.model.onChild(overturns)
    await liveAtTerminal(world, [CORRECTION])

    const [, second, ...others] = requestsOf(world, 'child')
    expect(others).toEqual([])
    expect(second?.text).toContain(`[User]: ${CORRECTION}`)
    expect(listed(factsIn(world)).decisions.map(({ text, state }) => [text, state])).toEqual([
      [storage.text, 'superseded'],
      [kept.text, 'fresh'],
    ])
    expect(await decisionsTold(world)).toEqual([expect.stringContaining(kept.text)])
    // A greeting that a program sent is read by nobody.
    expect(requestsOf(world, 'child')).toHaveLength(2)
    await expectComplete(world, 4)
  },
)

story(
  'the briefing has a decision with the user’s later words on it until a model has read them',
  auto,
  async (world) => {
    await decide(world)
    world.model.onChild(() => fails(400, 'invalid_request_error', 'scripted'))
    await liveAtTerminal(world, [...SMALL_TALK, CORRECTION])
    expect(callsOf(world).at(-1)).toMatchObject({ kind: 'note', ok: false })

    world.model.onChild(overturns)
    // Its own finisher hands the session to the model that answers again.
    const [told, ...others] = await decisionsTold(world)
    expect(others).toEqual([])
    expect(told).toMatch(
      /The tide tables are kept in SQLite\..*; on \d{4}-\d\d-\d\d the user: “No, keep the tide tables in PostgreSQL\.”$/,
    )

    expect(namesOf(stateOf(world), 'read')).toEqual([])
    expect(listed(factsIn(world)).decisions.map(({ state }) => state)).toEqual(['superseded', 'fresh'])
    expect(
      notesOf(world).filter(({ text }) => text.includes('The user wants the tide tables in PostgreSQL.')),
    ).toMatchObject([{ author: 'headless' }])
    expect(await decisionsTold(world)).toEqual([expect.stringContaining(kept.text)])
    await expectComplete(world, 5)
  },
)
