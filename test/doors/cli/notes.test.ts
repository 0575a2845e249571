/** Notes, deltas, summaries and the briefing on the command line: what is saved, refused, shown, and left alone. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { addOwnNote } from '../../../src/core/notes/disk/notes.ts'
import { stateEffect } from '../../../src/kernel/memory/disk/store.ts'
import { withWork } from '../../../src/kernel/memory/work.ts'
import { newItem } from '../../../src/kernel/memory/work-item.ts'
import { type Json, type Ran, runCommand } from '../../support/process.ts'
import {
  append,
  linesFor,
  makeProject,
  readStateIn,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  treeOf,
  turns,
  write,
} from '../../support/project.ts'

const SESSION = sessionId(1)
const DELTA = '00000001-0-9'
const GOOD = 'The user asked three questions. Claude ran `echo 0`, `echo 1` and `echo 2` and gave answer 2 at the end.'
const INVENTED = 'The user asked three questions. Claude changed src/nowhere/invented.ts and ran `echo 2`.'

function run(project: TestProject, args: readonly string[], stdin = ''): Ran {
  return runCommand(project, args, {}, stdin)
}

function json(project: TestProject, args: readonly string[], stdin = ''): Json {
  const { out, err } = run(project, [...args, '--json'], stdin)
  if (out === '') throw new Error(`no JSON from ${args.join(' ')}: ${err}`)
  return JSON.parse(out)
}

const memoryOf = (project: TestProject): string => fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8')

const hooked = (project: TestProject, session = SESSION): string =>
  JSON.stringify({ session_id: session, transcript_path: project.transcriptOf(session) })

/** A session of three turns that a hook has seen, and a note due after as many tool uses. */
function worked(summarizer = 'agent'): TestProject {
  const project = makeProject()
  run(project, ['config', 'set', 'summarizer', summarizer])
  run(project, ['config', 'set', 'saveInterval', '3'])
  append(project.transcriptOf(SESSION), turns(linesFor(SESSION, project.root), 0, 3))
  return project
}

/** The same, with its delta handed out to Claude. */
function asked(): TestProject {
  const project = worked()
  expect(json(project, ['check'], hooked(project))).toMatchObject({ due: true, delta: DELTA })
  return project
}

/** The same, with the note that code makes. */
function noted(): TestProject {
  const project = worked('extractive')
  expect(json(project, ['check'], hooked(project))).toMatchObject({ notes: [`n-${DELTA}`] })
  return project
}

/** With notes of one's own until memory.md became an archive. */
function rotated(): { project: TestProject; archive: string } {
  const project = noted()
  run(project, ['config', 'set', 'rotationThresholdTokens', '1000'])
  run(project, ['config', 'set', 'carryoverTokens', '300'])
  const store = storeOf(project)
  for (let n = 0; n < 8; n++) {
    const text = `Own note ${n}: we keep lamps in src/lamps.ts. ${'They are bright. '.repeat(25)}`
    addOwnNote(store, text, `2026-01-14T08:00:0${n}.000Z`)
  }
  const archive = fs.readdirSync(project.memory).find((name) => /^memory_.*\.md$/.test(name))
  if (archive === undefined) throw new Error('nothing was rotated')
  return { project, archive }
}

describe('note', () => {
  it('refused twice is written by code, and that one can be replaced', () => {
    const project = asked()
    const first = run(project, ['note', '--delta', DELTA, '--text', INVENTED])
    expect(first).toMatchObject({ code: 1, out: '', err: expect.stringContaining('src/nowhere/invented.ts') })
    expect(json(asked(), ['note', '--delta', DELTA], INVENTED)).toMatchObject({
      error: { code: 'refused', message: expect.any(String) },
      notFound: ['src/nowhere/invented.ts'],
    })
    expect(fs.existsSync(path.join(project.memory, 'memory.md'))).toBe(false)
    const second = run(project, ['note', '--delta', DELTA, '--text', INVENTED])

    expect(second).toMatchObject({ code: 1, err: expect.stringContaining(`note --delta n-${DELTA}`) })
    expect(memoryOf(project)).toContain('author=extractive')
    expect(run(project, ['note', '--delta', `n-${DELTA}`, '--text', GOOD])).toMatchObject({ code: 0, err: '' })
    expect(memoryOf(project)).toContain(GOOD)
    expect(memoryOf(project)).not.toContain('author=extractive')
  })

  it('of a dry run says whether it would pass and counts no refusal', () => {
    const project = asked()
    const before = treeOf(project.base)

    for (let n = 0; n < 3; n++)
      expect(run(project, ['note', '--delta', DELTA, '--text', INVENTED, '--dry-run']).code).toBe(1)
    expect(run(project, ['note', '--delta', DELTA, '--text', GOOD, '--dry-run']).code).toBe(0)
    expect(treeOf(project.base)).toEqual(before)
  })

  it.each([
    [['--delta', 'ffffffff-0-9', '--text', GOOD], 'not-open', 1],
    [['--delta', 'what?', '--text', GOOD], 'not-open', 1],
    [['--delta', '00000001-0-8', '--text', GOOD], 'not-open', 1],
    [['--text', '  '], 'empty-note', 1],
    [['--delta', DELTA], 'empty-note', 1],
  ])('%j changes nothing and says why', (args, code, exit) => {
    const project = asked()
    const before = treeOf(project.base)

    expect(json(project, ['note', ...args]).error.code).toBe(code)
    const ran = run(project, ['note', ...args])
    expect(ran).toMatchObject({ code: exit, out: '' })
    expect(ran.err).not.toBe('')
    expect(treeOf(project.base)).toEqual(before)
  })
})

describe('notes', () => {
  it('are shown with the way to their source, by either form of the id', () => {
    const project = noted()
    const shown = run(project, ['show', DELTA])

    expect(shown).toEqual(run(project, ['notes', 'show', `n-${DELTA}`]))
    expect(shown.out).toContain('It covers the entries L1:00000001#0-8.\n')
    expect(json(project, ['show', 'L1:00000001#0-8']).parts).toHaveLength(9)
  })

  it('are listed each once, also those in archives', () => {
    const { project, archive } = rotated()
    const { notes } = json(project, ['notes', 'list'])
    const ids = notes.map((note: { id: string }) => note.id)

    expect(ids).toHaveLength(9)
    expect(new Set(ids).size).toBe(9)
    expect(ids.at(-1)).toBe(`n-${DELTA}`)
    const archives = json(project, ['summary']).archives.map((each: { file: string }) => each.file)
    expect(new Set(notes.map((note: { file: string }) => note.file))).toEqual(new Set(['memory.md', ...archives]))
    expect(json(project, ['notes', 'list', '--limit', '2']).notes).toEqual(notes.slice(0, 2))
    expect(run(project, ['notes', 'show', DELTA]).out).toContain(archive)
  })

  it('fit the screen and cannot move its cursor', () => {
    const project = noted()
    write(path.join(project.memory, 'memory.md'), memoryOf(project).replace(/(author=.*\n)/, '$1\u001b[2J\u202eodd '))

    for (const args of [['list'], ['show', DELTA]]) {
      const { out } = run(project, ['notes', ...args])
      expect(out).not.toMatch(/[\u001b\u202e]/)
      expect(out).toContain('odd')
    }
    const [row = ''] = run(project, ['notes', 'list']).out.split('\n')
    expect(row.length).toBeLessThanOrEqual(100)
  })

  it('removed are gone for good: the rest stays, and nobody writes them again', () => {
    const project = noted()
    const { note } = json(project, ['note', '--text', 'One of my own.'])
    append(path.join(project.memory, 'memory.md'), '## My own heading\nBy hand.\n')
    const before = treeOf(project.base)
    const planned = run(project, ['notes', 'remove', DELTA, '--dry-run'])
    expect(planned).toMatchObject({ code: 0, out: expect.stringContaining('deleted from memory.md') })
    expect(treeOf(project.base)).toEqual(before)
    const removed = run(project, ['notes', 'remove', DELTA])

    expect(removed).toMatchObject({ code: 0, err: '' })
    expect(removed.out).toContain('no note is written about them again')
    expect(removed.out).toContain(`memory-keeper show ${DELTA}`)
    expect(json(project, ['final'], hooked(project)).notes).toEqual([])
    expect(json(project, ['notes', 'list'])).toMatchObject({ notes: [{ id: note.id }], byHand: 1 })
    expect(json(project, ['notes', 'remove', note.id])).toMatchObject({ removed: { id: note.id } })
    expect(memoryOf(project)).toMatch(/^# Memory\n[\s\S]*## My own heading\nBy hand\.\n$/)
    expect(memoryOf(project)).not.toContain('<!-- note ')
    expect(run(project, ['notes', 'remove', DELTA])).toMatchObject({
      code: 1,
      err: expect.stringContaining('notes list'),
    })
  })
})

describe('delta', () => {
  it('tells how many tool uses are left when nothing waits', () => {
    const project = noted()
    run(project, ['check'])
    expect(run(project, ['delta']).out).toContain('after 2 more tool uses (1 of 3 counted)')
  })

  it('tells what waits, since when, who writes it, and its text', () => {
    const project = asked()

    expect(json(project, ['delta'])).toMatchObject({
      deltas: [
        {
          id: DELTA,
          by: 'agent',
          isAsked: false,
          session: '00000001',
          from: 0,
          to: 9,
          entries: 9,
          since: '2026-01-13T09:00:01.023Z',
          tokens: expect.any(Number),
        },
      ],
      way: 'agent',
      untilNext: 3,
    })
    expect(run(project, ['delta']).out).toContain('to Claude in your session, which is asked for its note')
    expect(run(project, ['delta', '--text']).out).toContain('[User]: question 2')
    expect(run(project, ['delta']).out).not.toContain('question 2')
  })

  it.each(['read', 'again'] as const)('status tells of notes that are written again, whyever (%s)', (kind) => {
    const project = noted()
    const store = storeOf(project)
    const item = newItem({ kind, about: '00000001', to: 3, by: 'headless' })
    store.whileLocked(1000, () => store.perform([stateEffect(withWork(store.readState(), [item]))]))

    const { out } = run(project, ['status'])
    expect(out).toMatch(/pending +1 note to be written again, in the background/)
    expect(out).not.toContain('forget')
  })

  it('tells how much of the history is noted when notes begin', () => {
    const project = worked()
    run(project, ['config', 'set', 'firstRunMaxEntries', '5'])
    run(project, ['import'])
    expect(json(project, ['delta'])).toMatchObject({ deltas: [], history: 5 })
    expect(run(project, ['delta']).out).toMatch(/^5 entries of the history wait for notes: .*memory-keeper final\n/)
    expect(json(project, ['status']).pending).toMatchObject({ sessions: 0, later: 5 })
    expect(run(project, ['status']).out).toMatch(/pending +5 entries, .*memory-keeper final/)

    expect(json(project, ['final']).notes).toEqual(['n-00000001-4-9'])
    expect(json(project, ['delta'])).toMatchObject({ deltas: [], history: 0 })
    expect(run(project, ['delta']).out).not.toContain('history')
  })
})

describe('check and final', () => {
  it('hand the delta to Claude when the way is agent', () => {
    const project = worked()
    const { out } = run(project, ['check'], hooked(project))

    expect(out).toContain('\n[MEMORY_KEEPER_DELTA] file=delta_temp.txt\n')
    expect(out).toContain(`memory-keeper note --delta ${DELTA}`)
    expect(readStateIn(project.memory).counter).toBe(0)
  })

  it('leave the note to the background when the way is headless', () => {
    const project = worked('auto')
    write(path.join(project.keeper, 'notices.json'), '{"version":1,"model":"2026-01-01T00:00:00.000Z"}')

    expect(run(project, ['check'], hooked(project)).out).toContain('in the background')
    expect(fs.existsSync(path.join(project.memory, 'memory.md'))).toBe(false)
    expect(json(project, ['delta'])).toMatchObject({ way: 'headless', deltas: [{ id: null, entries: 9 }] })
  })

  it('note, sum up and save everything at the end of a session', () => {
    const project = worked()
    const done = json(project, ['final'], hooked(project))

    expect(done).toMatchObject({ sessions: 1, entries: 9, notes: [`n-${DELTA}`], summaries: 1, complete: true })
    expect(done.vaultFiles).toBeGreaterThan(2)
    expect(fs.readFileSync(path.join(project.places.vault, 'memory.md'), 'utf8')).toBe(memoryOf(project))
    expect(fs.readdirSync(path.join(project.memory, 'sessions')).filter((name) => name.endsWith('.md'))).toHaveLength(1)
    expect(json(project, ['final'], hooked(project))).toMatchObject({ entries: 0, notes: [], summaries: 0 })
  })
})

describe('summary', () => {
  const summaryOf = (text: string): string =>
    JSON.stringify({
      themes: [{ name: 'Lamps', summary: text }],
      keyDecisions: [{ decision: 'Lamps stay where they are', reason: '' }],
      issues: [],
      overallSummary: 'Mostly about lamps.',
    })

  it('lists archives and says who wrote their summaries', () => {
    const { project, archive } = rotated()

    expect(json(project, ['summary']).archives[0]).toMatchObject({
      file: archive,
      by: 'code',
      tokens: expect.any(Number),
      summary: archive.replace('.md', '.summary.json'),
    })
    expect(run(project, ['generate-l3']).out).toContain(archive)
    expect(run(noted(), ['summary']).out).toMatch(/No archives yet.* 23,750 tokens/)
  })

  it('comes from a file as well, and code makes it anew on request', () => {
    const { project, archive } = rotated()
    write(path.join(project.root, 'mine.json'), summaryOf('They are bright.'))
    run(project, ['summary', archive, '--file', 'mine.json'])
    expect(json(project, ['summary', archive])).toMatchObject({
      by: 'a model',
      summary: { sourceFile: archive, overallSummary: 'Mostly about lamps.' },
    })

    expect(run(project, ['summary', archive, '--extractive']).code).toBe(0)
    const again = json(project, ['summary', archive])
    expect(again.by).toBe('code')
    expect(again.summary.overallSummary).not.toBe('Mostly about lamps.')
  })

  it.each([
    [['memory_20200101_000000.md'], 1],
    [['../../etc/passwd'], 1],
    [['--extractive'], 2],
  ])('%j is no archive', (args, code) => {
    const { project } = rotated()

    expect(run(project, ['summary', ...args])).toMatchObject({ code, err: expect.stringContaining('summary') })
  })
})

describe('briefing', () => {
  it('prints what a session would be told, and nothing else on stdout', () => {
    const project = noted()
    const told = json(project, ['briefing'])
    const ran = run(project, ['briefing'])

    expect(ran.out).toBe(`${told.text}\n`)
    expect(ran.err).toMatch(/^[\d,]+ of 6,000 characters, about [\d,]+ tokens\n$/)
    expect(told.chars).toBe(told.text.length)
    expect(told.lines.map((line: { text: string }) => line.text).join('\n')).toBe(told.text)
    expect(told.lines.every((line: { reason: string; tokens: number }) => line.reason !== '' && line.tokens > 0)).toBe(
      true,
    )
  })

  it('has lines and sections that add up to the tokens of the whole', () => {
    const project = noted()
    const { lines, tokens } = json(project, ['briefing'])
    const { out } = run(project, ['briefing', '--why'])
    const sum = (found: Iterable<RegExpMatchArray>): number => [...found].reduce((all, [, n]) => all + Number(n), 0)

    expect(lines.reduce((all: number, line: { tokens: number }) => all + line.tokens, 0)).toBe(tokens)
    expect(sum(out.matchAll(/↑ (\d+) token/g))).toBe(tokens)
    expect(sum(out.matchAll(/ characters? +about (\d+) token/g))).toBe(tokens)
  })

  it('tells more after a compaction, by either form of the session', () => {
    const project = noted()
    const compacted = json(project, ['briefing', '--after-compaction', SESSION])

    expect(compacted.text).toContain('before the compaction')
    expect(json(project, ['briefing', '--after-compaction', '00000001'])).toEqual(compacted)
    expect(run(project, ['briefing', '--after-compaction', 'ffffffff'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('memory-keeper sessions'),
    })
  })

  it('tells sessions also while no note is written, and says so where nothing fits', () => {
    const project = worked()
    setAtHome(project, { rules: false, summarizer: 'extractive' })
    run(project, ['import'])
    expect(run(project, ['briefing']).out).toContain('question 2')

    run(project, ['final'])
    expect(run(project, ['briefing']).out).toContain('question 2')
  })

  it('says so when nothing is remembered', () => {
    const project = makeProject()
    setAtHome(project, { rules: false })

    expect(run(project, ['briefing'])).toMatchObject({ code: 0, out: expect.stringContaining('Nothing is remembered') })
    expect(json(project, ['briefing'])).toMatchObject({ text: '', chars: 0, lines: [] })
    expect(treeOf(project.root)).toEqual({})
  })
})

describe('status', () => {
  it('counts notes, archives, what waits and what models cost', () => {
    const { project, archive } = rotated()
    const today = new Date().toISOString()
    const calls = [
      { id: 'a', at: '2026-01-01T00:00:00.000Z', project: 'other', kind: 'note', estimatedTokens: 9 },
      { id: 'a', ok: true, why: null, tokens: { input: 1000, output: 100 }, costUsd: 0.02, ms: 1 },
      { id: 'b', at: today, project: project.places.project.key, kind: 'note', estimatedTokens: 700 },
    ]
    write(path.join(project.keeper, 'model-calls.jsonl'), calls.map((call) => `${JSON.stringify(call)}\n`).join(''))
    const told = [{ rules: 360 }, { rules: 720, briefing: 3600 }].map((parts) =>
      JSON.stringify({ at: today, event: 'UserPromptSubmit', ms: 5, session: SESSION, told: parts }),
    )
    write(path.join(project.memory, 'journal', 'hooks.jsonl'), `${told.join('\n')}\n`)
    const status = json(project, ['status'])

    expect(status).toMatchObject({
      notes: { count: 9 },
      memoryFullAt: 950,
      pending: { sessions: 0, entries: 0, deltas: [] },
      way: 'extractive',
      model: {
        today: { calls: 1, tokens: 700, costUsd: 0 },
        project: { calls: 1, tokens: 700 },
        all: { calls: 2, tokens: 1800, costUsd: 0.02 },
        pausedUntil: null,
      },
    })
    expect(status.archives).toBe(json(project, ['summary']).archives.length)
    expect(archive).toMatch(/^memory_/)
    const { out } = run(project, ['status'])
    const { lastSession } = status.injected
    expect(lastSession).toMatchObject({ id: SESSION.slice(0, 8), recall: 0, request: 0 })
    expect(lastSession.all).toBe(lastSession.briefing + lastSession.rules)
    expect(status.injected.today).toBe(lastSession.all)
    expect(out).toContain(`last session ${lastSession.all.toLocaleString('en-US')} tokens (`)
    expect(out.split('\n').length).toBeLessThan(24)
  })

  it('says that code writes the notes only until somebody was told of background calls', () => {
    const project = worked('auto')
    const BEFORE = 'written by    code, until a session has informed you about background calls'
    expect(run(project, ['status']).out).toContain(BEFORE)

    write(path.join(project.keeper, 'notices.json'), '{"version":1,"model":"2026-01-01T00:00:00.000Z"}')
    expect(run(project, ['status']).out).toContain('written by    Claude in the background')
    expect(run(worked('extractive'), ['status']).out).toContain('written by    code, without a model')
  })

  it('says what waits', () => {
    expect(run(noted(), ['status']).out).toContain('nothing; 0 of 3 tool uses since the last note')
    expect(run(asked(), ['status']).out).toContain('9 entries of 1 session: memory-keeper delta')
  })
})

describe('doctor', () => {
  const checkOf = (project: TestProject, name: string): Json =>
    json(project, ['doctor']).checks.find((check: { name: string }) => check.name === name)

  it('says why background calls are paused', () => {
    const project = worked('auto')
    const last = { at: '2026-01-01T00:00:00.000Z', why: 'login', message: 'Not logged in' }
    const health = { version: 1, failuresInRow: 2, last, pausedUntil: '2999-01-01T00:00:00.000Z' }
    write(path.join(project.keeper, 'headless.json'), JSON.stringify(health))

    expect(checkOf(project, 'background notes')).toMatchObject({
      verdict: 'warning',
      finding: expect.stringContaining('Not logged in'),
      fix: expect.stringContaining('/login'),
    })
    write(
      path.join(project.keeper, 'headless.json'),
      JSON.stringify({ ...health, last: { ...last, why: 'not-found' } }),
    )
    expect(checkOf(project, 'background notes').fix).toContain('PATH')
    run(project, ['config', 'set', 'summarizer', 'extractive'])
    expect(checkOf(project, 'background notes').verdict).toBe('ok')
  })

  it('sees that the daily cap is reached', () => {
    const project = worked('auto')
    run(project, ['config', 'set', 'modelCallsPerDay', '1'])
    expect(checkOf(project, 'background notes').finding).toContain('code writes the notes')
    const call = { id: 'a', at: new Date().toISOString(), project: 'other', kind: 'note', estimatedTokens: 9 }
    write(path.join(project.keeper, 'model-calls.jsonl'), `${JSON.stringify(call)}\n`)

    expect(checkOf(project, 'background notes')).toMatchObject({
      verdict: 'warning',
      fix: expect.stringContaining('modelCallsPerDay'),
    })
  })

  it('sees that memory.md is gone, and its advice helps', () => {
    const project = noted()
    run(project, ['final'])
    const before = memoryOf(project)
    fs.rmSync(path.join(project.memory, 'memory.md'))
    expect(checkOf(project, 'memory.md')).toMatchObject({ verdict: 'problem', fix: 'memory-keeper restore' })

    run(project, ['restore'])
    expect(memoryOf(project)).toBe(before)
    expect(checkOf(project, 'memory.md').verdict).toBe('ok')
    expect(checkOf(worked(), 'memory.md')).toMatchObject({ verdict: 'ok', finding: 'no notes yet' })
  })

  it('sees a memory.md that is gone for good, or a link', () => {
    const { project } = rotated()
    const file = path.join(project.memory, 'memory.md')
    const problem = (fix: unknown): object => ({ verdict: 'problem', fix })
    fs.renameSync(file, path.join(project.base, 'elsewhere.md'))
    expect(checkOf(project, 'memory.md')).toMatchObject(problem(expect.stringContaining('no copy')))
    fs.symlinkSync(path.join(project.base, 'elsewhere.md'), file)
    expect(checkOf(project, 'memory.md')).toMatchObject(problem(expect.any(String)))
  })

  it('sees a CLAUDE.md whose section is damaged, when it is to be kept in step', () => {
    const project = noted()
    write(path.join(project.root, 'CLAUDE.md'), '# Mine\n<!-- memory-keeper:begin new: x -->\n- rule\n')
    expect(checkOf(project, 'CLAUDE.md').verdict).toBe('ok')

    run(project, ['config', 'set', 'claudeMdSync', 'true'])
    expect(checkOf(project, 'CLAUDE.md')).toMatchObject({
      verdict: 'warning',
      finding: expect.stringContaining('end marker'),
      fix: expect.stringContaining('claudeMdSync'),
    })
    write(path.join(project.root, 'CLAUDE.md'), '# Mine\n')
    expect(checkOf(project, 'CLAUDE.md').verdict).toBe('ok')
  })
})

describe('a wrong time zone', () => {
  it('in a file is told and costs no note', () => {
    const project = noted()
    write(path.join(project.memory, 'config.json'), '{"timezone":"Mars/Olympus"}')

    expect(run(project, ['note', '--text', 'All the same.'])).toMatchObject({ code: 0 })
    expect(json(project, ['config', 'list'])).toMatchObject({
      config: { timezone: '' },
      warnings: [expect.stringContaining('timezone')],
    })
    write(path.join(project.memory, 'config.json'), '{"timezone":"Asia/Seoul"}')
    run(project, ['note', '--text', 'In Seoul.'])
    expect(memoryOf(project)).toMatch(/UTC \(.* \+09:00\)\n.*\nIn Seoul\./)
  })
})
