/** What a start catches up: also a session that goes on after a long pause, and one whose memory was stored elsewhere meanwhile. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { catchUp } from '../../../../src/kernel/sessions/disk/catch-up.ts'
import {
  append,
  linesFor,
  quietProject,
  readStateIn,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  textsIn,
} from '../../../support/project.ts'
import { begin, hookHere, prompt, stop } from '../../../support/world.ts'

const [SESSION, OTHER] = [sessionId(1), sessionId(2)] as const
/** When the lines of the session begin. */
const BEGAN = Date.parse('2026-01-13T09:00:01.000Z')

function at(minute: number): { now: () => string } {
  return { now: () => new Date(BEGAN + minute * 60_000).toISOString() }
}

/** The host writes lines of that minute. */
function says(
  project: TestProject,
  minute: number,
  write: (lines: ReturnType<typeof linesFor>, ms: number) => string,
): void {
  const file = project.transcriptOf(SESSION)
  append(file, write(linesFor(SESSION, project.root), minute * 60_000))
  fs.utimesSync(file, new Date(BEGAN + minute * 60_000), new Date(BEGAN + minute * 60_000))
}

function asks(project: TestProject, minute: number, text: string): void {
  prompt(project, { prompt: text }, at(minute))
  says(project, minute, (lines, ms) => lines.prompt(ms, text))
}

function answers(project: TestProject, minute: number, text: string): void {
  says(project, minute, (lines, ms) => lines.answer(ms, text))
  stop(project, { last_assistant_message: text }, at(minute))
}

function ends(project: TestProject, minute: number): void {
  hookHere(project, { hook_event_name: 'SessionEnd', session_id: SESSION }, at(minute))
}

function store(project: TestProject, storage: 'project' | 'home'): void {
  setAtHome(project, { summarizer: 'extractive', rules: false, storage })
}

describe('a session that goes on after a pause', () => {
  it('is caught up when it is killed in the turn after it', () => {
    const project = quietProject()
    asks(project, 0, 'first')
    answers(project, 1, 'one')
    // Two starts of another session find it complete and quiet, before and after a day.
    begin(project, OTHER, 'startup', at(10))
    begin(project, OTHER, 'startup', at(2000))
    asks(project, 2001, 'second')
    begin(project, OTHER, 'startup', at(2010))

    expect(textsIn(project.memory)).toEqual(['first', 'one', 'second'])
  })

  it('is caught up turn after turn, although it was once found before any hook saw it', () => {
    const project = quietProject()
    asks(project, 0, 'first')
    begin(project, OTHER, 'startup', at(10))
    answers(project, 11, 'one')
    begin(project, OTHER, 'startup', at(20))
    asks(project, 21, 'second')
    begin(project, OTHER, 'startup', at(30))

    expect(textsIn(project.memory)).toEqual(['first', 'one', 'second'])
  })

  it.each([
    ['project', 'home'],
    ['home', 'project'],
  ] as const)('is caught up in %s storage when its prompts went to %s storage meanwhile', (before, meanwhile) => {
    const project = quietProject({ storage: before })
    asks(project, 0, 'first')
    answers(project, 1, 'one')
    begin(project, OTHER, 'startup', at(10))
    store(project, meanwhile)
    asks(project, 11, 'second')
    answers(project, 12, 'two')
    asks(project, 13, 'third')
    store(project, before)
    begin(project, OTHER, 'startup', at(30))

    const memory = before === 'home' ? project.places.atHome : project.memory
    expect(textsIn(memory)).toEqual(['first', 'one', 'second', 'two', 'third'])
  })

  it.each([
    ['project', 'home'],
    ['home', 'project'],
  ] as const)(
    'that ended is caught up in %s storage when it went on in %s storage, however late',
    (before, meanwhile) => {
      const project = quietProject({ storage: before })
      asks(project, 0, 'first')
      answers(project, 1, 'one')
      ends(project, 2)
      begin(project, OTHER, 'startup', at(3000))
      store(project, meanwhile)
      begin(project, SESSION, 'resume', at(3010))
      asks(project, 3011, 'second')
      store(project, before)
      begin(project, OTHER, 'startup', at(6000))

      const memory = before === 'home' ? project.places.atHome : project.memory
      expect(textsIn(memory)).toEqual(['first', 'one', 'second'])
      // Looked at once: the next start knows the other place as it is.
      const other = fs.statSync(
        path.join(before === 'home' ? project.memory : project.places.atHome, 'memory-index.json'),
      )
      expect(readStateIn(memory).otherPlace).toBe(`${other.mtimeMs} ${other.size}`)
    },
  )

  it('begins no memory in a project because one is at home', () => {
    const project = quietProject({ storage: 'home' })
    asks(project, 0, 'first')
    answers(project, 1, 'one')
    store(project, 'project')
    fs.rmSync(project.transcriptOf(SESSION))
    catchUp(storeOf(project), { waitMs: 100, now: at(10).now, look: 'unfinished' })

    expect(fs.existsSync(path.join(project.places.atHome, 'memory-index.json'))).toBe(true)
    expect(fs.existsSync(project.memory)).toBe(false)
  })
})

describe('transcripts of several launch directories in one directory of the host', () => {
  it('are told apart one by one', () => {
    const project = quietProject()
    const elsewhere = path.join(project.base, 'another')
    const gone = path.join(project.root, 'removed')
    fs.mkdirSync(path.join(elsewhere, '.git'), { recursive: true })
    const dirs = [project.root, elsewhere, gone, elsewhere, project.root]
    dirs.forEach((dir, n) => {
      append(project.transcriptOf(sessionId(n + 1)), linesFor(sessionId(n + 1), dir).prompt(0, `prompt ${n}`))
    })

    catchUp(storeOf(project), { waitMs: 1000, look: 'anew', ...at(10) })

    expect(textsIn(project.memory).sort()).toEqual(['prompt 0', 'prompt 2', 'prompt 4'])
  })
})
