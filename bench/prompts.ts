/**
 * The real prompts of the shared transcripts, replayed in order with the memory of that moment, for a reader to judge: what
 * fired and what it told (useful or noise), and where nothing fired (right or missed). Three memories:
 * `project`: the earlier sessions of the same project; `turns`: also the earlier part of the same session, as if each prompt
 * began a new one; `others`: the earlier sessions of all projects in one, where nearly every firing is noise.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Recalled, recallFor } from '../src/recall/disk/recall.ts'
import { judgePrompt } from '../src/recall/recall.ts'
import { openIndex } from '../src/search/disk/index/index.ts'
import { now } from './support/corpus.ts'
import { FOLDER, listTranscripts, rememberWork } from './support/transcripts.ts'

/** Transcripts of one project lie in different directories of different people. */
const PROJECTS: readonly string[][] = [
  ['01'],
  ['02', '03'],
  ['04'],
  ['05'],
  ['06', '07'],
  ['08', '09', '10'],
  ['11', '12'],
]
const MEMORIES = ['project', 'turns', 'others'] as const

interface Transcript {
  name: string
  project: number
  began: string
  lines: string[]
  /** Lines of prompts, and what they say. */
  prompts: { line: number; text: string }[]
}

const all = listTranscripts()
  .map(readTranscript)
  .sort((a, b) => (a.began < b.began ? -1 : 1))
const dir = mkdtempSync(path.join(os.tmpdir(), 'mk-prompts-'))
const asked = process.argv.slice(2)
for (const memory of MEMORIES) if (asked.length === 0 || asked.includes(memory)) replay(memory)
rmSync(dir, { recursive: true, force: true })

function readTranscript(name: string): Transcript {
  const lines = readFileSync(path.join(FOLDER, name), 'utf8').split('\n')
  const prompts = lines.flatMap((line, at) => {
    const text = promptIn(line)
    return text === null ? [] : [{ line: at, text }]
  })
  const project = PROJECTS.findIndex((names) => names.includes(name.slice(0, 2)))
  return { name, project, began: /"timestamp":"([^"]+)"/.exec(lines.join('\n'))?.[1] ?? '', lines, prompts }
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
  const counts = { prompts: 0, fired: 0 }
  console.log(`\n# ${memory}`)
  for (const [at, { name, project, lines, prompts }] of all.entries()) {
    const earlier = all.slice(0, at).filter((one) => memory === 'others' || one.project === project)
    for (const { line, text } of prompts) {
      const files = earlier.map((one) => path.join(FOLDER, one.name))
      if (memory === 'turns' && line > 0) files.push(beginningOf(name, lines.slice(0, line)))
      const recalled = files.length === 0 ? null : recall(files, text)
      counts.prompts++
      if (recalled?.fires) counts.fired++
      const head = text.replace(/\s+/g, ' ').slice(0, 160)
      if (recalled?.fires) console.log(`\n${name.slice(0, 2)} **${recalled.signal}** ${head}\n${recalled.text}`)
      else
        console.log(`\n${name.slice(0, 2)} – ${head}\n   ${recalled?.verdict ?? 'Nothing to look for, or no memory.'}`)
    }
  }
  console.log(`\n${memory}: ${counts.fired} of ${counts.prompts} prompts fired`)
}

/** The beginning of a transcript as a session of its own. */
function beginningOf(name: string, lines: readonly string[]): string {
  const file = path.join(dir, `${name.slice(0, 2).padStart(8, '0')}-0000-4000-8000-000000000000.jsonl`)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

function recall(files: readonly string[], prompt: string): Recalled | null {
  const { place } = rememberWork(files, 'everything')
  try {
    const open = () => openIndex(place.store, { cacheDir: place.cacheDir, now })
    return recallFor(place.store, { prompt, session: '' }, open, judgePrompt)
  } finally {
    place.remove()
  }
}
