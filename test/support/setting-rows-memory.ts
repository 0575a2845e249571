/** Settings that change what is stored: where, how much of it, and how it is combined later. */
import fs from 'node:fs'
import path from 'node:path'
import { claude, user } from '../fixtures/sessions.ts'
import { learned, reflectOn } from './learned.ts'
import { pairInMemory } from './machines.ts'
import { addSession } from './old-sessions.ts'
import { runCommand, runLater } from './process.ts'
import {
  append,
  dialog,
  linesFor,
  quietProject,
  sessionId,
  setAtHome,
  storeOf,
  type TestProject,
  treeOf,
  write,
} from './project.ts'
import { type Seen, type SettingRows, spoken } from './setting-row.ts'
import { finishHere, LATER, stop } from './world.ts'

const DAY_MS = 24 * 60 * 60_000
const PNPM = 'We use pnpm, not npm, for installing packages.'
const KEY = `ghp_${'a1B2'.repeat(9)}`

/** What a command prints. */
const printed = (project: TestProject, ...args: string[]): Seen => ({ project, text: runCommand(project, args).out })

/** Eight notes of about 130 tokens by hand. */
function noted(settings: object): Seen {
  const project = quietProject({ rotationThresholdTokens: 1000, carryoverTokens: 300, ...settings })
  const words = 'The harbour master counted the boats again and wrote the number down. '.repeat(10)
  for (let n = 0; n < 8; n++) runCommand(project, ['note', '--text', `Note ${n}. ${words}`])
  const names = fs.readdirSync(project.memory)
  const kept = fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8').match(/^Note \d/gm) ?? []
  const archives = names.filter((name) => /^memory_.*\.md$/.test(name)).length
  return {
    project,
    text: `${archives} archives; memory.md has ${kept.join(', ')}\n${runCommand(project, ['status']).out}`,
  }
}

/** Sessions of ten and of sixty days ago, after `compress`. */
function aged(settings: object): Seen {
  const project = quietProject(settings)
  for (const [n, days] of [10, 60].entries()) {
    const at = new Date(Date.now() - days * DAY_MS).toISOString().replace(/\.\d+Z$/, '.000Z')
    addSession(storeOf(project), { n: n + 1, at, word: n === 0 ? 'lexer' : 'printer' })
  }
  const text = runCommand(project, ['compress']).out
  const names = Object.keys(treeOf(path.join(project.memory, 'sessions'))).map((name) => name.replaceAll('\\', '/'))
  return { project, text: `${text}\n${names.filter((name) => /\.md$/.test(name)).join('\n')}` }
}

/** The session is over and the finisher has run. */
async function ended(project: TestProject): Promise<TestProject> {
  await finishHere(project, { for: 'end', session: sessionId(1) }, { now: () => LATER, isAlive: () => false })
  return project
}

function sessionsOf(project: TestProject, end: string): string[] {
  const dir = path.join(project.memory, 'sessions')
  return fs.readdirSync(dir).filter((name) => name.endsWith(end))
}

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

/** Whatever speaks of ships is near to any question. */
const nearShips: typeof fetch = (_, init) => {
  const { input } = JSON.parse(String(init?.body)) as { input: string[] }
  const vector = (text: string, i: number): number[] => [i === 0 || text.startsWith('ships') ? 1 : 0, 1]
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
    fetch: nearShips,
  })
  const ids = (JSON.parse(out) as { hits: { id: string }[] }).hits.map(({ id }) => id)
  return { project, text: `first ${ids[0]}\n${err}${runCommand(project, ['doctor']).out}` }
}

const ASKED = ['Which parser?', 'Which lexer?', 'Which printer?'] as const

export const MEMORY_ROWS = {
  rotationThresholdTokens: {
    seen: (rotationThresholdTokens) => noted({ rotationThresholdTokens }),
    shows: [
      [1000, /^1 archives; /],
      [25_000, /^0 archives; memory\.md has Note 0, Note 1, Note 2/],
    ],
  },
  rotationSafetyMargin: {
    seen: (rotationSafetyMargin) => noted({ rotationSafetyMargin, rotationThresholdTokens: 25_000 }),
    shows: [
      [0, /of 25,000 tokens/],
      [0.5, /of 12,500 tokens/],
    ],
  },
  carryoverTokens: {
    seen: (carryoverTokens) => noted({ carryoverTokens }),
    shows: [
      [0, /^1 archives; memory\.md has Note 7\n/],
      [600, /^1 archives; memory\.md has Note 4, Note 5, Note 6, Note 7\n/],
    ],
  },
  toolOutputChars: {
    seen: (toolOutputChars) => {
      const project = quietProject({ toolOutputChars })
      const lines = linesFor(sessionId(1), project.root)
      const use = lines.use(2, 't1', 'Bash', { command: 'ls' }) + lines.result(3, 't1', `first ${'x'.repeat(200)} last`)
      append(project.transcriptOf(sessionId(1)), lines.prompt(1, 'List it.') + use + lines.answer(4, 'Listed.'))
      stop(project)
      return printed(project, 'show', 'L1:00000001#1')
    },
    shows: [
      [300, /first x+\s*x* last/],
      [0, /^(?![\s\S]*first)/],
      [20, /first x{3,16}(?! last)/],
    ],
  },
  summaryMaxTokens: {
    seen: async (summaryMaxTokens) => {
      const turns = Array.from(
        { length: 9 },
        (_, i) => [`Please do step ${i} of the move.`, `Step ${i} is done, with all of its boxes.`] as const,
      )
      const project = await ended(spoken({ summaryMaxTokens }, ...turns))
      const [name = ''] = sessionsOf(project, '.md')
      return { project, text: fs.readFileSync(path.join(project.memory, 'sessions', name), 'utf8') }
    },
    shows: [
      [500, /step 4 of the move/],
      [50, /^(?![\s\S]*step 4 of)[\s\S]*[Ss]tep \d/],
    ],
  },
  maxFactsPerSession: {
    seen: async (maxFactsPerSession) => {
      const project = quietProject({ maxFactsPerSession })
      const lines = linesFor(sessionId(1), project.root)
      const asked = ASKED.map((question, i) => dialog(lines, 10 + 10 * i, question, `The ${i}th one`)).join('')
      append(project.transcriptOf(sessionId(1)), lines.prompt(1, 'Ask me.') + asked + lines.answer(90, 'Thanks.'))
      stop(project)
      return printed(await ended(project), 'facts', 'list')
    },
    shows: [
      [10, /Which parser\?[\s\S]*Which lexer\?[\s\S]*Which printer\?/],
      [1, /^(?:(?!Which (?:parser|lexer))[\s\S])*Which printer\?(?:(?!Which (?:parser|lexer))[\s\S])*$/],
      [0, /^(?![\s\S]*Which)/],
    ],
  },
  conceptSimilarity: {
    seen: (conceptSimilarity) => {
      const project = quietProject({ conceptSimilarity })
      for (const [text, name] of [
        ['Tables are kept in CSV.', 'tide tables'],
        ['Tables are drawn weekly.', 'tide table'],
      ] as const)
        runCommand(project, ['facts', 'add', 'decision', text, '--concept', name])
      return printed(project, 'concepts', 'list')
    },
    shows: [
      [0.7, /c001(?![\s\S]*c002)/],
      [1, /c001[\s\S]*c002/],
    ],
  },
  promoteAfterSessions: {
    seen: (promoteAfterSessions) => {
      const own = [user('Please look at the build.'), claude('Sure.'), user(PNPM)]
      const project = learned([own, own, own], [PNPM], quietProject({ promoteAfterSessions }))
      reflectOn(project)
      return printed(project, 'rules')
    },
    shows: [
      [3, /r001 +rule: We use pnpm/],
      [4, /^(?![\s\S]*We use pnpm)/],
    ],
  },
  permanentUnusedDays: {
    seen: (permanentUnusedDays) => {
      const own = [user('Please look at the build.'), claude('Sure.'), user(PNPM)]
      const project = learned([own, own, own], [PNPM], quietProject({ permanentUnusedDays }))
      reflectOn(project)
      return printed(project, 'rules')
    },
    shows: [
      [1, /Unused for 1 days: accept keeps one, remove retires it\n +r001/],
      [10_000, /^(?![\s\S]*Unused for)[\s\S]*r001/],
    ],
  },
  weeklyAfterDays: {
    seen: (weeklyAfterDays) => aged({ weeklyAfterDays }),
    shows: [
      [7, /^(?![\s\S]*_00000001\.md)[\s\S]*week-\d{4}-\d\d\.md/],
      [100, /_00000001\.md/],
    ],
  },
  monthlyAfterDays: {
    seen: (monthlyAfterDays) => aged({ monthlyAfterDays }),
    shows: [
      [30, /archive\/\d{4}-\d\d\.md/],
      [1000, /^(?![\s\S]*archive\/\d{4})[\s\S]*week-\d{4}-\d\d\.md[\s\S]*week-\d{4}-\d\d\.md/],
    ],
  },
  rawBackup: {
    seen: async (rawBackup) => {
      const project = await ended(spoken({ rawBackup }, ['Hello there, harbour.', 'Hello.']))
      return { project, text: `${sessionsOf(project, '.raw.jsonl.gz').length} backups` }
    },
    shows: [
      [true, /^1 backups/],
      [false, /^0 backups/],
    ],
  },
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
      const project = spoken({ storage }, ['Hello there.', 'Hello.'])
      const isThere = fs.existsSync(path.join(project.memory, 'memory-index.json'))
      return {
        project,
        text: `${isThere ? 'in the project' : 'not in the project'}\n${runCommand(project, ['search', 'hello', '--deep']).out}`,
      }
    },
    shows: [
      ['project', /^in the project\n[\s\S]*Hello there/],
      ['home', /^not in the project\n[\s\S]*Hello there/],
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
      ['', /^first L1:00000001#(?!4\n)/],
      ['http://127.0.0.1:9/v1', /^first L1:00000001#4\n/],
    ],
  },
  embedderModel: {
    seen: (embedderModel) => searched({ embedder: 'http://127.0.0.1:9/v1', embedderModel }),
    shows: [
      ['', /^first L1:00000001#(?!4\n)[\s\S]*embedderModel is not set/],
      ['small', /^first L1:00000001#4\n/],
    ],
  },
  syncSessions: {
    seen: (syncSessions) => {
      const { desk, laptop } = pairInMemory()
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
