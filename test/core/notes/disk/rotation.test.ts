/** Rotation on disk: a full memory becomes an archive, once, and no note is lost, also among several processes. */
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { allFindings } from '../../../../src/core/health/disk/health.ts'
import { handOut } from '../../../../src/core/notes/disk/handout.ts'
import { noteFiles, removeDoubles, rotateIfFull } from '../../../../src/core/notes/disk/memory.ts'
import { addOwnNote, noteByCode, saveNote } from '../../../../src/core/notes/disk/notes.ts'
import { saveSummary } from '../../../../src/core/notes/disk/summaries.ts'
import { countDoubles } from '../../../../src/core/notes/doubles.ts'
import { openStore, type Store } from '../../../../src/kernel/memory/disk/store.ts'
import { notesIn, parseMemory } from '../../../../src/kernel/memory/note.ts'
import { allSessions, sessionIn } from '../../../../src/kernel/memory/state.ts'
import { PIECE_TOKENS } from '../../../../src/kernel/sessions/delta.ts'
import { estimateTokens } from '../../../../src/kernel/text/tokens.ts'
import { Killed, killingDisk } from '../../../support/killing-disk.ts'
import { buildModule } from '../../../support/module.ts'
import { allNotesOf, archivesOf, locked, memoryOf, owe, TRUE_NOTE } from '../../../support/notes.ts'
import { envOf, type Started, start } from '../../../support/process.ts'
import {
  fastDir,
  linesFor,
  NOW,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  turn,
} from '../../../support/project.ts'
import { namesOf } from '../../../support/work.ts'

const SESSION = sessionId(1)
/** The least that may be set: a few of our notes. */
const SETTINGS = { rotationThresholdTokens: 1000, carryoverTokens: 300 }
const LONG =
  'The report was printed, checked twice, and sent to everybody who had asked for it in the morning. '.repeat(5)

function noteInto(store: Store, n: number): void {
  locked(store, () => addOwnNote(store, `Note ${n}. ${LONG}`, `2026-01-13T12:00:${String(n).padStart(2, '0')}.000Z`))
}

/** Filled until it rotated for the first time. */
function rotated(): { project: TestProject; store: Store; count: number } {
  const project = quietProject(SETTINGS, fastDir())
  const store = storeOf(project)
  let count = 0
  while (archivesOf(project).length === 0 && count < 30) {
    noteInto(store, count++)
  }
  return { project, store, count }
}

/** The next note makes it rotate. */
function nearlyFull(rotatesAt: number): { project: TestProject; count: number } {
  const project = quietProject(SETTINGS, fastDir())
  const count = rotatesAt - 1
  for (let n = 0; n < count; n++) noteInto(storeOf(project), n)
  return { project, count }
}

function numbersIn(project: TestProject): number[] {
  return allNotesOf(project).map(({ text }) => Number(/^Note (\d+)/.exec(text)?.[1]))
}

describe('a full memory', () => {
  it('becomes an archive, the newest notes stay, and every note stands once', () => {
    const { project, count } = rotated()
    const stayed = notesIn(memoryOf(project))

    expect(count).toBeGreaterThan(3)
    expect(archivesOf(project)).toHaveLength(1)
    expect(numbersIn(project)).toEqual(Array.from({ length: count }, (_, n) => n))
    expect(stayed.length).toBeGreaterThan(0)
    expect(stayed.at(-1)?.text).toContain(`Note ${count - 1}.`)
    const carried = parseMemory(memoryOf(project)).filter(({ note }) => note !== null)
    expect(carried.reduce((sum, { raw }) => sum + estimateTokens(raw), 0)).toBeLessThanOrEqual(300)
    expect(memoryOf(project)).toMatch(/^# Memory\n/)
  })

  it('is known to the state, with a summary made by code', () => {
    const { project, count } = rotated()
    const [archive = ''] = archivesOf(project)
    const state = readStateIn(project.memory)
    const summary = archive.replace('.md', '.summary.json')

    expect(state.rotatedFiles).toMatchObject([
      { file: archive, summary, summaryGenerated: false, tokenCount: expect.any(Number) },
    ])
    expect(state.stats).toEqual({ totalRotations: 1, lastRotation: `2026-01-13T12:00:0${count - 1}.000Z` })
    expect(JSON.parse(fs.readFileSync(path.join(project.memory, summary), 'utf8'))).toMatchObject({
      sourceFile: archive,
      overallSummary: expect.stringContaining('report'),
    })
  })

  it('rotates again and again, also within a second, without losing one', () => {
    const project = quietProject(SETTINGS, fastDir())
    const store = storeOf(project)
    for (let n = 0; n < 40; n++) locked(store, () => addOwnNote(store, `Note ${n}. ${LONG}`, NOW))

    expect(archivesOf(project).length).toBeGreaterThan(3)
    expect(numbersIn(project).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n))
    expect(new Set(allNotesOf(project).map(({ id }) => id)).size).toBe(40)
    const state = readStateIn(project.memory)
    expect(state.rotatedFiles.map(({ file }) => file).sort()).toEqual(archivesOf(project).sort())
    expect(state.stats.totalRotations).toBe(archivesOf(project).length)
  })

  it('that somebody wrote by hand rotates as well, word for word', () => {
    const project = quietProject(SETTINGS, fastDir())
    const store = storeOf(project)
    const own = Array.from({ length: 12 }, (_, n) => `## Chapter ${n}\n${LONG}\n\n`)
    store.perform([{ do: 'write', path: 'memory.md', text: own.join('') }])
    noteInto(store, 0)
    const all = [...archivesOf(project).map((name) => fs.readFileSync(path.join(project.memory, name), 'utf8'))]

    expect(all).toHaveLength(1)
    for (const chapter of own) expect((all.join('') + memoryOf(project)).split(chapter)).toHaveLength(2)
  })
})

describe('notes in an archive', () => {
  /** Told in an archive, and the state of them is lost. */
  function told(): { project: TestProject; store: Store } {
    const project = quietProject(SETTINGS, fastDir())
    const store = storeOf(project)
    owe(store, project, 0, 2)
    locked(store, () => noteByCode(store, NOW))
    for (let n = 0; archivesOf(project).length === 0; n++) noteInto(store, n)
    expect(memoryOf(project)).not.toContain('n-00000001-0-6')
    return { project, store }
  }

  it('count as told when the state is lost', () => {
    const { project } = told()
    const archives = archivesOf(project)
    fs.rmSync(path.join(project.memory, 'memory-index.json'))
    const store = storeOf(project)
    owe(store, project, 2, 3)

    expect(locked(store, () => handOut(store, 'agent', PIECE_TOKENS.agent, NOW))).toMatchObject({
      id: '00000001-6-9',
    })
    const state = readStateIn(project.memory)
    expect(sessionIn(state, SESSION)?.watermark).toBe(6)
    expect(state.rotatedFiles.map(({ file }) => file)).toEqual(archives)
  })

  it('are not replaced by a late one', () => {
    const { project, store } = told()
    const before = allNotesOf(project)
    const given = { delta: '00000001-0-6', text: TRUE_NOTE, author: 'agent' as const }

    expect(locked(store, () => saveNote(store, given, NOW)).is).toBe('not-open')
    expect(allNotesOf(project)).toEqual(before)
  })

  it('stand there alone when a rotation was killed before memory.md became shorter', () => {
    const { project, store } = told()
    const archived = archivesOf(project).map((name) => fs.readFileSync(path.join(project.memory, name), 'utf8'))
    const [head, ...stayed] = parseMemory(memoryOf(project)).map(({ raw }) => raw)
    const before = allNotesOf(project).map(({ id }) => id)
    const { rotatedFiles: _, ...state } = readStateIn(project.memory)
    store.perform([
      { do: 'write', path: 'memory.md', text: [head, ...archived, ...stayed].join('') },
      { do: 'write', path: 'memory-index.json', text: JSON.stringify(state) },
    ])
    noteInto(storeOf(project), 59)

    expect(allNotesOf(project).map(({ id }) => id)).toEqual([...before, expect.stringMatching(/_120059/)])
    expect(archivesOf(project)).toHaveLength(1)
    expect(readStateIn(project.memory).rotatedFiles).toHaveLength(1)
  })
})

describe('a killed rotation', () => {
  /** As a rotation leaves it that was killed when it had written the archive: the state knows nothing of it. */
  function killed(): { project: TestProject; ids: string[] } {
    const { project, store } = rotated()
    const ids = allNotesOf(project).map(({ id }) => id)
    const archived = archivesOf(project).map((name) => fs.readFileSync(path.join(project.memory, name), 'utf8'))
    const [head, ...stayed] = parseMemory(memoryOf(project)).map(({ raw }) => raw)
    const { rotatedFiles: _, ...state } = readStateIn(project.memory)
    store.perform([
      { do: 'write', path: 'memory.md', text: [head, ...archived, ...stayed].join('') },
      { do: 'write', path: 'memory-index.json', text: JSON.stringify(state) },
    ])
    return { project, ids }
  }

  it('is completed by the next rotation, and every note stands once', () => {
    const { project, ids } = killed()
    const store = storeOf(project)
    locked(store, () => rotateIfFull(store, '2026-01-13T13:00:00.000Z'))

    expect(allNotesOf(project).map(({ id }) => id)).toEqual(ids)
    expect(archivesOf(project)).toHaveLength(1)
  })

  it('that doubled its notes for good is healed, and the doctor counts them', () => {
    const { project, ids } = killed()
    const store = storeOf(project)
    // What 0.6 did: a second archive with the same notes, known to the state.
    const [archive = ''] = archivesOf(project)
    const text = fs.readFileSync(path.join(project.memory, archive), 'utf8')
    const second = archive.replace('.md', '_2.md')
    const files = [archive, second].map((file) => ({
      file,
      rotatedAt: NOW,
      tokenCount: 1,
      summary: file.replace('.md', '.summary.json'),
      summaryGenerated: false,
    }))
    store.perform([
      { do: 'write', path: second, text },
      {
        do: 'write',
        path: 'memory-index.json',
        text: JSON.stringify({ ...readStateIn(project.memory), rotatedFiles: files }),
      },
    ])
    const look = () =>
      allFindings(storeOf(project), { now: NOW, nodeVersion: '22.0.0' }).find(({ name }) => name === 'note ids')

    expect(look()).toMatchObject({ verdict: 'warning', mend: 'doubles' })
    const opened = storeOf(project)
    locked(opened, () => removeDoubles(opened))
    expect(allNotesOf(project).map(({ id }) => id)).toEqual(ids)
    expect(look()).toMatchObject({ verdict: 'ok' })
    // The second archive is empty now, and goes with its summary.
    expect(archivesOf(project)).toEqual([archive])
    expect(readStateIn(project.memory).rotatedFiles.map(({ file }) => file)).toEqual([archive])
  })

  it('at any of its writes loses no note, and none stands twice after the next one', () => {
    const rotatesAt = rotated().count
    for (const how of ['before', 'partial', 'after'] as const)
      for (let after = 0; after < 6; after++) {
        const { project, count } = nearlyFull(rotatesAt)
        const killed = openStore(project.places, { now: () => NOW, disk: killingDisk([{ after, how }]) })
        expect(() => noteInto(killed, count)).toThrow(Killed)
        noteInto(storeOf(project), count + 1)

        const numbers = numbersIn(project)
        expect([how, after, new Set(numbers).size]).toEqual([how, after, numbers.length])
        const first = Array.from({ length: count }, (_, n) => n)
        expect(numbers).toEqual(expect.arrayContaining([...first, count + 1]))
        expect(countDoubles(noteFiles(storeOf(project)))).toBe(0)
        expect(namesOf(readStateIn(project.memory), 'summary')).toEqual(archivesOf(project))
      }
  })
})

describe('the summary of an archive', () => {
  const summary = {
    themes: [{ name: 'Reports', summary: 'A report was printed and sent.' }],
    keyDecisions: [],
    issues: [{ issue: 'It had to be checked twice.', status: 'fixed' }],
    overallSummary: 'The report was printed, checked and sent in the morning.',
  }

  it('takes the place of the one made by code', () => {
    const { project, store } = rotated()
    const [archive = ''] = archivesOf(project)
    const saved = locked(store, () => saveSummary(store, archive, JSON.stringify(summary), NOW))
    const file = archive.replace('.md', '.summary.json')

    expect(saved).toEqual({ is: 'saved', file })
    expect(JSON.parse(fs.readFileSync(path.join(project.memory, file), 'utf8'))).toEqual({
      ...summary,
      sourceFile: archive,
      unaudited: true,
      generatedAt: NOW,
      issues: [{ issue: 'It had to be checked twice.', status: 'resolved' }],
    })
    expect(readStateIn(project.memory).rotatedFiles).toMatchObject([{ summaryGenerated: true }])
  })

  it('is refused with a reason, and the one made by code stays', () => {
    const { project, store } = rotated()
    const [archive = ''] = archivesOf(project)
    const file = path.join(project.memory, archive.replace('.md', '.summary.json'))
    const before = fs.readFileSync(file, 'utf8')
    const tried = (json: string, name = archive): string => {
      const saved = locked(store, () => saveSummary(store, name, json, NOW))
      return saved.is === 'refused' ? saved.reason : 'saved'
    }

    expect(tried(JSON.stringify({ ...summary, overallSummary: 'See `src/gone.ts`.' }))).toContain('src/gone.ts')
    expect(tried(JSON.stringify({ ...summary, themes: 'none' }))).toContain('themes')
    expect(tried('nonsense')).toContain('JSON')
    expect(tried(JSON.stringify(summary), 'memory_19990101_000000.md')).toContain('memory_19990101_000000.md')
    expect(tried(JSON.stringify(summary), '../../memory.md')).not.toBe('saved')
    expect(fs.readFileSync(file, 'utf8')).toBe(before)
  })
})

/** Notes about what happened in a session, or notes of a person, one after the other, as several programs write them. */
const WRITER = `
import fs from 'node:fs'
import path from 'node:path'
import { cutSession } from './src/core/notes/pending.ts'
import { captureSession } from './src/kernel/sessions/disk/capture.ts'
import { locate } from './src/kernel/platform/disk/locate.ts'
import { handOut } from './src/core/notes/disk/handout.ts'
import { countDoubles } from '../../../../src/core/notes/doubles.ts'
import { addOwnNote, noteByCode, saveNote } from './src/core/notes/disk/notes.ts'
import { openStore, stateEffect } from './src/kernel/memory/disk/store.ts'
const job = JSON.parse(fs.readFileSync(0, 'utf8'))
const now = () => new Date().toISOString()
const open = () => openStore(locate(job.root, { home: job.home, configDir: undefined }), { now })
const locked = (store, work) => {
  const done = store.whileLocked(60_000, work)
  if (done === null) process.exit(3)
  return done.value
}
fs.mkdirSync(path.dirname(job.transcript), { recursive: true })
for (const text of job.own) locked(open(), () => addOwnNote(open(), text, now()))
for (const [n, turn] of job.turns.entries()) {
  fs.appendFileSync(job.transcript, turn)
  const store = open()
  captureSession(store, { session: job.session, transcript: job.transcript, host: 1 }, { waitMs: 60_000, now })
  locked(store, () => store.perform([stateEffect(cutSession(store.readState(), job.session))]))
  if (n % 3 === 0) locked(store, () => noteByCode(store, now()))
  else {
    // Whatever is oldest, also of another one: both may hold the same piece.
    const delta = locked(store, () => handOut(store, 'headless', 400, now()))
    if (delta !== null) locked(open(), () => saveNote(open(), { delta: delta.id, text: job.text, author: 'headless' }, now()))
  }
}
locked(open(), () => noteByCode(open(), now()))
`

let writer = ''
beforeAll(async () => {
  writer = await buildModule(WRITER)
})

function startWriter(project: TestProject, n: number, own: readonly string[], turnCount: number): Started {
  const session = sessionId(n + 1)
  const lines = linesFor(session, project.root)
  const job = {
    root: project.root,
    home: project.home,
    session,
    transcript: project.transcriptOf(session),
    own,
    turns: Array.from({ length: turnCount }, (_, i) => turn(lines, i)),
    text: TRUE_NOTE,
  }
  return start([writer], project.base, envOf(project), JSON.stringify(job))
}

async function ended(started: readonly Started[]): Promise<void> {
  const done = await Promise.all(started.map((each) => each.ended))
  expect(done.map(({ code, err }) => ({ code, err }))).toEqual(done.map(() => ({ code: 0, err: '' })))
}

describe('two processes at once', () => {
  it('that both fill the memory make one archive', async () => {
    const project = quietProject(SETTINGS, fastDir())
    const store = storeOf(project)
    let count = 0
    // As full as it gets: one more note, and it rotates.
    while (estimateTokens(memoryOf(project)) + estimateTokens(LONG) + 60 < 950) noteInto(store, count++)
    expect(archivesOf(project)).toEqual([])
    await ended([0, 1].map((n) => startWriter(project, n, [`Note ${count + n}. ${LONG}`], 0)))

    expect(archivesOf(project)).toHaveLength(1)
    expect(numbersIn(project).toSorted((a, b) => a - b)).toEqual(Array.from({ length: count + 2 }, (_, n) => n))
    expect(readStateIn(project.memory).stats.totalRotations).toBe(1)
  })
})

describe('four processes at once', () => {
  it('lose no note, tell no entry twice, and agree on the archives', async () => {
    const project = quietProject(SETTINGS, fastDir())
    const own = (who: number): string[] => Array.from({ length: 6 }, (_, n) => `Own ${who}.${n}. ${LONG}`)
    await ended([0, 1, 2, 3].map((n) => startWriter(project, n, own(n), 25)))
    const notes = allNotesOf(project)
    const state = readStateIn(project.memory)

    expect(notes.filter(({ session }) => session === null)).toHaveLength(24)
    expect(new Set(notes.map(({ id }) => id)).size).toBe(notes.length)
    for (const [id, session] of allSessions(state)) {
      const ranges = notes.filter((note) => note.session === id.slice(0, 8)).toSorted((a, b) => a.from - b.from)
      expect(ranges.map(({ from }) => from)).toEqual([0, ...ranges.slice(0, -1).map(({ to }) => to)])
      expect(ranges.at(-1)?.to).toBe(75)
      expect(session).toMatchObject({ entries: 75, watermark: 75 })
    }
    expect(archivesOf(project).length).toBeGreaterThan(2)
    expect(state.rotatedFiles.map(({ file }) => file).sort()).toEqual(archivesOf(project).sort())
    expect(fs.readdirSync(project.memory).filter((name) => /\.lock|\.tmp|broken|delta_temp/.test(name))).toEqual([])
  }, 60_000)
})
