/** The task of an agent that is about to start, and an earlier report on the same code: what it was about, and which of its files were edited since. */

import { quotedWords } from '../../kernel/text/memory-words.ts'
import { cut, shorten } from '../../kernel/text/shorten.ts'
import { stemsOf } from '../../kernel/text/words.ts'
import { isAgentUse } from '../../kernel/transcript/agent-report.ts'
import { filesOfReport } from '../notes/report-outline.ts'
import type { ToolUse } from '../notes/story-git.ts'
import { EDITS, onOneLine } from '../notes/structure-text.ts'
import { firstIdf, firstScore, KIND_NUMBER } from '../search/engine.ts'
import { pickFrom } from './closing.ts'
import type { Recall, Remembrance } from './remembrance.ts'

const MOST_TASK = 2_000
/** The uses of tools that are looked at, best first. A task has more words than this. */
const LOOKED = 200
const LEAST_TOKENS = 12
/** The length of a report at which its words count as they are. */
const MEAN_TOKENS = 400
/**
 * Of the score that the task has with itself. Of the 9 launches of ../shared/longitudinal none has a report on the same code; the nearest
 * other report has 0.52. The same code in other words had more than 1 in cases made for it.
 */
const LEAST_SHARE = 0.6
const SHOWN = { title: 80, files: 4, name: 30 }

export function findReport(task: string, memory: Remembrance): Recall | null {
  const { columns, engine, isWanted, entryOf, unitOf } = memory
  const words = stemsOf(cut(task, MOST_TASK))
  const stems = [...new Set(words)]
  const isOld = (doc: number): boolean =>
    columns.kind[doc] === KIND_NUMBER.tool && (columns.length[doc] ?? 0) >= LEAST_TOKENS && isWanted?.(doc) !== false
  const { docs, found } = engine.look(stems, [1, 1, 1, 1], LOOKED, isOld)
  const worth = stems.map((_, i) => firstIdf(columns.live, found[i] ?? 0))
  const own = scoreOf(words, stems, worth)
  for (const doc of docs) {
    const entry = entryOf(doc)
    if (entry?.role !== 'tool' || !isAgentUse(entry) || entry.ok !== true) continue
    const report = wholeReport(entry, memory)
    const share = scoreOf(stemsOf(`${entry.title ?? ''} ${entry.cmd} ${report}`), stems, worth) / own
    const unit = report === '' || share < LEAST_SHARE ? null : unitOf(doc)
    if (unit === null) continue
    const verdict = 'An agent reported on the same code in an earlier session.'
    const picks = [pickFrom({ ...unit, by: 'code' }, 1, [reportLine(doc, entry, report, memory)], 0)]
    return { signal: 'agent', verdict, scores: { share }, picks, once: `agent ${unit.id}` }
  }
  return null
}

/** By BM25. */
function scoreOf(words: readonly number[], stems: readonly number[], worth: readonly number[]): number {
  const times = new Map<number, number>()
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1)
  return stems.reduce(
    (sum, stem, i) => sum + firstScore(worth[i] ?? 0, times.get(stem) ?? 0, words.length, MEAN_TOKENS),
    0,
  )
}

const MOST_TEXTS = 20

/** Where an agent has a transcript of its own, its report is stored with it, and only its beginning with the use. */
function wholeReport({ cmd, output = '', ran }: ToolUse, { columns, engine, entryOf }: Remembrance): string {
  if (ran === undefined) return output
  const isAgents = (doc: number): boolean => columns.kind[doc] === KIND_NUMBER.subagent
  const texts = engine.look(stemsOf(output || cmd), [1, 1, 1, 1], MOST_TEXTS, isAgents).docs.flatMap((doc) => {
    const entry = entryOf(doc)
    return entry?.role === 'subagent' && 'text' in entry && entry.agent === ran ? [entry.text] : []
  })
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), output)
}

function reportLine(doc: number, { title = '', cmd }: ToolUse, report: string, memory: Remembrance): string {
  const files = filesOfReport(report, new Set())
    .filter((name) => name.length <= SHOWN.name)
    .slice(0, SHOWN.files)
  const edited = files.filter((name) => wasEdited(name, doc, memory))
  const about = quotedWords(shorten(onOneLine(title || cmd), SHOWN.title))
  const on = files.length === 0 ? '' : `; files: ${files.join(', ')}`
  return `Report of an agent on this: ${about}${on}${edited.length === 0 ? '' : `; edited since: ${edited.join(', ')}`}`
}

const MOST_EDITS = 20

/** By what sessions did: who edits a file elsewhere is not seen. */
function wasEdited(name: string, report: number, { columns, engine, entryOf }: Remembrance): boolean {
  const since = columns.seconds[report] ?? 0
  const isLater = (doc: number): boolean =>
    columns.kind[doc] === KIND_NUMBER.tool && (columns.seconds[doc] ?? 0) > since
  return engine.look(stemsOf(name), [1, 1, 1, 1], MOST_EDITS, isLater).docs.some((doc) => {
    const entry = entryOf(doc)
    if (entry?.role !== 'tool' || !EDITS.has(entry.name) || entry.ok !== true) return false
    return entry.cmd.endsWith(name)
  })
}
