/** Another program wrote the state anew and dropped what it does not know, as the plugin of the same name does: nothing is lost, done twice or told again. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { handOut } from '../../../../src/core/notes/disk/handout.ts'
import { removeDoubles, repairMemory } from '../../../../src/core/notes/disk/memory.ts'
import { saveNote } from '../../../../src/core/notes/disk/notes.ts'
import { fillVault } from '../../../../src/core/vault/disk/vault-restore.ts'
import { waitingMemory } from '../../../../src/extras/migrate/disk/migrate.ts'
import { earlierMemory } from '../../../../src/extras/migrate/disk/migrate-files.ts'
import type { Store } from '../../../../src/kernel/memory/disk/store.ts'
import { writtenIn } from '../../../../src/kernel/memory/note.ts'
import { type StoredSession, sessionIn } from '../../../../src/kernel/memory/state.ts'
import { PIECE_TOKENS } from '../../../../src/kernel/sessions/delta.ts'
import { once } from '../../../../src/kernel/text/once.ts'
import { allNotesOf, locked, memoryOf, owe, TRUE_NOTE } from '../../../support/notes.ts'
import { runCommand } from '../../../support/process.ts'
import {
  append,
  dialog,
  linesFor,
  NOW,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  story,
  type TestProject,
  textsIn,
  turns,
  write,
} from '../../../support/project.ts'
import { begin, finishHere, prompt, stop } from '../../../support/world.ts'

const BEGAN_MS = Date.parse('2026-01-13T09:00:00.000Z')
const instant = (minute: number): string => new Date(BEGAN_MS + minute * 60_000).toISOString()

const stateFile = (project: TestProject): string => path.join(project.memory, 'memory-index.json')
const stateOf = (project: TestProject): Record<string, unknown> =>
  JSON.parse(fs.readFileSync(stateFile(project), 'utf8'))

/** What the original knows of the state. */
const KNOWN = ['current', 'rotatedFiles', 'stats', 'counter', 'lastMemoryUpdateTs', 'deltaCreatedAtMemoryMtime']

function strip(project: TestProject, version: number): void {
  const before = stateOf(project)
  const kept = Object.fromEntries(KNOWN.map((name) => [name, before[name]]))
  write(stateFile(project), JSON.stringify({ version, ...kept, rulesInjectionCount: 4 }, null, 2))
}

type Strip = (project: TestProject) => void
const asVersion1: Strip = (project) => strip(project, 1)
const STRIPS: readonly (readonly [string, Strip])[] = [
  ['as version 1', asVersion1],
  ['with our version', (project) => strip(project, 3)],
  ['as an empty object', (project) => write(stateFile(project), '{}')],
]

interface Lived {
  project: TestProject
  notices: string[]
}

/** Three sessions of three turns each, on two days, noted by code, then two starts. `strip` may happen at these places. */
async function live(stripped: Strip, isPlace: (place: string) => boolean): Promise<Lived> {
  const project = quietProject({ saveInterval: 4, rotationThresholdTokens: 1000, carryoverTokens: 0 })
  const notices: string[] = []
  const pass = (place: string): void => {
    if (isPlace(place) && fs.existsSync(stateFile(project))) stripped(project)
  }
  const start = (n: number, minute: number): void =>
    void notices.push(begin(project, sessionId(n), 'startup', { now: () => instant(minute) }).notice)
  const session = async (n: number, minute: number): Promise<void> => {
    start(n, minute)
    const id = sessionId(n)
    const file = project.transcriptOf(id)
    const lines = linesFor(id, project.root, {}, BEGAN_MS + minute * 60_000)
    for (let turn = 0; turn < 3; turn++) {
      const world = { now: () => instant(minute + 1 + turn) }
      const at = turn * 100
      prompt(project, { prompt: `question ${turn}` }, world, id)
      const asked = dialog(lines, at + 50, `Which store ${n} ${turn}?`, `Postgres ${n}${turn}`)
      append(file, story(lines, at) + asked + turns(lines, at + 60, at + 62))
      fs.utimesSync(file, Date.parse(world.now()) / 1000, Date.parse(world.now()) / 1000)
      pass(`turn ${turn} of ${n}`)
      for (const job of stop(project, {}, world, id).started) await finishHere(project, job, world)
    }
    pass(`end of ${n}`)
    await finishHere(project, { for: 'end', session: id }, { now: () => instant(minute + 5) })
    pass(`after ${n}`)
  }
  await session(1, 0)
  await session(2, 120)
  await session(3, 24 * 60)
  for (const n of [4, 5]) {
    const minute = n * 24 * 60
    pass(`before ${n}`)
    start(n, minute)
    await finishHere(project, { for: 'catch-up' }, { now: () => instant(minute) })
  }
  return { project, notices }
}

/** A life in which nobody touched the state; it is only looked at. */
const undisturbed = once(() =>
  live(
    () => undefined,
    () => false,
  ),
)

/** Without what depends on the project's place. */
function whereItStands({ transcript: _, anchor: __, head: ___, ...stands }: StoredSession): object {
  return stands
}

/** Everything that must be as if nobody had touched the state. */
function outcomeOf({ project, notices }: Lived): object {
  const { sessions, rotatedFiles, beganAt, earlierRules, settledDirs } = readStateIn(project.memory)
  const facts = JSON.parse(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8'))
  const told = JSON.stringify({
    texts: textsIn(project.memory).toSorted(),
    notes: allNotesOf(project).map(({ id, text }) => `${id} ${text}`),
    sessions: Object.values(sessions).map(whereItStands),
    inState: Object.keys((stateOf(project).sessions ?? {}) as object),
    rotatedFiles,
    beganAt,
    earlierRules,
    settledDirs: settledDirs.length,
    facts: facts.decisions.map(({ text, session }: { text: string; session: string }) => `${session} ${text}`),
    notices,
    waiting: [waitingMemory(storeOf(project), NOW), earlierMemory(storeOf(project))],
  })
  return JSON.parse(told.replaceAll(project.base, ''))
}

describe('a state that another program wrote anew', async () => {
  const control = outcomeOf(await undisturbed())

  it('the outcome contains sessions, notes, archives and decisions', () => {
    expect(control).toMatchObject({ notices: ['', '', '', '', ''], waiting: [null, null], inState: [] })
    expect((control as { sessions: object[] }).sessions).toHaveLength(3)
    expect((control as { notes: string[] }).notes).toHaveLength(9)
    expect((control as { facts: string[] }).facts).toHaveLength(9)
    expect((control as { rotatedFiles: object[] }).rotatedFiles).toHaveLength(2)
  })

  it.each(['turn 2 of 1', 'after 1', 'turn 0 of 2', 'end of 2', 'after 3', 'before 5'])(
    'a state as version 1 is rebuilt with what follows from it when it was written at %s',
    async (place) => {
      expect(outcomeOf(await live(asVersion1, (one) => one === place))).toEqual(control)
    },
  )

  // Whatever it lacks, it is rebuilt in one way: every place in one life each, and one with a settled and an open session.
  describe.each(STRIPS)('%s', (how, stripped) => {
    it(`a state ${how} is rebuilt with what follows from it when it was written in the middle of a session`, async () => {
      expect(outcomeOf(await live(stripped, (one) => one === 'turn 2 of 2'))).toEqual(control)
    })

    it(`a state ${how} is rebuilt with what follows from it when it was written again and again`, async () => {
      expect(outcomeOf(await live(stripped, (one) => one !== 'turn 0 of 1' && one !== 'turn 1 of 1'))).toEqual(control)
    })
  })
})

/** It read the state at one place and writes it at the other, as a program without our lock may. */
function lateWriter(): Strip {
  let read: string | null = null
  return (project) => {
    if (read === null) read = fs.readFileSync(stateFile(project), 'utf8')
    else write(stateFile(project), JSON.stringify({ ...JSON.parse(read), counter: 1 }, null, 2))
  }
}

it.each([
  ['turn 0 of 2', 'turn 1 of 2'],
  ['turn 1 of 2', 'turn 2 of 2'],
  ['end of 2', 'after 2'],
  ['after 2', 'end of 3'],
  ['end of 3', 'before 4'],
  ['before 4', 'before 5'],
])('a state read at %s and written at %s loses nothing, and nothing is done twice', async (read, written) => {
  const untouched = await undisturbed()
  const lived = await live(lateWriter(), (place) => place === read || place === written)
  const told = ({ project }: Lived): object => ({
    texts: textsIn(project.memory).toSorted(),
    ranges: allNotesOf(project).map(({ id }) => id),
    facts: JSON.parse(fs.readFileSync(path.join(project.memory, 'facts.json'), 'utf8')).decisions.length,
    sessions: Object.values(readStateIn(project.memory).sessions).map(({ entries, watermark, summed }) => [
      entries,
      watermark,
      summed,
    ]),
  })

  expect(told(lived)).toEqual(told(untouched))
  expect(lived.notices).toEqual(untouched.notices)
})

/** A model notes all that is due. */
function note(store: Store, words: string): void {
  const id = pieceOf(store)
  const saved = locked(store, () => saveNote(store, { delta: id, text: `${TRUE_NOTE} ${words}`, author: 'agent' }, NOW))
  if (saved.is !== 'saved') throw new Error(`${id} was not saved`)
}

/** Empty: nothing is due. */
function pieceOf(store: Store): string {
  return locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, NOW))?.id ?? ''
}

const ARCHIVE = 'memory_20260113_100000.md'

/** All notes are moved to an archive that the state knows. */
function archive(project: TestProject): void {
  fs.renameSync(path.join(project.memory, 'memory.md'), path.join(project.memory, ARCHIVE))
  write(path.join(project.memory, 'memory.md'), '# Memory\n\n')
  const record = { file: ARCHIVE, rotatedAt: NOW, tokenCount: 9, summary: ARCHIVE, summaryGenerated: true }
  write(stateFile(project), JSON.stringify({ ...stateOf(project), rotatedFiles: [record] }))
}

describe('notes of a model in an archive', () => {
  it.each([
    ['the vault has no copy', false],
    ['the copy in the vault is older than the note', true],
  ])('are not asked for again if the state is written anew and %s', (_, isCopied) => {
    const project = quietProject()
    const store = storeOf(project)
    owe(store, project, 0, 2)
    if (isCopied) locked(store, () => fillVault(store))
    owe(store, project, 2, 4)
    note(store, 'Once.')
    archive(project)
    asVersion1(project)
    const later = storeOf(project)
    owe(later, project, 4, 5)

    expect(pieceOf(later)).toBe('00000001-12-15')
    expect(sessionIn(later.readState(), sessionId(1))).toMatchObject({ watermark: 12, entries: 15 })
    expect(later.readState().rotatedFiles).toMatchObject([{ file: ARCHIVE, summaryGenerated: true }])
  })
})

it('a copy of the state in the vault is not replaced by what another program wrote', () => {
  const project = quietProject()
  const store = storeOf(project)
  owe(store, project, 0, 2)
  locked(store, () => fillVault(store))
  const copy = path.join(project.places.vault, 'memory-index.json')
  const before = fs.readFileSync(copy, 'utf8')
  locked(store, () => {
    asVersion1(project)
    fillVault(store)
  })

  expect(fs.readFileSync(copy, 'utf8')).toBe(before)
})

it('what was forgotten does not come back when the state is rebuilt from a copy', async () => {
  const { project } = await live(
    () => undefined,
    () => false,
  )
  runCommand(project, ['forget', 'L1:00000003#0', '--yes'])
  const before = textsIn(project.memory).toSorted()
  asVersion1(project)
  begin(project, sessionId(6), 'startup', { now: () => instant(6 * 24 * 60) })
  await finishHere(project, { for: 'catch-up' }, { now: () => instant(6 * 24 * 60) })

  expect(before.filter((text) => text === 'tombstone')).not.toEqual([])
  expect(textsIn(project.memory).toSorted()).toEqual(before)
})

it('a memory that only the original has used is still one that waits for migrate', () => {
  const project = quietProject()
  storeOf(project).prepare()
  write(stateFile(project), '{"version":1,"current":"memory.md","counter":3}')

  expect(earlierMemory(storeOf(project))).toBe(project.memory)
})

describe('the rotation of the original', () => {
  const THEIRS = '## 2026-01-13_0930\nImplemented the login form and its tests.\n\n'

  /** Four notes of ours, and one of the original between them, in memory.md. */
  function mixed(): TestProject {
    const project = quietProject()
    const store = storeOf(project)
    for (let n = 0; n < 8; n += 2) {
      owe(store, project, n, n + 2)
      note(store, `Part ${n}.`)
      if (n === 4) fs.appendFileSync(path.join(project.memory, 'memory.md'), THEIRS)
    }
    return project
  }

  const wordsOf = (project: TestProject): string[] =>
    [fs.readFileSync(path.join(project.memory, ARCHIVE), 'utf8'), memoryOf(project)]
      .flatMap((text) => writtenIn(text))
      .map(({ id, text }) => `${id} ${text}`)

  it.each([
    ['a note of ours', 190],
    ['its own note', 370],
    ['a record of ours', 270],
    ['two notes', 420],
  ])('that cuts memory.md within %s leaves each note once, whether the state knows the archive or not', (_, chars) => {
    for (const isKnown of [true, false]) {
      const project = mixed()
      const before = memoryOf(project)
      const words = writtenIn(before).map(({ id, text }) => `${id} ${text}`)
      write(path.join(project.memory, ARCHIVE), before)
      const record = { file: ARCHIVE, rotatedAt: NOW, tokenCount: 9, summary: '', summaryGenerated: false }
      if (isKnown) write(stateFile(project), JSON.stringify({ ...stateOf(project), rotatedFiles: [record] }))
      write(path.join(project.memory, 'memory.md'), before.slice(-chars))
      const store = storeOf(project)
      owe(store, project, 8, 10)
      locked(store, () => repairMemory(store, NOW))
      note(store, 'Part 8.')
      locked(store, () => removeDoubles(store))

      expect(wordsOf(project)).toEqual([...words, expect.stringContaining('n-00000001-24-30')])
    }
  })
})
