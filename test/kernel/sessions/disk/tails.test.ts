/** The ends of the newest transcripts: how much of them is read, and what of it is told. */
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { id8OfFile } from '../../../../src/kernel/platform/layout.ts'
import { pause, resume } from '../../../../src/kernel/sessions/disk/pause.ts'
import {
  readTails,
  type TailOptions,
  type TailSession,
  tailsForStart,
} from '../../../../src/kernel/sessions/disk/tails.ts'
import { keepForgotten } from '../../../../src/kernel/sessions/disk/tombstones.ts'
import { entryKey, parseSession } from '../../../../src/kernel/transcript/session.ts'
import { gitIn, hasGit } from '../../../support/git.ts'
import {
  agentPath,
  dialog,
  type Lines,
  linesFor,
  makeProject,
  projectAt,
  quietProject,
  sessionId,
  storeOf,
  story,
  type TestProject,
  turns,
  write,
} from '../../../support/project.ts'
import { begin } from '../../../support/world.ts'

const KB = 1024
const MB = 1024 * KB
const STARTING = sessionId(0xffff)

/** Higher numbers are newer. */
function says(project: TestProject, n: number, text: string, file = project.transcriptOf(sessionId(n))): string {
  write(file, text)
  const at = new Date(Date.parse('2026-01-13T09:00:00.000Z') + n * 1000)
  fs.utimesSync(file, at, at)
  return file
}

function linesOf(project: TestProject, n: number, extra: object = {}): ReturnType<typeof linesFor> {
  return linesFor(sessionId(n), project.root, extra)
}

/** Output that is read and not kept. */
function padding(lines: ReturnType<typeof linesFor>, at: number, bytes: number): string {
  return Array.from({ length: Math.ceil(bytes / (20 * KB)) }, (_, i) => {
    const id = `pad${at}-${i}`
    return lines.use(at + i, id, 'Bash', { command: `step ${i}` }) + lines.result(at + i, id, 'x'.repeat(20 * KB))
  }).join('')
}

/** Counts what is really read from the disk, by whomever. */
function counting<T>(work: () => T): { value: T; bytes: number; most: number; files: number } {
  const names = new Map<number, string>()
  const byFile = new Map<string, number>()
  const { openSync, readSync } = fs
  const open = vi.spyOn(fs, 'openSync').mockImplementation((...args) => {
    const fd = openSync(...args)
    names.set(fd, String(args[0]))
    return fd
  })
  const read = vi.spyOn(fs, 'readSync').mockImplementation(((...args: Parameters<typeof readSync>) => {
    const count = readSync(...args)
    const name = names.get(args[0]) ?? '?'
    if (name.endsWith('.jsonl')) byFile.set(name, (byFile.get(name) ?? 0) + count)
    return count
  }) as typeof readSync)
  try {
    const value = work()
    const counts = [...byFile.values()]
    return { value, bytes: counts.reduce((a, b) => a + b, 0), most: Math.max(0, ...counts), files: counts.length }
  } finally {
    open.mockRestore()
    read.mockRestore()
  }
}

/** A file of this size with a hole between its beginning and its end: as long as a real one for whoever reads it. */
function sparse(project: TestProject, n: number, parts: { head: string; end: string; bytes: number }): string {
  const file = project.transcriptOf(sessionId(n))
  write(file, parts.head)
  fs.truncateSync(file, parts.bytes - Buffer.byteLength(parts.end) - 1)
  fs.appendFileSync(file, `\n${parts.end}`)
  const at = new Date(Date.parse('2026-01-13T09:00:00.000Z') + n * 1000)
  fs.utimesSync(file, at, at)
  return file
}

function tailsIn(project: TestProject, options: TailOptions = {}): TailSession[] {
  return readTails(storeOf(project), { except: STARTING, ...options })
}

function storedOf({ memory }: TestProject, id8: string): ReturnType<typeof parseSession>['entries'] {
  const dir = path.join(memory, 'sessions')
  const name = fs.readdirSync(dir).find((one) => id8OfFile(one) === id8) ?? ''
  return parseSession(fs.readFileSync(path.join(dir, name), 'utf8')).entries
}

function textsOf({ entries }: TailSession): string[] {
  return entries.flatMap(({ entry }) => ('text' in entry ? [entry.text] : []))
}

describe('what is read', () => {
  it('is five ends of 500 sessions of 20 MB each, and nothing is written', () => {
    const project = makeProject()
    for (let n = 1; n <= 500; n++) {
      const lines = linesOf(project, n)
      const end = padding(lines, 100, 40 * KB) + turns(lines, 90, 91)
      sparse(project, n, { head: turns(lines, 0, 1), end, bytes: 20 * MB })
    }
    const { value, bytes, most, files } = counting(() => tailsIn(project))

    expect(value.map(({ id8 }) => id8)).toEqual([500, 499, 498, 497, 496].map((n) => sessionId(n).slice(0, 8)))
    expect(value.map(textsOf)).toEqual(value.map(() => ['question 90', 'answer 90']))
    expect(files).toBe(5)
    expect(most).toBeLessThanOrEqual(256 * KB)
    expect(bytes).toBeGreaterThan(5 * 200 * KB)
    expect(bytes).toBeLessThanOrEqual(5 * 256 * KB)
    expect(fs.existsSync(project.memory)).toBe(false)
  })

  it('is no whole file of long sessions', () => {
    const project = makeProject()
    for (let n = 1; n <= 7; n++) {
      const lines = linesOf(project, n, { gitBranch: 'topic' })
      says(project, n, turns(lines, 0, 1) + padding(lines, 100, MB) + turns(lines, 500, 502))
    }
    const { value: tails, bytes } = counting(() => tailsIn(project))

    expect(tails).toHaveLength(5)
    expect(bytes).toBeLessThanOrEqual(5 * 256 * KB)
    for (const tail of tails) {
      expect(tail).toMatchObject({ isWhole: false, branch: 'topic', isCaptured: false })
      expect(tail.entries.map(({ n }) => n)).toEqual(tail.entries.map((_, n) => n))
      expect(textsOf(tail)).toEqual(['question 500', 'answer 500', 'question 501', 'answer 501'])
      // Results whose calls are not in the window are no entries.
      expect(tail.entries.filter(({ entry }) => 'name' in entry && entry.name === 'tool')).toEqual([])
    }
    expect(tails[0]?.at).toBe('2026-01-13T09:00:12.013Z')
  })

  it('goes back to 1 MB for a prompt, then leaves the file, and never goes above the limit', () => {
    const project = makeProject()
    for (let n = 1; n <= 60; n++) {
      const lines = linesOf(project, n)
      const before = n > 56 && n < 60 ? 700 * KB : 2 * MB
      const end = lines.prompt(300, `far ${n}`) + padding(lines, 400, before)
      sparse(project, n, { head: lines.prompt(0, 'first'), end, bytes: 5 * MB })
    }
    const { value: tails, bytes, most } = counting(() => tailsIn(project))

    expect(tails.map(textsOf)).toEqual([['far 59'], ['far 58'], ['far 57']])
    expect(most).toBeLessThanOrEqual(MB + 8 * KB)
    expect(bytes).toBeLessThanOrEqual(5 * MB)
  })

  it.each([
    ['an answer in a dialog', (lines: Lines) => dialog(lines, 5000, 'Which one?', 'the second')],
    ['a bare command', (lines: Lines) => lines.answer(5000, 'done') + lines.prompt(5001, '/exit')],
  ])('goes back for the request where the end has only %s', (_, last) => {
    const project = makeProject()
    const lines = linesOf(project, 1)
    const end = lines.prompt(300, 'build the importer') + padding(lines, 400, 500 * KB) + last(lines)
    sparse(project, 1, { head: lines.prompt(0, 'first'), end, bytes: 3 * MB })
    const [tail] = tailsIn(project)

    expect(tail && textsOf(tail)[0]).toBe('build the importer')
    // Nothing of it within reach: what there is is told all the same.
    const far = lines.prompt(300, 'far') + padding(lines, 400, 2 * MB) + last(lines)
    sparse(project, 1, { head: lines.prompt(0, 'first'), end: far, bytes: 3 * MB })
    expect(tailsIn(project)).toHaveLength(1)
  })

  it('is little of the runs of programs, however many there are, and not their ends', () => {
    const project = makeProject()
    sparse(project, 1, {
      head: linesOf(project, 1).prompt(0, 'first'),
      end: turns(linesOf(project, 1), 5, 6),
      bytes: 3 * MB,
    })
    for (let n = 2; n <= 120; n++) {
      const lines = linesOf(project, n, { entrypoint: n % 2 ? 'sdk-cli' : 'sdk-ts' })
      const end = turns(lines, 5, 6) + padding(lines, 400, 40 * KB)
      sparse(project, n, { head: turns(lines, 0, 1), end, bytes: 3 * MB })
    }
    const { value: tails, bytes } = counting(() => tailsIn(project))

    expect(tails.map(({ id8 }) => id8)).toEqual(['00000001'])
    expect(bytes).toBeLessThanOrEqual(256 * KB + 119 * 24 * KB)
  })

  it('stops when it is late, after one file at least', () => {
    const project = makeProject()
    for (let n = 1; n <= 3; n++) says(project, n, turns(linesOf(project, n), 0, 1))

    expect(tailsIn(project, { isLate: () => true })).toHaveLength(1)
  })
})

describe('what is told', () => {
  it('leaves out sessions in which nobody typed', () => {
    const project = makeProject()
    says(project, 1, turns(linesOf(project, 1), 0, 1))
    says(project, 2, turns(linesOf(project, 2, { entrypoint: 'sdk-cli' }), 0, 1))
    says(project, 3, linesOf(project, 3).answer(0, 'nobody asked'))
    says(project, 4, linesOf(project, 4).prompt(0, '/clear'))
    says(project, 5, linesOf(project, 5, { isSidechain: true, agentId: 'a1' }).prompt(0, 'explore'))

    expect(tailsIn(project).map(({ id8 }) => id8)).toEqual(['00000001'])
  })

  it('leaves out subagents, the session that starts, other projects, and files without a launch directory', () => {
    const project = makeProject()
    const file = says(project, 1, turns(linesOf(project, 1), 0, 1))
    says(project, 9, turns(linesOf(project, 9), 0, 1), agentPath(file, 'a1'))
    says(project, 2, turns(linesFor(STARTING, project.root), 0, 1), project.transcriptOf(STARTING))
    const other = path.join(project.base, 'other')
    fs.mkdirSync(other)
    says(project, 3, turns(linesFor(sessionId(3), other), 0, 1))
    const large = linesFor(sessionId(4), other)
    says(project, 4, padding(large, 0, MB) + turns(large, 200, 201))
    says(project, 5, turns(linesOf(project, 5, { cwd: undefined }), 0, 1))

    expect(tailsIn(project).map(({ id8 }) => id8)).toEqual(['00000001'])
  })

  it('leaves out the time of a pause', () => {
    const project = makeProject()
    const lines = linesOf(project, 1)
    says(project, 1, lines.prompt(0, 'before') + lines.prompt(60_000, 'paused') + lines.prompt(120_000, 'after'))
    says(project, 2, linesOf(project, 2).prompt(60_000, 'paused too'))
    pause(project.places, null, '2026-01-13T09:00:30.000Z')
    resume(project.places, null, '2026-01-13T09:01:30.000Z')

    expect(tailsIn(project).map(textsOf)).toEqual([['before', 'after']])
  })

  it('has no secret, also where the window cuts one', () => {
    const project = makeProject()
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const lines = linesOf(project, 1)
    const end = lines.prompt(500, `use ${secret}`) + lines.answer(501, 'done')
    let inSecret = 0
    for (let cut = 0; cut < 400; cut += 20) {
      // The window begins within the line with the other secret.
      const pad = lines.answer(400, 'y'.repeat(248 * KB - Buffer.byteLength(end) - 300 - cut))
      const text = padding(lines, 0, 300 * KB) + lines.prompt(300, `first ${secret} first`) + pad + end
      const at = text.length - 248 * KB - text.indexOf(secret)
      if (at > 0 && at < secret.length) inSecret++
      says(project, 1, text)
      const [tail] = tailsIn(project)

      expect(JSON.stringify(tail)).not.toContain('D4e5')
      expect(tail?.isWhole).toBe(false)
      expect(tail === undefined ? '' : textsOf(tail).at(-2)).toMatch(/^use \[redacted:/)
    }
    expect(inSecret).toBeGreaterThan(0)
  })

  it('has nothing that was forgotten', () => {
    const project = makeProject()
    const lines = linesOf(project, 1)
    says(project, 1, lines.prompt(0, 'the wedding plan') + lines.answer(1, 'kept'))
    const before = tailsIn(project)[0]?.entries[0]?.entry
    const store = storeOf(project)
    const keys = before === undefined ? [] : [entryKey(before)]
    store.whileLocked(1000, () => keepForgotten(store, { at: '2026-01-14T00:00:00.000Z', keys }))

    expect(JSON.stringify(tailsIn(project))).not.toContain('wedding')
    expect(tailsIn(project)[0]?.entries.map(({ entry }) => entry.role)).toEqual(['tombstone', 'assistant'])
  })

  it('tells a session once that a later file repeats', () => {
    const project = makeProject()
    const lines = linesOf(project, 1)
    says(project, 1, turns(lines, 0, 2))
    says(project, 2, turns(lines, 0, 3))

    expect(tailsIn(project).map(({ id8 }) => id8)).toEqual(['00000002'])
  })

  it('includes a tool that still runs and ignores a line that is being written', () => {
    const project = makeProject()
    const lines = linesOf(project, 1)
    const half = lines.answer(9, 'half').slice(0, 60)
    says(project, 1, lines.prompt(0, 'go') + lines.use(1, 't1', 'Bash', { command: 'make' }) + half)

    expect(tailsIn(project)[0]?.entries.map(({ entry }) => entry)).toMatchObject([
      { role: 'user', text: 'go' },
      { role: 'tool', cmd: 'make', open: true },
    ])
  })

  it('includes a run of a program that a person resumed', () => {
    const project = makeProject()
    const sent = linesOf(project, 1, { entrypoint: 'sdk-cli' })
    const typed = linesOf(project, 1, { entrypoint: 'cli' })
    const end = padding(sent, 100, 300 * KB) + turns(typed, 90, 91)
    sparse(project, 1, { head: turns(sent, 0, 1), end, bytes: 3 * MB })

    expect(tailsIn(project).map(textsOf)).toEqual([['question 90', 'answer 90']])
  })

  it('includes a session whose words quote the mark of a program', () => {
    const project = makeProject()
    const lines = linesOf(project, 1)
    const quote = 'why does it say "entrypoint":"sdk-cli" there?'
    sparse(project, 1, { head: lines.prompt(0, quote), end: lines.prompt(900, quote), bytes: 3 * MB })

    expect(tailsIn(project).map(textsOf)).toEqual([[quote]])
  })

  it('is what capture stores: all of a short session, the last entries of a long one', () => {
    const project = quietProject()
    const lines = linesOf(project, 1, { gitBranch: 'topic' })
    const short = story(lines) + dialog(lines, 50, 'Which one?', 'the second') + lines.prompt(60, 'go on')
    says(project, 1, short + lines.use(61, 'r', 'Read', { file_path: `${project.root}/src/a.ts` }))
    const long = linesOf(project, 2, { gitBranch: 'main' })
    const later = linesOf(project, 2, { gitBranch: 'topic' })
    says(project, 2, turns(long, 0, 3) + padding(long, 100, 600 * KB) + story(later, 900) + turns(later, 200, 203))
    const tails = tailsIn(project)
    begin(project, STARTING)

    for (const { id8, entries, isWhole } of tails) {
      const stored = storedOf(project, id8)
      const told = entries.map(({ entry }) => entry)
      expect(told.length).toBeGreaterThan(5)
      expect(isWhole).toBe(told.length === stored.length)
      // The first entry names the branch, which the entries before it had named.
      const [first, ...rest] = stored.slice(-told.length)
      expect(told).toEqual([isWhole ? first : { ...first, branch: 'main' }, ...rest])
    }
    expect(tails.map(({ isWhole }) => isWhole)).toEqual([false, true])
  })

  it('names the branch also where the window begins with a result', () => {
    const project = makeProject()
    const lines = linesOf(project, 1, { gitBranch: 'topic' })
    const result = lines.result(2, 'gone', 'x'.repeat(30 * KB))
    const big = lines.result(1, 'gone', 'y'.repeat(300 * KB))
    says(project, 1, lines.prompt(0, 'first') + big + result + turns(lines, 5, 6))
    const [tail] = tailsIn(project)

    expect(tail?.isWhole).toBe(false)
    expect(tail?.entries[0]?.entry).toMatchObject({ text: 'question 5', branch: 'topic' })
  })

  it.each([
    ['Windows line ends', (text: string) => text.replaceAll('\n', '\r\n')],
    ['no line end', (text: string) => text.trimEnd()],
    ['a broken last line', (text: string) => `${text}{"type":"user","message":{"role":"user","con`],
    ['zeros at the end', (text: string) => `${text}${'\0'.repeat(4 * KB)}`],
  ])('is the same with %s', (_, changed) => {
    for (const pad of [0, 400 * KB]) {
      const project = makeProject()
      const lines = linesOf(project, 1)
      says(project, 1, changed(turns(lines, 0, 1) + padding(lines, 100, pad) + turns(lines, 90, 91)))
      const [tail] = tailsIn(project)

      expect(tail && textsOf(tail).slice(-2)).toEqual(['question 90', 'answer 90'])
    }
  })

  it('reaches behind a last line that is longer than the window', () => {
    const project = makeProject()
    const lines = linesOf(project, 1)
    const end = lines.prompt(300, 'look at the log') + lines.answer(301, 'z'.repeat(400 * KB))
    sparse(project, 1, { head: lines.prompt(0, 'first'), end, bytes: 3 * MB })
    // And where the host names the launch directory late.
    const late = linesOf(project, 2)
    const lateEnd = late.prompt(300, 'look again') + late.answer(301, 'z'.repeat(400 * KB))
    sparse(project, 2, { head: '{"type":"summary"}\n'.repeat(600), end: lateEnd, bytes: 3 * MB })
    // A longer one is left.
    const longest = lines.prompt(300, 'look') + lines.answer(301, 'z'.repeat(2 * MB))
    sparse(project, 3, { head: lines.prompt(0, 'first'), end: longest, bytes: 3 * MB })

    expect(tailsIn(project).map((tail) => textsOf(tail)[0])).toEqual(['look again', 'look at the log'])
  })

  it('leaves out empty files, links, and directories that may not be read', () => {
    const project = makeProject()
    says(project, 1, turns(linesOf(project, 1), 0, 1))
    says(project, 2, '')
    const elsewhere = path.join(project.base, 'elsewhere.jsonl')
    write(elsewhere, turns(linesOf(project, 3), 0, 1))
    fs.symlinkSync(elsewhere, project.transcriptOf(sessionId(3)))
    fs.mkdirSync(project.transcriptOf(sessionId(4)))
    const below = path.join(project.root, 'below')
    fs.mkdirSync(below)
    const closed = says(
      project,
      5,
      turns(linesOf(project, 5), 0, 1),
      projectAt(below, project.home).transcriptOf(sessionId(5)),
    )
    const { lstatSync } = fs
    // As for a user who may list the directory and not enter it; root may always.
    const spy = vi.spyOn(fs, 'lstatSync').mockImplementation(((...args: Parameters<typeof lstatSync>) => {
      if (args[0] === closed) throw Object.assign(new Error('no'), { code: 'EACCES' })
      return lstatSync(...args)
    }) as typeof lstatSync)

    try {
      expect(tailsIn(project).map(({ id8 }) => id8)).toEqual(['00000001'])
    } finally {
      spy.mockRestore()
    }
  })

  it('gives each session the id under which it is stored', () => {
    const project = quietProject()
    const twin = `${sessionId(1).slice(0, 8)}-0000-4000-8000-${'f'.repeat(12)}`
    says(project, 1, turns(linesOf(project, 1), 0, 1))
    says(
      project,
      2,
      turns(linesFor(twin, project.root, {}, Date.parse('2026-01-14T09:00:00.000Z')), 0, 1),
      project.transcriptOf(twin),
    )
    const unread = tailsIn(project).map(({ id8 }) => id8)
    begin(project, STARTING)
    const stored = tailsIn(project).map(({ id8 }) => id8)

    expect(new Set(unread).size).toBe(2)
    expect(stored.toSorted()).toEqual(
      fs
        .readdirSync(path.join(project.memory, 'sessions'))
        .flatMap((name) => id8OfFile(name) ?? [])
        .toSorted(),
    )
  })

  it('includes sessions of a directory below, with or without git', () => {
    const project = makeProject()
    const below = path.join(project.root, 'packages', 'web')
    fs.mkdirSync(below, { recursive: true })
    const file = projectAt(below, project.home).transcriptOf(sessionId(1))
    says(project, 2, turns(linesOf(project, 2), 0, 1))
    expect(tailsIn(project).map(({ id8 }) => id8)).toEqual(['00000002'])
    fs.mkdirSync(path.join(project.root, '.git'))
    says(project, 1, turns(linesFor(sessionId(1), below), 0, 1), file)

    expect(tailsIn(project)).toMatchObject([{ id8: '00000002' }, { id8: '00000001', file }])
  })

  it.skipIf(!hasGit)('includes sessions of a worktree', () => {
    const project = makeProject()
    const git = gitIn(project.root)
    git('init', '-q', '-b', 'main')
    git('commit', '-q', '--allow-empty', '-m', 'first')
    const tree = path.join(project.base, 'tree')
    git('worktree', 'add', '-q', '-b', 'side', tree)
    const dir = path.join(project.home, '.claude', 'projects', tree.replace(/[^a-zA-Z0-9]/g, '-'))
    says(project, 1, turns(linesFor(sessionId(1), tree), 0, 1), path.join(dir, `${sessionId(1)}.jsonl`))

    expect(tailsIn(project).map(({ id8 }) => id8)).toEqual(['00000001'])
  })
})

describe('tails for a start', () => {
  const START = { session: STARTING, source: 'startup', isComplete: false }

  it('are there while not everything is read, and not after a compaction', () => {
    const project = makeProject()
    says(project, 1, turns(linesOf(project, 1), 0, 1))
    const store = storeOf(project)

    expect(tailsForStart(store, START)).toMatchObject([{ id8: '00000001', isCaptured: false }])
    expect(tailsForStart(store, { ...START, isComplete: true })).toEqual([])
    expect(tailsForStart(store, { ...START, source: 'compact' })).toEqual([])
    expect(fs.existsSync(project.memory)).toBe(false)
  })

  it('are marked where the import has read the session, and left out once the memory began', () => {
    const project = quietProject()
    for (let n = 1; n <= 3; n++) says(project, n, turns(linesOf(project, n), 0, 2))
    // The clock stands: everything is read, and the memory begins.
    begin(project, STARTING)
    says(project, 9, turns(linesOf(project, 9), 0, 2))

    expect(tailsIn(project).map(({ isCaptured }) => isCaptured)).toEqual([false, true, true, true])
    expect(tailsForStart(storeOf(project), START).map(({ id8 }) => id8)).toEqual(['00000009'])
  })
})
