/** How far is the token estimate from a real tokenizer, per kind of text, and from what the API itself counted? */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { estimateTokens } from '../src/kernel/text/tokens.ts'
import { PLAIN, readAll } from '../test/support/transcript.ts'
import * as samples from './support/token-samples.ts'

/** No dependency of ours: 32 MB that only this question needs. */
const TOKENIZERS = process.argv[2] ?? process.env.MK_TOKENIZERS ?? '/tmp/tok'
const INSTALL = `npm install --prefix ${TOKENIZERS} @anthropic-ai/tokenizer gpt-tokenizer`
const TRANSCRIPTS = path.join(import.meta.dirname, '../../shared/transcripts')
const ROOT = path.join(import.meta.dirname, '..')
const TRANSCRIPT_CHARS = 60_000
/** Small counts are unfinished ones: old versions wrote the line before the answer was complete. */
const MIN_COUNT = 30

type Count = (text: string) => number

/**
 * From the only tokenizer Anthropic published (Claude 2's) to the newest one, in two steps. To Claude 4.6: 1.08, the median
 * of what the API counted for the answers below (its own few tokens per message included). From there to 4.7 and later,
 * as measured by others with count_tokens: English 1.2–1.46, code 1.13–1.36, CJK 1.0; the middles are taken. No source
 * gives German and machine output: the former as CJK (a language that was dear before), the latter as code.
 */
const TO_46 = 1.08
const TO_NEWEST = { english: 1.33, code: 1.245, cjk: 1, german: 1.1 } as const

interface Sample {
  name: string
  text: string
  factor: keyof typeof TO_NEWEST
}

if (!existsSync(path.join(TOKENIZERS, 'node_modules'))) {
  console.log(`tokens: no tokenizer in ${TOKENIZERS}, nothing measured. To have one: ${INSTALL}`)
  process.exit(0)
}
const load = createRequire(path.join(TOKENIZERS, 'package.json'))
const claude2 = (load('@anthropic-ai/tokenizer') as { countTokens: Count }).countTokens
const o200k = (load('gpt-tokenizer/encoding/o200k_base') as { countTokens: Count }).countTokens

console.log('estimate against the newest tokenizer (Claude 2’s × published factors), and raw against two libraries\n')
console.log(
  '| text | chars | estimate | Claude 2’s | × factor | = newest | **error** | chars/4 | raw to Claude 2’s | raw to o200k |',
)
console.log('|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|')
for (const sample of [...ownSamples(), ...transcriptSamples()]) console.log(renderRow(sample))
console.log('\nthe API’s own count of answers without thinking or tools, Claude ≤ 4.6 (the older tokenizer):\n')
console.log(
  '| answers | API | estimate | error | Claude 2’s library | expected of the newest |\n|---|--:|--:|--:|--:|--:|',
)
for (const row of renderAnswers()) console.log(row)
console.log(`\n${speed()}`)

function renderRow({ name, text, factor }: Sample): string {
  const estimate = estimateTokens(text)
  const old = claude2(text)
  const scale = TO_46 * TO_NEWEST[factor]
  const newest = old * scale
  const cells = [name, text.length, estimate, old, scale.toFixed(2), newest.toFixed(0), `**${off(estimate, newest)}**`]
  return `| ${[...cells, off(text.length / 4, newest), off(estimate, old), off(estimate, o200k(text))].join(' | ')} |`
}

function ownSamples(): Sample[] {
  const ours = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')
  return [
    { name: 'English prose', text: samples.ENGLISH, factor: 'english' },
    { name: 'Korean', text: samples.KOREAN, factor: 'cjk' },
    { name: 'Japanese', text: samples.JAPANESE, factor: 'cjk' },
    { name: 'Chinese', text: samples.CHINESE, factor: 'cjk' },
    { name: 'German', text: samples.GERMAN, factor: 'german' },
    {
      name: 'TypeScript',
      text: ours('src/kernel/transcript/refine.ts') + ours('src/kernel/platform/disk/lock.ts'),
      factor: 'code',
    },
    { name: 'JavaScript', text: ours('scripts/build.mjs') + ours('scripts/bench.mjs'), factor: 'code' },
    { name: 'markdown with code', text: samples.MARKDOWN, factor: 'english' },
    { name: 'our documents', text: ours('ARCHITECTURE.md') + ours('README.md'), factor: 'english' },
    { name: 'JSON lines', text: samples.JSON_LINES, factor: 'code' },
    { name: 'shell output', text: samples.SHELL, factor: 'code' },
  ]
}

/** Answers and tool lines apart, of all transcripts together, as a delta shows them. */
function transcriptSamples(): Sample[] {
  const texts = { korean: '', english: '', tools: '' }
  for (const file of transcriptFiles()) {
    const { entries } = readAll(readFileSync(file), PLAIN)
    for (const entry of entries) {
      if (entry.role === 'tool') texts.tools += `[Tool: ${entry.name}] ${entry.cmd}\nOutput: ${entry.output ?? ''}\n\n`
      if (entry.role !== 'assistant') continue
      const language = (entry.text.match(/[가-힣]/g)?.length ?? 0) > entry.text.length / 4 ? 'korean' : 'english'
      texts[language] += `[Assistant]: ${entry.text}\n\n`
    }
  }
  if (texts.tools === '') return []
  return [
    { name: 'transcripts: English answers', text: texts.english.slice(0, TRANSCRIPT_CHARS), factor: 'english' },
    { name: 'transcripts: Korean answers', text: texts.korean.slice(0, TRANSCRIPT_CHARS), factor: 'cjk' },
    { name: 'transcripts: tool lines', text: texts.tools.slice(0, TRANSCRIPT_CHARS), factor: 'code' },
  ]
}

interface Line {
  type?: string
  message?: {
    id?: string
    content?: { type: string; text?: string }[]
    usage?: { output_tokens?: number }
  }
}

function renderAnswers(): string[] {
  return transcriptFiles().flatMap((file) => {
    const answers = [...answersIn(file)].filter(({ counted }) => counted >= MIN_COUNT)
    if (answers.length === 0) return []
    const sum = (of: (answer: Answer) => number): number => answers.reduce((total, answer) => total + of(answer), 0)
    const counted = sum((answer) => answer.counted)
    const estimate = sum((answer) => estimateTokens(answer.text))
    const factor = /korean/.test(file) ? TO_NEWEST.cjk : TO_NEWEST.english
    const library = sum((answer) => claude2(answer.text))
    const cells = [`${answers.length} of ${path.basename(file, '.jsonl')}`, counted, estimate, off(estimate, counted)]
    return [`| ${[...cells, off(library, counted), off(estimate, counted * factor)].join(' | ')} |`]
  })
}

interface Answer {
  text: string
  counted: number
}

function answersIn(file: string): Answer[] {
  const messages = new Map<string, { blocks: { type: string; text?: string }[]; counted: number }>()
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const { type, message } = parseLine(line)
    if (type !== 'assistant' || message?.id === undefined) continue
    const before = messages.get(message.id)?.blocks ?? []
    const blocks = [...before, ...(message.content ?? [])]
    messages.set(message.id, { blocks, counted: message.usage?.output_tokens ?? 0 })
  }
  return [...messages.values()]
    .filter(({ blocks }) => blocks.every((block) => block.type === 'text'))
    .map(({ blocks, counted }) => ({ text: blocks.map((block) => block.text ?? '').join(''), counted }))
}

/** A line that is no whole object has nothing to count. */
function parseLine(line: string): Line {
  try {
    return JSON.parse(line) as Line
  } catch {
    return {}
  }
}

function transcriptFiles(): string[] {
  if (!existsSync(TRANSCRIPTS)) {
    console.log(`(no transcripts at ${TRANSCRIPTS})`)
    return []
  }
  const names = readdirSync(TRANSCRIPTS).filter((name) => name.endsWith('.jsonl'))
  return names.map((name) => path.join(TRANSCRIPTS, name))
}

function speed(): string {
  const text = [samples.ENGLISH, samples.KOREAN, samples.SHELL, samples.MARKDOWN].join('\n').repeat(200)
  const megabytes = Buffer.byteLength(text) / 1e6
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 9; round++) {
    const start = performance.now()
    estimateTokens(text)
    best = Math.min(best, performance.now() - start)
  }
  return `${((megabytes / best) * 1000).toFixed(0)} MB/s of UTF-8, ${((text.length / best) * 1e-3).toFixed(0)} million characters/s`
}

function off(value: number, truth: number): string {
  const percent = (value / truth - 1) * 100
  return `${percent >= 0 ? '+' : '−'}${Math.abs(percent).toFixed(1)} %`
}
