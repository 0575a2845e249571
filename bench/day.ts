/**
 * What does a day of work cost in tokens? Ten sessions of twenty prompts through the real hook programs, by part. The project knows the
 * shared transcripts; the prompts are what people typed in them, and every tenth is one of our questions about them.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { estimateTokens } from '../src/kernel/text/tokens.ts'
import { cleanEnv } from './support/measure.ts'
import { readCodingQuestions } from './support/questions.ts'
import { sessionId, turnLines } from './support/sample.ts'
import { listTranscripts, rememberWork } from './support/transcripts.ts'

const DIST = path.resolve('plugin/dist')
/** Fewer with a number behind the name: `npm run bench -- day 2`, and another summarizer behind that. */
const SESSIONS = Number(process.argv[2] ?? 10)
const PROMPTS = 20
/** A memory that has grown for months: the briefing is as long as it gets. */
const OLD_NOTES = 20

const FIVE_RULES = [
  'Always run the tests before a commit.',
  'Never push to main.',
  'Use pnpm, not npm.',
  'Keep functions short.',
  'Answer in English.',
]
const transcripts = listTranscripts().map((name) => path.resolve('../shared/transcripts', name))
const prompts = typedPrompts()

const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-bench-'))
try {
  const { parts, withRules } = live(dir, process.argv[3] ?? 'extractive')
  const tokensOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + estimateTokens(text), 0)
  const rows = [...parts].map(([part, texts]) => ({ part, times: texts.length, tokens: tokensOf(texts) }))
  const total = rows.reduce((sum, { tokens }) => sum + tokens, 0)
  console.log('| part | times | tokens in all | tokens each |\n|---|--:|--:|--:|')
  for (const { part, times, tokens } of rows)
    console.log(`| ${part} | ${times} | ${tokens} | ${Math.round(tokens / Math.max(1, times))} |`)
  console.log(`| **all** | | **${total}** | |`)
  const more = (part: string): number => {
    const { times = 0, tokens = 0 } = rows.find((row) => row.part === part) ?? {}
    return times * tokensOf(withRules.get(part) ?? []) - tokens
  }
  const all = total + more('briefing') + more('rules')
  console.log(`| with five rules of the user's own (one session more, times ${SESSIONS}) | | ${all} | |`)
} finally {
  rmSync(dir, { recursive: true, force: true })
}

/** `withRules`: one briefing and one prompt's rules once the user has five rules. */
function live(place: string, summarizer: string): { parts: Parts; withRules: Parts } {
  const [home, project] = [path.join(place, 'home'), path.join(place, 'project')]
  const keeper = path.join(home, '.claude', 'memory-keeper')
  for (const each of [project, keeper]) mkdirSync(each, { recursive: true })
  writeFileSync(path.join(keeper, 'config.json'), JSON.stringify({ summarizer }))
  const env = cleanEnv({ HOME: home, CLAUDE_PROJECT_DIR: project, CLAUDE_CODE_SESSION_ATTENDED: '1', PATH: '/nowhere' })
  const run = (program: string, args: string[], stdin: object): string => {
    const done = spawnSync(process.execPath, [path.join(DIST, program), ...args], { input: JSON.stringify(stdin), env })
    if (done.status !== 0) throw new Error(String(done.stderr))
    return String(done.stdout)
  }
  for (let n = 0; n < OLD_NOTES; n++) run('cli.cjs', ['note', '--text', oldNote(n), '--project', project], {})
  run('cli.cjs', ['import', ...transcripts.flatMap((file) => ['--transcript', file]), '--project', project], {})
  run('cli.cjs', ['final', '--project', project], {})
  const parts = emptyParts()
  parts.set('our agent, skill and tools', Array.from({ length: SESSIONS }, ownShare))
  for (let n = 1; n <= SESSIONS; n++) liveSession(n, PROMPTS, { home, project, run, parts })
  const rules = FIVE_RULES.map((rule) => `- ${rule}\n`).join('')
  writeFileSync(path.join(project, '.claude', 'memory', 'rules.md'), rules)
  const withRules = emptyParts()
  liveSession(SESSIONS + 1, 1, { home, project, run, parts: withRules })
  return { parts, withRules }
}

type Parts = Map<string, string[]>

function emptyParts(): Parts {
  return new Map(['briefing', 'our agent, skill and tools', 'rules', 'recall', 'request'].map((part) => [part, []]))
}

interface Day {
  home: string
  project: string
  run: (program: string, args: string[], stdin: object) => string
  parts: Parts
}

function liveSession(n: number, many: number, { home, project, run, parts }: Day): void {
  const session = sessionId(n)
  const slug = project.replace(/[^a-zA-Z0-9]/g, '-')
  const transcript = path.join(home, '.claude', 'projects', slug, `${session}.jsonl`)
  mkdirSync(path.dirname(transcript), { recursive: true })
  const hook = (payload: object): string =>
    contextIn(run('hook.cjs', [], { session_id: session, transcript_path: transcript, cwd: project, ...payload }))
  const keep = (part: string, text: string): void => {
    if (text !== '') parts.get(part)?.push(text)
  }
  keep('briefing', hook({ hook_event_name: 'SessionStart', source: 'startup' }))
  for (let prompt = 0; prompt < many; prompt++) {
    const asked = prompts[((n - 1) * PROMPTS + prompt) % prompts.length] ?? 'go on'
    const said = hook({ hook_event_name: 'UserPromptSubmit', prompt: asked, permission_mode: 'default' })
    const [rules = '', ...others] = said.split('\n\n')
    const rest = others.join('\n\n')
    const at = rest.indexOf('[MEMORY_KEEPER_')
    keep('rules', rules)
    keep('recall', at < 0 ? rest : rest.slice(0, at))
    keep('request', at < 0 ? '' : rest.slice(at))
    appendFileSync(transcript, turnLines(session, project, n * 100 + prompt))
    hook({ hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: '' })
    // The finisher that a due note starts is detached: here it is waited for.
    if (prompt % 12 === 11) run('keeper.cjs', ['note', project], {})
  }
  run('keeper.cjs', ['end', project, session], {})
}

function contextIn(stdout: string): string {
  if (stdout === '') return ''
  const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput?: { additionalContext?: string } }
  return hookSpecificOutput?.additionalContext ?? ''
}

function oldNote(n: number): string {
  return `Work item ${n}: the importer of module ${n % 9} was rewritten so that it reads its input in pieces; the tests of that module pass, and the limit of ${100 + n} rows per request stays until the new index is there.`
}

/** What people typed, and every tenth time a question. */
function typedPrompts(): string[] {
  const questions = readCodingQuestions().map(({ query }) => query)
  const typed = transcripts.length === 0 ? [] : rememberWork(listTranscripts(), 'sessions').prompts
  return Array.from({ length: SESSIONS * PROMPTS }, (_, i) =>
    i % 10 === 9 || typed.length === 0
      ? (questions[i % questions.length] ?? 'go on')
      : (typed[i % typed.length] ?? 'go on'),
  )
}

/** What the host says of us in every request of a session: agents, skills for Claude, names of tools, and the schema of one. */
function ownShare(): string {
  const heads = (folder: string): string[] =>
    readdirSync(path.resolve('plugin', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => readFileSync(path.resolve('plugin', folder, name), 'utf8').split('\n---\n')[0] ?? '')
  const field = (head: string, name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? ''
  const agents = heads('agents').map(
    (head) => `- memory-keeper:${field(head, 'name')}: ${field(head, 'description')} (Tools: ${field(head, 'tools')})`,
  )
  const skills = heads('skills')
    .filter((head) => field(head, 'disable-model-invocation') !== 'true')
    .map((head) => `- memory-keeper:${field(head, 'name')}: ${field(head, 'description')}`)
  const listed = listedTools()
  const tools = listed.map(({ name }) => `mcp__plugin_memory-keeper_memory__${name}`)
  const search = listed.find(({ name }) => name === 'search_memory')
  const schema = JSON.stringify({ description: search?.description, input: search?.inputSchema })
  return [...agents, ...skills, ...tools, schema].join('\n')
}

interface ListedTool {
  name: string
  description: string
  inputSchema: object
}

/** As the built server lists them. */
function listedTools(): ListedTool[] {
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
  const calls = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: client },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ]
  const { stdout } = spawnSync(process.execPath, [path.resolve('plugin/dist/mcp.cjs')], {
    input: calls.map((call) => `${JSON.stringify(call)}\n`).join(''),
    encoding: 'utf8',
  })
  return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { result: { tools: ListedTool[] } }).result.tools
}
