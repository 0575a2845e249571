/** Capture survives being stopped anywhere: no entry is lost, none is told twice. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/kernel/memory/disk/store.ts'
import { locate } from '../../../../src/kernel/platform/disk/locate.ts'
import { hostSlug } from '../../../../src/kernel/platform/layout.ts'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { anchorAt } from '../../../../src/kernel/sessions/disk/cursor.ts'
import { verifySession } from '../../../../src/kernel/sessions/disk/verify.ts'
import { entryKey } from '../../../../src/kernel/transcript/session.ts'
import { isComplete } from '../../../../src/kernel/transcript/verify.ts'
import { anyKill, type Kill, Killed, killingDisk } from '../../../support/killing-disk.ts'
import {
  agentPath,
  append,
  entriesIn,
  fastDir,
  type Lines,
  linesFor,
  makeProject,
  now,
  readStateIn,
  sessionId,
  type TestProject,
  textsIn,
  turn,
  turns,
  write,
} from '../../../support/project.ts'

const SESSION = sessionId(1)
const FORK = sessionId(2)
const FORK_OF_FORK = sessionId(3)
const CWD = '/made/up'
const RUNS = Number(process.env.RUNS ?? 40)

const newProject = (): TestProject => makeProject('app', fastDir())

/** A new process captures; when it is killed, another one does, until one comes through. */
function capture(project: TestProject, session = SESSION, kills: Kill[] = [], transcript?: string): void {
  const source = { session, transcript: transcript ?? project.transcriptOf(session) }
  for (;;) {
    const store = openStore(locate(project.root, project.around), { now, disk: killingDisk(kills) })
    try {
      if (captureSession(store, source, { waitMs: 1000, now }).complete) return
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    }
  }
}

/** Session files and state, with the project's own path taken out. */
function resultIn(project: TestProject): { files: Record<string, string>; state: unknown } {
  const sessions = path.join(project.memory, 'sessions')
  const names = fs.existsSync(sessions) ? fs.readdirSync(sessions) : []
  const files = names.map((name) => [name, fs.readFileSync(path.join(sessions, name), 'utf8')])
  const file = path.join(project.memory, 'memory-index.json')
  const plain = (text: string): string =>
    text.replaceAll(project.base, 'BASE').replaceAll(hostSlug(project.base), 'SLUG')
  const state = fs.existsSync(file) ? JSON.parse(plain(fs.readFileSync(file, 'utf8'))) : null
  return { files: Object.fromEntries(files), state }
}

function questionsIn(project: TestProject): string[] {
  return textsIn(project.memory).filter((told) => told.startsWith('question'))
}

const questions = (...numbers: number[]): string[] => numbers.map((n) => `question ${n}`)

function keysIn(project: TestProject): string[] {
  return entriesIn(project.memory).map(entryKey).sort()
}

const text = fc.constantFrom('fix it', '고쳐 주세요', 'a\nb', 'naïve 🙂', 'yes')
const happening = fc.oneof(
  fc.record({ is: fc.constant('prompt' as const), text }),
  fc.record({ is: fc.constant('answer' as const), text }),
  fc.record({ is: fc.constant('tool' as const), text, failed: fc.boolean() }),
  fc.record({ is: fc.constant('unfinished' as const), text }),
  fc.record({ is: fc.constant('queued' as const), text, by: fc.constantFrom('line', 'attachment', 'nothing') }),
  fc.record({ is: fc.constant('waiting' as const), text }),
  fc.record({ is: fc.constant('broken' as const), text }),
  fc.record({ is: fc.constant('meta' as const), text }),
  fc.record({ is: fc.constant('interrupted' as const), text }),
)
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

/** Lines as the host would write them; two things may happen in the same millisecond. */
function record(happenings: readonly Happening[], lines: Lines, from = 0): string[] {
  let at = from
  return happenings.flatMap((what, n) => {
    at += n % 3
    return recordOne(what, n, lines, at, `t${from}-${n}`)
  })
}

function recordOne(what: Happening, n: number, lines: Lines, at: number, id: string): string[] {
  const queued = `${what.text} ${n}`
  switch (what.is) {
    case 'prompt':
      return [lines.prompt(at, what.text)]
    case 'answer':
      return [lines.answer(at, what.text)]
    case 'tool':
      return [
        lines.use(at, id, 'Bash', { command: `say ${what.text}` }),
        lines.result(at + 1, id, what.text, what.failed),
      ]
    case 'unfinished':
      return [lines.use(at, id, 'Bash', { command: `wait ${n}` })]
    case 'queued':
      return [
        lines.enqueue(at, queued),
        what.by === 'line' ? lines.dequeue(at) : lines.remove(at, queued),
        ...(what.by === 'line' ? [lines.prompt(at + 1, queued)] : []),
        ...(what.by === 'attachment' ? [lines.queued(at + 1, queued)] : []),
      ]
    case 'waiting':
      return [lines.enqueue(at, `later ${n}`)]
    case 'broken':
      return ['{"type":"user","message":{"role":"us\n']
    case 'meta':
      return [lines.meta(at)]
    case 'interrupted':
      return [lines.prompt(at, '[Request interrupted by user]')]
  }
}

const shares = fc.array(
  fc.nat(100).map((percent) => percent / 100),
  { maxLength: 5 },
)

/** Where the file stands at each capture, in bytes: anywhere, also within a line or a character. */
function cutsOf(bytes: Buffer, at: readonly number[]): number[] {
  return [...at.map((share) => Math.floor(share * bytes.length)), bytes.length].sort((a, b) => a - b)
}

const lines = linesFor(SESSION, CWD)
const closed = fc.array(
  happening.filter((what) => what.is === 'prompt' || what.is === 'answer' || what.is === 'tool'),
  { minLength: 1, maxLength: 4 },
)

describe('the anchor', () => {
  it('is that of the bytes in the file, however little was added and wherever a line was torn', () => {
    const project = newProject()
    const file = project.transcriptOf(SESSION)
    const lines = linesFor(SESSION, CWD)
    const short = '{"type":"mode"}\n'
    const whole = short + turn(lines, 1) + short + lines.prompt(50, 'wörter 🙂') + short.repeat(30)
    for (const length of [short.length, 300, 1000, whole.length - 490, whole.length - 8, whole.length]) {
      write(file, Buffer.from(whole).subarray(0, length))
      capture(project)
      const { offset = 0, anchor = '' } = readStateIn(project.memory).sessions[SESSION] ?? {}

      expect(anchor).toBe(Number(offset) === 0 ? '' : anchorAt(file, Number(offset)))
    }
    expect(questionsIn(project)).toEqual(questions(1))
  })
})

describe('capture of a growing transcript', () => {
  it('gives the same session file and state whether or not processes are killed at their writes', () => {
    fc.assert(
      fc.property(
        fc.array(happening, { maxLength: 14 }),
        shares,
        fc.array(anyKill, { maxLength: 5 }),
        (what, at, kills) => {
          const bytes = Buffer.from(record(what, lines).join(''))
          const calm = newProject()
          const wild = newProject()
          write(calm.transcriptOf(SESSION), bytes)
          capture(calm)

          let written = 0
          for (const cut of cutsOf(bytes, at)) {
            append(wild.transcriptOf(SESSION), bytes.subarray(written, cut))
            written = cut
            capture(wild, SESSION, kills)
          }

          expect(resultIn(wild)).toEqual(resultIn(calm))
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('keeps every entry once when subagents write beside it', () => {
    const agents = fc.array(fc.array(happening, { maxLength: 5 }), { maxLength: 2 })
    fc.assert(
      fc.property(
        fc.array(happening, { maxLength: 8 }),
        agents,
        shares,
        fc.array(anyKill, { maxLength: 5 }),
        (what, sides, at, kills) => {
          const files = (project: TestProject): { file: string; bytes: Buffer }[] => [
            { file: project.transcriptOf(SESSION), bytes: Buffer.from(record(what, lines).join('')) },
            ...sides.map((side, n) => ({
              file: agentPath(project.transcriptOf(SESSION), `agent${n}`),
              bytes: Buffer.from(
                record(side, linesFor(SESSION, CWD, { isSidechain: true, agentId: `agent${n}` }), 500).join(''),
              ),
            })),
          ]
          const calm = newProject()
          for (const { file, bytes } of files(calm)) write(file, bytes)
          capture(calm)

          const wild = newProject()
          for (const share of [...at.toSorted((a, b) => a - b), 1]) {
            for (const { file, bytes } of files(wild)) write(file, bytes.subarray(0, Math.floor(share * bytes.length)))
            capture(wild, SESSION, kills)
          }

          expect(keysIn(wild)).toEqual(keysIn(calm))
        },
      ),
      { numRuns: RUNS },
    )
  })
})

const TO_STATE = ['state deleted', 'state broken'] as const
const TO_FILES = [
  'session file cut',
  'session file deleted',
  'transcript moved',
  'transcript rewritten',
  'nothing',
] as const
/** Not together with a lost state: nobody could know then how long the transcript was. */
const TO_LENGTH = ['transcript shrunk'] as const
type Mishap = (typeof TO_STATE | typeof TO_FILES | typeof TO_LENGTH)[number]

describe('capture after a mishap', () => {
  it('loses no entry and tells none twice', () => {
    const share = fc.nat(100).map((percent) => percent / 100)
    const steps = (...mishaps: Mishap[]): fc.Arbitrary<{ share: number; mishap: Mishap; where: number }[]> =>
      fc.array(fc.record({ share, mishap: fc.constantFrom(...mishaps), where: share }), { maxLength: 4 })
    fc.assert(
      fc.property(
        fc.array(happening, { minLength: 1, maxLength: 8 }),
        fc.array(happening, { maxLength: 4 }),
        fc.oneof(steps(...TO_STATE, ...TO_FILES), steps(...TO_FILES, ...TO_LENGTH)),
        fc.array(anyKill, { maxLength: 2 }),
        (what, side, steps, kills) => {
          const main = Buffer.from(record(what, lines).join(''))
          const agent = Buffer.from(
            record(side, linesFor(SESSION, CWD, { isSidechain: true, agentId: 'helper' }), 500).join(''),
          )
          const calm = newProject()
          write(calm.transcriptOf(SESSION), main)
          write(agentPath(calm.transcriptOf(SESSION), 'helper'), agent)
          capture(calm)

          const wild = newProject()
          let transcript = wild.transcriptOf(SESSION)
          for (const [n, { share, mishap, where }] of steps.toSorted((a, b) => a.share - b.share).entries()) {
            write(transcript, main.subarray(0, Math.floor(share * main.length)))
            write(agentPath(transcript, 'helper'), agent.subarray(0, Math.floor(share * agent.length)))
            capture(wild, SESSION, kills, transcript)
            transcript = happen(wild, mishap, where, transcript, n)
          }
          write(transcript, main)
          write(agentPath(transcript, 'helper'), agent)
          capture(wild, SESSION, kills, transcript)

          expect(keysIn(wild)).toEqual(keysIn(calm))
        },
      ),
      { numRuns: RUNS },
    )
  })
})

describe('capture of other contents', () => {
  it('adds the new content when the transcript is replaced by another one', () => {
    const project = newProject()
    write(project.transcriptOf(SESSION), turns(lines, 0, 6))
    capture(project)
    write(project.transcriptOf(SESSION), turns(lines, 50, 53))
    capture(project)

    expect(questionsIn(project)).toEqual(questions(0, 1, 2, 3, 4, 5, 50, 51, 52))
    expect(readStateIn(project.memory).counter).toBe(9)
  })

  it('survives every kill while a transcript of several pieces is read', () => {
    const big = Array.from(
      { length: 40 },
      (_, n) => lines.meta(n).replace('"m', `"${'x'.repeat(250_000)}`) + turn(lines, n),
    )
    const calm = newProject()
    const wild = newProject()
    for (const project of [calm, wild]) write(project.transcriptOf(SESSION), big.join(''))
    capture(calm)
    capture(
      wild,
      SESSION,
      Array.from({ length: 12 }, (_, n) => ({ after: n % 3, how: n % 2 ? 'partial' : 'after' })),
    )

    expect(textsIn(calm.memory)).toHaveLength(120)
    expect(resultIn(wild)).toEqual(resultIn(calm))
  })

  it('captures nothing twice when two processes capture the same session in turns', () => {
    const project = newProject()
    for (let n = 0; n < 4; n++) {
      append(project.transcriptOf(SESSION), turn(lines, n))
      capture(project)
      capture(project)
    }

    expect(textsIn(project.memory)).toHaveLength(12)
    expect(readStateIn(project.memory).counter).toBe(4)
  })

  it('keeps an answer that the Stop hook names before its line is written, once', () => {
    const project = newProject()
    const stop = (answer: string): void => {
      const store = openStore(locate(project.root, project.around), { now })
      captureSession(
        store,
        { session: SESSION, transcript: project.transcriptOf(SESSION), answer },
        { waitMs: 1000, now },
      )
    }
    append(project.transcriptOf(SESSION), lines.prompt(0, 'why?'))
    stop('because')
    expect(textsIn(project.memory)).toEqual(['why?', 'because'])
    append(project.transcriptOf(SESSION), lines.answer(1, 'because'))
    stop('because')
    append(project.transcriptOf(SESSION), lines.prompt(2, 'really?'))
    stop('yes')
    append(project.transcriptOf(SESSION), lines.prompt(4 * 3_600_000, 'sure?'))
    capture(project)

    expect(textsIn(project.memory)).toEqual(['why?', 'because', 'really?', 'yes', 'sure?'])
  })
})

describe('capture of a forked session', () => {
  it('reads the session it continues first, when that one is behind', () => {
    const project = newProject()
    write(project.transcriptOf(SESSION), turns(lines, 0, 1))
    capture(project)
    append(project.transcriptOf(SESSION), `${turns(lines, 1, 3)}{"type":"user","half a li`)
    write(project.transcriptOf(FORK), turns(lines, 0, 3) + turn(linesFor(FORK, CWD), 9))
    capture(project, FORK)
    capture(project)

    expect(questionsIn(project)).toEqual(questions(0, 1, 2, 9))
    expect(readStateIn(project.memory).counter).toBe(4)
  })
})

describe('capture of a fork of a fork', () => {
  const forkLines = linesFor(FORK, CWD)
  const ownLines = linesFor(FORK_OF_FORK, CWD)

  it('tells the entries of the session in the middle once, and names it as the one that is continued', () => {
    const project = newProject()
    const first = turns(lines, 0, 2)
    const middle = first + turn(forkLines, 3)
    write(project.transcriptOf(SESSION), first)
    capture(project)
    write(project.transcriptOf(FORK), middle)
    capture(project, FORK)
    write(project.transcriptOf(FORK_OF_FORK), middle + turn(ownLines, 5))
    capture(project, FORK_OF_FORK)

    expect(questionsIn(project)).toEqual(questions(0, 1, 3, 5))
    expect(readStateIn(project.memory).sessions[FORK_OF_FORK]?.forkOf).toEqual({ session: FORK })
    expect(readStateIn(project.memory).sessions[FORK]?.forkOf).toEqual({ session: SESSION })
  })

  it('names the session in the middle also when its part of the history begins in a later piece', () => {
    const project = newProject()
    const filler = lines.meta(1).replace('"m', `"${'x'.repeat(5_000_000)}`)
    const first = turn(lines, 0) + filler
    const middle = first + turn(forkLines, 3) + filler
    write(project.transcriptOf(SESSION), first)
    write(project.transcriptOf(FORK), middle)
    write(project.transcriptOf(FORK_OF_FORK), middle + turn(ownLines, 5))
    for (const session of [SESSION, FORK, FORK_OF_FORK]) capture(project, session)

    expect(questionsIn(project)).toHaveLength(3)
    expect(readStateIn(project.memory).sessions[FORK_OF_FORK]?.forkOf).toEqual({ session: FORK })
  })

  const visit = fc.record({
    session: fc.constantFrom(SESSION, FORK, FORK_OF_FORK),
    share: fc.constantFrom(0, 0.5, 1),
    before: fc.constantFrom('nothing', 'nothing', 'state deleted', 'state broken'),
  })

  it('tells every entry once, in whatever order the three grow and are captured and whatever is lost between', () => {
    fc.assert(
      fc.property(
        fc.tuple(closed, closed, closed, closed, closed),
        fc.array(visit, { maxLength: 6 }),
        fc.array(anyKill, { maxLength: 2 }),
        ([shared, own, sharedByFork, ownOfFork, last], visits, kills) => {
          const first = [lines.prompt(0, 'begin'), ...record(shared, lines, 1)]
          const middle = [...first, forkLines.prompt(200, 'fork'), ...record(sharedByFork, forkLines, 201)]
          const own1 = record(own, lines, 400)
          const own2 = record(ownOfFork, forkLines, 600)
          const own3 = [ownLines.prompt(800, 'again'), ...record(last, ownLines, 801)]
          const transcripts = new Map([
            [SESSION, [...first, ...own1]],
            [FORK, [...middle, ...own2]],
            [FORK_OF_FORK, [...middle, ...own3]],
          ])
          const expected = newProject()
          write(expected.transcriptOf(SESSION), [...middle, ...own1, ...own2, ...own3].join(''))
          capture(expected)

          const project = newProject()
          const grow = (session: string, share: number): void => {
            const all = transcripts.get(session) ?? []
            // What a fork copies was written before it is made.
            const copied = session === SESSION ? first.length : middle.length
            const count = copied + Math.ceil((all.length - copied) * share)
            const text = all.slice(0, count).join('')
            if (
              Buffer.byteLength(text) >
              (fs.statSync(project.transcriptOf(session), { throwIfNoEntry: false })?.size ?? 0)
            )
              write(project.transcriptOf(session), text)
          }
          for (const { session, share, before } of visits) {
            if (session !== SESSION) grow(SESSION, 0)
            if (session === FORK_OF_FORK) grow(FORK, 0)
            grow(session, share)
            happen(project, before, 0.5, project.transcriptOf(session), 0)
            capture(project, session, kills)
          }
          for (const session of transcripts.keys()) {
            grow(session, 1)
            capture(project, session, kills)
          }

          expect(keysIn(project)).toEqual(keysIn(expected))
          const store = openStore(locate(project.root, project.around), { now })
          for (const session of transcripts.keys()) {
            const verified = verifySession(store, store.readState(), session, project.transcriptOf(session))
            expect(isComplete(verified)).toBe(true)
          }
        },
      ),
      { numRuns: RUNS },
    )
  })
})

function happen(project: TestProject, what: string, where: number, transcript: string, n: number): string {
  const state = path.join(project.memory, 'memory-index.json')
  const sessions = path.join(project.memory, 'sessions')
  const file = path.join(sessions, fs.existsSync(sessions) ? (fs.readdirSync(sessions)[0] ?? '') : '')
  const cut = (name: string): void => fs.truncateSync(name, Math.floor(where * fs.statSync(name).size))
  if (what === 'state deleted') fs.rmSync(state, { force: true })
  if (what === 'state broken' && fs.existsSync(state)) cut(state)
  if (what === 'session file cut' && fs.existsSync(file) && file !== `${sessions}/`) cut(file)
  if (what === 'session file deleted' && file.endsWith('.jsonl')) fs.rmSync(file)
  if (what === 'transcript shrunk') cut(transcript)
  if (what === 'transcript rewritten') write(transcript, lines.meta(n) + fs.readFileSync(transcript, 'utf8'))
  if (what !== 'transcript moved') return transcript
  const moved = path.join(path.dirname(transcript), `moved-${n}`, path.basename(transcript))
  fs.mkdirSync(path.dirname(moved), { recursive: true })
  fs.renameSync(transcript, moved)
  fs.renameSync(transcript.replace('.jsonl', ''), moved.replace('.jsonl', ''))
  return moved
}
