/** How fast is refining beside parsing every line as JSON, and how much does it save? On the shared transcripts, and on made-up ones where they are absent. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { newSession } from '../src/kernel/memory/session-state.ts'
import { createRedactor } from '../src/kernel/redact/redact.ts'
import { readPiece, renderOpen, settle } from '../src/kernel/sessions/capture.ts'
import { reportsAmong } from '../src/kernel/transcript/agent-report.ts'
import { turnLines } from './support/sample.ts'

const DIR = path.resolve('../shared/transcripts')
const ROUNDS = Number(process.argv[2] ?? 40)

const { redact } = createRedactor({ enabled: true, extraPatterns: [] })
const OPTIONS = { outputChars: 300, redact: (text: string) => redact(text).text }

const files = existsSync(DIR)
  ? readdirSync(DIR)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => ({ name, bytes: readFileSync(path.join(DIR, name)) }))
  : []
if (files.length === 0) console.log('../shared/transcripts is not here: only made-up transcripts are measured')
const made = Buffer.from(Array.from({ length: 120 }, (_, turn) => turnLines('bench', '/home/me/app', turn)).join(''))

console.log(`node ${process.version}, ${ROUNDS} rounds in turn\n`)
console.log('| transcripts | MB | JSON.parse of all lines, MB/s | refine, MB/s | ratio (p50) |\n|---|--:|--:|--:|--:|')
if (files.length > 0)
  console.log(
    row(
      'the 12 shared ones',
      files.map((file) => file.bytes),
    ),
  )
console.log(row('made up (40 kB a turn)', [made]))

if (files.length > 0) {
  console.log(
    '\n| transcript | bytes | session | reduction | without reports of agents | characters of reports | its words alone |\n|---|--:|--:|--:|--:|--:|--:|',
  )
  const reductions = files.map(({ name, bytes }) => {
    const { text, words } = refineAll(bytes)
    const reports = reportsOf(bytes)
    const [reduction, apart] = [saved(text, bytes.length), saved(text - reports.bytes, bytes.length)]
    console.log(
      `| ${name} | ${bytes.length} | ${text} | ${reduction.toFixed(1)} % | ${apart.toFixed(1)} % | ${reports.chars} | ${saved(words, bytes.length).toFixed(1)} % |`,
    )
    return { reduction, apart, floor: saved(words, bytes.length) }
  })
  const roomy = reductions.filter(({ floor }) => floor >= 97).map(({ reduction }) => reduction)
  console.log(
    `\nmedian of all ${median(reductions.map((r) => r.reduction)).toFixed(1)} %, without reports ${median(reductions.map((r) => r.apart)).toFixed(1)} %; of the ${roomy.length} whose words alone leave 97 %: median ${median(roomy).toFixed(1)} %, ${roomy.filter((r) => r >= 95).length} at 95 % or more, lowest ${Math.min(...roomy).toFixed(1)} %`,
  )
}

function row(name: string, all: readonly Buffer[]): string {
  const size = all.reduce((sum, bytes) => sum + bytes.length, 0)
  const ratios: number[] = []
  const json: number[] = []
  const ours: number[] = []
  for (let round = -3; round < ROUNDS; round++) {
    const parsing = timed(() => all.forEach(parseAll))
    const refining = timed(() => all.forEach(refineAll))
    if (round < 0) continue
    ratios.push(parsing / refining)
    json.push(parsing)
    ours.push(refining)
  }
  const speed = (ms: readonly number[]): string => (size / 1000 / median(ms)).toFixed(0)
  return `| ${name} | ${(size / 1e6).toFixed(1)} | ${speed(json)} | ${speed(ours)} | ${median(ratios).toFixed(2)} |`
}

function parseAll(bytes: Buffer): number {
  let keys = 0
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, at)
    const end = newline < 0 ? bytes.length : newline
    try {
      keys += Object.keys(JSON.parse(bytes.toString('utf8', at, end)) as object).length
    } catch {
      keys--
    }
    at = end + 1
  }
  return keys
}

/** As capture does it, less the disk. */
function refineAll(bytes: Buffer): { text: number; words: number } {
  const session = newSession('x')
  const read = readPiece(session, { bytes, isLast: true }, OPTIONS)
  const settled = settle({ ...session, ...read.cursor }, read.entries)
  const words = read.entries.reduce(
    (sum, entry) => sum + ('text' in entry && entry.role !== 'subagent' ? Buffer.byteLength(entry.text) : 0),
    0,
  )
  return { text: Buffer.byteLength(settled.text) + Buffer.byteLength(renderOpen(settled.session)), words }
}

/** The final reports of agents: their characters, and the bytes that they take in the session. */
function reportsOf(bytes: Buffer): { chars: number; bytes: number } {
  const { entries } = readPiece(newSession('x'), { bytes, isLast: true }, OPTIONS)
  const texts = [...reportsAmong(entries.map((entry, n) => ({ n, entry }))).values()]
  return {
    chars: texts.reduce((sum, text) => sum + text.length, 0),
    bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), 0),
  }
}

function timed(work: () => void): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

function saved(kept: number, of: number): number {
  return 100 - (100 * kept) / of
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
