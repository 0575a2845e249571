/** Settings that change what is stored: where, how much of it, and how it is combined later. */
import fs from 'node:fs'
import path from 'node:path'
import { claude, user } from '../fixtures/sessions.ts'
import { learned, reflectOn } from './learned.ts'
import { addSession } from './old-sessions.ts'
import { runCommand } from './process.ts'
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
} from './project.ts'
import { printed, type Seen, type SettingRows, spoken } from './setting-row.ts'
import { finishHere, LATER, stop } from './world.ts'

const DAY_MS = 24 * 60 * 60_000
const PNPM = 'We use pnpm, not npm, for installing packages.'

/** Eight notes of about 330 tokens by hand; then `compress` with these settings. */
function noted(settings: object): Seen {
  const project = quietProject()
  const words = 'The harbour master counted the boats again and wrote the number down. '.repeat(20)
  for (let n = 0; n < 8; n++) runCommand(project, ['note', '--text', `Note ${n}. ${words}`])
  setAtHome(project, { summarizer: 'extractive', rules: false, ...settings })
  runCommand(project, ['compress'])
  const kept = fs.readFileSync(path.join(project.memory, 'memory.md'), 'utf8').match(/^Note \d/gm) ?? []
  const archives = fs.readdirSync(project.memory).filter((name) => /^memory_.*\.md$/.test(name))
  const has = `${archives.length} archives; memory.md has ${kept.join(', ') || 'none'}`
  return { project, text: `${has}\n${runCommand(project, ['status']).out}` }
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

const ASKED = ['Which parser?', 'Which lexer?', 'Which printer?'] as const

export const MEMORY_ROWS = {
  rotationThresholdTokens: {
    seen: (rotationThresholdTokens) => noted({ rotationThresholdTokens }),
    shows: [
      [1000, /^1 archives; memory\.md has Note 7\n/],
      [25_000, /^0 archives; memory\.md has Note 0, Note 1,/],
    ],
  },
  rotationSafetyMargin: {
    seen: (rotationSafetyMargin) => noted({ rotationSafetyMargin }),
    shows: [
      [0, /of 25,000 tokens/],
      [0.5, /of 12,500 tokens/],
    ],
  },
  carryoverTokens: {
    seen: (carryoverTokens) => noted({ carryoverTokens, rotationThresholdTokens: 1000 }),
    shows: [
      [0, /^1 archives; memory\.md has none\n/],
      [800, /^1 archives; memory\.md has Note 7\n/],
    ],
  },
  toolOutputChars: {
    seen: (toolOutputChars) => {
      const project = quietProject({ toolOutputChars })
      const lines = linesFor(sessionId(1), project.root)
      const use =
        lines.use(2, 't1', 'Bash', { command: 'make report' }) + lines.result(3, 't1', `first ${'x'.repeat(200)} last`)
      append(project.transcriptOf(sessionId(1)), lines.prompt(1, 'List it.') + use + lines.answer(4, 'Listed.'))
      stop(project)
      return printed(project, 'show', 'L1:00000001#1')
    },
    shows: [
      [300, /first [x\s]+ last/],
      [0, /^(?![\s\S]*first)/],
      [20, /first x{14}\s(?!\s*last)/],
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
      [10, /Which printer\?[\s\S]*Which lexer\?[\s\S]*Which parser\?/],
      [1, /^(?![\s\S]*(?:parser|lexer))[\s\S]*Which printer\?/],
      [0, /^(?![\s\S]*Which)/],
    ],
  },
  conceptSimilarity: {
    seen: (conceptSimilarity) => {
      const project = quietProject({ conceptSimilarity })
      for (const [text, name] of [
        ['Tables are kept in CSV.', 'tide tables of the harbour'],
        ['Tables are drawn weekly.', 'harbour tide tables in print'],
      ] as const)
        runCommand(project, ['facts', 'add', 'decision', text, '--concept', name])
      return printed(project, 'concepts', 'list')
    },
    shows: [
      [0.7, /^c001(?![\s\S]*c002)/],
      [1, /^c001[\s\S]*\nc002/],
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
} satisfies SettingRows<string>
