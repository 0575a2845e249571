/** Temporary projects and homes, and transcripts as the host writes them. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import zlib from 'node:zlib'
import { settledIn } from '../../src/kernel/memory/disk/settled.ts'
import { openStore, type Store } from '../../src/kernel/memory/disk/store.ts'
import { parseState, type State } from '../../src/kernel/memory/state.ts'
import { locate, type Places, type Surroundings } from '../../src/kernel/platform/disk/locate.ts'
import { hostSlug } from '../../src/kernel/platform/layout.ts'
import { type Entry, parseSession, type Tombstone } from '../../src/kernel/transcript/session.ts'
import { tidyBehind } from './tidying.ts'

export const NOW = '2026-01-13T12:00:00.000Z'
export const now = (): string => NOW

const IN_MEMORY = '/dev/shm'
/** Containers often have 64 MB there. */
const ROOM_BYTES = 2 ** 29

const made: string[] = []

tidyBehind('each file', () => {
  for (const dir of made.splice(0)) removeTree(dir)
})

/** What fs.rmSync does, in a third of its time: the property tests make thousands of projects. */
export function removeTree(dir: string): void {
  try {
    for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
      const below = path.join(dir, entry.name)
      if (entry.isDirectory()) removeTree(below)
      else fs.unlinkSync(below)
    }
    fs.rmdirSync(dir)
  } catch {
    // Not there, without permissions, or written meanwhile.
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

export function tempDir(below = placeOfTempDirs()): string {
  const dir = fs.realpathSync(fs.mkdtempSync(path.join(below, 'mk-test-')))
  made.push(dir)
  return dir
}

/** In memory where the system has such a place with room in it: thousands of synced writes take seconds on a disk. */
function placeOfTempDirs(): string {
  if (!fs.existsSync(IN_MEMORY)) return os.tmpdir()
  const { bavail, bsize } = fs.statfsSync(IN_MEMORY)
  return bavail * bsize > ROOM_BYTES ? IN_MEMORY : os.tmpdir()
}

/** As tempDir: also in memory. */
export function fastDir(): string {
  return tempDir()
}

export interface TestProject {
  base: string
  root: string
  home: string
  /** `<root>/.claude/memory`. */
  memory: string
  /** `<home>/.claude/memory-keeper`. */
  keeper: string
  around: Surroundings
  places: Places
  /** Where the host writes the transcript of this session. */
  transcriptOf(session: string): string
}

export function makeProject(name = 'app', base = tempDir()): TestProject {
  const root = path.join(base, name)
  const home = path.join(base, 'home')
  fs.mkdirSync(root, { recursive: true })
  fs.mkdirSync(home, { recursive: true })
  return projectAt(root, home)
}

export function projectAt(root: string, home: string): TestProject {
  const around = { home, configDir: undefined, cacheDir: path.join(home, '.cache', 'memory-keeper') }
  const places = locate(root, around)
  return {
    base: path.dirname(root),
    root,
    home,
    memory: path.join(root, '.claude', 'memory'),
    keeper: path.join(home, '.claude', 'memory-keeper'),
    around,
    places,
    transcriptOf: (session) => path.join(home, '.claude', 'projects', hostSlug(root), `${session}.jsonl`),
  }
}

/**
 * A project that takes long to make is made once; each call gives it as it was then, without what a test did to it. Always in the
 * same place, since its files name their own paths: a test has one of them.
 */
export function madeOnce(make: () => TestProject): () => TestProject {
  let made: { project: TestProject; copy: string } | null = null
  return () => {
    if (made === null) {
      const project = make()
      made = { project, copy: path.join(tempDir(), 'copy') }
      copyTree(project.base, made.copy)
      return project
    }
    removeTree(made.project.base)
    copyTree(made.copy, made.project.base)
    return made.project
  }
}

/** What fs.cpSync does with times and links kept, in a part of its time. */
export function copyTree(from: string, to: string): void {
  fs.mkdirSync(to, { recursive: true })
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) copyTree(source, target)
    else if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), target)
    else fs.copyFileSync(source, target)
    const { atimeMs, mtimeMs, mode } = fs.lstatSync(source)
    if (entry.isSymbolicLink()) continue
    fs.utimesSync(target, atimeMs / 1000, mtimeMs / 1000)
    if (entry.isDirectory()) fs.chmodSync(target, mode)
  }
}

export function storeOf(project: TestProject): Store {
  return openStore(locate(project.root, project.around), { now })
}

/** A project whose hooks have nothing to say: no rules, no model, and with it no notice of one. */
export function quietProject(settings: object = {}, base = tempDir()): TestProject {
  const project = makeProject('app', base)
  setAtHome(project, { summarizer: 'extractive', rules: false, ...settings })
  return project
}

/** The user's own settings, all of them anew. */
export function setAtHome(project: TestProject, settings: object): void {
  fs.mkdirSync(project.keeper, { recursive: true, mode: 0o700 })
  fs.writeFileSync(path.join(project.keeper, 'config.json'), JSON.stringify(settings), { mode: 0o600 })
}

/** A session id whose first eight characters differ for every number. */
export function sessionId(n: number): string {
  return `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`
}

export function write(file: string, text: string | Buffer): void {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, text)
}

export function append(file: string, text: string | Buffer): void {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.appendFileSync(file, text)
}

/** Every file below a directory with its content; links and directories are told as such. */
export function treeOf(dir: string): Record<string, string> {
  const tree: Record<string, string> = {}
  const visit = (folder: string): void => {
    for (const name of fs.existsSync(folder) ? fs.readdirSync(folder).sort() : []) {
      const file = path.join(folder, name)
      const facts = fs.lstatSync(file)
      const key = path.relative(dir, file)
      if (facts.isSymbolicLink()) tree[key] = `link to ${fs.readlinkSync(file)}`
      else if (facts.isDirectory()) {
        tree[key] = 'directory'
        visit(file)
      } else tree[key] = fs.readFileSync(file, 'latin1')
    }
  }
  visit(dir)
  return tree
}

/** All sessions stand in its `sessions`, settled or not. */
export function readStateIn(dir: string): State {
  const state = parseState(fs.readFileSync(path.join(dir, 'memory-index.json'), 'utf8'))
  if (state === null) throw new Error(`the state in ${dir} is not readable`)
  return { ...state, sessions: { ...settledIn(dir).all(), ...state.sessions } }
}

/** All entries of all session files of a memory, compressed ones first; a torn line is an error. */
export function entriesIn(dir: string): (Entry | Tombstone)[] {
  const sessions = path.join(dir, 'sessions')
  const names = (folder: string): string[] => (fs.existsSync(folder) ? fs.readdirSync(folder) : [])
  const archive = path.join(sessions, 'archive')
  const packed = names(archive).filter((name) => name.endsWith('.l1.jsonl.gz'))
  const plain = names(sessions).filter((name) => name.endsWith('.l1.jsonl'))
  const texts = [
    ...packed.map((name) => [name, zlib.gunzipSync(fs.readFileSync(path.join(archive, name))).toString()] as const),
    ...plain.map((name) => [name, fs.readFileSync(path.join(sessions, name), 'utf8')] as const),
  ]
  return texts.flatMap(([name, text]) => {
    const { entries, bad } = parseSession(text)
    if (bad > 0 || (text !== '' && !text.endsWith('\n'))) throw new Error(`${name} holds a torn line`)
    return entries
  })
}

export function textsIn(dir: string): string[] {
  return entriesIn(dir).map((entry) => ('text' in entry ? entry.text : 'cmd' in entry ? entry.cmd : 'tombstone'))
}

/** The lines of a transcript. `at` counts milliseconds from a fixed instant. */
export interface Lines {
  prompt(at: number, text: string): string
  answer(at: number, text: string): string
  use(at: number, id: string, name: string, input: object): string
  result(at: number, id: string, text: string, failed?: boolean): string
  enqueue(at: number, text: string): string
  dequeue(at: number): string
  remove(at: number, text: string): string
  queued(at: number, text: string): string
  /** Something the host notes for itself. */
  meta(at: number): string
}

const BEGAN = Date.parse('2026-01-13T09:00:00.000Z')

/** Every session begins at a second of its own: two with the same first line would be a fork. */
export function linesFor(session: string, cwd: string, extra: object = {}, from = BEGAN): Lines {
  const began = Number.parseInt(session.slice(0, 8), 16) * 1000
  const instant = (at: number): string => new Date(from + began + at).toISOString()
  const line = (at: number, value: object): string =>
    `${JSON.stringify({ parentUuid: null, isSidechain: false, cwd, sessionId: session, version: '2.1.325', ...value, uuid: `u${at}`, timestamp: instant(at), ...extra })}\n`
  const message = (at: number, role: 'user' | 'assistant', content: unknown): string =>
    line(at, { type: role, message: { role, content } })
  const queue = (at: number, value: object): string =>
    `${JSON.stringify({ type: 'queue-operation', timestamp: instant(at), sessionId: session, ...value })}\n`
  return {
    prompt: (at, text) => message(at, 'user', text),
    answer: (at, text) => message(at, 'assistant', [{ type: 'text', text }]),
    use: (at, id, name, input) => message(at, 'assistant', [{ type: 'tool_use', id, name, input }]),
    result: (at, id, text, failed = false) =>
      message(at, 'user', [{ tool_use_id: id, type: 'tool_result', content: text, is_error: failed }]),
    enqueue: (at, text) => queue(at, { operation: 'enqueue', content: text }),
    dequeue: (at) => queue(at, { operation: 'dequeue' }),
    remove: (at, text) => queue(at, { operation: 'remove', content: text }),
    queued: (at, text) =>
      line(at, { type: 'attachment', attachment: { type: 'queued_command', prompt: text, commandMode: 'prompt' } }),
    meta: (at) => `${JSON.stringify({ type: 'file-history-snapshot', messageId: `m${at}`, snapshot: {} })}\n`,
  }
}

/** A session that is going on: one that was quiet for long counts as over. */
export function linesNow(session: string, cwd: string): Lines {
  return linesFor(session, cwd, {}, Date.now() - 60_000)
}

/** A turn: a prompt, one Bash call, an answer. */
export function turn(lines: Lines, n: number): string {
  const at = n * 10
  return [
    lines.prompt(at, `question ${n}`),
    lines.use(at + 1, `t${n}`, 'Bash', { command: `echo ${n}` }),
    lines.result(at + 2, `t${n}`, `output ${n}`),
    lines.answer(at + 3, `answer ${n}`),
  ].join('')
}

/** A turn as somebody works: a request, a file changed, a command, a decision in words. */
export function story(lines: Lines, at = 0): string {
  return [
    lines.prompt(at, 'Make the parser in src/parser.ts accept empty lines, please.'),
    lines.use(at + 1, `e${at}`, 'Edit', { file_path: '/app/src/parser.ts', old_string: 'a', new_string: 'b' }),
    lines.result(at + 2, `e${at}`, 'The file /app/src/parser.ts has been updated.'),
    lines.use(at + 3, `r${at}`, 'Bash', { command: 'npm test -- parser' }),
    lines.result(at + 4, `r${at}`, '214 tests passed in 3.2 s'),
    lines.answer(
      at + 5,
      'We decided to skip empty lines in the lexer, because the grammar stays smaller that way. All 214 tests pass.',
    ),
  ].join('')
}

/** A question of Claude's in the host's dialog, and the answer that the user chose. */
export function dialog(lines: Lines, at: number, question: string, answer: string): string {
  return [
    lines.use(at, `q${at}`, 'AskUserQuestion', { questions: [{ question }] }),
    lines.result(
      at + 1,
      `q${at}`,
      `User has answered your questions: "${question}"="${answer}". You can now continue.`,
    ),
  ].join('')
}

export function turns(lines: Lines, from: number, to: number): string {
  return Array.from({ length: to - from }, (_, i) => turn(lines, from + i)).join('')
}

/** A subagent's transcript lies beside its session's. */
export function agentPath(transcript: string, agent: string): string {
  return path.join(transcript.replace(/\.jsonl$/, ''), 'subagents', `agent-${agent}.jsonl`)
}
