/** A plugin that does nothing but write down what the host tells its hooks, and how the transcript looked then. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Probe {
  /** Pass it as `plugin`. */
  dir: string
  /** What the hooks were given since the probe was made or emptied, in the order the host called them. */
  events(): ProbeEvent[]
  empty(): void
  end(): void
}

export interface ProbeEvent {
  event: string
  payload: Record<string, unknown>
  /** CLAUDE_PROJECT_DIR of the hook. */
  projectDir: string
  /** The transcript at that moment; empty when there was none. */
  transcript: string
}

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PreCompact',
  'Stop',
  'SubagentStop',
  'SessionEnd',
]

const RECORD = `import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
const payload = JSON.parse(readFileSync(0, 'utf8'))
const path = payload.transcript_path ?? ''
const transcript = existsSync(path) ? readFileSync(path, 'utf8') : ''
const line = { event: payload.hook_event_name, payload, projectDir: process.env.CLAUDE_PROJECT_DIR ?? '', transcript }
appendFileSync(join(import.meta.dirname, 'events.jsonl'), JSON.stringify(line) + '\\n')
`

export function makeProbe(): Probe {
  const dir = mkdtempSync(join(tmpdir(), 'mk-probe-'))
  const record = { type: 'command', command: 'node', args: ['$' + '{CLAUDE_PLUGIN_ROOT}/record.mjs'] }
  const hooks = Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [record] }]]))
  for (const folder of ['.claude-plugin', 'hooks', 'commands']) mkdirSync(join(dir, folder))
  writeFileSync(join(dir, '.claude-plugin', 'plugin.json'), JSON.stringify({ name: 'probe', version: '0.0.1' }))
  writeFileSync(join(dir, 'hooks', 'hooks.json'), JSON.stringify({ hooks }))
  writeFileSync(join(dir, 'commands', 'greet.md'), '---\ndescription: Greets\n---\nGreet $ARGUMENTS.\n')
  writeFileSync(join(dir, 'record.mjs'), RECORD)
  const log = join(dir, 'events.jsonl')
  return {
    dir,
    events: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(parseEvent) : []),
    empty: () => rmSync(log, { force: true }),
    end: () => rmSync(dir, { recursive: true, force: true }),
  }
}

function parseEvent(line: string): ProbeEvent {
  return JSON.parse(line) as ProbeEvent
}
