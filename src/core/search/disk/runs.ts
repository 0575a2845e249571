/** Shell commands that ran in sessions: those that failed with the same error, and those that contain the same words. */

import type { Kind } from '../../../kernel/memory/document.ts'
import { bothEnds } from '../../../kernel/text/ends.ts'
import { stemOf } from '../../../kernel/text/token.ts'
import { tokenise } from '../../../kernel/text/words.ts'
import { type Entry, entryId, type Numbered, type Tombstone } from '../../../kernel/transcript/session.ts'
import { isOurTool } from '../../../kernel/transcript/tool-line.ts'
import { isWholePass, outputOf, passedIn, withoutExitCode } from '../../notes/structure-commands.ts'
import { EDITS, isPlanFile, onOneLine } from '../../notes/structure-text.ts'
import { neededStems, phraseRanges } from '../match.ts'
import type { Operators } from '../operators.ts'
import { type ErrorOutput, errorShown, sharedLine, withoutPrinted } from '../same-error.ts'
import type { SearchIndex } from './memory-index.ts'
import { newestDocs } from './search-candidates.ts'

interface RunAt {
  id: string
  session: string
  entry: number
  date: string
  command: string
}

export interface EarlierFailure extends RunAt {
  /** The line that tells the same error. */
  line: string
  /** What was run and edited next in that session. */
  next: { id: string; tool: string; command: string }[]
  /** The entry in which the same command passed later in that session; null: it did not. */
  passedLater: string | null
}

export interface EarlierRun extends RunAt {
  outcome: 'ok' | 'failed'
  /** How often the same command ran. */
  times: number
}

/** `isCut`: there were more entries than are read. */
export interface FoundRuns<T> {
  runs: T[]
  isCut: boolean
}

/** Both ends of a pasted error are read. */
const PASTED = { head: 8_000, tail: 16_000 }
/** So many lines of an error are looked for. */
const LOOKED_FOR = 8
/** The newest entries with the words of these lines. At 0.1 ms each: the hint after a failure has 120 ms. */
export const MOST_COMPARED = 500
/** For the count of a command all of its entries are read. */
export const MOST_COUNTED = 5_000
const NEXT_USES = 3

/** Newest first; the same command in the same session once. The index is refreshed before. */
export function earlierFailures(
  index: SearchIndex,
  { command, output }: ErrorOutput,
  asked: Operators,
  limit: number,
): FoundRuns<EarlierFailure> {
  const shown = errorShown({ command, output: bothEnds(withoutExitCode(output), PASTED.head, PASTED.tail) })
  const lines = [...new Set(shown.telling.map(({ folded }) => folded))].slice(0, LOOKED_FOR)
  const docs = new Set(lines.flatMap((line) => newestDocs(index, { ...asked, kinds: TOOLS, files: [line] })))
  const { seconds } = index.columns
  const newest = [...docs].sort((a, b) => (seconds[b] ?? 0) - (seconds[a] ?? 0) || b - a)
  const compared = newest.slice(0, MOST_COMPARED).flatMap((doc) => runAt(index, doc) ?? [])
  const passes = compared.filter(({ use, command: line }) => use.ok === true && isWholePass(line))
  const error = withoutPrinted(
    shown,
    passes.map(({ use }) => outputOf(use)),
  )
  const runs = new Map<string, EarlierFailure>()
  for (const { use, doc, ...at } of compared) {
    if (runs.size === limit) break
    const key = `${at.session} ${at.command}`
    if (use.ok !== false || runs.has(key)) continue
    const behind = numbered(index.behind(doc), at)
    const line = sharedLine(error, { command: at.command, output: outputOf(use) }, behind)
    if (line === null) continue
    const rest = numbered(index.rest(doc), at)
    const passed = passedIn(rest, at.command)
    const passedLater = passed === null ? null : entryId(at.session, passed.n)
    runs.set(key, { ...at, line, next: nextUses(rest, at.session), passedLater })
  }
  return { runs: [...runs.values()], isCut: newest.length > MOST_COMPARED && runs.size < limit }
}

/** The commands that contain all of these words, newest first; each once, as it ran last. The index is refreshed before. */
export function earlierRuns(index: SearchIndex, words: string, asked: Operators, limit: number): FoundRuns<EarlierRun> {
  const isWanted = wordsTest(words)
  const docs = newestDocs(index, { ...asked, kinds: TOOLS, phrases: [words] })
  const runs = new Map<string, EarlierRun>()
  for (const doc of docs.slice(0, MOST_COUNTED)) {
    const run = runAt(index, doc)
    if (run === null || run.use.ok === null || isOurTool('Bash', run.command) || !isWanted(run.command)) continue
    const { use, doc: _, ...at } = run
    const known = runs.get(at.command)
    if (known === undefined) runs.set(at.command, { ...at, outcome: use.ok ? 'ok' : 'failed', times: 1 })
    else known.times++
  }
  return { runs: [...runs.values()].slice(0, limit), isCut: docs.length > MOST_COUNTED }
}

const TOOLS: ReadonlySet<Kind> = new Set<Kind>(['tool'])

/** A command that the user refused did not run. */
function runAt(index: SearchIndex, doc: number): (RunAt & { use: ToolUse; doc: number }) | null {
  const use = index.entryOf(doc)
  const { session, n } = index.placeOf(doc)
  if (session === null || use?.role !== 'tool' || use.name !== 'Bash' || use.refused === true) return null
  return { id: entryId(session, n), session, entry: n, date: use.ts, command: onOneLine(use.cmd), use, doc }
}

type ToolUse = Extract<Entry, { role: 'tool' }>

function numbered(behind: readonly (Entry | Tombstone)[], { entry: n }: RunAt): Numbered[] {
  return behind.map((entry, i) => ({ n: n + 1 + i, entry }))
}

function nextUses(rest: readonly Numbered[], session: string): EarlierFailure['next'] {
  const uses = rest.flatMap(({ n, entry }) => {
    if (entry.role !== 'tool' || entry.refused === true || isPlanFile(entry)) return []
    const isShown = EDITS.has(entry.name) || (entry.name === 'Bash' && !isOurTool(entry.name, entry.cmd))
    return isShown ? [{ id: entryId(session, n), tool: entry.name, command: onOneLine(entry.cmd) }] : []
  })
  const isFirst = (use: (typeof uses)[number], i: number): boolean =>
    uses.findIndex(({ tool, command }) => tool === use.tool && command === use.command) === i
  return uses.filter(isFirst).slice(0, NEXT_USES)
}

/** A word that the index leaves out, such as go, must stand in the command as it is. */
function wordsTest(words: string): (command: string) => boolean {
  const each = words.split(/\s+/).filter((word) => word !== '')
  const stems = each.map((word) => neededStems({ phrases: [word], files: [] }))
  const asIs = each.filter((word, i) => stems[i]?.length === 0 && /[\p{L}\p{N}]/u.test(word))
  return (command) => {
    const held = new Set(Array.from(tokenise(command), stemOf))
    return stems.flat().every((stem) => held.has(stem)) && asIs.every((word) => phraseRanges(command, word).length > 0)
  }
}
