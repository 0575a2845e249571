/** Facts found without a model: how many of them are right, and how many that were said are found. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { NewFact } from '../src/knowledge/fact.ts'
import { newCursor } from '../src/memory/session-state.ts'
import type { Numbered } from '../src/notes/digest.ts'
import { extractFacts } from '../src/outgoing/fact-extract.ts'
import { createRedactor } from '../src/redact/redact.ts'
import { readPiece } from '../src/sessions/capture.ts'
import { sentencesOf } from '../src/text/sentences.ts'
import { openEntries } from '../src/transcript/refine.ts'
import type { Entry } from '../src/transcript/session.ts'

interface Labelled {
  lang: 'en' | 'ko'
  split: 'dev' | 'test' | 'blind'
  entries: { by: 'user' | 'assistant' | 'tool'; text: string; marks?: { label: string; says: string }[] }[]
}

/** One sentence that was extracted, or should have been. */
interface Verdict {
  lang: string
  split: string
  label: string
  isFound: boolean
  isRight: boolean
  text: string
}

const LABELS = ['decision', 'issue-open', 'issue-resolved', 'pattern']
const MAX_FACTS = 10
const SAVE_INTERVAL = 25
const DIR = path.resolve('../shared/transcripts')

const sessions = readFileSync('bench/labels/fact-sentences.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Labelled)
const verdicts = sessions.flatMap(judge)
const sentences = sessions.flatMap(({ entries }) => entries.flatMap(({ text }) => sentencesOf(text)))
console.log(
  `${sessions.length} sessions, ${sentences.length} sentences, ${verdicts.filter(({ isRight }) => isRight).length} facts in them`,
)
for (const split of ['dev', 'test', 'blind'])
  for (const lang of ['en', 'ko']) {
    const own = verdicts.filter((one) => one.split === split && one.lang === lang)
    if (own.length > 0) console.log(`\n${split} ${lang}: ${line(own)}`)
    for (const label of LABELS) {
      const some = own.filter((one) => one.label === label)
      if (some.length > 0) console.log(`  ${label.padEnd(15)} ${line(some)}`)
    }
  }
console.log(`\nall: ${line(verdicts)}`)
if (process.argv.includes('--wrong'))
  for (const { split, lang, label, isFound, isRight, text } of verdicts)
    if (isFound !== isRight) console.log(`${isFound ? 'WRONG ' : 'MISSED'} ${split} ${lang} ${label}: ${text}`)
overTranscripts()

function judge({ lang, split, entries }: Labelled): Verdict[] {
  const found = extractFacts('00000000', entries.map(numbered), MAX_FACTS).map((fact) => ({
    fact,
    label: labelOf(fact),
  }))
  const marks = entries.flatMap(({ marks = [] }, n) => marks.map((mark) => ({ ...mark, n })))
  const isOne = (says: string, quote: string): boolean =>
    quote.includes(says.replace(/[.!]$/, '')) || says.includes(quote)
  const right = marks.map(({ label, says, n }): Verdict => {
    const isFound = found.some(
      (one) => one.label === label && one.fact.evidence.entry === n && isOne(says, one.fact.evidence.quote),
    )
    return { lang, split, label, isFound, isRight: true, text: says }
  })
  const wrong = found
    .filter(
      ({ fact, label }) =>
        !marks.some(
          (mark) => mark.label === label && mark.n === fact.evidence.entry && isOne(mark.says, fact.evidence.quote),
        ),
    )
    .map(({ fact, label }): Verdict => ({ lang, split, label, isFound: true, isRight: false, text: fact.text }))
  return [...right, ...wrong]
}

function numbered({ by, text }: Labelled['entries'][number], n: number): Numbered {
  const ts = new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString()
  if (by !== 'tool') return { n, entry: { role: by, ts, text } as Entry }
  const [head = '', output = ''] = text.split(' -> ')
  return {
    n,
    entry: {
      role: 'tool',
      ts,
      name: head.split(' ')[0] ?? '',
      cmd: head.slice(head.indexOf(' ') + 1),
      ok: true,
      output,
    },
  }
}

function labelOf({ type, status }: NewFact): string {
  return type === 'issue' ? `issue-${status}` : type
}

function line(some: readonly Verdict[]): string {
  const found = some.filter(({ isFound }) => isFound)
  const right = found.filter(({ isRight }) => isRight).length
  const all = some.filter(({ isRight }) => isRight).length
  const share = (part: number, of: number): string => (of === 0 ? '–' : (part / of).toFixed(3))
  return `precision ${share(right, found.length)} (${right} of ${found.length})  recall ${share(right, all)} (${right} of ${all})`
}

/** Their words are not ours: what is found goes to `bench/out/`, the numbers here. */
function overTranscripts(): void {
  if (!existsSync(DIR)) return console.log(`skipped: no transcripts in ${DIR}`)
  const { redact } = createRedactor({ enabled: true, extraPatterns: [] })
  const lines: string[] = []
  console.log('\nshared transcripts: facts per session')
  for (const name of readdirSync(DIR).filter((one) => one.endsWith('.jsonl'))) {
    const bytes = readFileSync(path.join(DIR, name))
    const options = { outputChars: 300, redact: (text: string) => redact(text).text }
    const { entries, cursor } = readPiece(newCursor(name), { bytes, isLast: true }, options)
    const all = [...entries, ...openEntries(cursor.refine)].map((entry, n) => ({ n, entry }))
    const facts = piecesOf(all).flatMap((piece) => extractFacts('00000000', piece, MAX_FACTS))
    console.log(`  ${String(facts.length).padStart(2)} of ${String(all.length).padStart(4)} entries  ${name}`)
    lines.push(
      `# ${name}`,
      ...facts.map((fact) => `${labelOf(fact)} (${fact.evidence.by ?? '?'}) #${fact.evidence.entry}: ${fact.text}`),
    )
  }
  mkdirSync('bench/out', { recursive: true })
  writeFileSync('bench/out/facts.txt', `${lines.join('\n')}\n`)
}

/** As they are noted: a piece for every so many tool uses. */
function piecesOf(entries: readonly Numbered[]): Numbered[][] {
  const pieces: Numbered[][] = [[]]
  let tools = 0
  for (const one of entries) {
    pieces.at(-1)?.push(one)
    if (one.entry.role === 'tool' && ++tools % SAVE_INTERVAL === 0) pieces.push([])
  }
  return pieces
}
