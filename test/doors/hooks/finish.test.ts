/** The finisher: what a session leaves behind when it ends, and what it does not touch. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { keptFile } from '../../../src/core/briefing/disk/briefing-kept.ts'
import { readHookTimes } from '../../../src/core/receipts/disk/journal.ts'
import { openIndex } from '../../../src/core/search/disk/memory-index.ts'
import type { SessionState } from '../../../src/kernel/memory/session-state.ts'
import { sessionIn } from '../../../src/kernel/memory/state.ts'
import { hasJobs } from '../../../src/kernel/sessions/disk/finisher-queue.ts'
import { notesOf } from '../../support/notes.ts'
import { processesWith, runFinisher, runHook, until } from '../../support/process.ts'
import {
  append,
  linesFor,
  linesNow,
  makeProject,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  story,
  type TestProject,
  textsIn,
  treeOf,
  turns,
} from '../../support/project.ts'
import { begin, finishHere, hookHere, LATER, prompt, stop, work } from '../../support/world.ts'

const SESSION = sessionId(1)
const END = { for: 'end', session: SESSION } as const
/** When the first session of the tests begins. */
const linesBegan = '2026-01-13T09:00:01.000Z'

function sessionOf(project: TestProject, session = SESSION): SessionState | undefined {
  return sessionIn(readStateIn(project.memory), session)
}

function summariesOf(project: TestProject): string[] {
  return fs.readdirSync(path.join(project.memory, 'sessions')).filter((name) => name.endsWith('.md'))
}

function workingProject(settings: object = {}): TestProject {
  const project = quietProject(settings)
  append(project.transcriptOf(SESSION), story(linesFor(SESSION, project.root)))
  stop(project)
  return project
}

describe('a session that ended', () => {
  it('whose last lines the hook left is captured as one that a hook saw', async () => {
    const project = workingProject()
    const before = sessionOf(project)?.entries ?? 0
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 30, 31))
    await finishHere(project, { ...END, seen: { transcript: project.transcriptOf(SESSION), host: 4321 } })

    expect(sessionOf(project)).toMatchObject({ entries: before + 3, pid: 4321, isLive: true, isEnded: true })
  })
})

describe('a note that is due in the middle of a session', () => {
  it('is written when the host had time to write the turn down that made it due', async () => {
    const project = quietProject({ saveInterval: 3 })
    work(project, 0, 3)
    const waits: number[] = []
    const wait = async (ms: number) => {
      waits.push(ms)
      append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 3, 4))
    }
    await finishHere(project, { for: 'note' }, { wait })

    expect(waits).toEqual([500])
    expect(notesOf(project).map(({ to }) => to)).toEqual([sessionOf(project)?.entries])
    expect(sessionOf(project)?.entries).toBe(12)
  })

  it('is the only thing that a finisher waits for', async () => {
    const project = workingProject()
    const wait = () => Promise.reject(new Error('waited'))
    await finishHere(project, END, { wait })
    await finishHere(project, { for: 'catch-up' }, { wait })

    expect(notesOf(project)).toHaveLength(1)
  })
})

describe('a session that was killed in its first turn', () => {
  it.each([10, 40])(
    'gets its note, although no finisher had run before the next start %i seconds later',
    async (seconds) => {
      const project = quietProject()
      const at = (after: number) => ({ now: () => new Date(Date.parse(linesBegan) + after * 1000).toISOString() })
      prompt(project, {}, at(0))
      append(project.transcriptOf(SESSION), story(linesFor(SESSION, project.root)))
      // The host is killed here: no Stop, no SessionEnd.
      const next = sessionId(2)
      begin(project, next, 'startup', at(seconds))
      append(project.transcriptOf(next), turns(linesFor(next, project.root), 0, 1))
      stop(project, {}, at(seconds + 5), next)
      await finishHere(project, { for: 'end', session: next }, at(seconds + 10))
      await finishHere(project, { for: 'catch-up' }, at(3600))

      expect(notesOf(project).map(({ session }) => session)).toEqual(['00000002', '00000001'])
      expect(sessionOf(project)).toMatchObject({ entries: 4, watermark: 4 })
    },
  )
})

describe('a prompt that was queued when the host was killed', () => {
  const WAITS = 'And then paint the northern pier green.'
  const queued = (operation: string, content?: string): string =>
    `${JSON.stringify({ type: 'queue-operation', operation, timestamp: '2026-01-13T09:10:00.000Z', sessionId: SESSION, content })}\n`

  it('gets into a note, and is not stored again when its line comes after all', async () => {
    const project = workingProject()
    const before = sessionOf(project)?.entries ?? 0
    append(project.transcriptOf(SESSION), queued('enqueue', WAITS))
    await finishHere(project, END)

    expect(sessionOf(project)).toMatchObject({ entries: before + 1, watermark: before + 1 })
    const stored = (): number => textsIn(project.memory).filter((text) => text === WAITS).length
    expect(stored()).toBe(1)
    await finishHere(project, { for: 'catch-up' }, { now: () => LATER })
    expect(stored()).toBe(1)
    append(project.transcriptOf(SESSION), queued('dequeue') + linesFor(SESSION, project.root).prompt(700, WAITS))
    await finishHere(project, { for: 'catch-up' }, { now: () => LATER })
    expect(stored()).toBe(1)
  })
})

describe('the end of a session', () => {
  it('starts the finisher for it before anything else, and says nothing', () => {
    const project = workingProject()
    const ended = hookHere(project, { hook_event_name: 'SessionEnd', session_id: SESSION, reason: 'other' })

    expect(ended).toMatchObject({ out: '', started: [END] })
  })

  it('gives it a note with its provenance, a summary, a vault and the next start its briefing, all of it once', async () => {
    const project = workingProject()
    await finishHere(project, END)
    const [note, ...others] = notesOf(project)

    expect(others).toEqual([])
    expect(note).toMatchObject({ id: 'n-00000001-0-4', session: '00000001', from: 0, to: 4, author: 'extractive' })
    expect(note?.text).toContain('src/parser.ts')
    expect(sessionOf(project)).toMatchObject({ watermark: 4, isEnded: true, summed: 4 })
    const [summary = ''] = summariesOf(project)
    expect(summariesOf(project)).toEqual([sessionOf(project)?.file.replace('.l1.jsonl', '.md')])
    const text = fs.readFileSync(path.join(project.memory, 'sessions', summary), 'utf8')
    expect(text).toMatch(/^# Session 00000001, 2026-01-13 UTC\n/)
    for (const part of ['1 prompt, 2 tool uses, 4 entries', 'npm test -- parser']) expect(text).toContain(part)
    const vault = Object.keys(treeOf(project.places.vault))
    for (const name of ['memory.md', path.join('sessions', summary)]) expect(vault).toContain(name)
    for (const files of [vault, Object.keys(treeOf(project.memory))]) expect(files).not.toContain('delta_temp.txt')

    const before = treeOf(project.memory)
    await finishHere(project, END)
    await finishHere(project, { for: 'catch-up' })
    expect(treeOf(project.memory)).toEqual(before)
    const kept = JSON.parse(fs.readFileSync(keptFile(storeOf(project)) ?? '', 'utf8')) as { lines: { text: string }[] }
    const told = hookHere(project, { hook_event_name: 'SessionStart', source: 'startup', session_id: sessionId(2) })
    expect(told.out).toContain(JSON.stringify(kept.lines.map(({ text }) => text).join('\n')).slice(1, -1))
  })

  it('is taken back when the session goes on, and its next end is noted from there', async () => {
    const project = workingProject()
    await finishHere(project, END)
    work(project, 50, 51)
    expect(sessionOf(project)?.isEnded).toBeUndefined()
    await finishHere(project, END)

    expect(notesOf(project).map(({ from, to }) => [from, to])).toEqual([
      [0, 4],
      [4, 7],
    ])
    expect(sessionOf(project)?.summed).toBe(7)
    expect(summariesOf(project)).toHaveLength(1)
  })

  it('of a session that said nothing leaves no file', async () => {
    const project = quietProject()
    await finishHere(project, END)

    expect(treeOf(project.root)).toEqual({})
  })
})

describe('the finisher', () => {
  it('leaves sessions alone that go on, whatever it was started for', async () => {
    const project = workingProject()
    await finishHere(project, { for: 'catch-up' })
    await finishHere(project, { for: 'note' })
    await finishHere(project, { for: 'end', session: sessionId(2) })

    expect(notesOf(project)).toEqual([])
    expect(summariesOf(project)).toEqual([])
    expect(sessionOf(project)?.watermark).toBe(0)
    expect(readStateIn(project.memory).work).toEqual([])
  })

  it('takes care of a session whose host is dead, or which said nothing for long', async () => {
    const dead = workingProject()
    await finishHere(dead, { for: 'catch-up' }, { isAlive: () => false })
    const quiet = workingProject()
    await finishHere(quiet, { for: 'catch-up' }, { now: () => LATER })

    expect([dead, quiet].map((project) => notesOf(project).length)).toEqual([1, 1])
    expect([dead, quiet].map((project) => summariesOf(project).length)).toEqual([1, 1])
  })

  it('writes the note that is due in a session that goes on', async () => {
    const project = quietProject({ saveInterval: 2 })
    work(project, 0, 2)
    await finishHere(project, { for: 'note' })

    expect(notesOf(project)).toMatchObject([{ from: 0, to: 6 }])
    expect(sessionOf(project)?.isEnded).toBeUndefined()
    expect(summariesOf(project)).toEqual([])
  })

  it('lays what waits before the agent where the user wants him, readable for a person', async () => {
    const project = workingProject({ summarizer: 'agent' })
    await finishHere(project, END)
    const text = fs.readFileSync(path.join(project.memory, 'delta_temp.txt'), 'utf8')

    expect(notesOf(project)).toEqual([])
    expect(text).toMatch(/^# Delta 00000001-0-4: /)
    expect(text).toContain('[User]: Make the parser in src/parser.ts accept empty lines, please.')
    expect(text).toContain('[Tool: Bash] npm test -- parser\nOutput:\n| 214 tests passed in 3.2 s')
    expect(text).toContain('[Assistant]: We decided to skip empty lines')
  })

  it('notes by code what the agent left undone in an earlier session, and leaves the one that just ended to him', async () => {
    const project = workingProject({ summarizer: 'agent' })
    await finishHere(project, END)
    await finishHere(project, { for: 'end', session: sessionId(2) })

    expect(notesOf(project)).toMatchObject([{ session: '00000001', author: 'extractive', from: 0, to: 4 }])
  })

  it('calls no model before the user was told of it, and code writes the note', async () => {
    const project = makeProject()
    append(project.transcriptOf(SESSION), story(linesFor(SESSION, project.root)))
    stop(project)
    const bin = path.join(project.base, 'bin')
    const trace = path.join(project.base, 'called')
    fs.mkdirSync(bin)
    const program = `#!${process.execPath}\nrequire('fs').writeFileSync(${JSON.stringify(trace)}, '')\n`
    fs.writeFileSync(path.join(bin, 'claude'), program, { mode: 0o755 })
    begin(project, sessionId(2), 'startup', { isAttended: false })
    await finishHere(project, END, { env: { PATH: bin } })
    expect(notesOf(project)).toMatchObject([{ author: 'extractive' }])
    expect(fs.existsSync(trace)).toBe(false)

    begin(project, sessionId(2))
    work(project, 50, 52)
    await finishHere(project, END, { env: { PATH: bin } })
    expect(fs.existsSync(trace)).toBe(process.platform !== 'win32')
  })

  it('does not give up history whose note failed', async () => {
    const project = makeProject()
    begin(project, SESSION)
    append(project.transcriptOf(sessionId(2)), turns(linesFor(sessionId(2), project.root), 0, 10))
    await finishHere(project, { for: 'catch-up' }, { now: () => LATER })
    expect(notesOf(project)).toEqual([])
    begin(project, sessionId(3), 'startup', { now: () => LATER })

    expect(notesOf(project)).toMatchObject([{ session: '00000002', from: 0, to: 30, author: 'extractive' }])
  })

  it('does nothing in a child of our own', async () => {
    const project = workingProject()
    const before = treeOf(project.base)
    await finishHere(project, END, { isOurChild: true })

    expect(treeOf(project.base)).toEqual(before)
  })

  it('stops when its time is over, and the next one goes on', async () => {
    const project = workingProject({ summarizer: 'extractive' })
    work(project, 0, 2, sessionId(2))
    await finishHere(project, { for: 'catch-up' }, { isAlive: () => false, elapsedMs: () => 11 * 60_000 })
    expect(summariesOf(project)).toEqual([])
    await finishHere(project, { for: 'catch-up' }, { isAlive: () => false })

    expect(notesOf(project).map(({ session }) => session)).toEqual(['00000001', '00000002'])
    expect(summariesOf(project)).toHaveLength(2)
  })
})

describe('the real programs', () => {
  it('leave a note, a summary and a vault behind when a session ends', async () => {
    const project = quietProject()
    append(project.transcriptOf(SESSION), turns(linesNow(SESSION, project.root), 0, 3))
    const payload = { hook_event_name: 'SessionEnd', session_id: SESSION, reason: 'prompt_input_exit' }

    expect(runHook(project, payload)).toEqual({ out: '', err: '', code: 0 })
    await until(() => fs.existsSync(path.join(project.places.vault, 'memory.md')))
    await until(() => (processesWith(project.root) ?? []).length === 0)
    expect(notesOf(project)).toMatchObject([{ from: 0, to: 9, author: 'extractive' }])
    expect(summariesOf(project)).toHaveLength(1)
    expect(sessionOf(project)).toMatchObject({ watermark: 9, isEnded: true })
  })

  it('end at once where the last finisher left nothing to do, and print the start that it prepared', () => {
    const project = quietProject()
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 1))
    const index = path.join(project.around.cacheDir ?? '', 'index')
    const isAtWork = (job: readonly string[]): boolean => {
      fs.rmSync(index, { recursive: true, force: true })
      expect(runFinisher(project, {}, job)).toEqual({ out: '', err: '', code: 0 })
      return fs.existsSync(index)
    }
    expect(isAtWork(['catch-up'])).toBe(true)
    const begins = { hook_event_name: 'SessionStart', session_id: sessionId(2), source: 'startup' }
    const { out } = runHook(project, begins, { CLAUDE_CODE_SESSION_ATTENDED: '0' })
    expect(readHookTimes(project.memory).map(({ by }) => by)).toEqual(['prepared'])
    expect(begin(project, sessionId(3), 'startup', { isAttended: false }).out).toBe(out)

    // The first start made the directory of receipts.
    expect(isAtWork(['catch-up'])).toBe(true)
    expect([isAtWork(['catch-up']), isAtWork(['end', sessionId(2)])]).toEqual([false, false])
    expect(hasJobs(project.places)).toBe(false)
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 1, 2))
    expect([isAtWork(['catch-up']), isAtWork(['end', SESSION]), isAtWork(['note'])]).toEqual([true, true, true])
  })

  it('take every word for the catching up that is not understood', () => {
    const project = quietProject()
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 1))

    expect(runFinisher(project, {}, ['something'])).toEqual({ out: '', err: '', code: 0 })
    expect(sessionOf(project)?.entries).toBe(3)
    expect(runFinisher(project, { HOME: '/nowhere/at/all' })).toMatchObject({ out: '', err: '' })
  })
})

describe('the work of a finisher', () => {
  it('is told to go on between all of its parts: long work may be done in another way than short work', async () => {
    const project = workingProject()
    const notes: number[] = []
    const goOn = (): void => void notes.push(notesOf(project).length)
    await finishHere(project, END, { now: () => LATER, isAlive: () => false, goOn })

    expect([notes[0], notes.at(-1)]).toEqual([0, 1])
    expect(notes.length).toBeGreaterThan(20)
  })

  it('ends with an index of everything, although without a model it is updated once', async () => {
    const project = workingProject()
    await finishHere(project, END, { now: () => LATER, isAlive: () => false })
    const index = openIndex(storeOf(project), {
      cacheDir: project.around.cacheDir ?? '',
      now: () => LATER,
      budgetMs: 0,
    })

    expect(index.refresh()).toBe(true)
    index.close()
  })
})

describe('a step that fails', () => {
  it('is logged and keeps none of the others from being done', async () => {
    const project = workingProject()
    // No vault can be made there.
    fs.mkdirSync(path.dirname(project.places.vault), { recursive: true })
    fs.writeFileSync(project.places.vault, '')
    await finishHere(project, END, { now: () => LATER, isAlive: () => false })

    expect(notesOf(project)).toHaveLength(1)
    expect(summariesOf(project)).toHaveLength(1)
    expect(fs.existsSync(path.join(project.around.cacheDir ?? '', 'index'))).toBe(true)
    expect(fs.existsSync(keptFile(storeOf(project)) ?? '')).toBe(true)
    expect(fs.readFileSync(path.join(project.keeper, 'logs', 'memory-keeper.log'), 'utf8')).toMatch(/ vault: E/)
  })

  it('of capture is that of one session: the others are captured', async () => {
    const project = workingProject()
    const other = sessionId(2)
    append(project.transcriptOf(other), story(linesFor(other, project.root)))
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 20, 21))
    const [own = ''] = fs.readdirSync(path.join(project.memory, 'sessions'))
    const open = fs.openSync
    vi.spyOn(fs, 'openSync').mockImplementation((...args: Parameters<typeof fs.openSync>) => {
      if (String(args[0]).endsWith(own)) throw Object.assign(new Error('EIO'), { code: 'EIO', path: args[0] })
      return open(...args)
    })
    await finishHere(project, END, { now: () => LATER, isAlive: () => false })
    vi.restoreAllMocks()

    expect(sessionOf(project, other)?.entries).toBe(4)
    await finishHere(project, END, { now: () => LATER, isAlive: () => false })
    expect(sessionOf(project)?.entries).toBe(7)
  })
})
