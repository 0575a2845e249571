/** A note that loses entries is derived anew by structure, and a background call writes it again about what is left. */
import { describe, expect, it } from 'vitest'
import { performForget, planForget } from '../../../../src/core/forget/disk/forget.ts'
import { writeNotes } from '../../../../src/core/notes/disk/background.ts'
import { handOut } from '../../../../src/core/notes/disk/handout.ts'
import { saveNote } from '../../../../src/core/notes/disk/notes.ts'
import { rewriteNotes } from '../../../../src/core/notes/disk/rewrite.ts'
import { cutSession, workForClaude } from '../../../../src/core/notes/pending.ts'
import { type Store, stateEffect } from '../../../../src/kernel/memory/disk/store.ts'
import { type Note, notesIn } from '../../../../src/kernel/memory/note.ts'
import { allSessions } from '../../../../src/kernel/memory/state.ts'
import type { Disk } from '../../../../src/kernel/platform/disk/files.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { type Answer, type Stage, stageIn } from '../../../support/claude.ts'
import { filesWith } from '../../../support/forget.ts'
import { Killed, killingDisk } from '../../../support/killing-disk.ts'
import { locked, memoryOf } from '../../../support/notes.ts'
import {
  append,
  linesFor,
  NOW,
  now,
  quietProject,
  sessionId,
  storeOf,
  type TestProject,
  write,
} from '../../../support/project.ts'
import { namesOf } from '../../../support/work.ts'
import { finishHere } from '../../../support/world.ts'

const SESSION = sessionId(1)
const NOTE = 'n-00000001-0-6'
const OWED = '00000001-0-6'
const SECRET = 'kingfisher'
const FIRST = 'The user had the kingfisher importer moved and prices counted in whole cents.'
const SECOND = 'Prices are counted in whole cents, since floating point rounds them down.'

/** A session about two things, with a model's note about both: by a call, or saved as if by one. */
async function stage(
  second: Answer = { note: SECOND },
  settings: object = {},
  how: 'called' | 'saved' = 'called',
): Promise<Stage> {
  const project = quietProject({ summarizer: 'headless', ...settings })
  const store = storeOf(project)
  const l = linesFor(SESSION, project.root)
  const transcript = [
    l.prompt(0, 'Move the kingfisher importer to the harbour, and tell nobody in the whole company about it, please.'),
    l.answer(1, 'The kingfisher importer runs in the harbour now.'),
    l.prompt(10, 'Prices with VAT are sometimes one cent off in src/price.ts. Find out why that is, and mend it.'),
    l.use(11, 'b', 'Bash', { command: 'npm test -- price' }),
    l.result(12, 'b', '12 passed'),
    l.answer(13, 'Prices are counted in whole cents now, because floating point rounds 1.015 down.'),
    l.answer(14, 'All tests of prices pass.'),
  ].join('')
  const file = project.transcriptOf(SESSION)
  write(file, transcript)
  captureSession(store, { session: SESSION, transcript: file, host: 1 }, { waitMs: 5000, now })
  locked(store, () => store.perform([stateEffect(cutSession(store.readState(), SESSION))]))
  const stage = stageIn(project, how === 'called' ? [{ note: FIRST }, second] : [second])
  if (how === 'called') await writeNotes(store, stage.around)
  else
    locked(store, () => {
      handOut(store, 'headless', 60_000, NOW)
      saveNote(store, { delta: OWED, text: FIRST, author: 'headless' }, NOW)
    })
  expect(notesOf(project)).toMatchObject([{ id: NOTE, author: 'headless', text: FIRST }])
  return { ...stage, store: storeOf(project) }
}

function notesOf(project: TestProject): Note[] {
  return notesIn(memoryOf(project))
}

function forget(store: Store): void {
  const what = { is: 'query', query: SECRET } as const
  expect(performForget(store, planForget(store, what), NOW).left).toEqual([])
}

function owed(store: Store): string[] {
  return namesOf(store.readState(), 'again')
}

/** Null: the work was done before so many writes. */
function killedAt(after: number, work: (disk: Disk) => unknown): Killed | null {
  try {
    work(killingDisk([{ after, how: 'before' }]))
    return null
  } catch (error) {
    if (error instanceof Killed) return error
    throw error
  }
}

describe.skipIf(process.platform === 'win32')('a note that lost entries', () => {
  it('is derived by structure at once, and owed to a background call only', async () => {
    const { project, store } = await stage()
    forget(store)
    const again = storeOf(project)
    const [note] = notesOf(project)

    expect(note).toMatchObject({ id: NOTE, author: 'extractive' })
    expect(note?.text).toContain('whole cents')
    expect(owed(again)).toEqual([OWED])
    expect(workForClaude(again.readState(), 'agent', 'agent')).toEqual([])
  })

  it('is written again about the entries that are left, in the place of the one by structure', async () => {
    const { project, store, claude, around } = await stage()
    forget(store)
    await rewriteNotes(storeOf(project), around)
    const asked = claude.calls().at(-1)?.stdin ?? ''

    expect(asked).toContain('whole cents')
    expect(asked).not.toContain(SECRET)
    expect(notesOf(project)).toMatchObject([{ id: NOTE, author: 'headless', text: SECOND }])
    expect(owed(storeOf(project))).toEqual([])
    expect(filesWith(project, [SECRET]).filter((one) => !one.includes('bin'))).toEqual([])
  })

  it('is not owed where no model writes notes, nor where nothing is left of it', async () => {
    const { project } = await stage()
    const extractive = storeOf(project)
    forget({ ...extractive, config: { ...extractive.config, summarizer: 'extractive' } })
    expect(owed(storeOf(project))).toEqual([])

    const { store, project: other } = await stage()
    performForget(store, { what: { is: 'session', session: SESSION } }, NOW)
    expect(notesOf(other)).toEqual([])
    expect(owed(storeOf(other))).toEqual([])
  })

  it.each([
    ['a call fails', { failsWith: 'API Error: 529 overloaded', status: 529 }, {}, [OWED]],
    ['the day has no call left', { note: SECOND }, { modelCallsPerDay: 2 }, [OWED]],
    ['the answer names what never occurred', { note: 'It set `src/never-there.ts` to 7331 ms.' }, {}, []],
    ['the piece is too long', { failsWith: 'Prompt is too long', status: 400 }, {}, []],
  ])('stays as structure made it while %s', async (_, answer, settings, left) => {
    const { project, store, around } = await stage(answer, settings)
    forget(store)
    await rewriteNotes(storeOf(project), around)

    expect(notesOf(project)).toMatchObject([{ id: NOTE, author: 'extractive' }])
    expect(owed(storeOf(project))).toEqual(left)
  })

  it('is not replaced when the user edited or removed it, and no call is made', async () => {
    const { project, store, claude, around } = await stage()
    forget(store)
    write(`${project.memory}/memory.md`, memoryOf(project).replace('whole cents', 'whole cents, as I said'))
    const calls = claude.calls().length
    await rewriteNotes(storeOf(project), around)

    expect(memoryOf(project)).toContain('as I said')
    expect(claude.calls()).toHaveLength(calls)
    expect(owed(storeOf(project))).toEqual([])
  })

  it('does not bring back what is forgotten while the model writes', async () => {
    const { project, store, around } = await stage({ note: SECOND })
    forget(store)
    const again = storeOf(project)
    let isFirst = true
    const meanwhile = (): string => {
      // The moment at which the call is settled: the model has answered, and nothing is saved yet.
      if (isFirst) isFirst = false
      else if (filesWith(project, ['floating']).some((one) => one.includes('l1.jsonl')))
        performForget(storeOf(project), { what: { is: 'query', query: 'floating point' } }, NOW)
      return NOW
    }
    await rewriteNotes(again, { ...around, now: meanwhile })

    expect(memoryOf(project)).not.toContain('floating')
    expect(notesOf(project)).toMatchObject([{ id: NOTE, author: 'extractive' }])
    expect(owed(storeOf(project))).toEqual([OWED])
  })

  it('is owed wherever forget is killed and repeated, and no model is given what is forgotten', async () => {
    const what = { is: 'query', query: SECRET } as const
    for (let isKilled = true, after = 0; isKilled; after++) {
      const { project, store, claude, around } = await stage({ note: SECOND }, {}, 'saved')
      const killed = killedAt(after, (disk) => performForget(store, { what }, NOW, disk))
      isKilled = killed !== null
      const isOwedEarly = owed(storeOf(project)).length > 0
      if (isKilled && isOwedEarly) {
        await rewriteNotes(storeOf(project), around)
        expect(claude.calls().every(({ stdin }) => !stdin.includes(SECRET))).toBe(true)
      }
      const isLeft = filesWith(project, [SECRET]).some((one) => one.includes('l1.jsonl'))
      if (isLeft) performForget(storeOf(project), { what }, NOW)
      const isWritten = isKilled && isOwedEarly && !isLeft
      expect(notesOf(project)).toMatchObject([{ id: NOTE, author: isWritten ? 'headless' : 'extractive' }])
      expect(owed(storeOf(project))).toEqual(isWritten ? [] : [OWED])
      expect(memoryOf(project)).not.toContain(SECRET)
    }
  })

  it('is written by the finisher of the next session', async () => {
    const { project, store, claude } = await stage()
    forget(store)
    append(project.transcriptOf(SESSION), linesFor(SESSION, project.root).prompt(20, 'Thank you.'))
    await finishHere(project, { for: 'end', session: SESSION }, { env: { PATH: claude.bin } })

    expect(notesOf(project)[0]).toMatchObject({ id: NOTE, author: 'headless', text: SECOND })
    expect(notesOf(project)[0]?.unaudited).toBeUndefined()
    expect(owed(storeOf(project)).includes(OWED)).toBe(false)
    expect(allSessions(storeOf(project).readState())).toHaveLength(1)
  })
})
