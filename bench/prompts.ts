/**
 * What people typed in the shared transcripts and in our own sessions, replayed in order with the memory and the briefing of that
 * moment, for a reader to judge: what fired and what it told (useful or noise), and where nothing fired (right or missed). Four
 * memories: `project`: the earlier sessions of the same project; `turns`: also the earlier part of the same session, as if each
 * prompt began a new one; `unbriefed`: the same in a session that was given no briefing, so that more fires; `others`: the earlier
 * sessions of all projects in one, where nearly every firing is noise. `npm run bench -- prompts [memory] [--show]` prints each prompt.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { briefSession } from '../src/core/briefing/disk/briefing.ts'
import { type Recalled, recallFor } from '../src/core/recall/disk/recall.ts'
import { judgePrompt } from '../src/core/recall/recall.ts'
import { openIndex } from '../src/core/search/disk/memory-index.ts'
import { now } from './support/corpus.ts'
import { FOLDER, listTranscripts, rememberWork } from './support/transcripts.ts'

/** Transcripts of one project lie in different directories of different people; every other file is a project of its own. */
const PROJECTS: readonly string[][] = [
  ['02', '03'],
  ['06', '07'],
  ['08', '09', '10'],
  ['11', '12'],
]
const OWN = path.resolve('bench/morning/sessions')
const NEXT = 'ffffffff-0000-4000-8000-000000000000'
const MEMORIES = ['project', 'turns', 'unbriefed', 'others'] as const

interface Transcript {
  file: string
  project: string
  began: string
  lines: string[]
  /** Lines of prompts, and what they say. */
  prompts: { line: number; text: string }[]
}

const files = [
  ...listTranscripts().map((name) => path.join(FOLDER, name)),
  ...(existsSync(OWN) ? readdirSync(OWN).map((name) => path.join(OWN, name)) : []),
]
const all = files.map(readTranscript).sort((a, b) => (a.began < b.began ? -1 : 1))
const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-prompts-'))
const asked = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
const isShowing = process.argv.includes('--show')
for (const memory of MEMORIES) if (asked.length === 0 || asked.includes(memory)) replay(memory)
rmSync(dir, { recursive: true, force: true })

function readTranscript(file: string): Transcript {
  const lines = readFileSync(file, 'utf8').split('\n')
  const prompts = lines.flatMap((line, at) => {
    const text = promptIn(line)
    return text === null ? [] : [{ line: at, text }]
  })
  const name = path.basename(file)
  const project = PROJECTS.find((names) => names.includes(name.slice(0, 2)))?.join() ?? name
  return { file, project, began: /"timestamp":"([^"]+)"/.exec(lines.join('\n'))?.[1] ?? '', lines, prompts }
}

/** What a person typed; null: a result, a notice, a command of the host, or no prompt at all. */
function promptIn(line: string): string | null {
  try {
    const { type, isMeta, isSidechain, isCompactSummary, message } = JSON.parse(line)
    if (type !== 'user' || isMeta || isSidechain || isCompactSummary) return null
    const blocks: unknown[] = typeof message.content === 'string' ? [message.content] : message.content
    const texts = blocks.flatMap((one) => {
      const block = one as { type?: string; text?: string }
      return typeof one === 'string' ? [one] : block.type === 'text' ? [block.text ?? ''] : []
    })
    const text = texts.join('\n').trim()
    return text === '' || /^(?:<|\[Request interrupted|Caveat:|This session is being continued)/.test(text)
      ? null
      : text
  } catch {
    return null
  }
}

function replay(memory: (typeof MEMORIES)[number]): void {
  const fired: number[] = []
  let prompts = 0
  for (const [at, { file, project, lines, prompts: typed }] of all.entries()) {
    const earlier = all.slice(0, at).filter((one) => memory === 'others' || one.project === project)
    for (const { line, text } of typed) {
      const known = earlier.map((one) => one.file)
      if ((memory === 'turns' || memory === 'unbriefed') && line > 0)
        known.push(beginningOf(path.basename(file), lines.slice(0, line)))
      const recalled = known.length === 0 ? null : recall(known, text, memory === 'unbriefed' ? '' : NEXT)
      prompts++
      if (recalled?.fires) fired.push(recalled.tokens)
      if (isShowing) show(path.basename(file, '.jsonl'), text, recalled)
    }
  }
  const tokens = fired.reduce((sum, one) => sum + one, 0)
  console.log(`\n${memory}: ${fired.length} of ${prompts} prompts fired, ${tokens} tokens`)
}

function show(name: string, text: string, recalled: Recalled | null): void {
  const head = text.replace(/\s+/g, ' ').slice(0, 300)
  const why = recalled?.verdict ?? 'There is nothing to look for, or no memory.'
  console.log(`\n${name} ${recalled?.fires ? `**${recalled.signal}**` : '–'} ${head}\n   ${why}`)
  if (recalled?.fires) console.log(recalled.text)
}

/** The beginning of a transcript as a session of its own. */
function beginningOf(name: string, lines: readonly string[]): string {
  const id8 = Buffer.from(name).toString('hex').slice(0, 8)
  const file = path.join(dir, `${id8}-0000-4000-8000-000000000000.jsonl`)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

function recall(known: readonly string[], prompt: string, session: string): Recalled | null {
  const { place } = rememberWork(known, 'everything')
  try {
    if (session !== '') briefSession(place.store, { session, source: 'startup' }).keep()
    const open = () => openIndex(place.store, { cacheDir: place.cacheDir, now })
    return recallFor(place.store, { prompt, session }, open, judgePrompt)
  } finally {
    place.remove()
  }
}
