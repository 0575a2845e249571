/** Settings that change what hooks say: rules, recall, the briefing, and how pending work is asked for. */
import fs from 'node:fs'
import path from 'node:path'
import { noteNoticed } from '../../src/core/model/disk/model-call.ts'
import { runCommand } from './process.ts'
import {
  append,
  linesFor,
  makeProject,
  NOW,
  quietProject,
  sessionId,
  setAtHome,
  type TestProject,
  turns,
  write,
} from './project.ts'
import { refuses } from './refused-edit.ts'
import type { Seen, SettingRows } from './setting-row.ts'
import { ASKED, begin, finishHere, hookHere, LATER, prompt, SHOP_TURNS, stop, talk, work } from './world.ts'

/** Two tool uses, and what became of them when the finisher ran. */
async function worked(settings: object): Promise<TestProject> {
  const project = quietProject({ saveInterval: 2, ...settings })
  noteNoticed(project.keeper, 'model', NOW)
  noteNoticed(project.keeper, 'agent', NOW)
  append(project.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), project.root), 0, 2))
  stop(project)
  return project
}

const rulesOf = (settings: object): Seen => {
  const project = makeProject()
  setAtHome(project, { summarizer: 'extractive', ...settings })
  const [start, ...prompts] = [begin(project, sessionId(1)), prompt(project), prompt(project)]
  const shown = (one: { context: string; notice: string }): string => `${one.context.split('\n')[0]}|${one.notice}`
  const lines = start.context.split('\n').length
  const more = prompts.map(({ context }) => context.split('\n').length).join(' and ')
  return { project, text: `start ${lines} lines, then ${more}\n${prompts.map(shown).join('\n')}` }
}

const recalled = (settings: object): Seen => {
  const project = quietProject(settings)
  talk(project, sessionId(1), SHOP_TURNS)
  return { project, text: prompt(project, { prompt: ASKED }, {}, sessionId(2)).context }
}

export const HOOK_ROWS = {
  saveInterval: {
    seen: (saveInterval) => {
      const project = quietProject({ saveInterval, quietStop: false })
      return { project, text: work(project, 0, 2).notice }
    },
    shows: [
      [2, /^Memory Keeper: 2 tool uses, a note is due\.$/],
      [3, /^$/],
    ],
  },
  quietStop: {
    seen: (quietStop) => {
      const project = quietProject({ saveInterval: 2, quietStop })
      return { project, text: work(project, 0, 2).notice }
    },
    shows: [
      [true, /^$/],
      [false, /a note is due/],
    ],
  },
  summarizer: {
    seen: async (summarizer) => {
      const project = await worked({ summarizer })
      const by = (): string => /written by +([^\n]*)/.exec(runCommand(project, ['delta']).out)?.[1] ?? 'nobody'
      const first = by()
      const last = { at: NOW, why: 'login', message: 'Not logged in' }
      const health = { version: 1, failuresInRow: 2, last, pausedUntil: new Date(Date.now() + 3_600_000).toISOString() }
      write(path.join(project.keeper, 'headless.json'), JSON.stringify(health))
      return { project, text: `${first}; after two failures: ${by()}` }
    },
    shows: [
      ['auto', /^Claude in the background[^;]*; after two failures: Claude itself/],
      ['agent', /^Claude itself, asked with your next prompt; after two failures: Claude itself/],
      ['headless', /^Claude in the background[^;]*; after two failures: code/],
      ['extractive', /^code, when the next session starts; [^;]*; after two failures: code/],
    ],
  },
  enforcement: {
    seen: async (enforcement) => {
      const project = await worked({ summarizer: 'agent', enforcement })
      await finishHere(project, { for: 'note' })
      const asked = prompt(project).context.includes('[MEMORY_KEEPER_DELTA]') ? 'asked with the prompt' : 'not asked'
      return { project, text: `${asked}; the turn ends with ${stop(project).out.slice(0, 40) || 'nothing'}` }
    },
    shows: [
      ['off', /^not asked; the turn ends with nothing$/],
      ['remind', /^asked with the prompt; the turn ends with nothing$/],
      ['stop', /^not asked; the turn ends with \{"hookSpecificOutput"/],
      ['block', /^not asked; the turn ends with \{"decision":"block"/],
    ],
  },
  rules: {
    seen: (rules) => rulesOf({ rules }),
    shows: [
      [true, /^start 9 lines, then \d+ and \d+\nMemory Keeper rules: verify/],
      [false, /^start 1 lines, then \d+ and \d+\n\|\n\|$/],
    ],
  },
  builtinRules: {
    seen: (builtinRules) => rulesOf({ builtinRules }),
    shows: [
      ['full', /^start 9 lines, then 9 and 9\n/],
      ['prompt', /^start 9 lines, then 1 and 1\nMemory Keeper rules: verify/],
      ['start', /^start 9 lines, then 1 and 1\n\|\n\|$/],
      ['off', /^start 1 lines, then 1 and 1\n\|\n\|$/],
    ],
  },
  rulesInjectionFrequency: {
    seen: (rulesInjectionFrequency) => rulesOf({ rulesInjectionFrequency }),
    shows: [
      [1, /\nMemory Keeper rules: [^\n]*\nMemory Keeper rules: [^\n]*$/],
      [2, /\n\|\nMemory Keeper rules: [^\n]*$/],
    ],
  },
  rulesIndicator: {
    seen: (rulesIndicator) => rulesOf({ rulesIndicator }),
    shows: [
      ['off', /unasked\.\|$/],
      ['line', /unasked\.\|\[rules injected\]$/],
    ],
  },
  recall: {
    seen: (recall) => recalled({ recall }),
    shows: [
      [true, /Claude: We settled on exponential backoff with seven attempts/],
      [false, /^$/],
    ],
  },
  recallMaxTokens: {
    seen: (recallMaxTokens) => recalled({ recallMaxTokens }),
    shows: [
      [300, /Claude: We settled on exponential backoff with seven attempts/],
      [20, /^$/],
    ],
  },
  agentHints: {
    seen: (agentHints) => {
      const project = quietProject({ agentHints })
      const lines = linesFor(sessionId(1), project.root)
      const task = 'Explore how the webhook retries of src/retry.ts schedule their backoff, and report who calls them.'
      append(
        project.transcriptOf(sessionId(1)),
        lines.prompt(0, 'Look.') +
          lines.use(1, 'a', 'Agent', { description: 'Explore the retries', prompt: task }) +
          lines.result(
            2,
            'a',
            `src/retry.ts schedules the webhook retries. ${'Their backoff doubles with each try. '.repeat(4)}`,
          ) +
          lines.answer(3, 'Done.'),
      )
      stop(project)
      talk(project, sessionId(3), SHOP_TURNS)
      const payload = { hook_event_name: 'PreToolUse', tool_name: 'Agent', tool_input: { prompt: task } }
      return { project, text: hookHere(project, { ...payload, session_id: sessionId(2) }).context }
    },
    shows: [
      [true, /Report of an agent on this/],
      [false, /^$/],
    ],
  },
  briefingChars: {
    seen: async (briefingChars) => {
      const project = quietProject({ briefingChars, rules: true })
      talk(project, sessionId(1), SHOP_TURNS)
      await finishHere(project, { for: 'end', session: sessionId(1) }, { now: () => LATER, isAlive: () => false })
      const { context } = begin(project, sessionId(2), 'startup', { now: () => LATER, isAlive: () => false })
      const fits = context.length <= Number(briefingChars) ? 'fits' : 'is too long'
      return { project, text: `${fits}\n${context}` }
    },
    shows: [
      [500, /^fits\n<memory-keeper-\w+>\n(?:(?!linter)[\s\S])*Claude: Product search uses a trigram index/],
      [6000, /^fits\nMemory Keeper rules[\s\S]*The linter is at its newest version[\s\S]*\n<\/memory-keeper-\w+>$/],
    ],
  },
  firstRunMaxEntries: {
    seen: (firstRunMaxEntries) => {
      const project = quietProject({ firstRunMaxEntries })
      append(project.transcriptOf(sessionId(1)), turns(linesFor(sessionId(1), project.root), 0, 3))
      runCommand(project, ['import'])
      return { project, text: runCommand(project, ['delta']).out }
    },
    shows: [
      [5, /^5 entries of the history wait for notes/],
      [0, /^Nothing waits for a note\./],
    ],
  },
  fileMemory: {
    seen: async (fileMemory) => {
      const project = quietProject({ fileMemory })
      await refuses(project)
      const dir = path.join(project.root, '.claude', 'rules', 'memory-keeper')
      const rules = fs.existsSync(dir) ? fs.readdirSync(dir).filter((name) => name.endsWith('.md')) : []
      return { project, text: rules.map((name) => fs.readFileSync(path.join(dir, name), 'utf8')).join('') || 'no rule' }
    },
    shows: [
      [true, /User refused Edit of src\/a\.ts: Nothing of this file is generated\./],
      [false, /^no rule$/],
    ],
  },
  claudeMdSync: {
    seen: (claudeMdSync) => {
      const project = quietProject({ rules: true })
      runCommand(project, ['rules', 'add', 'Never push on a Friday.'])
      runCommand(project, ['config', 'set', 'claudeMdSync', String(claudeMdSync)])
      const file = path.join(project.root, 'CLAUDE.md')
      return { project, text: fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : 'no CLAUDE.md' }
    },
    shows: [
      [true, /<!-- memory-keeper:begin[\s\S]*- Never push on a Friday\.\n/],
      [false, /no CLAUDE\.md$/],
    ],
  },
  templates: {
    seen: (templates) => {
      const project = quietProject({})
      runCommand(project, ['config', 'set', 'templates', String(templates)])
      return { project, text: runCommand(project, ['page', 'list']).out }
    },
    shows: [
      [true, /lessons[\s\S]*workflow/],
      [false, /^(?![\s\S]*workflow)/],
    ],
  },
} satisfies SettingRows<string>
