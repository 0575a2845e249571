/**
 * Plays a scenario of bench/same.ts, one verb per line. `{name}` is a picked text, `{base}` the directory of the run.
 *
 * - `$ command => code < stdin`: the command line program; `$+` also with --json, `inside` as if Claude had started it
 * - `hook <session> <event> <fields>`: an event of the host
 * - `say <session>[:<subagent>] user|claude|<tool> text`: an entry of a transcript; `=> output`, `=! output of a failed tool`
 * - `mcp <method> <params>`, `page GET|POST <what>`: lines that follow one another are one conversation with one server
 * - `line <stdin>`: the program of the status line
 * - `pick <name> <pattern>`: the last match in what the step before printed
 * - `shared <file>` imports a transcript of ../shared; `file`, `copy` and `delete` change files of the run
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { claude, SESSIONS, used, user } from '../../test/fixtures/sessions.ts'
import type { Start, World } from './same-world.ts'
import { sessionId } from './sample.ts'

/** Before the run: the finisher combines what is older than a week and a month. */
const DAYS_AGO = [70, 41, 20, 12, 3, 1]
const DAY_MS = 86_400_000
/** Every background call gets this answer: a note without names, and a fact if the piece proves it. */
const CLAUDE = `#!${process.execPath}
const quote = 'Prices are kept in cents, because floats round them.'
const isSaid = require('node:fs').readFileSync(0, 'utf8').includes(quote)
const facts = isSaid ? [{ type: 'decision', text: 'Prices are kept in cents.', quote, conceptName: 'Prices' }] : []
const structured_output = { note: 'The user asked for a change of the code. It was made, and the tests pass.', facts, nothingIn: [] }
console.log(JSON.stringify({ type: 'result', is_error: false, usage: { input_tokens: 900, output_tokens: 80 }, result: '', structured_output }))
`

export async function play(world: World, scenario: string, port: number): Promise<void> {
  furnish(world)
  const { base, run } = world
  const picked = new Map([['base', base]])
  const lines = scenario.split('\n').filter((line) => /^[^#]/.test(line))
  const filled = (line = ''): string => line.replace(/\{([a-z]\w*)\}/g, (_, name) => picked.get(name) ?? 'none')
  let out = ''
  for (let i = 0; i < lines.length; i++) {
    const [verb, rest] = split(filled(lines[i]))
    const [first, more] = split(rest)
    if (verb === 'pick') {
      const found = out.match(new RegExp(more, 'g'))?.at(-1)
      if (found === undefined) world.surprises.push(`pick ${rest}: not in\n${out}`)
      picked.set(first, found ?? 'none')
    } else if (verb === 'mcp' || verb === 'page') {
      const asked = [rest]
      while (lines[i + 1]?.startsWith(`${verb} `)) asked.push(split(filled(lines[++i]))[1])
      out = await (verb === 'mcp' ? talkMcp(world, asked) : talkPage(world, asked, port))
    } else if (verb === 'shared') {
      const file = path.resolve('..', 'shared', 'transcripts', first)
      out = fs.existsSync(file) ? await run('cli.cjs', ['import', '--transcript', file]) : ''
    } else if (verb === 'hook') out = await sendHook(world, Number(first), ...split(more))
    else if (verb === 'line') out = await run('statusline.cjs', [], { stdin: rest })
    else if (verb === 'say') say(world, first, more, i)
    else if (verb === 'file') write(world, first, `${more}\n`)
    else if (verb === 'copy')
      fs.cpSync(path.join(base, first), path.join(base, more), { recursive: true, preserveTimestamps: true })
    else if (verb === 'delete') fs.rmSync(path.join(base, first))
    else out = await command(world, verb, rest)
  }
}

function split(line: string): [string, string] {
  const [, first = '', rest = ''] = /^(\S+) ?(.*)$/.exec(line) ?? []
  return [first, rest]
}

/** A stand-in for claude, a repository with a commit, files of earlier versions, and the sessions of the past. */
function furnish(world: World): void {
  const { base, now } = world
  fs.writeFileSync(path.join(base, 'bin', 'claude'), CLAUDE, { mode: 0o755 })
  for (const file of ['src/auth/session.ts', 'src/export/csv.ts']) write(world, `app/${file}`, `// ${file}\n`)
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'init.defaultBranch=main']
  const date = now().toISOString()
  const env = { ...process.env, HOME: path.join(base, 'home'), GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  for (const line of ['init -q', 'add .', 'commit -qm Begin'])
    execFileSync('git', [...who, ...line.split(' ')], { cwd: path.join(base, 'app'), env })
  fs.cpSync('test/fixtures/legacy', path.join(base, 'legacy'), { recursive: true })
  for (const name of fs.readdirSync(path.join(base, 'legacy'))) fs.mkdirSync(path.join(base, `from-${name}`))
  for (const name of fs.readdirSync(base, { recursive: true, encoding: 'utf8' }))
    fs.utimesSync(path.join(base, name), now(), now())
  write(world, `${hostDir(base)}/memory/MEMORY.md`, 'Ada likes short answers.\n')
  for (const [i, days] of DAYS_AGO.entries()) {
    const told = SESSIONS[i]?.entries.flatMap(({ entry }) => (entry.role === 'tombstone' ? [] : [entry])) ?? []
    const all =
      i < 4 ? [...told, user('From now on always run npm run lint before you commit.'), claude('I will.')] : told
    for (const [n, entry] of all.entries())
      record(world, String(i + 1), entry, new Date(now().getTime() - days * DAY_MS + n * 1000))
  }
}

function write({ base, now }: World, name: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(base, name)), { recursive: true })
  fs.writeFileSync(path.join(base, name), text)
  fs.utimesSync(path.join(base, name), now(), now())
}

/** Where the host keeps the transcripts of the project, below the base. */
function hostDir(base: string): string {
  return `home/.claude/projects/${path.join(base, 'app').replace(/[^a-zA-Z0-9]/g, '-')}`
}

/** `n`: a later entry has a larger one. */
function say(world: World, who: string, words: string, n: number): void {
  const [, name = '', text = '', mark, output = ''] = /^(\w+) (.*?)(?: =([>!]) (.*))?$/.exec(words) ?? []
  const entry = name === 'user' ? user(text) : name === 'claude' ? claude(text) : used(name, text, mark !== '!', output)
  record(world, who, entry, new Date(world.now().getTime() - 30_000 + n * 10))
}

/** Appends an entry to its transcript, as the host writes it. `who`: number of the session, and a subagent behind a colon. */
function record({ base }: World, who: string, entry: ReturnType<typeof user>, at: Date): void {
  const [session = '', agent] = who.split(':')
  const id = sessionId(Number(session))
  const [cwd, own] = [path.join(base, 'app'), path.join(base, hostDir(base), id)]
  const file = agent === undefined ? `${own}.jsonl` : path.join(own, 'subagents', `agent-${agent}.jsonl`)
  const [timestamp, uuid] = [at.toISOString(), `u${at.getTime()}`]
  const common = { isSidechain: agent !== undefined, cwd, sessionId: id, version: '2.1.325', uuid, timestamp }
  const add = (role: string, content: unknown): void =>
    fs.appendFileSync(file, `${JSON.stringify({ ...common, type: role, message: { role, content } })}\n`)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  if (entry.role === 'tool') {
    const { name, cmd, ok, output = '' } = entry
    const input = { command: cmd, file_path: path.join(cwd, cmd), pattern: cmd, query: cmd, url: cmd }
    add('assistant', [{ type: 'tool_use', id: uuid, name, input }])
    add('user', [{ tool_use_id: uuid, type: 'tool_result', content: output, is_error: ok === false }])
  } else if (entry.role === 'user') add('user', entry.text)
  else if (entry.role === 'assistant') add('assistant', [{ type: 'text', text: entry.text }])
  fs.utimesSync(file, at, at)
}

function sendHook({ base, run }: World, session: number, event: string, fields: string): Promise<string> {
  const [cwd, own] = [path.join(base, 'app'), path.join(base, hostDir(base), sessionId(session))]
  const common = { session_id: sessionId(session), transcript_path: `${own}.jsonl`, cwd, permission_mode: 'default' }
  const given = JSON.parse(fields)
  const agent = { agent_transcript_path: path.join(own, 'subagents', `agent-${given.agent_id}.jsonl`) }
  const payload = { ...common, hook_event_name: event, ...given, ...(event === 'SubagentStop' ? agent : {}) }
  const env = { CLAUDE_PROJECT_DIR: cwd, CLAUDE_CODE_SESSION_ATTENDED: '1' }
  return run('hook.cjs', [], { name: `hook ${session} ${event} ${fields}`, stdin: JSON.stringify(payload), env })
}

async function command({ run }: World, verb: string, line: string): Promise<string> {
  const [, words = '', code = '0', stdin = ''] = /^(.*?)(?: => (\d))?(?: < (.*))?$/.exec(line) ?? []
  const args = (words.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"|"$/g, ''))
  const more = { stdin, code: Number(code), env: verb === 'inside' ? { CLAUDECODE: '1' } : {} }
  const out = await run('cli.cjs', args, more)
  return verb === '$+' ? out + (await run('cli.cjs', [...args, '--json'], more)) : out
}

/** One call after the other: answers to calls at the same time come in any order. */
function talkMcp({ run, base }: World, asked: readonly string[]): Promise<string> {
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'same', version: '1' } }
  const all = [`initialize ${JSON.stringify(hello)}`, 'tools/list {}', ...asked].map(split)
  const talk: Start['talk'] = async ({ stdin }, heard) => {
    for (const [id, [method, params]] of all.entries()) {
      stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: JSON.parse(params) })}\n`)
      await heard(new RegExp(`"id":${id}\\b.*\\n`))
    }
    stdin?.end()
  }
  return run('mcp.cjs', [], { name: `mcp ${asked[0]}`, env: { CLAUDE_PROJECT_DIR: path.join(base, 'app') }, talk })
}

/** The answers are part of the step's outcome. */
async function talkPage({ run, steps }: World, asked: readonly string[], port: number): Promise<string> {
  const origin = `http://127.0.0.1:${port}`
  const answers: [string, string][] = []
  const ask = async (name: string, url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, { redirect: 'manual', ...init })
    const headers = [...response.headers].filter(([one]) => one !== 'date' && one !== 'content-length')
    answers.push([name, [response.status, ...headers, '', await response.text()].join('\n')])
    return response
  }
  const talk: Start['talk'] = async (child, heard) => {
    const entry = await ask('the first address', await heard(/http:\S+/), {})
    const cookie = entry.headers.get('set-cookie')?.split(';')[0] ?? ''
    const headers = { cookie, origin, 'x-memory-keeper': '1', 'content-type': 'application/json' }
    for (const [method, what] of asked.map(split))
      if (method === 'GET') await ask(what, `${origin}${what}`, { headers })
      else await ask(what, `${origin}/api/act`, { method, body: what, headers })
    child.kill('SIGTERM')
  }
  const out = await run('cli.cjs', ['dashboard', '--port', String(port)], { talk })
  for (const [name, answer] of answers) steps.at(-1)?.outcome.set(name, answer)
  return out
}
