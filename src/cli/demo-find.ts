/** What the demo finds again: a search over all layers, and what comes with a prompt on another day by itself. */

import { bold, count, dim, oneLine } from '../memory/commands/output.ts'
import type { Store } from '../memory/disk/store.ts'
import { recallFor } from '../recall/disk/recall.ts'
import { judgePrompt } from '../recall/recall.ts'
import { openIndex } from '../search/disk/index/index.ts'
import { type Hit, openSearcher } from '../search/disk/search.ts'
import { dayOf } from '../text/memory-words.ts'
import { estimateTokens } from '../text/tokens.ts'

interface FoundAgain {
  hits: Hit[]
  /** What would go with a prompt about the past, and with one about something else. */
  recalled: string
  unrelated: string
}

const QUERY = 'floating point cents'
const PROMPT = 'What went wrong with the rounding of prices?'
const UNRELATED = 'Write a poem about the sea.'
const HITS = 3
const RECALL_LINES = 3
const INDENT = '   '

export function demoFind(store: Store, now: () => string): FoundAgain {
  const options = { cacheDir: store.places.cacheDir, now }
  const searcher = openSearcher(store, options)
  const recall = (prompt: string): string =>
    recallFor(store, { prompt, session: '' }, () => openIndex(store, options), judgePrompt)?.text ?? ''
  try {
    return {
      hits: searcher.find({ query: QUERY, limit: HITS }).hits,
      recalled: recall(PROMPT),
      unrelated: recall(UNRELATED),
    }
  } finally {
    searcher.close()
  }
}

export function showFound({ hits, recalled, unrelated }: FoundAgain, columns: number): string[] {
  const room = columns - INDENT.length
  // Without the fence and the sentence that says what it is.
  const remembered = recalled.split('\n').slice(2, -1)
  const rest = remembered.length - RECALL_LINES
  return [
    '',
    bold(`11. Everything is found again: memory-keeper search --deep "${QUERY}"`),
    ...hits.map((hit) => INDENT + oneLine(`${hit.id} ${dayOf(hit.date)} ${hit.kind}: ${hit.snippet}`, room)),
    '',
    bold(`12. Another day: what goes with "${PROMPT}", about ${count(estimateTokens(recalled), 'token')}`),
    ...remembered.slice(0, RECALL_LINES).map((line) => INDENT + oneLine(line, room)),
    ...(rest > 0 ? [dim(`${INDENT}… ${count(rest, 'more line')}`)] : []),
    dim(`${INDENT}With "${UNRELATED}" goes ${unrelated === '' ? 'nothing' : oneLine(unrelated, room)}.`),
  ]
}
