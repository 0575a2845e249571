/** The view of memory.md, its archives with their summaries, the weeks and months, and the pages. */

import path from 'node:path'
import { memoryTokens } from '../../../../core/health/disk/numbers.ts'
import { readConcepts } from '../../../../core/knowledge/disk/knowledge.ts'
import { type Fact, isOpenIssue, type Judged, type PermanentItem } from '../../../../core/knowledge/item.ts'
import { allFacts, allPermanent } from '../../../../core/knowledge/items.ts'
import { listArchives, readArchive } from '../../../../core/notes/disk/memory.ts'
import { rotationLimits } from '../../../../core/notes/rotation.ts'
import { parseSummary } from '../../../../core/notes/summary.ts'
import { partsOf } from '../../../../core/notes/tier.ts'
import { type Period, periodOf } from '../../../../core/notes/tier-period.ts'
import { readPages } from '../../../../core/pages/disk/pages.ts'
import { builtInRules, ownRules } from '../../../../core/pages/disk/rules.ts'
import { isUntouchedTemplate } from '../../../../core/pages/page.ts'
import type { Store } from '../../../../kernel/memory/disk/store.ts'
import { list, readOwnText } from '../../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../../kernel/platform/error.ts'
import { ARCHIVE_DIR, MEMORY_FILE, SESSIONS_DIR, summaryFileOf } from '../../../../kernel/platform/layout.ts'
import { estimateTokens } from '../../../../kernel/text/tokens.ts'
import { entryId } from '../../../../kernel/transcript/session.ts'
import type {
  ArchiveItem,
  ArchivePage,
  FactItem,
  KnowledgeView,
  MemoryView,
  NoteItem,
  PermanentRow,
  TierPage,
} from '../api.ts'
import type { Asked } from './asked.ts'
import type { Memory } from './memory.ts'

export function viewMemory(memory: Memory): MemoryView {
  const store = memory.store()
  const notes = memory.notes()
  return {
    notes: notes.filter(({ file }) => file === MEMORY_FILE),
    tokens: memoryTokens(store),
    rotatesAt: rotationLimits(store.config).fullTokens,
    archives: listArchives(store)
      .toReversed()
      .map((file) => archiveItem(store, file, notes)),
    tiers: tiersIn(store)
      .map(({ file, is, title, text }) => ({ file, kind: is, period: title, sessions: partsOf(text).parts.length }))
      .toReversed(),
    pages: readPages(store).map(({ name, text }) => ({ name, text, isTemplate: isUntouchedTemplate(name, text) })),
  }
}

/** Only names that the memory itself lists are accepted, so that no path leads elsewhere. */
export function viewArchive(memory: Memory, { name }: Asked): ArchivePage {
  const store = memory.store()
  if (!listArchives(store).includes(name)) throw new KeeperError('not-found', 'There is no such archive.')
  const notes = memory.notes()
  return { archive: archiveItem(store, name, notes), notes: notes.filter(({ file }) => file === name) }
}

export function viewTier(memory: Memory, { name }: Asked): TierPage {
  const tier = tiersIn(memory.store()).find(({ file }) => file === name)
  if (tier === undefined) throw new KeeperError('not-found', 'There is no such week or month.')
  return { file: tier.file, text: tier.text }
}

function archiveItem(store: Store, file: string, notes: readonly NoteItem[]): ArchiveItem {
  const own = notes.filter((note) => note.file === file)
  const known = store.readState().rotatedFiles.find((one) => one.file === file)
  const tokens = known?.tokenCount ?? estimateTokens(readArchive(store, file) ?? '')
  return {
    file,
    at: known?.rotatedAt ?? own[0]?.at ?? '',
    notes: own.length,
    tokens,
    summary: summaryOf(store, file, known?.summaryGenerated === true ? 'model' : 'code'),
  }
}

/** Null: there is none, or it cannot be read. */
function summaryOf(store: Store, file: string, madeBy: 'model' | 'code'): ArchiveItem['summary'] {
  const text = readOwnText(path.join(store.dir, summaryFileOf(file)))
  const read = text === null ? null : parseSummary(text)
  if (read === null || 'error' in read) return null
  const { overallSummary, themes, keyDecisions, issues } = read.summary
  return {
    overall: overallSummary,
    themes: themes.map(({ name, summary }) => joined(name, summary)),
    keyDecisions: keyDecisions.map(({ decision, reason }) => joined(decision, reason)),
    issues: issues.map(({ issue, status }) => (status === '' ? issue : `${issue} (${status})`)),
    madeBy,
  }
}

function joined(what: string, more: string): string {
  if (more === '') return what
  return /[.!?…]$/.test(what) ? `${what.replace(/\.$/, '')} – ${more}` : `${what}: ${more}`
}

/** Oldest first, weeks among months. */
function tiersIn(store: Store): (Period & { text: string })[] {
  const dir = path.join(store.dir, SESSIONS_DIR)
  const months = list(path.join(dir, ARCHIVE_DIR)).map((name) => `${ARCHIVE_DIR}/${name}`)
  return [...list(dir), ...months]
    .flatMap((name) => {
      const period = periodOf(name)
      const text = period === null ? null : readOwnText(path.join(dir, name))
      return period === null || text === null ? [] : [{ ...period, text }]
    })
    .sort((a, b) => (a.from < b.from ? -1 : 1))
}

/** The knowledge view: facts with their evidence, concepts, permanent items, rules. */

const KINDS = { rules: 'rule', solutions: 'solution', core_logic: 'core_logic' } as const
const JUDGES = { user: 'you', agent: 'Claude', headless: 'Claude', code: 'code', git: 'git' } as const

export function viewKnowledge(memory: Memory): KnowledgeView {
  const store = memory.store()
  const known = memory.facts()
  const facts = allFacts(known)
  const { concepts } = readConcepts(store)
  const counts = new Map<string, number>()
  for (const { concept } of facts) if (concept !== null) counts.set(concept, (counts.get(concept) ?? 0) + 1)
  return {
    facts: facts.map(factItem).sort(newestFirst),
    concepts: concepts.map(({ id, name, summary, files }) => {
      return { id, name, summary, files, facts: counts.get(id) ?? 0 }
    }),
    permanent: allPermanent(known).map(permanentRow),
    rules: [
      ...builtInRules(store).map((text) => ({ text, isBuiltIn: true })),
      ...ownRules(store).map((text) => ({ text, isBuiltIn: false })),
    ],
  }
}

export function newestFirst(a: FactItem, b: FactItem): number {
  return a.lastAt < b.lastAt ? 1 : Number(a.lastAt > b.lastAt) * -1
}

export function factItem(fact: Fact): FactItem {
  const { id, kind, text, reason, status, resolution, at, state, concept, files, evidence, session, judged } = fact
  return {
    id,
    kind,
    text,
    reason,
    status,
    resolution,
    at,
    state,
    concept,
    files,
    lastAt: fact.lastAt ?? at,
    why: state === 'fresh' || judged === undefined ? '' : verdict(judged),
    isPinned: fact.pinned === true,
    isOpen: isOpenIssue(fact),
    by: evidence.by ?? (fact.by === 'user' ? 'user' : null),
    quote: evidence.quote,
    place: placeOf(session, evidence.entry),
    also: (fact.also ?? []).flatMap((place) => (/^[0-9a-z]{8}#\d+$/.test(place) ? [`L1:${place}`] : [])),
  }
}

/** Empty for a hand-written fact. */
function placeOf(session: string, entry: number): string {
  return session === '' || entry < 0 ? '' : entryId(session, entry)
}

/** `by Claude on 2026-01-13, d014 replaces it: …`. */
function verdict({ by, at, why, other }: Judged): string {
  const instead = other === null ? '' : `, ${other} replaces it`
  return `by ${JUDGES[by]} on ${at.slice(0, 10)}${instead}${why === null ? '' : `: ${why}`}`
}

export function permanentRow(item: PermanentItem): PermanentRow {
  const { id, kind, text, state, at, facts, evidence, judged, from = '' } = item
  return {
    id,
    kind: KINDS[kind],
    text,
    state,
    at,
    facts,
    from,
    evidence: evidence.map(({ session, entry, quote }) => ({ place: placeOf(session, entry), quote })),
    why: judged === undefined ? '' : verdict(judged),
  }
}
