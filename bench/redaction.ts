/**
 * How fast is redaction, and what does it take out of texts? Of the shared transcripts, or with `--code DIR…` of files of
 * code, or with `--forms FILE` of forms with known secrets. `--show` prints each replacement, or each missed form.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createRedactor } from '../src/kernel/redact/redact.ts'
import { callsOf, readSessions } from './longitudinal/sessions.ts'

const FOLDER = join(import.meta.dirname, '../../shared/transcripts')
const ROUNDS = 15
const CHUNK_TEXTS = 100
const CONTEXT_CHARS = 40
const MOST_FILE_BYTES = 2e6
const { redact } = createRedactor({ enabled: true, extraPatterns: [] })
const CODE = new Set(
  '.ts .tsx .mts .cts .js .mjs .cjs .jsx .py .pl .pm .rb .go .rs .c .h .cc .cpp .hpp .java .kt .cs .php .sh .sql .css .html .json .yml .yaml .toml .md .rst .txt'.split(
    ' ',
  ),
)
const isShown = process.argv.includes('--show')
const kinds = new Map<string, number>()

const formsFile = after('--forms')[0]
const codeFolders = after('--code')
if (formsFile !== undefined) measureForms(formsFile)
else if (codeFolders.length > 0) measureTexts(codeFolders.flatMap(codeIn), `files of ${codeFolders.join(', ')}`)
else if (existsSync(FOLDER)) {
  measureTexts(transcriptTexts(), 'texts of the shared transcripts')
  measureDrops()
} else console.log(`redaction: no transcripts at ${FOLDER}, nothing measured`)

function after(option: string): string[] {
  const at = process.argv.indexOf(option)
  if (at < 0) return []
  const rest = process.argv.slice(at + 1)
  const next = rest.findIndex((argument) => argument.startsWith('--'))
  return next < 0 ? rest : rest.slice(0, next)
}

function measureTexts(texts: readonly string[], what: string): void {
  const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6
  const jsonTexts = texts.map((text) => JSON.stringify(text))
  const parseMs = fastest(jsonTexts, (json) => JSON.parse(json))
  const redactMs = fastest(texts, redact)
  let total = 0
  for (const text of texts) {
    const { text: redacted, count } = redact(text)
    total += count
    if (count > 0) tell(text, redacted)
  }
  console.log(`${texts.length} ${what}, ${megabytes.toFixed(2)} MB`)
  console.log(
    `redact ${(megabytes / (redactMs / 1000)).toFixed(0)} MB/s, ${(redactMs / parseMs).toFixed(2)} × the time of JSON.parse`,
  )
  console.log(`redactions ${total}, ${(total / megabytes).toFixed(2)} per MB`)
  for (const [kind, count] of [...kinds].sort((a, b) => b[1] - a[1])) console.log(`  ${kind} ${count}`)
}

/** The sum of the fastest times of small parts: what other programs take of the machine is left out. */
function fastest(texts: readonly string[], run: (text: string) => unknown): number {
  let sum = 0
  for (let at = 0; at < texts.length; at += CHUNK_TEXTS) {
    const chunk = texts.slice(at, at + CHUNK_TEXTS)
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now()
      for (const text of chunk) run(text)
      best = Math.min(best, performance.now() - start)
    }
    sum += best
  }
  return sum
}

interface Form {
  class: string
  /** What printed the text, if a shell command did. */
  command?: string
  text: string
  secret: string | string[]
  ordinary?: boolean
}

/** A form is found when no secret of it is left; an ordinary text, when nothing was replaced. */
function measureForms(file: string): void {
  const bytes = readFileSync(file)
  const forms = JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()) as Form[]
  const classes = new Map<string, { found: number; all: number }>()
  for (const form of forms) {
    const { text, count } = form.command === undefined ? redact(form.text) : redactCall(form.command, form.text)
    const isFound = form.ordinary === true ? count === 0 : ![form.secret].flat().some((secret) => text.includes(secret))
    for (const name of [form.class, form.ordinary === true ? 'all ordinary texts' : 'all secrets']) {
      const sum = classes.get(name) ?? { found: 0, all: 0 }
      classes.set(name, { found: sum.found + (isFound ? 1 : 0), all: sum.all + 1 })
    }
    if (!isFound && isShown) console.log('missed', form.class, JSON.stringify(form.text), '→', JSON.stringify(text))
  }
  for (const [name, { found, all }] of [...classes].sort(
    ([a], [b]) => Number(a.startsWith('all ')) - Number(b.startsWith('all ')),
  ))
    console.log(`${name}: ${found} of ${all}, ${((100 * found) / all).toFixed(1)} %`)
}

/** As capture does it: the command by itself, and its output with the command. */
function redactCall(command: string, output: string): { text: string; count: number } {
  const called = redact(command)
  const printed = redact(output, { command: called.text, failed: false })
  return { text: `${called.text}\n${printed.text}`, count: called.count + printed.count }
}

/** How many outputs of real shell commands are dropped as a whole: each is read with `--show`. */
function measureDrops(): void {
  const calls = readSessions()
    .flatMap(callsOf)
    .filter(({ name }) => name === 'Bash' || name === 'PowerShell')
  let dropped = 0
  for (const { input, result } of calls) {
    const { command = '' } = input
    const printed = { command, failed: result?.isError === true }
    if (redact(result?.text ?? '', printed).text !== '[redacted:output]') continue
    dropped += 1
    if (isShown) console.log('dropped', JSON.stringify(command))
  }
  console.log(`outputs dropped whole: ${dropped} of ${calls.length} shell commands of the shared sessions`)
}

/** Walks the two texts side by side: what stands between two markers is unchanged, so it can be found again. */
function tell(before: string, after: string): void {
  let at = 0
  const parts = after.split(/(\[redacted:[\w-]+\]|\[private\])/)
  for (let index = 0; index < parts.length; index += 2) {
    const part = parts[index] ?? ''
    const marker = parts[index - 1]
    const next = index === parts.length - 1 ? before.length - part.length : before.indexOf(part, at)
    if (marker !== undefined && before.startsWith(marker, at)) {
      at += marker.length + part.length
      continue
    }
    if (marker !== undefined) {
      kinds.set(marker, (kinds.get(marker) ?? 0) + 1)
      if (isShown) show(before, at, next, marker)
    }
    at = next + part.length
  }
}

function show(text: string, start: number, end: number, marker: string): void {
  const left = text.slice(Math.max(0, start - CONTEXT_CHARS), start)
  console.log(JSON.stringify(`${left}⟦${text.slice(start, end)}⟧${text.slice(end, end + CONTEXT_CHARS)}`), marker)
}

function codeIn(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  if (stats.isDirectory())
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => !entry.isSymbolicLink())
      .flatMap((entry) => codeIn(join(path, entry.name)))
  return CODE.has(extname(path)) && stats.size <= MOST_FILE_BYTES ? [readFileSync(path, 'utf8')] : []
}

function transcriptTexts(): string[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl'))
  const lines = files.flatMap((file) => readFileSync(join(FOLDER, file), 'utf8').split('\n').filter(Boolean))
  return lines.flatMap((line) => messageTexts(line))
}

function messageTexts(line: string): string[] {
  const texts: string[] = []
  try {
    const record: unknown = JSON.parse(line)
    if (!isRecord(record) || (record.type !== 'user' && record.type !== 'assistant')) return []
    collect(record.message, '', texts)
    collect(record.toolUseResult, '', texts)
  } catch {
    // Glued or half-written lines are part of the collection; they hold the same kinds of text.
    return []
  }
  return texts
}

function collect(value: unknown, key: string, into: string[]): void {
  if (typeof value === 'string') {
    if (key !== 'data' && key !== 'signature') into.push(value)
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, key, into)
  } else if (isRecord(value)) {
    for (const [name, item] of Object.entries(value)) collect(item, name, into)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
