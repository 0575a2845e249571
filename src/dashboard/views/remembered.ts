/** The view of memory.md, its archives with their summaries, the weeks and months, and the pages. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { listArchives, readArchive, readMemory } from '../../notes/disk/memory.ts'
import { rotationLimits } from '../../notes/rotation.ts'
import { parseSummary } from '../../notes/summary.ts'
import { sessionsIn } from '../../notes/tier.ts'
import { type Period, periodOf } from '../../notes/tier-period.ts'
import { readPages } from '../../pages/disk/pages.ts'
import { isUntouchedTemplate } from '../../pages/page.ts'
import { list, readOwnText } from '../../platform/disk/files.ts'
import { KeeperError } from '../../platform/error.ts'
import { ARCHIVE_DIR, MEMORY_FILE, SESSIONS_DIR, summaryFileOf } from '../../platform/layout.ts'
import { estimateTokens } from '../../text/tokens.ts'
import type { ArchiveItem, ArchivePage, MemoryView, NoteItem, TierPage } from '../api.ts'
import type { Asked } from '../asked.ts'
import type { Memory } from './memory.ts'

export function viewMemory(memory: Memory): MemoryView {
  const store = memory.store()
  const notes = memory.notes()
  return {
    notes: notes.filter(({ file }) => file === MEMORY_FILE),
    tokens: estimateTokens(readMemory(store)),
    rotatesAt: rotationLimits(store.config).fullTokens,
    archives: listArchives(store)
      .toReversed()
      .map((file) => archiveItem(store, file, notes)),
    tiers: tiersIn(store)
      .map(({ file, is, title, text }) => ({ file, kind: is, period: title, sessions: sessionsIn(text).size }))
      .toReversed(),
    pages: readPages(store).map(({ name, text }) => ({ name, text, isTemplate: isUntouchedTemplate(name, text) })),
  }
}

/** Only what the memory itself lists can be named: no path leads elsewhere. */
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

/** Null: there is none, or none that can be read. */
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
