/** How fast is redaction, and what does it take out of real transcripts? `--show` prints each replacement to judge. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRedactor } from '../src/core/redact.ts'

const FOLDER = join(import.meta.dirname, '../../shared/transcripts')
const ROUNDS = 5
const CONTEXT_CHARS = 40

if (!existsSync(FOLDER)) {
  console.log(`redaction: no transcripts at ${FOLDER}, nothing measured`)
  process.exit(0)
}

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.jsonl'))
const lines = files.flatMap((file) => readFileSync(join(FOLDER, file), 'utf8').split('\n').filter(Boolean))
const texts = lines.flatMap((line) => messageTexts(line))
const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6
const jsonTexts = texts.map((text) => JSON.stringify(text))
const { redact } = createRedactor({ enabled: true, extraPatterns: [] })

const parseMs = fastest(() => {
  for (const json of jsonTexts) JSON.parse(json)
})
const redactMs = fastest(() => {
  for (const text of texts) redact(text)
})

const kinds = new Map<string, number>()
let total = 0
for (const text of texts) {
  const { text: redacted, count } = redact(text)
  total += count
  if (count > 0) tell(text, redacted)
}

console.log(`texts ${texts.length}, ${megabytes.toFixed(2)} MB from ${files.length} transcripts`)
console.log(
  `redact ${(megabytes / (redactMs / 1000)).toFixed(0)} MB/s, ${(redactMs / parseMs).toFixed(2)} × the time of JSON.parse`,
)
console.log(`redactions ${total}, ${(total / megabytes).toFixed(2)} per MB`)
for (const [kind, count] of [...kinds].sort((a, b) => b[1] - a[1])) console.log(`  ${kind} ${count}`)

function fastest(run: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    run()
    best = Math.min(best, performance.now() - start)
  }
  return best
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
      if (process.argv.includes('--show')) show(before, at, next, marker)
    }
    at = next + part.length
  }
}

function show(text: string, start: number, end: number, marker: string): void {
  const left = text.slice(Math.max(0, start - CONTEXT_CHARS), start)
  console.log(JSON.stringify(`${left}⟦${text.slice(start, end)}⟧${text.slice(end, end + CONTEXT_CHARS)}`), marker)
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
