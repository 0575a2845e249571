/** A slow server is waited for as long as that is cheaper than the hook's own work. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type HookTime, readHookTimes } from '../../../src/core/receipts/disk/journal.ts'
import { patienceFor } from '../../../src/doors/hooks/ask.ts'
import { listenForHooks } from '../../../src/doors/hooks/listen.ts'
import { ownWorkMs } from '../../../src/doors/hooks/own-work.ts'
import { parseRecord, readServers, type ServerRecord, serversDir } from '../../../src/doors/hooks/server-messages.ts'
import { pause } from '../../../src/kernel/platform/disk/files.ts'
import { converse, initialize } from '../../support/mcp.ts'
import { envOf, HOOK, payloadOf, runHook, start, until } from '../../support/process.ts'
import { append, linesFor, quietProject, sessionId, type TestProject, tempDir, turns } from '../../support/project.ts'

const row = (event: string, ms: number, more: Partial<HookTime> = {}): HookTime => ({ at: '', event, ms, ...more })
const record = (ownMs?: number): ServerRecord => ({
  ...{ address: 'a', secret: 'a'.repeat(64), version: 'v1', pid: 1 },
  ...(ownMs === undefined ? {} : { ownMs }),
})
const PROMPT = { hook_event_name: 'UserPromptSubmit', session_id: sessionId(1), prompt: 'What now?' }

function recordsOf(project: TestProject): ServerRecord[] {
  const dir = serversDir(project.places)
  if (!fs.existsSync(dir)) return []
  const names = fs.readdirSync(dir).filter((name) => name.endsWith('.json'))
  return names.flatMap((name) => parseRecord(fs.readFileSync(path.join(dir, name), 'utf8')) ?? [])
}

describe('what the own work of a hook takes', () => {
  it('is the middle of what prompts and stops took that no server answered, without the time that they waited for one', () => {
    const times = [
      row('SessionStart', 9_000),
      row('UserPromptSubmit', 3, { by: 'server' }),
      row('Stop', 400),
      row('UserPromptSubmit', 2_000),
      row('Stop', 620, { waited: 120 }),
    ]

    expect(ownWorkMs(times)).toBe(500)
  })

  it('is unknown where a server answered each of them', () => {
    expect(ownWorkMs([row('Stop', 3, { by: 'server' }), row('SessionStart', 80)])).toBeNull()
  })

  it('is that of late: a machine may become slower', () => {
    const times = [...Array<HookTime>(200).fill(row('Stop', 90)), ...Array<HookTime>(30).fill(row('Stop', 700))]

    expect(ownWorkMs(times)).toBe(700)
  })
})

describe('the patience of a hook', () => {
  it.each([
    ['at least what it always was', [record()], 40, 120],
    ['the same where its own work is quick', [record(90)], 40, 120],
    ['until its own work would have been done', [record(600)], 40, 560],
    ['no longer than a person stays patient', [record(60_000)], 40, 2_000],
    ['that of the slowest record', [record(300), record(800)], 100, 700],
  ])('is %s', (_, servers, elapsedMs, ms) => {
    expect(patienceFor(servers, elapsedMs)).toBe(ms)
  })
})

describe('the record of a server', () => {
  it('says what the own work of a hook takes here, and again when that has changed', () => {
    const project = quietProject()
    const dir = serversDir(project.places)
    let ownMs: number | null = null
    const listening = listenForHooks({
      ...{ dir, tempDir: os.tmpdir(), version: 'v1', pid: process.pid, hostPid: 7 },
      namedPipe: () => path.join(tempDir(), 'w.sock'),
      ...{ isAlive: () => true, makePipe: () => false, run: () => null, ownMs: () => ownMs },
    })
    return until(() => readServers(dir, 'v1', 7).length === 1).then(() => {
      expect(readServers(dir, 'v1', 7)[0]?.ownMs).toBeUndefined()
      ownMs = 640
      listening.tellAgain()
      expect(readServers(dir, 'v1', 7).map((one) => one.ownMs)).toEqual([640])
      listening.close()
      listening.tellAgain()
      expect(readServers(dir, 'v1', 7)).toEqual([])
    })
  })

  it('has it from the journal of the project', async () => {
    const project = quietProject()
    append(project.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), project.root), 0, 1))
    runHook(project, { hook_event_name: 'Stop', session_id: sessionId(1) })
    runHook(project, PROMPT)
    const talking = converse(project)
    await talking.ask(initialize)
    await until(() => recordsOf(project).length === 1)

    expect(recordsOf(project)[0]?.ownMs).toBe(ownWorkMs(readHookTimes(project.memory)))
    await talking.end()
  })
})

describe('a server that answers late', () => {
  it('is waited for if the own work takes longer; if not, the row says how long it was waited for', async () => {
    const project = quietProject()
    append(project.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), project.root), 0, 1))
    runHook(project, { hook_event_name: 'Stop', session_id: sessionId(1) })
    const talking = converse(project)
    await talking.ask(initialize)
    await until(() => recordsOf(project).length === 1)
    const [{ version } = record()] = recordsOf(project)
    await talking.end()
    const late = (ownMs: number, ms: number) =>
      listenForHooks({
        ...{ dir: serversDir(project.places), tempDir: os.tmpdir(), version, pid: process.pid, hostPid: process.pid },
        ...{
          namedPipe: () => path.join(tempDir(), 'w.sock'),
          isAlive: () => true,
          makePipe: () => false,
          ownMs: () => ownMs,
        },
        run: () => {
          pause(ms)
          return { answer: { out: 'late' }, sent: () => undefined, heard: () => undefined }
        },
      })
    const asked = (): Promise<{ out: string }> =>
      start([HOOK], project.root, envOf(project), JSON.stringify(payloadOf(project, PROMPT))).ended

    const patient = late(60_000, 300)
    await until(() => recordsOf(project).length === 1)
    let out = ''
    // A busy machine may need a second try.
    for (let tries = 0; tries < 10 && out !== 'late'; tries++) ({ out } = await asked())
    expect(out).toBe('late')
    patient.close()

    const hasty = late(1, 400)
    await until(() => recordsOf(project).length === 1)
    expect((await asked()).out).not.toBe('late')
    expect(readHookTimes(project.memory).at(-1)?.waited).toBeGreaterThan(0)
    hasty.close()
  })
})
