/**
 * How good are notes without a model? One note for every session, with what can be checked by a program. Sessions of our
 * own go to `bench/extractive-report.md`; the shared transcripts, whose words are not ours, to `bench/out/`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { newCursor } from '../src/memory/session-state.ts'
import { digestEntries, type Numbered, noteBudget, renderDigest } from '../src/notes/digest.ts'
import { extractFacts } from '../src/outgoing/fact-extract.ts'
import { createRedactor } from '../src/redact/redact.ts'
import { readPiece } from '../src/sessions/capture.ts'
import { estimateTokens } from '../src/text/tokens.ts'
import { openEntries } from '../src/transcript/refine.ts'
import { SESSIONS } from '../test/fixtures/sessions.ts'
import { checkNote } from './support/note-checks.ts'

const DIR = path.resolve('../shared/transcripts')
const PIECE_TOKENS = 60_000
const MAX_FACTS = 10

const { redact } = createRedactor({ enabled: true, extraPatterns: [] })
const clean = (text: string): string => redact(text).text

interface Sample {
  name: string
  entries: Numbered[]
}

const own = report(
  'Notes without a model: sessions of our own',
  SESSIONS.map(({ name, entries }) => ({ name, entries })),
)
writeFileSync('bench/extractive-report.md', own.text)
console.log(own.text)

if (existsSync(DIR)) {
  const shared = report(
    'Notes without a model: the shared transcripts',
    readdirSync(DIR)
      .filter((name) => name.endsWith('.jsonl'))
      .flatMap(readTranscript),
  )
  mkdirSync('bench/out', { recursive: true })
  writeFileSync('bench/out/extractive.md', shared.text)
  console.log(shared.text)
  console.log(shared.times)
} else console.log(`skipped: no transcripts in ${DIR}`)
console.log(own.times)

function report(title: string, samples: readonly Sample[]): { text: string; times: string } {
  const parts: string[] = []
  const times: string[] = []
  let failed = 0
  for (const { name, entries } of samples) {
    const began = performance.now()
    const digest = digestEntries(entries)
    const note = renderDigest(digest, { maxTokens: noteBudget(entries) })
    times.push(`${(performance.now() - began).toFixed(1)} ms  ${entries.length} entries  ${name}`)
    const problems = checkNote(note, entries, clean)
    failed += problems.length
    const facts = extractFacts('00000000', entries, MAX_FACTS)
    parts.push(
      `## ${name}`,
      `${entries.length} entries, ${estimateTokens(note)} tokens of ${noteBudget(entries)}; ${problems.length === 0 ? 'all checks passed' : `FAILED: ${problems.join('; ')}`}`,
      note.split('\n').join('  \n'),
      ...(facts.length === 0 ? [] : [facts.map(factLine).join('\n')]),
    )
  }
  const head = `Each note names the goal and all changed files, every sentence stands word for word in the session, no word is cut, no machine text, no secret: ${failed === 0 ? 'all of it holds' : `${failed} checks failed`} for ${samples.length} notes.`
  return { text: `${[`# ${title}`, head, ...parts].join('\n\n')}\n`, times: times.join('\n') }
}

function factLine({ type, status, text, reason }: ReturnType<typeof extractFacts>[number]): string {
  return `- fact: ${status === null ? type : `${status} ${type}`}: ${text}${reason === null ? '' : ` (reason: ${reason})`}`
}

/** As capture does it; a session longer than a piece is noted in pieces. */
function readTranscript(name: string): Sample[] {
  const bytes = readFileSync(path.join(DIR, name))
  const { entries, cursor } = readPiece(newCursor(name), { bytes, isLast: true }, { outputChars: 300, redact: clean })
  const all = [...entries, ...openEntries(cursor.refine)].map((entry, n): Numbered => ({ n, entry }))
  const pieces: Numbered[][] = []
  let tokens = PIECE_TOKENS
  for (const one of all) {
    tokens += estimateTokens(JSON.stringify(one.entry))
    if (tokens > PIECE_TOKENS) {
      pieces.push([])
      tokens = 0
    }
    pieces.at(-1)?.push(one)
  }
  return pieces.map((piece, i) => ({ name: pieces.length === 1 ? name : `${name}, piece ${i + 1}`, entries: piece }))
}
