/** Import from neighbours: what other memories know about this project, read where it lies and written nowhere but here. */
import path from 'node:path'
import { keptEffects } from '../../knowledge/disk/forgotten.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { formatFacts } from '../../knowledge/fact.ts'
import { backUp } from '../../memory/disk/migrate-backup.ts'
import { type Store, stateEffect } from '../../memory/disk/store.ts'
import { type Note, notesIn } from '../../memory/note.ts'
import { recordEffect, takenOver } from '../../migrate/disk/migrate-record.ts'
import { claudeMemPath, readClaudeMem } from '../../migrate/disk/neighbours-claude-mem.ts'
import { joinLegacyFacts } from '../../migrate/legacy-facts.ts'
import { splitArchive } from '../../migrate/legacy-merge.ts'
import { fromClaudeMem } from '../../migrate/neighbour-claude-mem.ts'
import { listArchives, readArchive, readMemory } from '../../notes/disk/memory.ts'
import { rotationLimits } from '../../notes/rotation.ts'
import { formatSummary, standInSummary } from '../../notes/summary.ts'
import { list, readOwnText, realPath, statOf } from '../../platform/disk/files.ts'
import type { Effect } from '../../platform/effect.ts'
import { KeeperError } from '../../platform/error.ts'
import { FACTS_FILE, hostSlug, PAGE_SUFFIX, summaryFileOf } from '../../platform/layout.ts'
import { formatStamp } from '../../platform/time.ts'
import { type Redactor, redactorFor } from '../../redact/redact.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { estimateTokens } from '../../text/tokens.ts'
import {
  type Brought,
  freshNotes,
  type NewPage,
  neighbourPageName,
  neighbourPages,
  placeForPage,
} from '../neighbour.ts'

export const NEIGHBOURS = ['auto-memory', 'claude-mem', 'memory-bank'] as const
export type NeighbourMemory = (typeof NEIGHBOURS)[number]

/** Where markdown memory banks usually lie in a project. */
const BANKS = [
  'memory-bank',
  '.memory-bank',
  'memory_bank',
  'docs/memory-bank',
  'docs/memory',
  'cline_docs',
  '.clinerules/memory-bank',
]
const MAX_FILES = 200

export interface PlannedImport {
  from: NeighbourMemory
  /** The file or directory it was read from. */
  source: string
  effects: Effect[]
  counts: { pages: number; notes: number; facts: number }
  /** What `claude-mem` knows other projects by, where it knows nothing of this one. */
  others: string[]
  mark: string
}

/** The neighbours that are there, each with its place. */
export function findNeighbours({ places }: Store, home: string): { from: NeighbourMemory; source: string }[] {
  const { root } = places.project
  const banks = BANKS.map((name) => path.join(root, name)).filter((dir) => markdownIn(dir).length > 0)
  const auto = path.join(places.hostDir, 'projects', hostSlug(root), 'memory')
  const database = claudeMemPath(home)
  return [
    ...(markdownIn(auto).length > 0 ? [{ from: 'auto-memory' as const, source: auto }] : []),
    ...(statOf(database)?.kind === 'file' ? [{ from: 'claude-mem' as const, source: database }] : []),
    ...banks.map((source) => ({ from: 'memory-bank' as const, source })),
  ]
}

/** Reads and changes nothing. */
export function planNeighbour(store: Store, from: NeighbourMemory, source: string, now: string): PlannedImport {
  const redact = redactorFor(store.config)
  const { brought, others } =
    from === 'claude-mem' ? readRows(store, source, redact) : readPages(store, from, source, redact)
  const mark = fingerprint(JSON.stringify(brought))
  const isDone = takenOver(store, `${from}:${source}`) === mark
  const effects = isDone
    ? []
    : [...pageEffects(store, brought.pages), ...factEffects(store, brought), ...noteEffects(store, brought.notes, now)]
  const counts = { pages: brought.pages.length, notes: brought.notes.length, facts: brought.facts.length }
  return { from, source, effects: keptEffects(store, effects), counts, others, mark }
}

/** Where the backup of what changed is; null: nothing had to be backed up. Call it under the lock, with a plan made under it. */
export function performImport(
  store: Store,
  { from, source, effects, mark }: PlannedImport,
  now: string,
): string | null {
  if (takenOver(store, `${from}:${source}`) === mark) return null
  const paths = [...new Set(effects.map((effect) => effect.path))]
  const isChanging = paths.some((file) => statOf(path.join(store.dir, file)) !== null)
  const backup = isChanging ? backUp(store, paths, paths, now) : null
  for (const effect of effects) store.perform([effect])
  store.perform([recordEffect(store, `${from}:${source}`, mark)])
  return backup
}

interface Read {
  brought: Brought
  others: string[]
}

function readRows(store: Store, source: string, redact: Redactor): Read {
  const { rows, projects } = readClaudeMem(store, source)
  const brought = fromClaudeMem(rows)
  const clean = (text: string): string => redact(text).text
  const notes = brought.notes.map((note) => ({ ...note, text: clean(note.text) }))
  const facts = brought.facts.map((fact) => ({
    ...fact,
    text: clean(fact.text),
    reason: fact.reason === null ? null : clean(fact.reason),
    evidence: { ...fact.evidence, quote: clean(fact.evidence.quote) },
  }))
  return { brought: { pages: [], notes, facts }, others: notes.length + facts.length === 0 ? projects : [] }
}

function readPages({ places }: Store, from: NeighbourMemory, source: string, redact: Redactor): Read {
  const files = markdownIn(source)
  if (files.length === 0)
    throw new KeeperError('no-neighbour', `There are no markdown files in ${source}. Give a directory with --path.`)
  const { root } = places.project
  const told = source.startsWith(root + path.sep) ? path.relative(root, source) : source
  const pages = files.flatMap((file): NewPage[] => {
    const name = neighbourPageName(file, from === 'auto-memory' ? 'auto-' : '')
    const text = readOwnText(path.join(source, file)) ?? ''
    return name === null || text.trim() === '' ? [] : neighbourPages(name, redact(text).text, path.join(told, file))
  })
  return { brought: { pages, notes: [], facts: [] }, others: [] }
}

/** Regular files only: a link may lead anywhere. */
function markdownIn(dir: string): string[] {
  if (statOf(realPath(dir))?.kind !== 'dir') return []
  const isFile = (name: string): boolean => statOf(path.join(dir, name))?.kind === 'file'
  return list(dir)
    .filter((name) => /\.(?:md|markdown|mdc)$/i.test(name) && isFile(name))
    .slice(0, MAX_FILES)
}

function pageEffects(store: Store, pages: readonly NewPage[]): Effect[] {
  const textOf = (name: string): string | null => readOwnText(path.join(store.dir, `${name}${PAGE_SUFFIX}`))
  return pages.flatMap((page): Effect[] => {
    const name = placeForPage(page, textOf)
    return name === null ? [] : [{ do: 'write', path: `${name}${PAGE_SUFFIX}`, text: page.text }]
  })
}

function factEffects(store: Store, { facts }: Brought): Effect[] {
  if (facts.length === 0) return []
  const before = readFacts(store)
  const text = formatFacts(
    joinLegacyFacts(
      before,
      facts.map((fact) => ({ id: '', ...fact })),
    ),
  )
  return text === formatFacts(before) ? [] : [{ do: 'write', path: FACTS_FILE, text }]
}

/** Into archives of their own: they can be found, and do not push out of memory.md what was noted here. */
function noteEffects(store: Store, notes: readonly Note[], now: string): Effect[] {
  const archives = listArchives(store)
  const texts = [readMemory(store), ...archives.map((file) => readArchive(store, file) ?? '')]
  const text = freshNotes(notes, texts, store.config.timezone)
  if (text === '') return []
  const stem = `memory_${formatStamp(notesIn(text).at(-1)?.at ?? now)}`
  const names = Array.from({ length: archives.length + 1 }, (_, n) => (n === 0 ? `${stem}.md` : `${stem}_${n + 1}.md`))
  const first = names.find((name) => !archives.includes(name)) ?? `${stem}.md`
  const textOf = (file: string): string | null => readArchive(store, file)
  const pieces = splitArchive(first, text, rotationLimits(store.config).fullTokens, textOf)
  const state = store.readState()
  const rotated = pieces.map((piece) => ({
    file: piece.file,
    rotatedAt: now,
    tokenCount: estimateTokens(piece.text),
    summary: summaryFileOf(piece.file),
    summaryGenerated: false,
  }))
  return [
    ...pieces.flatMap((piece): Effect[] => {
      const summary = formatSummary(standInSummary(piece.file, now, notesIn(piece.text), readFacts(store)))
      return [
        { do: 'write', path: summaryFileOf(piece.file), text: summary },
        { do: 'write', path: piece.file, text: piece.text },
      ]
    }),
    stateEffect({
      ...state,
      rotatedFiles: [...state.rotatedFiles, ...rotated].toSorted((a, b) => (a.file < b.file ? -1 : 1)),
    }),
  ]
}
