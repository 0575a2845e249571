/**
 * Consecutive real sessions of two developers, replayed in time order: what the memory tells the next one, which of its lines the
 * transcripts contradict (and how often each situation came up), and what the next session looks up again.
 * `npm run bench -- longitudinal [--keep DIR] [--from DIR] [--sample FILE] [--show]`: `--keep` leaves the briefings in DIR (emptied
 * first), `--from` takes them from there, `--sample` writes 40 repeated lookups for a reader, `--show` prints each contradiction.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {
  type Contradiction,
  INTERRUPTED,
  isCutOff,
  isLeftOpen,
  judge,
  KINDS,
  type Truth,
  TWICE,
  truthOf,
} from './longitudinal/judge.ts'
import { type Call, callsOf, holds, NO, plain, readSessions, type Session, SHARED } from './longitudinal/sessions.ts'
import { mean, table } from './support/score.ts'

interface Briefing {
  text: string
  truth: Truth
}

/** A call that looks something up. */
interface Lookup {
  way: 'read' | 'search' | 'agent' | 'git'
  call: string
  paths: string[]
  pattern: string
  answer: string
}

/** Of one that an earlier session had done: what of the answer was told (one of its lines, or half of its paths), and where. */
interface Repeated extends Pick<Lookup, 'way' | 'call'> {
  session: string
  told: 'line' | 'path' | null
  line: string
}

const FIRST = 10
const SAMPLED = 40
const REPLAYED = 'replay.txt'
const LOOKS = /^(?:cd \S+ && )?(ls|cat|find|grep|rg|head|tail|sed -n|git (?:log|show|diff|status))\b(.*)/s
const PATH = /(?:[\w.@-]+\/)*[\w-]+[\w.-]*\.(?:go|md|jsonl?|ya?ml|sh|tsx?|[cm]?js|txt|toml|py|rs)\b/g
const args = process.argv.slice(2)
const sessions = readSessions()
if (sessions.length === 0) console.log(`skipped: no sessions in ${SHARED}`)
else run()

function option(name: string): string | undefined {
  return args.includes(name) ? args[args.indexOf(name) + 1] : undefined
}

function run(): void {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'mk-longitudinal-'))
  try {
    const from = option('--from')
    const dir = path.resolve(from ?? option('--keep') ?? path.join(scratch, 'kept'))
    if (from === undefined) replay(dir, path.join(scratch, 'questions.json'))
    const said = path.join(dir, REPLAYED)
    console.log(existsSync(said) ? readFileSync(said, 'utf8') : `(${dir} holds no output of the replay)\n`)
    const briefings = readBriefings(dir)
    if (briefings.length === 0) throw new Error(`no briefings in ${dir}`)
    printContradictions(briefings)
    printLookups(briefings)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** The shared program with its own questions and ours, in one run; keeps its results and the questions that were missed. */
function replay(dir: string, questions: string): void {
  const files = [path.join(SHARED, 'questions.json'), 'bench/questions/developer-2.json']
  const [one, two] = files.map((file) => JSON.parse(readFileSync(file, 'utf8')))
  const both = { victor: one.victor, paul: [...(one.paul ?? []), ...two.paul] }
  writeFileSync(questions, JSON.stringify(both))
  const flags = ['--keep', dir, '--questions', questions, '--json', '--verbose']
  const command = [path.join(SHARED, 'replay.mjs'), '.', ...flags]
  const done = spawnSync(process.execPath, command, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (done.status !== 0) throw new Error(`the replay failed: ${done.stderr}`)
  const lines = done.stdout.trimEnd().split('\n')
  const { asked } = JSON.parse(lines.find((line) => line.startsWith('{"asked"')) ?? '')
  const count = (project: string, inside?: boolean): string => {
    const own = asked.filter((one: typeof asked) => one.project === project && one.inside === inside)
    return `${own.filter((one: typeof asked) => one.briefing).length} of ${own.length}`
  }
  const missed = lines.filter((line) => /^-[S-][Rf-] /.test(line)).map((line) => `missed: ${line}`)
  const answered = `answered by the briefing: developer 1 ${count('victor')}; developer 2 ${count('paul', false)} (asked, decided, left) and ${count('paul', true)} (reasons found inside a session)`
  writeFileSync(path.join(dir, REPLAYED), `${[...missed, ...lines.slice(-3), answered].join('\n')}\n`)
}

/** `DIR/<developer>/NN-<id>.md`, one for each session, with what was true then. */
function readBriefings(dir: string): Briefing[] {
  return sessions.flatMap((current, at) => {
    const folder = path.join(dir, current.project)
    const name = existsSync(folder) ? readdirSync(folder).find((one) => one.endsWith(`-${current.id}.md`)) : undefined
    if (name === undefined) return []
    const before = sessions.slice(0, at).filter(({ project }) => project === current.project)
    return [{ text: readFileSync(path.join(folder, name), 'utf8'), truth: truthOf(before, current) }]
  })
}

function printContradictions(briefings: readonly Briefing[]): void {
  const judged = briefings.map(({ text, truth }) => judge(text, truth))
  const found = judged.flatMap((one) => one.found)
  const truths = briefings.map(({ truth }) => truth)
  // What came up in all: before the last session of each developer.
  const last = truths.filter(({ current }, i) => truths[i + 1]?.current.project !== current.project)
  const rows = KINDS.map(([kind, cases]) =>
    row(kind, last.flatMap(cases).length, truths.filter((one) => cases(one).length > 0).length, found),
  )
  const cutOff = truths.filter(isCutOff).length
  rows.push(row(INTERRUPTED, cutOff, cutOff, found))
  rows.push(row(TWICE, judged.flatMap(({ sentences }) => sentences).length, briefings.length, found))
  console.log(
    table(['told, against the transcripts', 'situations', 'briefings after one', 'lines', 'in briefings'], rows),
  )
  const wrong = new Set(found.flatMap(({ kind, where, line }) => (/ellipsis/.test(kind) ? [] : [`${where} ${line}`])))
  const interrupted = last.flatMap((one) => one.interrupted).length
  const open = last.flatMap(({ before }) => before.filter(isLeftOpen)).length
  const sizes = briefings.filter(({ truth }) => truth.before.length > 0).map(({ text }) => text.length)
  const lines = judged.map((one) => one.lines)
  console.log(`\n${wrong.size} of ${Math.round(mean(lines) * lines.length)} lines contradicted, cut without a mark or told twice
${sizes.length} briefings with something to tell: ${Math.round(mean(sizes))} characters on average, ${Math.max(...sizes)} at most
${mean(lines).toFixed(1)} lines on average, ${Math.max(...lines)} at most
${interrupted} turns were interrupted, ${open} sessions end with a tool use behind their last text`)
  for (const kind of [...KINDS.map(([name]) => name), INTERRUPTED, TWICE]) {
    const own = found.filter((one) => one.kind === kind).slice(0, args.includes('--show') ? undefined : 2)
    for (const { where, line, why } of own)
      console.log(`  ${kind}: ${where}: ${line.trim().slice(0, 160)}\n      (${why.slice(0, 160)})`)
  }
}

function row(kind: string, cases: number, exposed: number, found: readonly Contradiction[]): string {
  const own = found.filter((one) => one.kind === kind)
  const where = new Set(own.map((one) => one.where)).size
  return cases === 0
    ? `| ${kind} | 0 | 0 | not measured | |`
    : `| ${kind} | ${cases} | ${exposed} | ${own.length} | ${where} |`
}

function printLookups(briefings: readonly Briefing[]): void {
  const share = (some: number, of: number): string =>
    of ? `${some} (${Math.round((100 * some) / of)} %)` : 'not measured'
  const later = briefings.filter(({ truth }) => truth.before.length > 0)
  const first = later.map((one) => lookupsOf(one.truth.current).slice(0, FIRST))
  const repeated = later.flatMap((one, i) => repeatedOf(first[i] ?? [], one))
  const rows = ['read', 'search', 'agent', 'git'].map((way) => {
    const calls = first.flat().filter((one) => one.way === way).length
    const own = repeated.filter((one) => one.way === way)
    const by = (...ways: Repeated['told'][]): string =>
      share(own.filter(({ told }) => ways.includes(told)).length, own.length)
    return `| ${way} | ${calls} | ${share(own.length, calls)} | ${by('line', 'path')} | ${by('line')} | ${by('path')} |`
  })
  const headings = [
    'first ten lookups of a session',
    'calls',
    'seen by an earlier one',
    'of these told',
    'a line',
    'paths',
  ]
  console.log(`\n${table(headings, rows)}`)
  const file = option('--sample')
  if (file === undefined) return
  const step = Math.max(1, repeated.length / SAMPLED)
  const sample = repeated.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step))
  writeFileSync(file, `${sample.map((one) => JSON.stringify(one)).join('\n')}\n`)
  console.log(`\n${sample.length} of ${repeated.length} repeated lookups: ${file}`)
}

function lookupsOf(session: Session): Lookup[] {
  return callsOf(session).flatMap((call) => lookupIn(call) ?? [])
}

function lookupIn({ name, input, result }: Call): Lookup | null {
  if (result === null || result.text.includes(NO)) return null
  const { file_path: file = '', path: under = '', pattern = '', prompt = '', command = '' } = input
  const answer = result.text
  if (name === 'Read') return { way: 'read', call: `Read ${file}`, paths: [file], pattern, answer }
  if (name === 'Grep' || name === 'Glob')
    return { way: 'search', call: `${name} ${pattern} ${under}`, paths: [], pattern, answer }
  if (name === 'Task' || name === 'Agent')
    return { way: 'agent', call: `Agent ${prompt}`, paths: pathsIn(answer), pattern, answer }
  const [, program = '', rest = ''] = (name === 'Bash' && LOOKS.exec(command)) || []
  if (program === '') return null
  if (program.startsWith('git')) return { way: 'git', call: command, paths: [], pattern: command, answer }
  if (/cat|head|tail|sed/.test(program)) return { way: 'read', call: command, paths: pathsIn(rest), pattern, answer }
  return { way: 'search', call: command, paths: [], pattern: /["']([^"']+)["']/.exec(rest)?.[1] ?? rest.trim(), answer }
}

function pathsIn(text: string): string[] {
  return [...new Set(text.match(PATH) ?? [])]
}

/** Those whose target an earlier session saw: a path that it read or edited, a pattern that it sought or whose longest name it was shown. */
function repeatedOf(calls: readonly Lookup[], { text, truth }: Briefing): Repeated[] {
  const earlier = truth.before.flatMap(lookupsOf)
  const paths = new Set([...earlier.flatMap((one) => one.paths), ...truth.edits.map(({ file }) => file)])
  const patterns = new Set(earlier.map(({ pattern }) => pattern))
  const shown = truth.before.flatMap((one) => callsOf(one).map(({ result }) => result?.text)).join('\n')
  const isSeen = ({ way, paths: own, pattern }: Lookup): boolean => {
    if (own.length > 0) return own.filter((one) => paths.has(one)).length * 2 >= own.length
    const longest = (pattern.match(/[\w-]{6,}/g) ?? []).sort((a, b) => b.length - a.length)[0]
    if (pattern === '' || longest === undefined || way !== 'search') return pattern !== '' && patterns.has(pattern)
    return patterns.has(pattern) || shown.includes(longest)
  }
  const session = `${truth.current.project} ${truth.current.id}`
  const lines = text.slice(text.indexOf('<memory-keeper')).split('\n').map(spread)
  return calls
    .filter(isSeen)
    .map((call) => ({ session, way: call.way, call: call.call.slice(0, 300), ...toldOf(call, lines) }))
}

/** A line of code is one of four words or more: an import or a path is no answer by itself. */
function toldOf({ way, paths, answer }: Lookup, lines: readonly string[]): Pick<Repeated, 'told' | 'line'> {
  const answers = answer.split('\n').map((line) => line.replace(/^\s*(?:\S+?[:-])?\d+[→:-]/, '').trim())
  const telling = answers.flatMap((one) => (/\S+(?: \S+){3}/.test(one) && one.length > 24 ? [plain(one)] : []))
  const said = lines.find((line) => telling.some((one) => holds(plain(line), one)))
  if (said !== undefined) return { told: 'line', line: said }
  const found = way === 'read' ? paths : pathsIn(answer).slice(0, 20)
  const names = lines.map((line) => line.split(/[\s`'"“”,;:()@]+/))
  const where = found.map((one) => names.findIndex((all) => all.includes(one) || all.includes(path.basename(one))))
  const told = where.filter((at) => at >= 0)
  if (told.length === 0 || told.length * 2 < found.length) return { told: null, line: '' }
  return { told: 'path', line: lines[told[0] ?? 0] ?? '' }
}

/** `dir/{a.go (2×), b.go}` as `dir/a.go dir/b.go`. */
function spread(line: string): string {
  return line.replace(/(\S+\/)\{([^}]*)\}/g, (_, dir, names) => `${dir}${names.replaceAll(', ', ` ${dir}`)}`)
}
