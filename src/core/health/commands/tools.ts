/** `memory_status`: how much of this project is remembered, and its newest sessions. */

import { fenced, fine, IS_DATA, type ToolAnswer } from '../../../kernel/memory/commands/answer.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { listSessions, sessionFiles, sessionRows } from '../../../kernel/sessions/disk/sessions.ts'
import { count } from '../../../kernel/text/figures.ts'
import { dayOf, textOnOneLine } from '../../../kernel/text/memory-words.ts'
import { openWork } from '../../briefing/disk/briefing.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { byKind, openIssues } from '../../knowledge/items.ts'
import { listNotes } from '../../notes/disk/note-list.ts'
import { readPages } from '../../pages/disk/pages.ts'
import type { ServedMemory } from '../../search/commands/served-memory.ts'
import { findings } from '../disk/health.ts'

const RECENT = 10
const MAX_GOAL_CHARS = 120

export async function memoryStatus(memory: ServedMemory): Promise<ToolAnswer> {
  const store = memory.store()
  // Counted once and cached. A forgotten entry leaves a tombstone, which does not count.
  const entries = sessionRows(store).reduce((sum, row) => sum + row.entries, 0)
  const found = findings(store, memory.now())
    .filter(({ verdict }) => verdict !== 'ok')
    .map(({ name, finding, fix }) => textOnOneLine(`${name}: ${finding}${fix === undefined ? '' : ` → ${fix}`}`))
  const counts = [
    `${count(sessionFiles(store).length, 'session')}, ${count(entries, 'entry', 'entries')} remembered in this project.`,
    ...kept(store),
    ...(await search(memory)),
  ]
  // Only the newest, because each session is read for this.
  const recent = listSessions(store, RECENT).map(
    (row) =>
      `${row.id} ${row.startedAt.slice(0, 16).replace('T', ' ')} (${count(row.prompts, 'prompt')}, ${count(row.tools, 'tool use')}): ${textOnOneLine(row.goal).slice(0, MAX_GOAL_CHARS)}`,
  )
  return fine(
    [
      ...counts,
      ...(found.length > 0 ? ['For the user to look at:', fenced(store, [IS_DATA, ...found])] : []),
      ...(recent.length > 0 ? ['Newest first, times in UTC:', fenced(store, [IS_DATA, ...recent])] : []),
    ].join('\n'),
  )
}

function kept(store: Store): string[] {
  const { notes } = listNotes(store)
  const facts = readFacts(store)
  const { decisions, patterns, issues } = byKind(facts)
  const pages = readPages(store).map(({ name }) => name)
  return [
    `${count(notes.length, 'note')}${notes[0] === undefined ? '' : ` (the last of ${dayOf(notes[0].at)})`}, ${count(decisions.length, 'decision')}, ${count(patterns.length, 'pattern')}, ${count(issues.length, 'issue')}; ${openIssues(facts).length + openWork(store).length} open.`,
    ...(pages.length > 0 ? [`Pages: ${pages.map(textOnOneLine).join(', ')}.`] : []),
  ]
}

async function search(memory: ServedMemory): Promise<string[]> {
  const { index } = await memory.freshSearcher()
  return [`Search: ${count(index.columns.live, 'memory', 'memories')} indexed.`, ...index.news.map(textOnOneLine)]
}
