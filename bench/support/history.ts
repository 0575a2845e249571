/** A project with a history that nobody has captured: transcripts of old sessions, some a day. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createRandom } from './random.ts'
import { sessionId, turnLines } from './sample.ts'

export interface World {
  home: string
  project: string
}

const TURNS = 3
const DAY_MS = 86_400_000
const AREAS = ['invoice', 'login', 'search', 'export', 'billing', 'cache', 'mail', 'import', 'report', 'upload']
const PARTS = ['parser', 'worker', 'table', 'queue', 'form', 'endpoint', 'schema', 'test', 'log', 'job']

export function makeWorld(dir: string): World {
  const at = { home: path.join(dir, 'home'), project: path.join(dir, 'project') }
  for (const each of [at.home, at.project]) mkdirSync(each, { recursive: true })
  return at
}

export function transcriptPath(at: World, session: string): string {
  const folder = path.join(at.home, '.claude', 'projects', at.project.replace(/[^a-zA-Z0-9]/g, '-'))
  mkdirSync(folder, { recursive: true })
  return path.join(folder, `${session}.jsonl`)
}

/** Some a day, the last one yesterday; in every fourth something is decided, in every sixteenth an instruction is given. */
export function writeOld(at: World, n: number, of: number, turns = TURNS): void {
  const random = createRandom(n)
  const session = sessionId(n)
  const began = Date.now() - DAY_MS - (of - n) * (DAY_MS / 4)
  const lines: string[] = []
  for (let turn = 0; turn < turns; turn++)
    lines.push(aged(turnLines(session, at.project, n * turns + turn), began, n * turns))
  const say = (role: 'user' | 'assistant', text: string, minute: number): void => {
    const timestamp = new Date(began + minute * 60_000).toISOString()
    const content = role === 'user' ? text : [{ type: 'text', text }]
    lines.push(
      `${JSON.stringify({ isSidechain: false, userType: 'external', cwd: at.project, sessionId: session, version: '2.1.325', type: role, message: { role, content }, uuid: `${session}-${minute}`, timestamp })}\n`,
    )
  }
  const name = `${AREAS[Math.floor(random() * AREAS.length)]} ${PARTS[Math.floor(random() * PARTS.length)]}`
  if (n % 4 === 0)
    say('assistant', `We decided to keep the ${name} at ${n} rows, because the report of day ${n} needs no more.`, 20)
  if (n % 16 === 0) say('user', `Always check the ${name} of release ${n} before you commit.`, 21)
  const file = transcriptPath(at, session)
  writeFileSync(file, lines.join(''))
  const ended = new Date(began + 3_600_000)
  utimesSync(file, ended, ended)
}

/** The turn's own times, counted from when the session began. */
function aged(lines: string, began: number, first: number): string {
  const zero = Date.UTC(2026, 0, 1) + first * 10_000
  return lines.replace(
    /"timestamp":"([^"]+)"/g,
    (_, at: string) => `"timestamp":"${new Date(began + Date.parse(at) - zero).toISOString()}"`,
  )
}
