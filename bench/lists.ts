/**
 * Did the order of hits change? Writes every list of hits for LoCoMo's and the coding questions to FILE; if FILE is there, compares
 * the lists with it instead: `npm run bench -- lists FILE`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { openSearcher, type Searcher } from '../src/core/search/disk/search.ts'
import { withChatter } from './support/chatter.ts'
import { now } from './support/corpus.ts'
import { pool, readLocomo, withAssistant } from './support/locomo.ts'
import { forget, remember } from './support/memory.ts'
import { readCodingQuestions } from './support/questions.ts'
import { listTranscripts, rememberWork } from './support/transcripts.ts'

const LIMITS = [10, 100]
const LAYERS = [undefined, 'L1', 'L2', 'L3', 'L2,L3']
const MOST_SHOWN = 5

const [file] = process.argv.slice(2)
if (file === undefined) console.log('Name a file: npm run bench -- lists FILE')
else tell(file, [...locomoLists(), ...codingLists()])

function tell(to: string, lines: readonly string[]): void {
  if (!existsSync(to)) {
    writeFileSync(to, lines.join('\n'))
    return console.log(`${lines.length} lists written`)
  }
  const before = readFileSync(to, 'utf8').split('\n')
  const other = lines.flatMap((line, i) => (line === before[i] ? [] : [`- ${before[i]}\n+ ${line}`]))
  for (const one of other.slice(0, MOST_SHOWN)) console.log(one)
  console.log(`${lines.length - other.length} of ${before.length} lists are equal in order and score`)
  process.exitCode = other.length === 0 && before.length === lines.length ? 0 : 1
}

function* locomoLists(): Generator<string> {
  const all = readLocomo() ?? []
  for (const conversation of [...all, ...all.map(withAssistant), pool(all), ...withChatter(all)]) {
    const memory = remember(conversation)
    for (const { text } of conversation.questions) yield* listsOf(memory.searcher, text, LIMITS, [undefined])
    forget(memory)
  }
}

function* codingLists(): Generator<string> {
  for (const what of ['sessions', 'everything'] as const) {
    const { place } = rememberWork(listTranscripts(), what)
    const searcher = openSearcher(place.store, { cacheDir: place.cacheDir, now })
    for (const { query } of readCodingQuestions()) yield* listsOf(searcher, query, LIMITS, LAYERS)
    searcher.close()
    place.remove()
  }
}

function* listsOf(
  searcher: Searcher,
  query: string,
  limits: readonly number[],
  all: readonly (string | undefined)[],
): Generator<string> {
  for (const limit of limits)
    for (const layers of all) {
      const { hits, corrected, missing, covered } = searcher.find({ query, limit, layers })
      const list = hits.map(({ id, score, snippet, also }) => [id, score, snippet.length, also])
      yield JSON.stringify([query, limit, layers ?? '', list, corrected, missing, covered])
    }
}
