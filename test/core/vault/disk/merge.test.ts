/** The memory that grew at home while the project's was not trusted, a bundle and a copy join the project's memory, wherever the run is killed. */

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFacts, writeFacts } from '../../../../src/core/knowledge/disk/knowledge.ts'
import { allFacts } from '../../../../src/core/knowledge/items.ts'
import { listNotes } from '../../../../src/core/notes/disk/note-list.ts'
import { addOwnNote } from '../../../../src/core/notes/disk/notes.ts'
import { arrivingIn, mergeInto, planMergeOf } from '../../../../src/core/vault/disk/merge.ts'
import { exportBundle, openBundle, performBundle, planBundle } from '../../../../src/extras/bundle/disk/bundle.ts'
import { openStore, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { formatEntry } from '../../../../src/kernel/transcript/session.ts'
import { fact, factsWith, SAID } from '../../../support/fact.ts'
import { type Kill, Killed, killingDisk } from '../../../support/killing-disk.ts'
import { runCommand, runCommandJson } from '../../../support/process.ts'
import {
  append,
  fastDir,
  linesFor,
  madeOnce,
  NOW,
  now,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  textsIn,
  treeOf,
  turns,
} from '../../../support/project.ts'
import { remember } from '../../../support/remembered.ts'
import { stop, work } from '../../../support/world.ts'

const [FIRST, SECOND] = [sessionId(1), sessionId(2)]

function know(store: Store, ...texts: string[]): void {
  const facts = factsWith(...texts.map((text, n) => fact({ id: `d00${n + 1}`, text })))
  store.whileLocked(1_000, () => {
    writeFacts(store, readFacts(store), facts, NOW)
    addOwnNote(store, `A note about ${texts.join(', ')}`, NOW)
  })
}

/** Of the first session the project has three turns and home all five, the second one is only at home; the transcripts are gone. */
const apart = madeOnce(() => {
  const project = quietProject({}, fastDir())
  work(project, 0, 3)
  know(storeOf(project), 'ours', 'both')
  runCommand(project, ['untrust'])
  work(project, 3, 5)
  append(project.transcriptOf(SECOND), turns(linesFor(SECOND, project.root), 10, 13))
  stop(project, {}, {}, SECOND)
  know(storeOf(project), 'theirs', 'both', 'third')
  for (const session of [FIRST, SECOND]) fs.rmSync(project.transcriptOf(session))
  return project
})

function expectJoined(project: TestProject): void {
  expect(textsIn(project.memory)).toHaveLength(8 * 3)
  expect(new Set(textsIn(project.memory)).size).toBe(8 * 3)
  const { sessions } = readStateIn(project.memory)
  expect(Object.keys(sessions).sort()).toEqual([FIRST, SECOND])
  expect([sessions[FIRST]?.entries, sessions[SECOND]?.entries]).toEqual([15, 9])
  const store = storeOf(project)
  expect(allFacts(readFacts(store)).map(({ id, text }) => [id, text])).toEqual([
    ['d001', 'ours'],
    ['d002', 'both'],
    ['d004', 'theirs'],
    ['d003', 'third'],
  ])
  expect(
    listNotes(store)
      .notes.map(({ text }) => text)
      .sort(),
  ).toEqual(['A note about ours, both', 'A note about theirs, both, third'])
}

describe('what was kept at home while the directory was not trusted', () => {
  it('joins the memory with trust, also the rest of a session that had begun there, once', () => {
    const project = apart()
    expect(runCommandJson(project, ['trust', '--yes']).json).toMatchObject({ trusted: true })
    expectJoined(project)
    // Capture cuts nothing back of what joined.
    work(project, 5, 6, sessionId(3))
    stop(project)
    expect(textsIn(project.memory)).toHaveLength(9 * 3)

    const store = storeOf(project)
    store.whileLocked(1_000, () => mergeInto(store, arrivingIn(project.places.atHome), NOW))
    expect(textsIn(project.memory)).toHaveLength(9 * 3)
  })

  const kills = Array.from({ length: 9 }, (_, after) =>
    (['before', 'partial', 'after'] as const).map((how): Kill => ({ after, how })),
  ).flat()

  it.each(kills)('joins whole after a kill $how write $after', (kill) => {
    const project = apart()
    const { atHome } = project.places
    runCommand(project, ['trust', '--yes', '--dry-run'])
    fs.cpSync(atHome, `${atHome}.kept`, { recursive: true })
    fs.rmSync(atHome, { recursive: true })
    runCommand(project, ['trust', '--yes'])
    const merge = (store: Store): unknown =>
      store.whileLocked(1_000, () => mergeInto(store, arrivingIn(`${atHome}.kept`), NOW))
    try {
      merge(openStore(project.places, { now, disk: killingDisk([kill]) }))
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
    merge(storeOf(project))

    expectJoined(project)
    stop(project)
    expectJoined(project)
    const after = treeOf(project.memory)
    merge(storeOf(project))
    expect(treeOf(project.memory)).toEqual(after)
  })
})

it('planning a merge changes nothing', () => {
  const project = apart()
  runCommand(project, ['trust', '--yes', '--dry-run'])
  const before = treeOf(project.base)
  planMergeOf(storeOf(project), arrivingIn(project.memory))

  expect(treeOf(project.base)).toEqual(before)
})

describe('a bundle', () => {
  const key = `AKIA${'ABCDEFGHIJKLMNOP'}`
  const FILE = 'sessions/20260113_090000_1a2b3c4d.l1.jsonl'
  const said = (text: string, n: number): string =>
    formatEntry({ role: 'user', ts: SAID.replace('000Z', `00${n}Z`), text })

  it('does not double an entry that it has without the secret', () => {
    const project = remember({ files: { [FILE]: said(`use ${key}`, 1) + said('then deploy', 2) } })
    const file = path.join(project.base, 'bundle.json')
    fs.writeFileSync(file, exportBundle(storeOf(project)).text)

    expect(planBundle(storeOf(project), openBundle(storeOf(project), file)).effects).toEqual([])
  })

  it('brings the rest of a session into the one that has its beginning', () => {
    const from = remember({ files: { [FILE]: said('first', 1) + said('second', 2) } })
    const file = path.join(from.base, 'bundle.json')
    fs.writeFileSync(file, exportBundle(storeOf(from)).text)
    fs.writeFileSync(path.join(from.memory, FILE), said('first', 1) + said('here', 3))
    const store = storeOf(from)
    store.whileLocked(1_000, () => performBundle(store, openBundle(store, file), NOW))

    expect(textsIn(from.memory)).toEqual(['first', 'here', 'second'])
  })
})
