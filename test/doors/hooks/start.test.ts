/** What a session is told at its start, and what its user is. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { addOwnNote } from '../../../src/core/notes/disk/notes.ts'
import { renderModelNotice } from '../../../src/core/notes/pending.ts'
import { BUILT_IN_RULES, renderRules } from '../../../src/core/pages/rule.ts'
import { allSessions } from '../../../src/kernel/memory/state.ts'
import { user } from '../../fixtures/sessions.ts'
import { learned, reflectOn } from '../../support/learned.ts'
import { notesOf } from '../../support/notes.ts'
import { type Env, runHook, type Said, saidBy } from '../../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  projectAt,
  quietProject,
  readStateIn,
  sessionId,
  setAtHome,
  storeOf,
  story,
  type TestProject,
  treeOf,
  turns,
  write,
} from '../../support/project.ts'
import { begin, finishHere, hookHere, LATER, stop, work } from '../../support/world.ts'

const SESSION = sessionId(1)
const MODEL_NOTICE = renderModelNotice(25, 50)
const NEW_PROJECT =
  'Memory Keeper records this project in .claude/memory. To stop it here, type: /memory-keeper:pause project'

function addNote(project: TestProject, text: string): void {
  const store = storeOf(project)
  store.whileLocked(1000, () => addOwnNote(store, text, '2026-01-12T18:00:00.000Z'))
}

function remembering(): TestProject {
  const project = quietProject()
  addNote(project, 'The release waits for the certificate of the build server.')
  return project
}

describe('the briefing', () => {
  it('goes to Claude, whole and within what the host passes on', () => {
    const project = remembering()
    const { out, context, notice } = begin(project, SESSION)

    expect(Object.keys(JSON.parse(out))).toEqual(['hookSpecificOutput'])
    expect(JSON.parse(out).hookSpecificOutput.hookEventName).toBe('SessionStart')
    expect(context).toMatch(/^<memory-keeper-([a-z2-9]{8})>\n[\s\S]*\n<\/memory-keeper-\1>$/)
    expect(context).toContain('The release waits for the certificate of the build server.')
    expect(context.length).toBeLessThanOrEqual(9500)
    expect(notice).toBe('')
  })

  it('is the same from the real program, and where nobody sits', () => {
    const project = remembering()
    const payload = { hook_event_name: 'SessionStart', session_id: SESSION, source: 'startup' }
    const { context } = begin(project, sessionId(2))

    expect(saidBy(runHook(project, payload)).context).toBe(context)
    expect(begin(project, sessionId(3), 'startup', { isAttended: false }).context).toBe(context)
  })

  it('is none where nothing is remembered, and no directory is made', () => {
    const project = quietProject()

    expect(begin(project, SESSION)).toMatchObject({ context: '', notice: '', sign: NEW_PROJECT })
    expect(begin(project, SESSION, 'startup', { isAttended: false }).out).toBe('')
    expect(treeOf(project.root)).toEqual({})
  })

  it.each([
    ['its receipt', (project: TestProject) => path.join(project.memory, 'journal', 'briefings')],
    ['the time it took', (project: TestProject) => path.join(project.memory, 'journal', 'hooks.jsonl')],
    ['what the user was told', (project: TestProject) => path.join(project.keeper, 'notices.json')],
  ])('is told although %s cannot be written', (_, placeIn) => {
    const project = remembering()
    setAtHome(project, {})
    const place = placeIn(project)
    if (path.extname(place) === '') write(place, 'a file')
    else fs.mkdirSync(place, { recursive: true })

    expect(begin(project, SESSION).context).toContain('certificate')
  })

  it('is the built-in rules where no memory can be kept at all', () => {
    const project = quietProject()
    write(path.join(project.root, '.claude'), 'a file')
    fs.rmSync(project.keeper, { recursive: true })
    write(project.keeper, 'a file')
    const payload = { hook_event_name: 'SessionStart', session_id: SESSION, source: 'startup' }

    expect(saidBy(runHook(project, payload)).context).toBe(renderRules(BUILT_IN_RULES))
  })

  it('comes also while another process holds the memory', () => {
    const project = remembering()
    const store = storeOf(project)
    const told = store.whileLocked(1000, () => begin(project, SESSION).context)

    expect(told?.value).toContain('certificate')
  })
})

describe('a session that goes on', () => {
  it('hears nothing when it is resumed and heard nothing at first: what is remembered is its own', async () => {
    const project = quietProject()
    expect(begin(project, SESSION).context).toBe('')
    work(project, 0, 1)
    await finishHere(project, { for: 'end', session: SESSION })

    expect(notesOf(project)).toHaveLength(1)
    expect(begin(project, SESSION, 'resume').out).toBe('')
    expect(begin(project, sessionId(2)).context).toContain('question 0')
  })

  it('from before our time hears what a new one hears when it is resumed', () => {
    const project = remembering()
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 1))

    expect(begin(project, SESSION, 'resume').context).toContain('certificate')
  })

  it('hears after a compaction what it did before, and the same again when it is resumed then', () => {
    const project = remembering()
    const first = begin(project, SESSION).context
    append(project.transcriptOf(SESSION), story(linesFor(SESSION, project.root)))
    const compacted = begin(project, SESSION, 'compact').context

    expect(compacted).toContain('What this session did before the compaction')
    for (const kept of ['npm test -- parser', 'src/parser.ts', '214']) expect(compacted).toContain(kept)
    expect(compacted).toContain('certificate')
    expect(compacted.length).toBeLessThanOrEqual(9500)
    expect(first).not.toContain('npm test')
    expect(begin(project, SESSION, 'resume').context).toBe(compacted)
  })

  it('hears after /clear what a new session hears', () => {
    const project = remembering()
    begin(project, SESSION)
    addNote(project, 'The certificate has come.')

    expect(begin(project, SESSION, 'clear').context).toContain('The certificate has come.')
  })

  it('that was forked hears what its parent heard', () => {
    const project = remembering()
    const first = begin(project, SESSION).context
    work(project, 0, 2)
    addNote(project, 'The certificate has come.')
    const fork = sessionId(5)
    fs.copyFileSync(project.transcriptOf(SESSION), project.transcriptOf(fork))

    expect(begin(project, fork, 'fork').context).toBe(first)
    expect(begin(project, fork, 'resume').context).toBe(first)
  })
})

describe('the line about background calls', () => {
  it('is shown once per user, in the first session somebody watches', () => {
    const project = makeProject()
    const other = projectAt(path.join(project.base, 'other'), project.home)
    fs.mkdirSync(other.root)

    expect(begin(project, SESSION, 'startup', { isAttended: false }).notice).toBe('')
    expect(begin(project, SESSION).notice).toBe(MODEL_NOTICE)
    expect(begin(project, SESSION).sign).toBe(NEW_PROJECT)
    expect(begin(other, sessionId(2)).sign).toBe(NEW_PROJECT)
  })

  it('stands beside the briefing, not in it, and tells of the settings that hold', () => {
    const project = remembering()
    setAtHome(project, { saveInterval: 40, modelCallsPerDay: 7 })
    const { context, notice } = begin(project, SESSION)

    expect(notice).toMatch(/every 40 tool uses.* After 7 calls a day/)
    expect(context).toContain('certificate')
    expect(context).not.toContain('background call')
  })

  it.each([
    ['extractive', ''],
    ['headless', MODEL_NOTICE],
  ])('is shown to a user of %s as %j', (summarizer, expected) => {
    const project = makeProject()
    setAtHome(project, { summarizer })

    expect(begin(project, SESSION).notice).toBe(expected)
  })

  it('is shown by the real program to a person and to nobody else', () => {
    const project = makeProject()
    const payload = { hook_event_name: 'SessionStart', session_id: SESSION, source: 'startup' }
    const noticed = (env: Record<string, string | undefined>): string => saidBy(runHook(project, payload, env)).notice

    expect(noticed({ CLAUDE_CODE_SESSION_ATTENDED: '0' })).toBe('')
    expect(noticed({ CLAUDE_CODE_SESSION_ATTENDED: undefined, CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })).toBe('')
    expect(noticed({ CLAUDE_CODE_SESSION_ATTENDED: undefined })).toBe('')
    expect(noticed({ CLAUDE_CODE_SESSION_ATTENDED: undefined, CLAUDE_CODE_ENTRYPOINT: 'cli' })).toBe(MODEL_NOTICE)
    expect(noticed({})).toBe('')
  })
})

describe('the line at a start', () => {
  it('says how much is remembered, what is open and where the last session ended', async () => {
    const project = quietProject()
    const lines = linesFor(SESSION, project.root)
    const todos = { todos: [{ content: 'Round the invoice PDF', status: 'pending', activeForm: 'Rounding' }] }
    append(
      project.transcriptOf(SESSION),
      lines.prompt(0, 'Fix the rounding of VAT.') +
        lines.use(1, 'toolu_1', 'TodoWrite', todos) +
        lines.result(2, 'toolu_1', 'ok') +
        lines.answer(3, 'Prices are right now. The invoice PDF is still open.'),
    )
    stop(project)
    await finishHere(project, { for: 'end', session: SESSION })
    const { sign } = begin(project, sessionId(2))

    expect(sign).toMatch(/^Memory Keeper: 1 session · (?:1 open · )?\S+: The invoice PDF is still open$/)
    expect(begin(project, sessionId(2), 'clear').sign).toBe('')
    // A session of nothing but a command for the host is no last session.
    append(project.transcriptOf(sessionId(2)), linesFor(sessionId(2), project.root).prompt(0, '/clear'))
    stop(project, {}, {}, sessionId(2))
    await finishHere(project, { for: 'end', session: sessionId(2) })
    expect(begin(project, sessionId(3)).sign).toMatch(/^Memory Keeper: 2 sessions · (?:1 open · )?\S+: The invoice PDF/)
    expect(begin(project, sessionId(2), 'startup', { isAttended: false }).sign).toBe('')
  })
})

describe('a rule that became active by the words of the user in three sessions', () => {
  it('is one line on the screen of the next person, once, and goes with every prompt', () => {
    const text = 'Deploy only from the main branch.'
    const project = learned(
      [1, 2, 3].map(() => [user(text)]),
      [text],
    )
    setAtHome(project, { summarizer: 'extractive' })
    expect(reflectOn(project).promoted).toEqual(['r001'])
    const start = (more: Env = {}): Said =>
      saidBy(runHook(project, { hook_event_name: 'SessionStart', source: 'startup', session_id: SESSION }, more))

    expect(start({ CLAUDE_CODE_SESSION_ATTENDED: '0' }).notice).toBe('')
    const first = start()
    expect(first.notice.split('\n')[0]).toBe(
      `Memory Keeper: "${text}" is a rule now, since you said it in several sessions. → to end it: /memory-keeper:run reject r001`,
    )
    expect(first.context).toContain(`- ${text}`)
    const prompt = { hook_event_name: 'UserPromptSubmit', session_id: SESSION, prompt: 'Now deploy it.' }
    expect(saidBy(runHook(project, prompt)).context).toContain(`- ${text}`)
    expect(start().notice).not.toContain(text)
  })
})

describe('what earlier sessions left behind', () => {
  it('gets its note by code before the next session is told', () => {
    const project = quietProject()
    work(project, 0, 2)
    const { context } = begin(project, sessionId(2), 'startup', { isAlive: () => false })

    expect(notesOf(project)).toMatchObject([{ session: '00000001', from: 0, to: 6, author: 'extractive' }])
    expect(context).toContain('question 0')
    begin(project, sessionId(3), 'startup', { isAlive: () => false })
    expect(notesOf(project)).toHaveLength(1)
  })

  it('is told as history when a session starts, not when one is cleared', async () => {
    const project = quietProject()
    append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 2))
    await finishHere(project, { for: 'catch-up' })

    expect(begin(project, sessionId(2), 'clear', { isAttended: true }).notice).not.toContain('earlier session')
    expect(begin(project, sessionId(3), 'startup', { isAttended: true }).notice).toContain(
      'Memory Keeper found 1 earlier session (1 day), searchable now',
    )
    expect(begin(project, sessionId(4), 'startup', { isAttended: true }).notice).not.toContain('earlier session')
  })

  it('is counted at the first start, also if there is no time to read it, and only where somebody sits', () => {
    const project = quietProject()
    const other = projectAt(path.join(project.base, 'app-2'), project.home)
    fs.mkdirSync(other.root)
    for (let n = 1; n <= 9; n++) {
      for (const [{ transcriptOf }, root] of [
        [project, project.root],
        [other, other.root],
      ] as const) {
        const file = transcriptOf(sessionId(root === project.root ? n : n + 100))
        append(file, turns(linesFor(sessionId(n), root), 0, 2))
        const at = new Date(Date.parse(LATER) - n * 22 * 3_600_000)
        fs.utimesSync(file, at, at)
      }
    }
    let ms = 0
    const late = { elapsedMs: () => (ms += 90), now: () => LATER }
    const start = (n: number, isAttended: boolean) => begin(project, sessionId(n), 'startup', { ...late, isAttended })

    expect(start(201, false).notice).toBe('')
    expect(start(202, true).notice).toBe(
      'Memory Keeper found 9 earlier sessions (8 days), searchable as they are read in the background',
    )
    expect(start(203, true).notice).not.toContain('earlier sessions')
  })

  it('is left alone while its session goes on in another terminal', () => {
    const project = quietProject()
    work(project, 0, 2)
    begin(project, sessionId(2))

    expect(notesOf(project)).toEqual([])
    begin(project, sessionId(2), 'startup', { now: () => LATER })
    expect(notesOf(project)).toHaveLength(1)
  })

  it('is left alone at a compaction: its user waits', () => {
    const project = quietProject()
    work(project, 0, 2)
    begin(project, sessionId(2), 'compact', { isAlive: () => false })

    expect(notesOf(project)).toEqual([])
  })

  it('in the hands of a summariser that did nothing is noted by code', async () => {
    const project = quietProject({ summarizer: 'agent', saveInterval: 2 })
    work(project, 0, 2)
    await finishHere(project, { for: 'note' })
    expect(fs.existsSync(path.join(project.memory, 'delta_temp.txt'))).toBe(true)
    begin(project, sessionId(2), 'startup', { isAlive: () => false })

    expect(notesOf(project)).toMatchObject([{ from: 0, to: 6, author: 'extractive' }])
    expect(fs.existsSync(path.join(project.memory, 'delta_temp.txt'))).toBe(false)
  })

  it('in a project with old history is noted as far as its last 50 entries', () => {
    const project = quietProject()
    for (const n of [1, 2, 3]) {
      append(project.transcriptOf(sessionId(n)), turns(linesFor(sessionId(n), project.root), 0, 12))
    }
    begin(project, sessionId(9), 'startup', { now: () => LATER })
    const told = notesOf(project).reduce((sum, { from, to }) => sum + to - from, 0)

    expect(told).toBe(50)
    expect(allSessions(readStateIn(project.memory)).map(([, session]) => session.watermark)).toEqual([36, 36, 36])
    begin(project, sessionId(9), 'startup', { now: () => LATER })
    expect(notesOf(project).reduce((sum, { from, to }) => sum + to - from, 0)).toBe(50)
  })
})

describe('CLAUDE.md', () => {
  it('gets the rules at a start when the user wants it, and is left alone otherwise', () => {
    const project = remembering()
    const file = path.join(project.root, 'CLAUDE.md')
    write(file, '# Mine\n')
    begin(project, SESSION)
    expect(fs.readFileSync(file, 'utf8')).toBe('# Mine\n')

    setAtHome(project, { summarizer: 'extractive', claudeMdSync: true })
    begin(project, SESSION)
    expect(fs.readFileSync(file, 'utf8')).toMatch(/^# Mine\n[\s\S]*Never delete files without permission/)
    setAtHome(project, { summarizer: 'extractive' })
    begin(project, SESSION)
    expect(fs.readFileSync(file, 'utf8')).toBe('# Mine\n')
  })
})

describe('what was told', () => {
  it('is counted in characters, by part', () => {
    const project = remembering()
    const { context } = begin(project, SESSION)
    stop(project)
    hookHere(project, { hook_event_name: 'Stop', session_id: SESSION })
    const lines = fs
      .readFileSync(path.join(project.memory, 'journal', 'hooks.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

    expect(lines[0]).toMatchObject({ event: 'SessionStart', session: SESSION, told: { briefing: context.length } })
    expect(lines[1]).not.toHaveProperty('told')
  })
})
