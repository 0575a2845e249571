/** What does a day of work cost in tokens? Ten sessions of twenty prompts through the real hook programs, by part. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { estimateTokens } from '../src/text/tokens.ts'
import { cleanEnv } from './support/measure.ts'
import { sessionId, turnLines } from './support/sample.ts'

const DIST = path.resolve('plugin/dist')
const SESSIONS = 10
const PROMPTS = 20
/** A memory that has grown for months: the briefing is as long as it gets. */
const OLD_NOTES = 120

const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-bench-'))
try {
  console.log(`| summarizer | part | times | tokens in all | tokens each |\n|---|---|--:|--:|--:|`)
  for (const summarizer of ['extractive', 'agent']) {
    const parts = live(path.join(dir, summarizer), summarizer)
    let total = 0
    for (const [part, texts] of parts) {
      const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0)
      total += tokens
      console.log(
        `| ${summarizer} | ${part} | ${texts.length} | ${tokens} | ${Math.round(tokens / Math.max(1, texts.length))} |`,
      )
    }
    console.log(`| ${summarizer} | all | | ${total} | |`)
  }
} finally {
  rmSync(dir, { recursive: true, force: true })
}

function live(place: string, summarizer: string): Map<string, string[]> {
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
  const parts = new Map<string, string[]>([
    ['briefing', []],
    ['rules', []],
    ['request', []],
  ])
  for (let n = 1; n <= SESSIONS; n++) liveSession(n, { home, project, run, parts })
  return parts
}

interface Day {
  home: string
  project: string
  run: (program: string, args: string[], stdin: object) => string
  parts: Map<string, string[]>
}

function liveSession(n: number, { home, project, run, parts }: Day): void {
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
  for (let prompt = 0; prompt < PROMPTS; prompt++) {
    const said = hook({ hook_event_name: 'UserPromptSubmit', prompt: 'go on', permission_mode: 'default' })
    const at = said.indexOf('[MEMORY_KEEPER_')
    keep('rules', at < 0 ? said : said.slice(0, at))
    keep('request', at < 0 ? '' : said.slice(at))
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
