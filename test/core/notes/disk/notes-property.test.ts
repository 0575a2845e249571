/** Notes under any history: whatever is killed wherever, each entry is told once and each note stands once. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { handOut, takeBack } from '../../../../src/core/notes/disk/handout.ts'
import { noteByCode, saveNote } from '../../../../src/core/notes/disk/notes.ts'
import { cutLive, cutSession } from '../../../../src/core/notes/pending.ts'
import { openStore, type Store, stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { type Note, notesIn } from '../../../../src/kernel/memory/note.ts'
import { allSessions } from '../../../../src/kernel/memory/state.ts'
import { locate } from '../../../../src/kernel/platform/disk/locate.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { anyKill, type Kill, Killed, killingDisk } from '../../../support/killing-disk.ts'
import {
  append,
  fastDir,
  linesFor,
  makeProject,
  NOW,
  now,
  readStateIn,
  sessionId,
  type TestProject,
  turn,
} from '../../../support/project.ts'

/** A history has up to 25 steps and 6 kills. 10,000 by hand: RUNS=10000 npx vitest run test/core/notes/disk/notes-property.test.ts */
const RUNS = Number(process.env.RUNS ?? 100)
const TIME_MS = 30_000 + RUNS * 200
const SESSIONS = [1, 2, 3].map(sessionId)
/** Small, so that a history rotates several times. */
const FULL_TOKENS = 260
const CARRYOVER_TOKENS = 90

type Step =
  | { do: 'work'; who: number; turns: number }
  | { do: 'cut' }
  | { do: 'end'; who: number }
  | { do: 'hand out'; by: 'headless' | 'agent'; maxTokens: number }
  | { do: 'save'; which: number; how: 'true' | 'invented' | 'no note' }
  | { do: 'take back' }
  | { do: 'note by code' }
  | { do: 'lose the state' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('work' as const), who: fc.nat(2), turns: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'cut' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), who: fc.nat(2) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('hand out' as const),
      by: fc.constantFrom('headless' as const, 'agent' as const),
      maxTokens: fc.integer({ min: 20, max: 400 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('save' as const),
      which: fc.nat(3),
      how: fc.constantFrom('true' as const, 'true' as const, 'invented' as const, 'no note' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'take back' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'note by code' as const }) },
)
const mishap: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: step },
  { weight: 1, arbitrary: fc.constant({ do: 'lose the state' as const }) },
)

const TEXT = {
  true: 'The user asked several questions, a command was run for each of them, and every one was answered at once.',
  invented: 'The user asked for a change of `src/never-there.ts` and the retry limit became 7331 ms afterwards.',
  'no note': 'Here is the summary you asked for:',
}

interface History {
  project: TestProject
  written: number[]
  /** Deltas that were handed out, newest last. */
  handed: string[]
}

it(
  'notes cover every entry exactly once, and are in memory.md exactly once',
  () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 3, maxLength: 25 }),
        fc.array(anyKill, { maxLength: 6 }),
        (steps, kills) => {
          const history = live(steps, [...kills])
          expect(untold(history)).toEqual([])
          fs.rmSync(history.project.base, { recursive: true })
        },
      ),
      { numRuns: RUNS },
    )
  },
  TIME_MS,
)

it(
  'notes are not written again when the state is lost: the files say what they cover',
  () => {
    fc.assert(
      fc.property(
        fc.array(mishap, { minLength: 3, maxLength: 20 }),
        fc.array(anyKill, { maxLength: 4 }),
        (steps, kills) => {
          const history = live(steps, [...kills])
          expect(doubles(history.project)).toEqual([])
          fs.rmSync(history.project.base, { recursive: true })
        },
      ),
      { numRuns: Math.ceil(RUNS / 3) },
    )
  },
  TIME_MS,
)

function live(steps: readonly Step[], kills: Kill[]): History {
  const history: History = { project: makeProject('app', fastDir()), written: [0, 0, 0], handed: [] }
  try {
    for (const each of steps) take(history, each, kills)
    // The last one comes through: everything that hooks saw is told in the end.
    take(history, { do: 'cut' }, kills)
    take(history, { do: 'note by code' }, kills)
  } catch (error) {
    fs.rmSync(history.project.base, { recursive: true, force: true })
    throw error
  }
  return history
}

/** A process does it; when it is killed, another one does it, until one comes through. */
function take(history: History, each: Step, kills: Kill[]): void {
  if (each.do === 'work') write(history, each.who, each.turns)
  if (each.do === 'lose the state') {
    fs.rmSync(path.join(history.project.memory, 'memory-index.json'), { force: true })
    for (const who of [0, 1, 2]) capture(history, who, kills)
    return
  }
  for (;;) {
    const store = open(history.project, kills)
    try {
      perform(history, each, store)
      return
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }
}

function perform(history: History, each: Step, store: Store): void {
  const locked = <T>(work: () => T): T => store.whileLocked(1000, work)?.value as T
  switch (each.do) {
    case 'work':
      captureOnce(history, each.who, store)
      return
    case 'cut':
      locked(() => store.perform([stateEffect(cutLive(store.readState()))]))
      return
    case 'end':
      locked(() => store.perform([stateEffect(cutSession(store.readState(), SESSIONS[each.who] ?? ''))]))
      return
    case 'hand out': {
      const delta = locked(() => handOut(store, each.by, each.maxTokens, NOW))
      if (delta !== null) history.handed.push(delta.id)
      return
    }
    case 'save': {
      const delta = history.handed.at(-1 - each.which)
      if (delta !== undefined) locked(() => saveNote(store, { delta, text: TEXT[each.how], author: 'agent' }, NOW))
      return
    }
    case 'take back': {
      const delta = history.handed.at(-1)
      if (delta !== undefined) locked(() => takeBack(store, delta))
      return
    }
    case 'note by code':
      locked(() => noteByCode(store, NOW))
  }
}

function write({ project, written }: History, who: number, turns: number): void {
  const session = SESSIONS[who] ?? ''
  const lines = linesFor(session, project.root)
  for (let n = 0; n < turns; n++) append(project.transcriptOf(session), turn(lines, (written[who] ?? 0) + n))
  written[who] = (written[who] ?? 0) + turns
}

function capture(history: History, who: number, kills: Kill[]): void {
  for (;;) {
    try {
      captureOnce(history, who, open(history.project, kills))
      return
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }
}

function captureOnce({ project }: History, who: number, store: Store): void {
  const session = SESSIONS[who] ?? ''
  captureSession(store, { session, transcript: project.transcriptOf(session), host: 1 }, { waitMs: 1000, now })
}

function open(project: TestProject, kills: Kill[]): Store {
  const store = openStore(locate(project.root, project.around), { now, disk: killingDisk(kills) })
  Object.assign(store.config, {
    rotationThresholdTokens: FULL_TOKENS,
    rotationSafetyMargin: 0,
    carryoverTokens: CARRYOVER_TOKENS,
  })
  return store
}

function allNotes(project: TestProject): Note[] {
  if (!fs.existsSync(project.memory)) return []
  const files = fs.readdirSync(project.memory).filter((name) => /^memory(?:_\d{8}_\d{6}(?:_\d+)?)?\.md$/.test(name))
  return files.flatMap((name) => notesIn(fs.readFileSync(path.join(project.memory, name), 'utf8')))
}

/** Entries told twice, notes that stand twice. */
function doubles(project: TestProject): string[] {
  const seen = new Set<string>()
  const twice: string[] = []
  const see = (what: string): void => {
    if (seen.has(what)) twice.push(what)
    seen.add(what)
  }
  for (const note of allNotes(project)) {
    see(note.id)
    for (let n = note.from; n < note.to; n++) see(`${note.session}#${n}`)
  }
  return twice
}

/** Whatever is wrong: entries not told, told twice, archives the state does not know, a delta file left behind. */
function untold({ project }: History): string[] {
  if (!fs.existsSync(path.join(project.memory, 'memory-index.json'))) return []
  const state = readStateIn(project.memory)
  const told = new Set(
    allNotes(project).flatMap(({ session, from, to }) =>
      Array.from({ length: to - from }, (_, i) => `${session}#${from + i}`),
    ),
  )
  const wrong = doubles(project).map((what) => `twice: ${what}`)
  for (const [id, session] of allSessions(state)) {
    for (let n = 0; n < session.entries; n++) if (!told.has(`${id.slice(0, 8)}#${n}`)) wrong.push(`untold: ${id}#${n}`)
    if (session.watermark !== session.entries) wrong.push(`watermark of ${id}: ${session.watermark}`)
  }
  const archives = fs.readdirSync(project.memory).filter((name) => /^memory_.*\.md$/.test(name))
  const known = state.rotatedFiles.map(({ file }) => file)
  if (archives.sort().join() !== known.toSorted().join()) wrong.push(`archives ${archives}, known ${known}`)
  if (fs.existsSync(path.join(project.memory, 'delta_temp.txt'))) wrong.push('delta_temp.txt is left behind')
  return wrong
}
