/** Settled sessions: they leave the state, nothing forgets them, and they come back when they go on. */
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allFindings } from '../../../../src/core/health/disk/health.ts'
import { settleSessions } from '../../../../src/core/notes/disk/care.ts'
import { COMMAND_WAIT_MS, openStore } from '../../../../src/kernel/memory/disk/store.ts'
import { allSessions, parseState, type State, sessionIn } from '../../../../src/kernel/memory/state.ts'
import { locate } from '../../../../src/kernel/platform/disk/locate.ts'
import { anyKill, Killed, killingDisk } from '../../../support/killing-disk.ts'
import { envOf, HOOK, payloadOf, runCommand, runCommandJson, runNode } from '../../../support/process.ts'
import {
  append,
  entriesIn,
  fastDir,
  linesFor,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  textsIn,
  treeOf,
  turns,
  write,
} from '../../../support/project.ts'
import { begin, finishHere, LATER, prompt, stop } from '../../../support/world.ts'

const later = { now: () => LATER }
const evenLater = { now: () => '2026-01-13T19:00:00.000Z' }

/** Its lines were written in the morning. */
function says(project: TestProject, n: number, from: number, to: number): void {
  const file = project.transcriptOf(sessionId(n))
  append(file, turns(linesFor(sessionId(n), project.root), from, to))
  const at = new Date('2026-01-13T09:10:00.000Z')
  fs.utimesSync(file, at, at)
}

/** So many sessions of which nothing is left to do. */
async function settledProject(sessions: number, base = fastDir()): Promise<TestProject> {
  const project = quietProject({}, base)
  for (let n = 1; n <= sessions; n++) says(project, n, 0, 2)
  await finishHere(project, { for: 'catch-up' }, later)
  return project
}

function hotIn(dir: string): State {
  const state = parseState(fs.readFileSync(path.join(dir, 'memory-index.json'), 'utf8'))
  if (state === null) throw new Error('no state')
  return state
}

const settledFileIn = (dir: string): string => path.join(dir, 'sessions', 'settled', '2026-01.jsonl')

function linesIn(file: string): { id: string }[] {
  return fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string })
}

/** Names of the files that the real hook program opens below the memory. */
function openedBy(project: TestProject, payload: Parameters<typeof payloadOf>[1]): string[] {
  const preload = path.join(project.base, 'opened.cjs')
  const log = path.join(project.base, 'opened.txt')
  write(
    preload,
    "const fs=require('fs');const {openSync}=fs;const seen=[];fs.openSync=(f,...r)=>{seen.push(String(f));return openSync(f,...r)};process.on('exit',()=>fs.writeFileSync(process.env.MK_LOG,seen.join('\\n')))",
  )
  const stdin = JSON.stringify(payloadOf(project, payload))
  const ran = runNode(['--require', preload, HOOK], project.root, envOf(project, { MK_LOG: log }), stdin)
  expect(ran).toMatchObject({ err: '', code: 0 })
  const opened = fs.readFileSync(log, 'utf8').split('\n')
  return opened.filter((file) => file.startsWith(project.memory)).map((file) => path.relative(project.memory, file))
}

describe('a session of which nothing is left to do', () => {
  it('leaves the state for a file of its month, and is known as before', async () => {
    const project = await settledProject(3)

    expect(hotIn(project.memory).sessions).toEqual({})
    expect(linesIn(settledFileIn(project.memory)).map(({ id }) => id)).toEqual([1, 2, 3].map(sessionId))
    const state = storeOf(project).readState()
    expect(allSessions(state)).toHaveLength(3)
    expect(sessionIn(state, sessionId(2))).toMatchObject({ entries: 6, watermark: 6, isDone: true })
    expect(sessionIn(state, sessionId(4))).toBeUndefined()
    expect(runCommandJson(project, ['verify', '--json']).json).toMatchObject({
      complete: true,
      sessions: { length: 3 },
    })
  })

  it('stays in the state while it owes something, or goes on', async () => {
    const project = quietProject()
    says(project, 1, 0, 2)
    stop(project)
    await finishHere(project, { for: 'catch-up' })

    expect(Object.keys(hotIn(project.memory).sessions)).toEqual([sessionId(1)])
    expect(fs.existsSync(settledFileIn(project.memory))).toBe(false)
  })

  it('is settled without its transcript, too', async () => {
    const project = quietProject()
    says(project, 1, 0, 2)
    stop(project)
    fs.rmSync(project.transcriptOf(sessionId(1)))
    await finishHere(project, { for: 'end', session: sessionId(1) }, later)

    expect(hotIn(project.memory).sessions).toEqual({})
    expect(sessionIn(storeOf(project).readState(), sessionId(1))).toMatchObject({ watermark: 6 })
    const world = { now: LATER, nodeVersion: 'v22.0.0', version: '0.5.0', programs: null }
    expect(allFindings(storeOf(project), world).find(({ name }) => name === 'readable')).toMatchObject({
      verdict: 'ok',
    })
  })

  it('is kept by a state of version 2, and settled by the next finisher without any loss', async () => {
    const project = quietProject()
    for (const n of [1, 2]) says(project, n, 0, 2)
    storeOf(project).prepare()
    fs.cpSync(path.join(import.meta.dirname, '..', '..', '..', 'fixtures', 'state-2', 'memory'), project.memory, {
      recursive: true,
    })
    const index = path.join(project.memory, 'memory-index.json')
    const transcripts = path.dirname(project.transcriptOf(sessionId(1)))
    fs.writeFileSync(index, fs.readFileSync(index, 'utf8').replaceAll('/PROJECTS', transcripts))
    const before = allSessions(storeOf(project).readState())
    expect(before).toHaveLength(2)
    const entries = entriesIn(project.memory)

    await finishHere(project, { for: 'catch-up' }, later)

    expect(hotIn(project.memory)).toMatchObject({ version: 3, sessions: {}, cuts: 1 })
    const after = allSessions(storeOf(project).readState())
    const worth = (all: typeof after): string[] =>
      all.map(([id, { entries: count, watermark, file }]) => `${id} ${count} ${watermark} ${file}`).sort()
    expect(worth(after)).toEqual(worth(before))
    expect(entriesIn(project.memory)).toEqual(entries)
  })
})

describe('what a hook reads', () => {
  it('is no file of settled sessions, where nothing is new; a briefing that is made anew reads the newest', async () => {
    const project = await settledProject(3)
    const begun = openedBy(project, { hook_event_name: 'SessionStart', session_id: sessionId(9), source: 'startup' })
    append(project.transcriptOf(sessionId(9)), turns(linesFor(sessionId(9), project.root), 0, 1))
    const stopped = openedBy(project, { hook_event_name: 'Stop', session_id: sessionId(9) })

    expect(begun).toContain('memory-index.json')
    expect(stopped.filter((file) => file.includes('settled'))).toEqual([])
    expect(new Set(begun.filter((file) => file.includes('settled')))).toEqual(
      new Set(['sessions/settled/2026-01.jsonl']),
    )
    expect(textsIn(project.memory)).toHaveLength(3 * 6 + 3)
  })

  it('of a session that goes on is the file of its month alone', async () => {
    const project = await settledProject(3)
    write(path.join(project.memory, 'sessions', 'settled', '2025-12.jsonl'), '{"id":"older","file":""}\n')
    says(project, 2, 2, 3)
    const opened = openedBy(project, { hook_event_name: 'Stop', session_id: sessionId(2) })

    expect([...new Set(opened.filter((file) => file.includes('settled')))]).toEqual(['sessions/settled/2026-01.jsonl'])
  })
})

describe('a settled session that goes on', () => {
  it('is in the state again with what was known of it, and none of its entries twice', async () => {
    const project = await settledProject(2)
    says(project, 1, 2, 3)
    stop(project)

    expect(hotIn(project.memory).sessions[sessionId(1)]).toMatchObject({ entries: 9, watermark: 6, isLive: true })
    expect(textsIn(project.memory).filter((text) => text === 'question 0')).toHaveLength(2)

    await finishHere(project, { for: 'end', session: sessionId(1) }, evenLater)
    await finishHere(project, { for: 'catch-up' }, evenLater)
    expect(hotIn(project.memory).sessions).toEqual({})
    expect(linesIn(settledFileIn(project.memory)).filter(({ id }) => id === sessionId(1))).toEqual([
      expect.objectContaining({ entries: 9, watermark: 9 }),
    ])
  })

  it('is caught up by the finisher where no hook saw it', async () => {
    const project = await settledProject(2)
    says(project, 1, 2, 3)
    await finishHere(project, { for: 'catch-up' }, evenLater)

    expect(textsIn(project.memory)).toHaveLength(9 + 6)
    expect(runCommandJson(project, ['verify', '--json']).json).toMatchObject({ complete: true })
  })

  it('keeps its watermark where its session file is lost', async () => {
    const project = await settledProject(2)
    const file = String(readStateIn(project.memory).sessions[sessionId(1)]?.file)
    fs.rmSync(path.join(project.memory, 'sessions', file))
    await finishHere(project, { for: 'catch-up' }, evenLater)

    expect(readStateIn(project.memory).sessions[sessionId(1)]).toMatchObject({ entries: 6, watermark: 6 })
    expect(textsIn(project.memory)).toHaveLength(12)
  })
})

describe('a fork of a settled session', () => {
  it('is recognised, and stores only what is its own', async () => {
    const project = await settledProject(3)
    const own = turns(linesFor(sessionId(2), project.root), 2, 3).replaceAll(sessionId(2), sessionId(9))
    const shared = fs.readFileSync(project.transcriptOf(sessionId(2)), 'utf8').replaceAll(sessionId(2), sessionId(9))
    append(project.transcriptOf(sessionId(9)), shared + own)
    stop(project, {}, {}, sessionId(9))

    expect(sessionIn(storeOf(project).readState(), sessionId(9))).toMatchObject({
      entries: 3,
      forkOf: { session: sessionId(2) },
    })
    expect(textsIn(project.memory).filter((text) => text === 'question 0')).toHaveLength(3)
  })
})

describe('a start', () => {
  it('catches up a transcript that is new beside settled ones', async () => {
    const project = await settledProject(3)
    says(project, 7, 0, 1)
    begin(project, sessionId(9), 'startup', later)

    expect(textsIn(project.memory)).toHaveLength(3 * 6 + 3)
  })

  it('does not look again at a settled session that said nothing', async () => {
    const project = quietProject()
    const file = project.transcriptOf(sessionId(1))
    append(file, linesFor(sessionId(1), project.root).meta(0))
    append(file, linesFor(sessionId(1), project.root).prompt(0, '<local-command-stdout></local-command-stdout>'))
    const at = new Date('2026-01-13T09:10:00.000Z')
    fs.utimesSync(file, at, at)
    says(project, 2, 0, 1)
    await finishHere(project, { for: 'catch-up' }, later)

    expect(hotIn(project.memory).sessions).toEqual({})
    expect(storeOf(project).readState().settled?.mayHold(sessionId(1))).toBe(true)
    begin(project, sessionId(9), 'startup', later)
    expect(hotIn(project.memory).sessions).toEqual({})
  })
})

describe('a kill while sessions are settled', () => {
  it('neither loses nor doubles a session, wherever it comes', async () => {
    const project = await settledProject(3)
    says(project, 1, 2, 3)
    for (const n of [4, 5]) says(project, n, 0, 1)
    await finishHere(project, { for: 'catch-up' }, { ...evenLater, elapsedMs: () => 0 })
    const whole = readStateIn(project.memory).sessions
    const settled = fs.readFileSync(settledFileIn(project.memory), 'utf8')
    const hot = { ...hotIn(project.memory), sessions: whole }

    fc.assert(
      fc.property(fc.array(anyKill, { maxLength: 3 }), (kills) => {
        fs.writeFileSync(path.join(project.memory, 'memory-index.json'), JSON.stringify(hot))
        fs.writeFileSync(settledFileIn(project.memory), settled.split('\n').slice(0, 2).join('\n'))
        for (let times = 0; times < 4; times++) {
          const disk = killingDisk(kills)
          const store = openStore(locate(project.root, project.around), { ...evenLater, disk })
          try {
            store.whileLocked(COMMAND_WAIT_MS, () => settleSessions(store, evenLater.now(), () => false))
          } catch (error) {
            if (!(error instanceof Killed)) throw error
          }
          expect(readStateIn(project.memory).sessions).toEqual(whole)
        }
        expect(hotIn(project.memory).sessions).toEqual({})
        expect(linesIn(settledFileIn(project.memory))).toHaveLength(Object.keys(whole).length)
      }),
      { numRuns: 30 },
    )
  })
})

describe('a damaged file of settled sessions', () => {
  it('costs the sessions of the damaged lines nothing but a look at their transcripts', async () => {
    const project = await settledProject(3)
    const file = settledFileIn(project.memory)
    const [first = '', second = '', third = ''] = fs.readFileSync(file, 'utf8').split('\n')
    fs.writeFileSync(file, `${first}\n${second.slice(0, 40)}\n${third}\n`)
    expect(allSessions(storeOf(project).readState())).toHaveLength(2)
    await finishHere(project, { for: 'catch-up' }, evenLater)

    expect(allSessions(storeOf(project).readState())).toHaveLength(3)
    expect(textsIn(project.memory)).toHaveLength(18)
    expect(runCommandJson(project, ['verify', '--json']).json).toMatchObject({ complete: true })
  })

  it.each(['removed', 'emptied', 'garbled', 'a directory'])(
    'that is %s loses no entry and doubles none',
    async (how) => {
      const project = await settledProject(3)
      const file = settledFileIn(project.memory)
      fs.rmSync(file)
      if (how === 'emptied') fs.writeFileSync(file, '')
      if (how === 'garbled') fs.writeFileSync(file, '\u0000\u0001{{{\n')
      if (how === 'a directory') fs.mkdirSync(file)
      begin(project, sessionId(9), 'startup', evenLater)
      await finishHere(project, { for: 'catch-up' }, evenLater)

      expect(textsIn(project.memory)).toHaveLength(18)
      expect(runCommandJson(project, ['verify', '--json']).json).toMatchObject({ complete: true })
    },
  )
})

describe('transcripts of other projects', () => {
  it('are remembered by the beginning of their ids, and forgotten when they are gone', async () => {
    const project = quietProject()
    const other = path.join(path.dirname(project.root), 'app-web')
    fs.mkdirSync(other)
    says(project, 1, 0, 1)
    const file = path.join(`${path.dirname(project.transcriptOf(sessionId(1)))}-web`, `${sessionId(2)}.jsonl`)
    append(file, turns(linesFor(sessionId(2), other), 0, 1))
    await finishHere(project, { for: 'catch-up' }, later)
    expect(hotIn(project.memory).elsewhere).toEqual([sessionId(2).slice(0, 13)])

    fs.rmSync(file)
    await finishHere(project, { for: 'catch-up' }, later)
    expect(hotIn(project.memory).elsewhere).toEqual([])
  })
})

/** The last thing it did has no result: its words wait in the state. */
async function settledWithWaiting(): Promise<TestProject> {
  const project = quietProject({}, fastDir())
  says(project, 1, 0, 2)
  const file = project.transcriptOf(sessionId(1))
  append(file, linesFor(sessionId(1), project.root).use(90, 'open', 'Bash', { command: 'feed the zebrafinch' }))
  const at = new Date('2026-01-13T09:10:00.000Z')
  fs.utimesSync(file, at, at)
  says(project, 2, 0, 2)
  await finishHere(project, { for: 'catch-up' }, later)
  expect(fs.readFileSync(settledFileIn(project.memory), 'utf8')).toContain('zebrafinch')
  return project
}

describe('what waits in a settled session', () => {
  it('is forgotten with its session, in the vault too', async () => {
    const project = await settledWithWaiting()
    expect(runCommand(project, ['forget', '--session', '00000001', '--yes']).code).toBe(0)

    const held = [project.memory, project.places.vault].flatMap((dir) =>
      Object.entries(treeOf(dir)).filter(([, text]) => text.includes('zebrafinch')),
    )
    expect(held).toEqual([])
    expect(allSessions(storeOf(project).readState())).toHaveLength(2)
    expect(storeOf(project).readState().settled?.one(sessionId(2))).toMatchObject({ watermark: 6 })
  })

  it('is forgotten where the session goes on, too', async () => {
    const project = await settledWithWaiting()
    says(project, 1, 20, 21)
    stop(project)
    expect(runCommand(project, ['forget', '--query', 'zebrafinch', '--yes']).code).toBe(0)

    const held = Object.entries(treeOf(project.memory)).filter(([, text]) => text.includes('zebrafinch'))
    expect(held).toEqual([])
  })

  it('is redacted, and the bytes of its session are counted anew', async () => {
    const project = await settledProject(2)
    const state = readStateIn(project.memory).sessions[sessionId(1)]
    const file = path.join(project.memory, 'sessions', String(state?.file))
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('question 0', `question ${secret}`))
    expect(runCommand(project, ['scrub']).code).toBe(0)

    const session = sessionIn(storeOf(project).readState(), sessionId(1))
    expect(session?.bytes).toBe(fs.statSync(file).size)
    expect(hotIn(project.memory).sessions).toEqual({})
  })
})

describe('a memory that was deleted', () => {
  it('comes back from the vault with its settled sessions', async () => {
    const project = await settledProject(3)
    const before = readStateIn(project.memory).sessions
    fs.rmSync(project.memory, { recursive: true })
    begin(project, sessionId(9), 'startup', later)

    expect(readStateIn(project.memory).sessions).toEqual(before)
    expect(hotIn(project.memory).sessions).toEqual({})
  })

  it('of which only the state is gone knows the settled sessions', async () => {
    const project = await settledProject(3)
    const before = readStateIn(project.memory).sessions
    fs.rmSync(path.join(project.memory, 'memory-index.json'))
    fs.rmSync(project.places.vault, { recursive: true })
    stop(project, {}, later, sessionId(9))
    await finishHere(project, { for: 'catch-up' }, evenLater)

    expect(readStateIn(project.memory).sessions).toEqual(before)
    expect(textsIn(project.memory)).toHaveLength(18)
  })
})

it('a prompt of a session that is settled brings back its part of the state, not a new session', async () => {
  const project = await settledProject(1)
  prompt(project, {}, later)

  expect(Object.keys(readStateIn(project.memory).sessions)).toEqual([sessionId(1)])
  expect(
    fs.readdirSync(path.join(project.memory, 'sessions')).filter((name) => name.endsWith('.l1.jsonl')),
  ).toHaveLength(1)
})
