/**
 * What recall adds to prompts that nobody made it from: `npm run bench -- moments DIR [--quiet]`.
 * DIR/prompts.jsonl: {id, after: a file of DIR/sessions, who, prompt, label, gold, goldQuote}, by a writer who has seen only the sessions;
 * DIR/sessions.tsv: their order. Each prompt is the first of a session that begins after that file and all before it of the same developer.
 * Every firing is printed: whether it helps is read, not counted by words.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { recallFor } from '../src/core/recall/disk/recall.ts'
import { judgePrompt } from '../src/core/recall/recall.ts'
import { openIndex, type SearchIndex } from '../src/core/search/disk/memory-index.ts'
import { captureAll } from '../src/kernel/sessions/disk/capture.ts'
import { makePlace, now, type Place } from './support/corpus.ts'
import { inHostsPlace, tellAll } from './support/transcripts.ts'

interface Moment {
  id: string
  after: string
  who: string
  prompt: string
  label: 'help' | 'marginal' | 'silence'
  gold: string
  goldQuote: string
}

const [dir = '', ...options] = process.argv.slice(2)
const moments = linesOf('prompts.jsonl').map((line) => JSON.parse(line) as Moment)
const order = linesOf('sessions.tsv').map((line) => line.split('\t'))
const bySession = new Map<string, Moment[]>()
for (const moment of moments) bySession.set(moment.after, [...(bySession.get(moment.after) ?? []), moment])
const counts = new Map<string, number>()
for (const [after, some] of bySession) ask(after, some)
console.log(`${moments.length} prompts`)
for (const [what, n] of [...counts].sort()) console.log(`${what}: ${n}`)

function ask(after: string, some: readonly Moment[]): void {
  const place = placeAfter(after, some[0]?.who ?? '')
  const index = openIndex(place.store, { cacheDir: place.cacheDir, now })
  const open = (): SearchIndex => Object.assign(Object.create(index), { close: () => undefined })
  try {
    for (const { id, prompt, label, gold, goldQuote } of some) {
      const recalled = recallFor(place.store, { prompt, session: '' }, open, judgePrompt)
      const signal = recalled?.fires ? String(recalled.signal) : 'silent'
      for (const key of [`${label}: ${signal}`, signal === 'silent' ? 'silent' : 'fired'])
        counts.set(key, (counts.get(key) ?? 0) + 1)
      if (signal === 'silent' && (options.includes('--quiet') || label === 'silence')) continue
      const told = recalled?.fires ? recalled.text : `(silent: ${recalled?.verdict ?? 'nothing to search for'})`
      console.log(
        `\n${id} ${label} ${signal} after ${after.slice(0, 8)}: ${prompt.slice(0, 300)}\n  ${told.replaceAll('\n', '\n  ')}`,
      )
      if (gold !== '') console.log(`  gold: ${gold} | ${goldQuote}`)
    }
  } finally {
    index.close()
    place.remove()
  }
}

/** The sessions lie where the host keeps them: prompts in a file from elsewhere are not the user's. */
function placeAfter(after: string, who: string): Place {
  const place = makePlace()
  const own = order.filter((row) => row[0] === who).map((row) => row[5] ?? '')
  const until = own.slice(0, own.indexOf(path.basename(after, '.jsonl')) + 1)
  const sources = until.map((session) => {
    const transcript = inHostsPlace(place, path.join(dir, 'sessions', `${session}.jsonl`))
    return { session, transcript, isHistory: true }
  })
  captureAll(place.store, sources, { waitMs: 20_000, now })
  tellAll(place)
  return place
}

function linesOf(file: string): string[] {
  return readFileSync(path.join(dir, file), 'utf8').trim().split('\n')
}
