/** `context`: shows everything that is remembered about a topic or a file; without one, the briefing. */

import { type Context, typed } from '../../memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine } from '../../memory/commands/output.ts'
import { showLate } from '../../memory/commands/progress.ts'
import type { Store } from '../../memory/disk/store.ts'
import { nothingYet, notTrusted } from '../../search/commands/search-text.ts'
import { lookUp } from '../../search/disk/lookup.ts'
import { openSearcher } from '../../search/disk/search.ts'
import { cutMarked } from '../../text/shorten.ts'
import { runBriefing } from './briefing.ts'

const LIMIT = 6
/** The limit of each item: a note is not longer, an answer may be. */
const MAX_CHARS = 900

export function runTopic(context: Context, words: string): number {
  const topic = words.trim()
  if (topic === '') return runBriefing(context, {})
  const { store, out, world, clock } = context
  const { cacheDir } = store.places
  const onProgress = showLate(world, out, 'read for the search index')
  const searcher = openSearcher(store, { cacheDir, now: world.now, onProgress })
  try {
    const { hits } = searcher.find({ query: topic, limit: LIMIT, ...(isFile(topic) ? { file: topic } : {}) })
    const found = hits.map(({ id, date, kind, state, snippet }) => {
      const parts = lookUp(store, id, 0)?.parts ?? []
      return { id, date, kind, state, text: shortened(parts.map(({ text }) => text).join('\n') || snippet) }
    })
    out.json({ topic, found })
    if (found.length === 0) out.say(searcher.index.columns.live === 0 ? nothingYet(store) : nothingAbout(store, topic))
    else if (world.isSkill === true) out.say(`Memory Keeper: what is remembered about '${oneLine(topic, 60)}'`)
    for (const { id, date, kind, state, text } of found) {
      const about = [clock.day(date), kind, state === 'fresh' ? '' : state].filter((part) => part !== '').join(' ')
      out.say(`${bold(harmless(id))} ${dim(harmless(about))}`, harmless(text), '')
    }
    if (found.length > 0)
      out.say(dim(`${count(found.length, 'memory', 'memories')}. ${typed(world, 'search')} finds more.`))
    return 0
  } finally {
    searcher.close()
  }
}

/** The words of a path occur everywhere: only texts that name the file are about it. */
function isFile(topic: string): boolean {
  return /^\S*(?:[/\\]\S|[^./\\\s]\.[a-z]\w*$)/i.test(topic)
}

function nothingAbout(store: Store, topic: string): string {
  return notTrusted(store) ?? `Nothing is remembered about ${oneLine(topic, 60)}.`
}

function shortened(text: string): string {
  return cutMarked(text, MAX_CHARS + 1)
}
