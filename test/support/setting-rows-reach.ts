/** Settings that change where memory is and reaches: storage, secrets, background calls, search, other machines, times. */
import fs from 'node:fs'
import path from 'node:path'
import { type Machine, machinesInMemory } from './machines.ts'
import { runCommand, runLater } from './process.ts'
import { append, linesFor, quietProject, sessionId, setAtHome, type TestProject, write } from './project.ts'
import { printed, type Seen, type SettingRows, spoken } from './setting-row.ts'
import { stop } from './world.ts'

const KEY = `ghp_${'a1B2'.repeat(9)}`

/** A day of one call with nine tokens. */
function called(settings: object): Seen {
  const project = quietProject({ summarizer: 'auto', ...settings })
  const call = { id: 'a', at: new Date().toISOString(), project: 'other', kind: 'note', estimatedTokens: 9 }
  write(path.join(project.keeper, 'model-calls.jsonl'), `${JSON.stringify(call)}\n`)
  write(path.join(project.keeper, 'notices.json'), '{"version":1,"model":"2026-01-01T00:00:00.000Z"}\n')
  spokenIn(project)
  return printed(project, 'doctor')
}

function spokenIn(project: TestProject): void {
  const lines = linesFor(sessionId(1), project.root)
  append(project.transcriptOf(sessionId(1)), lines.prompt(1, 'Hello there.') + lines.answer(2, 'Hello.'))
  stop(project)
}

/** What speaks of the day is near to any question. */
const nearDays: typeof fetch = (_, init) => {
  const { input } = JSON.parse(String(init?.body)) as { input: string[] }
  const vector = (text: string, i: number): number[] => [i === 0 || text.startsWith('the harbour by day') ? 1 : 0, 1]
  const data = input.map((text, index) => ({ index, embedding: vector(text, index) }))
  return Promise.resolve(new Response(JSON.stringify({ data }), { headers: { 'content-type': 'application/json' } }))
}

async function searched(settings: object): Promise<Seen> {
  const project = spoken(
    settings,
    ...['the harbour at night', 'the harbour by day', 'ships in the harbour', 'the harbour is a mystery'].map(
      (prompt) => [prompt, 'Well.'] as const,
    ),
  )
  const { out, err } = await runLater(project, ['search', 'harbour', 'type:prompt', '--deep', '--json'], {
    fetch: nearDays,
  })
  const ids = (JSON.parse(out) as { hits: { id: string }[] }).hits.map(({ id }) => id)
  return { project, text: `first ${ids[0]}\n${err}${runCommand(project, ['doctor']).out}` }
}

export const REACH_ROWS = {
  autoMemory: {
    seen: (autoMemory) => {
      const project = spoken({ autoMemory }, ['Hello there.', 'Hello.'])
      const host = path.join(path.dirname(project.transcriptOf(sessionId(1))), 'memory')
      write(path.join(host, 'MEMORY.md'), '# Notes\n\nThe zebra likes grass.\n')
      return printed(project, 'search', 'zebra')
    },
    shows: [
      ['read', /The zebra likes grass/],
      ['off', /^(?![\s\S]*likes grass)/],
    ],
  },
  storage: {
    seen: (storage) => {
      const project = spoken({ storage }, ['Where is the lighthouse?', 'By the quay.'])
      const isThere = fs.existsSync(path.join(project.memory, 'memory-index.json'))
      return {
        project,
        text: `${isThere ? 'in the project' : 'not in the project'}\n${runCommand(project, ['search', 'lighthouse', '--deep']).out}`,
      }
    },
    shows: [
      ['project', /^in the project\n[\s\S]*Where is the lighthouse/],
      ['home', /^not in the project\n[\s\S]*Where is the lighthouse/],
    ],
  },
  redaction: {
    seen: (redaction) => printed(spoken({ redaction }, [`The token is ${KEY}.`, 'Noted.']), 'show', 'L1:00000001#0'),
    shows: [
      [true, /The token is \[redacted:[\w-]+\]/],
      [false, new RegExp(`The token is ${KEY}`)],
    ],
  },
  redactPatterns: {
    seen: (redactPatterns) =>
      printed(spoken({ redactPatterns }, ['The case is acme-4711.', 'Noted.']), 'show', 'L1:00000001#0'),
    shows: [
      [[], /The case is acme-4711/],
      [['acme-\\d+'], /The case is \[redacted:[\w-]+\]/],
    ],
  },
  modelCallsPerDay: {
    seen: (modelCallsPerDay) => called({ modelCallsPerDay }),
    shows: [
      [50, /^(?![\s\S]*daily cap)/],
      [1, /the daily cap is reached \(1 of 1 model call,/],
    ],
  },
  modelTokensPerDay: {
    seen: (modelTokensPerDay) => called({ modelTokensPerDay }),
    shows: [
      [400_000, /^(?![\s\S]*daily cap)/],
      [9, /the daily cap is reached \([\s\S]* 9 of 9 tokens/],
    ],
  },
  embedder: {
    seen: (embedder) => searched({ embedder, embedderModel: 'small' }),
    shows: [
      ['', /^first L1:00000001#(?!2\n)/],
      ['http://127.0.0.1:9/v1', /^first L1:00000001#2\n/],
    ],
  },
  embedderModel: {
    seen: (embedderModel) => searched({ embedder: 'http://127.0.0.1:9/v1', embedderModel }),
    shows: [
      ['', /^first L1:00000001#(?!2\n)[\s\S]*embedderModel is not set/],
      ['small', /^first L1:00000001#2\n/],
    ],
  },
  syncSessions: {
    seen: (syncSessions) => {
      const [desk, laptop] = machinesInMemory('desk', 'laptop').all as [Machine, Machine]
      const at = (n: number): string => `2026-01-13T12:0${n}:00.000Z`
      for (const { project } of [desk, laptop]) setAtHome(project, { summarizer: 'extractive', syncSessions })
      desk.decide('The lanterns are painted green.', at(1))
      const entry = { role: 'user', ts: at(1), text: 'Hang the lanterns by the window.' }
      write(
        path.join(desk.project.memory, 'sessions', '20260113_120100_1a2b3c4d.l1.jsonl'),
        `${JSON.stringify(entry)}\n`,
      )
      desk.sync(at(2))
      laptop.sync(at(3))
      return printed(laptop.project, 'search', 'lanterns', '--deep')
    },
    shows: [
      [true, /Hang the lanterns by the window/],
      [false, /^(?![\s\S]*Hang the)[\s\S]*painted green/],
    ],
  },
  timezone: {
    seen: (timezone) => printed(spoken({ timezone }, ['Hello there.', 'Hello.']), 'sessions'),
    shows: [
      ['UTC', /2026-01-13 09:00/],
      ['Asia/Seoul', /2026-01-13 18:00/],
    ],
  },
} satisfies SettingRows<string>
