/** Many processes on one memory: nothing is lost, nothing is torn, and a killed one leaves nothing in the way. */
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { captureSession } from '../../../../src/kernel/sessions/disk/capture.ts'
import { buildModule } from '../../../support/module.ts'
import {
  CLI,
  envOf,
  HOOK,
  type HookPayload,
  payloadOf,
  processesWith,
  type Started,
  start,
  until,
} from '../../../support/process.ts'
import {
  append,
  entriesIn,
  fastDir,
  linesFor,
  linesNow,
  makeProject,
  now,
  quietProject,
  readStateIn,
  sessionId,
  storeOf,
  type TestProject,
  turn,
  turns,
} from '../../../support/project.ts'
import { type Hooked, hookHere } from '../../../support/world.ts'

const WORKERS = 8
/** More by hand: STEPS=500 npx vitest run test/kernel/sessions/disk/processes.test.ts --testTimeout 600000 */
const STEPS = Number(process.env.STEPS ?? 40)

/** One session: appends a turn to its transcript and captures it as a hook does, step by step. */
const WORKER = `
import fs from 'node:fs'
import path from 'node:path'
import { captureSession } from './src/kernel/sessions/disk/capture.ts'
import { locate } from './src/kernel/platform/disk/locate.ts'
import { openStore } from './src/kernel/memory/disk/store.ts'
const { root, home, session, transcript, turns } = JSON.parse(fs.readFileSync(0, 'utf8'))
const now = () => new Date().toISOString()
fs.mkdirSync(path.dirname(transcript), { recursive: true })
for (const turn of turns) {
  fs.appendFileSync(transcript, turn)
  const store = openStore(locate(root, { home, configDir: undefined }), { now })
  if (!captureSession(store, { session, transcript }, { waitMs: 60000, now }).complete) process.exit(3)
}
`

const clock = (): string => new Date().toISOString()

let worker = ''
beforeAll(async () => {
  worker = await buildModule(WORKER)
})

function startWorker(project: TestProject, n: number, steps: number): Started {
  const session = sessionId(n + 1)
  const lines = linesFor(session, project.root)
  const job = {
    root: project.root,
    home: project.home,
    session,
    transcript: project.transcriptOf(session),
    turns: Array.from({ length: steps }, (_, i) => turn(lines, i)),
  }
  return start([worker], project.base, envOf(project), JSON.stringify(job))
}

/** Each session's prompts in the order they were asked, by the numbers in them. */
function questionsOf(project: TestProject, session: string): number[] {
  const state = readStateIn(project.memory)
  const file = String(state.sessions[session]?.file)
  const text = fs.readFileSync(path.join(project.memory, 'sessions', file), 'utf8')
  return [...text.matchAll(/"text":"question (\d+)"/g)].map((match) => Number(match[1]))
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n)
}

describe('eight processes at once', () => {
  it(`do ${WORKERS} × ${STEPS} steps with an exact counter and every entry in its place`, async () => {
    const project = makeProject('app', fastDir())
    const ended = await Promise.all(upTo(WORKERS).map((n) => startWorker(project, n, STEPS).ended))

    expect(ended.map(({ code, err }) => ({ code, err }))).toEqual(upTo(WORKERS).map(() => ({ code: 0, err: '' })))
    expect(storeOf(project).ownership).toBe('ours')
    expect(readStateIn(project.memory).counter).toBe(WORKERS * STEPS)
    expect(entriesIn(project.memory)).toHaveLength(WORKERS * STEPS * 3)
    for (const n of upTo(WORKERS)) expect(questionsOf(project, sessionId(n + 1))).toEqual(upTo(STEPS))
    expect(fs.readdirSync(project.memory).filter((name) => /\.lock|\.tmp|broken/.test(name))).toEqual([])
  })

  it('leave everything consistent when some of them are killed', async () => {
    const project = makeProject('app', fastDir())
    const workers = upTo(WORKERS).map((n) => startWorker(project, n, 40))
    for (const n of [0, 2, 4, 6]) {
      const size = 400 * (4 + n * 5)
      const transcript = project.transcriptOf(sessionId(n + 1))
      await until(() => fs.existsSync(transcript) && fs.statSync(transcript).size > size)
      workers[n]?.child.kill('SIGKILL')
    }
    const ended = await Promise.all(workers.map((started) => started.ended))
    expect(ended.filter(({ signal }) => signal === 'SIGKILL').length).toBeGreaterThan(0)

    let expected = 0
    for (const n of upTo(WORKERS)) {
      const session = sessionId(n + 1)
      const transcript = project.transcriptOf(session)
      captureSession(storeOf(project), { session, transcript }, { waitMs: 5000, now })
      const results = fs.readFileSync(transcript, 'utf8').match(/tool_result.*\n/g)?.length ?? 0
      const asked = fs.readFileSync(transcript, 'utf8').match(/question.*\n/g)?.length ?? 0
      expect(questionsOf(project, session)).toEqual(upTo(asked))
      expected += results
    }
    expect(readStateIn(project.memory).counter).toBe(expected)
    expect(fs.existsSync(path.join(project.memory, '.lock'))).toBe(false)
  })
})

describe('hooks and commands at once', () => {
  it('lose no entry and no count', async () => {
    // No note becomes due: the counter counts on.
    const project = quietProject({ saveInterval: 1000 }, fastDir())
    const sessions = upTo(WORKERS).map((n) => sessionId(n + 1))
    const payload = (session: string): HookPayload =>
      payloadOf(project, { hook_event_name: 'Stop', session_id: session, last_assistant_message: '' })
    const stopHere = (session: string): Hooked => hookHere(project, payload(session), { now: clock })
    for (const session of sessions) {
      append(project.transcriptOf(session), turn(linesNow(session, project.root), 0))
      stopHere(session)
    }
    const running: Started[] = []
    for (const round of [1, 2]) {
      for (const session of sessions) {
        append(project.transcriptOf(session), turns(linesNow(session, project.root), round, round + 1))
        running.push(start([HOOK], project.root, envOf(project), JSON.stringify(payload(session))))
      }
      running.push(start([CLI, 'check'], project.root, envOf(project)))
      await Promise.all(running.slice(-WORKERS - 1).map((started) => started.ended))
    }
    // A hook that found no free lock has started a finisher.
    await until(() => (processesWith(project.root) ?? []).length === 0)
    for (const session of sessions) stopHere(session)

    const ended = await Promise.all(running.map((started) => started.ended))
    expect(ended.filter(({ code, err }) => code !== 0 || err !== '')).toEqual([])
    expect(readStateIn(project.memory).counter).toBe(WORKERS * 3 + 2)
    expect(entriesIn(project.memory)).toHaveLength(WORKERS * 3 * 3)
    for (const session of sessions) expect(questionsOf(project, session)).toEqual([0, 1, 2])
  })
})
