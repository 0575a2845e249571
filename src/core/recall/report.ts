/** The task of an agent that is about to start, and an earlier report on the same code: what it was about, and which of its files were edited since. */

import { quotedWords } from '../../kernel/text/memory-words.ts'
import { cut, shorten } from '../../kernel/text/shorten.ts'
import { stemsOf } from '../../kernel/text/words.ts'
import { isAgentUse } from '../../kernel/transcript/agent-report.ts'
import { filesOfReport } from '../notes/report-outline.ts'
import type { ToolUse } from '../notes/story-git.ts'
import { EDITS, onOneLine } from '../notes/structure-text.ts'
import { firstIdf, KIND_NUMBER } from '../search/engine.ts'
import { pickFrom } from './closing.ts'
import type { Recall, Remembrance } from './remembrance.ts'

const MOST_TASK = 2_000
/** The uses of tools that are looked at, best first. A task with its report has more words than this. */
const LOOKED = 200
const LEAST_TOKENS = 40
/** The share of what the words of the task are worth that a report and its task must contain. */
const LEAST_SHARED = 0.5
const SHOWN = { title: 80, files: 4, name: 30 }

export function findReport(task: string, memory: Remembrance): Recall | null {
  const { columns, engine, isWanted, entryOf, unitOf } = memory
  const stems = [...new Set(stemsOf(cut(task, MOST_TASK)))]
  const isTold = (doc: number): boolean =>
    columns.kind[doc] === KIND_NUMBER.tool && (columns.length[doc] ?? 0) >= LEAST_TOKENS && isWanted?.(doc) !== false
  const { docs, found } = engine.look(stems, [1, 1, 1, 1], LOOKED, isTold)
  const worth = stems.map((_, i) => firstIdf(columns.live, found[i] ?? 0))
  const all = worth.reduce((sum, one) => sum + one, 0)
  for (const doc of docs) {
    const entry = entryOf(doc)
    if (entry?.role !== 'tool' || !isAgentUse(entry) || entry.ok !== true || (entry.output ?? '') === '') continue
    const own = new Set(stemsOf(`${entry.title ?? ''} ${entry.cmd} ${entry.output}`))
    const shared = stems.reduce((sum, stem, i) => sum + (own.has(stem) ? (worth[i] ?? 0) : 0), 0) / all
    if (shared < LEAST_SHARED) continue
    const unit = unitOf(doc)
    if (unit === null) continue
    const verdict = 'An agent reported on the same code in an earlier session.'
    const picks = [pickFrom({ ...unit, by: 'code' }, 1, [reportLine(doc, entry, memory)], 0)]
    return { signal: 'agent', verdict, scores: { shared }, picks, once: `agent ${unit.id}` }
  }
  return null
}

function reportLine(doc: number, { title = '', cmd, output = '' }: ToolUse, memory: Remembrance): string {
  const files = filesOfReport(output, new Set())
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
