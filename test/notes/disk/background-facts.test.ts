/** Facts by the headless child: note and facts in one answer, later rounds only about what is missing, and no failure costs the note. */
import { describe, expect, it } from 'vitest'
import { readConcepts, readFacts } from '../../../src/knowledge/disk/knowledge.ts'
import { reflect, refreshOwed } from '../../../src/knowledge/disk/reflection.ts'
import { allFacts } from '../../../src/knowledge/fact.ts'
import type { Store } from '../../../src/memory/disk/store.ts'
import { notesIn } from '../../../src/memory/note.ts'
import { allSessions } from '../../../src/memory/state.ts'
import type { CallSurroundings } from '../../../src/model/disk/model-call.ts'
import { readCalls } from '../../../src/model/disk/model-calls.ts'
import { noteModelNoticed } from '../../../src/model/disk/way.ts'
import { judgeRecurring, writeNotes } from '../../../src/notes/disk/background.ts'
import { openPieceId } from '../../../src/sessions/work.ts'
import { type Answer, type FakeClaude, fakeClaude } from '../../support/claude.ts'
import { decide, EXPORT, INVENTED, MONEY, NOTE, STORAGE } from '../../support/decided.ts'
import { locked, memoryOf, owe, TRUE_NOTE } from '../../support/notes.ts'
import { fastDir, NOW, now, quietProject, storeOf, type TestProject } from '../../support/project.ts'

const EVERYWHERE = [0, 1, 2, 3, 4, 5, 6]
const BROKEN: Answer = { failsWith: 'API Error: 529 overloaded', status: 529 }

interface Stage {
  project: TestProject
  store: Store
  claude: FakeClaude
  around: CallSurroundings
}

function stage(answers: readonly Answer[], work = decide, settings: object = {}): Stage {
  const project = quietProject({ summarizer: 'auto', ...settings }, fastDir())
  const store = storeOf(project)
  work(store, project)
  noteModelNoticed(project.keeper, NOW)
  const claude = fakeClaude(project.base, answers)
  const env = { PATH: claude.bin }
  const around = { env, platform: process.platform, tempDir: project.base, hostPid: null, now, isLate: () => false }
  return { project, store, claude, around }
}

function textsOf(store: Store): string[] {
  return allFacts(readFacts(store))
    .filter(({ author }) => author === 'headless')
    .map(({ text }) => text)
    .sort()
}

function expectDone({ project, store }: Stage): void {
  expect(notesIn(memoryOf(project)).map(({ text, author }) => [text, author])).toEqual([[NOTE, 'headless']])
  expect(allSessions(store.readState()).map(([, session]) => openPieceId(session))).toEqual([null])
}

describe('one answer', () => {
  it('with note and facts that hold needs no second call', async () => {
    const made = stage([{ object: { note: NOTE, facts: [STORAGE, EXPORT, MONEY], nothingIn: EVERYWHERE } }])
    await writeNotes(made.store, made.around)

    expectDone(made)
    expect(made.claude.calls()).toHaveLength(1)
    expect(textsOf(made.store)).toEqual([STORAGE, EXPORT, MONEY].map(({ text }) => text).sort())
    expect(readConcepts(made.store).concepts).toHaveLength(3)
    expect(readFacts(made.store).decisions[0]?.evidence).toMatchObject({ entry: 0, by: 'user' })
  })

  it('is asked for with a schema only where something carries weight', async () => {
    const plain = stage([{ note: TRUE_NOTE }], (store, project) => owe(store, project, 0, 20))
    await writeNotes(plain.store, plain.around)

    expect(plain.claude.calls()).toHaveLength(1)
    expect(plain.claude.calls()[0]?.argv).not.toContain('--json-schema')
  })

  it('that is a plain note is kept as one, and the facts are asked for by themselves', async () => {
    const made = stage([{ note: NOTE }, { object: { facts: [STORAGE], nothingIn: EVERYWHERE } }])
    await writeNotes(made.store, made.around)

    expectDone(made)
    expect(textsOf(made.store)).toEqual([STORAGE.text])
  })
})

describe('a second call', () => {
  it('is not made for a concept alone: the fact has none', async () => {
    const { conceptName: _, ...bare } = MONEY
    const made = stage([{ object: { note: NOTE, facts: [STORAGE, bare], nothingIn: EVERYWHERE } }])
    await writeNotes(made.store, made.around)

    expectDone(made)
    expect(made.claude.calls()).toHaveLength(1)
    expect(textsOf(made.store)).toEqual([STORAGE, MONEY].map(({ text }) => text).sort())
  })

  it('holds only the refused facts and the entries that none covers', async () => {
    const made = stage([
      { object: { note: NOTE, facts: [STORAGE, INVENTED] } },
      { object: { facts: [MONEY], nothingIn: EVERYWHERE } },
    ])
    await writeNotes(made.store, made.around)

    expectDone(made)
    const [, second, ...more] = made.claude.calls()
    expect(more).toEqual([])
    expect(second?.stdin).toContain('MongoDB')
    expect(second?.stdin).toContain('in cents')
    expect(second?.stdin).not.toContain('exported 40 invoices')
    expect(textsOf(made.store)).toEqual([STORAGE, MONEY].map(({ text }) => text).sort())
    expect(readCalls(made.project.keeper).map(({ kind }) => kind)).toEqual(['note', 'facts'])
  })

  it('is followed by a third at most, and what never holds is left out', async () => {
    const made = stage([
      { object: { note: NOTE, facts: [STORAGE, INVENTED] } },
      { object: { facts: [INVENTED], nothingIn: [] } },
    ])
    await writeNotes(made.store, made.around)

    expectDone(made)
    expect(made.claude.calls()).toHaveLength(3)
    expect(textsOf(made.store)).toEqual([STORAGE.text])
  })

  it('that fails costs neither the note nor the facts that hold', async () => {
    const made = stage([{ object: { note: NOTE, facts: [STORAGE, INVENTED] } }, BROKEN])
    await writeNotes(made.store, made.around)

    expectDone(made)
    expect(textsOf(made.store)).toEqual([STORAGE.text])
  })

  it('is not made when the day has no calls left', async () => {
    const made = stage([{ object: { note: NOTE, facts: [STORAGE] } }], decide, { modelCallsPerDay: 1 })
    await writeNotes(made.store, made.around)

    expectDone(made)
    expect(made.claude.calls()).toHaveLength(1)
    expect(textsOf(made.store)).toEqual([STORAGE.text])
  })
})

describe('a first call that fails', () => {
  it('leaves the piece to the next one, which begins its rounds anew', async () => {
    const made = stage([BROKEN, { object: { note: NOTE, facts: [STORAGE], nothingIn: EVERYWHERE } }])
    await writeNotes(made.store, made.around)
    expect(textsOf(made.store)).toEqual([])
    await writeNotes(made.store, made.around)

    expectDone(made)
    expect(textsOf(made.store)).toEqual([STORAGE.text])
  })
})

describe('what recurs', () => {
  it('is not asked about when nothing waits for a verdict', async () => {
    const made = stage([{ object: { verdicts: [] } }])
    locked(made.store, () => {
      reflect(made.store, NOW)
      refreshOwed(made.store)
    })
    await judgeRecurring(made.store, made.around)

    expect(made.claude.calls()).toEqual([])
  })
})
