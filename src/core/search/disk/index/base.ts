/** The index in one process: its segments, and what this process adds to them. */
import { newWordBag, readTokens, type WordBag } from '../../../../kernel/text/words.ts'
import type { Columns } from '../../engine.ts'
import { traitsOf } from '../../traits.ts'
import { countIn, type LoadedColumns, loadColumns } from './columns.ts'
import { type Document, type KnownSource, NEVER_SEEN, type Row, type Seen, UNREAD } from './documents.ts'
import { dropLists, type KeptLists, newKeptLists } from './lists.ts'
import {
  newDraft,
  rowIn,
  type Segment,
  type SegmentDraft,
  type SourceRow,
  segmentInMemory,
  sourcesIn,
  type WriteSegment,
  writeDraft,
} from './segment.ts'

export interface Base {
  /** Null: in memory only. */
  readonly dir: string | null
  segments: Segment[]
  /** The number of live documents, and their tokens in total. */
  live: number
  tokens: number
  seen: Seen
  draft: SegmentDraft
  /** Words seen by this process; words that a segment contains are removed. */
  readonly bag: WordBag
  /** Some changes are not on disk yet. */
  isChanged: boolean
  /** Null: not read yet. */
  known: Known | null
  /** Null, or for other segments than the current ones: not read yet. */
  loaded: LoadedColumns | null
  readonly lists: KeptLists
}

/** Sources by number (the group of their documents), and numbers by path. */
interface Known {
  sources: KnownSource[]
  groups: Map<string, number>
}

export function newBase(dir: string | null): Base {
  return {
    dir,
    segments: [],
    live: 0,
    tokens: 0,
    seen: NEVER_SEEN,
    draft: newDraft(),
    bag: newWordBag(),
    isChanged: false,
    known: null,
    loaded: null,
    lists: newKeptLists(),
  }
}

export function isDamaged({ segments }: Base): boolean {
  return segments.some(({ sections }) => sections.isDamaged)
}

/** Without the draft. */
export function columnsOf(base: Base): Columns {
  const { segments, loaded } = base
  const isSame = loaded?.segments.length === segments.length && loaded.segments.at(-1) === segments.at(-1)
  if (loaded !== null && isSame) return loaded.columns
  dropLists(base.lists)
  base.loaded = loadColumns(segments, base, loaded)
  return base.loaded.columns
}

export function documentRow({ segments }: Base, doc: number): Row {
  const segment = segments.findLast(({ record }) => record.first <= doc)
  return segment === undefined ? { at: 0, size: 0, n: 0, hash: 0 } : rowIn(segment, doc)
}

export function sourceTable(base: Base): Known {
  if (base.known !== null) return base.known
  const known: Known = { sources: [], groups: new Map() }
  for (const [group, path, mark, ino, offset, n, anchor, memo = null] of base.segments.flatMap(sourcesIn)) {
    known.sources[group] = { path, mark, ino, offset, n, anchor, memo }
    known.groups.set(path, group)
  }
  base.known = known
  return known
}

export function knownSource(base: Base, path: string): KnownSource {
  const { sources, groups } = sourceTable(base)
  return sources[groups.get(path) ?? -1] ?? { path, ...UNREAD }
}

/** The number of a source; a new one is not read yet. */
export function groupOf(base: Base, source: string): number {
  const { sources, groups } = sourceTable(base)
  const group = groups.get(source) ?? sources.push({ path: source, ...UNREAD }) - 1
  groups.set(source, group)
  return group
}

export function setSource(base: Base, group: number, known: Omit<KnownSource, 'path'>): void {
  Object.assign(sourceTable(base).sources[group] ?? {}, known)
  base.draft.sources.add(group)
  base.isChanged = true
}

/** The live documents of a source, in order. */
export function docsIn(base: Base, group: number): number[] {
  const { group: groups, dead, count } = columnsOf(base)
  const docs: number[] = []
  for (let doc = groups.indexOf(group); doc >= 0; doc = groups.indexOf(group, doc + 1))
    if (dead[doc] === 0) docs.push(doc)
  const killed = new Set(base.draft.killed)
  base.draft.group.forEach((own, i) => {
    if (own === group && !killed.has(count + i)) docs.push(count + i)
  })
  return docs
}

export function killDocument(base: Base, doc: number): void {
  const { dead, length, count } = columnsOf(base)
  base.live--
  base.tokens -= (doc < count ? length[doc] : base.draft.length[doc - count]) ?? 0
  dead[doc] = 1
  base.draft.killed.push(doc)
  base.isChanged = true
}

export function addDocument(base: Base, { kind, time, text, at, size, n, hash }: Document, group: number): void {
  const { draft } = base
  const tokens = readTokens(text, base.bag)
  draft.inverter.add(tokens)
  draft.length.push(tokens.length)
  draft.group.push(group)
  draft.kind.push(kind)
  draft.flags.push(traitsOf(text))
  draft.seconds.push(secondsOf(time))
  draft.rows.push(at, size, n, hash)
  base.live++
  base.tokens += tokens.length
  base.isChanged = true
}

/** 0 if unknown. */
function secondsOf(at: string): number {
  const seconds = Math.floor(Date.parse(at) / 1000)
  return seconds > 0 && seconds < 2 ** 32 ? seconds : 0
}

/** Turns the draft into a segment, in memory unless `make` is given. If that fails, it stays a draft. */
export function sealDraft(base: Base, make: (write: WriteSegment) => Segment = segmentInMemory): void {
  const { draft, segments, bag } = base
  if (draft.length.length + draft.killed.length + draft.sources.size === 0) return
  const { sources } = sourceTable(base)
  const rows = [...draft.sources].flatMap((group) => {
    const source = sources[group]
    return source === undefined ? [] : [sourceRow(group, source)]
  })
  segments.push(make((append) => writeDraft(draft, countIn(segments), bag.words, rows, append)))
  bag.words.clear()
  draft.inverter.reset()
  base.draft = newDraft(draft.inverter)
}

function sourceRow(group: number, { path, mark, ino, offset, n, anchor, memo }: KnownSource): SourceRow {
  const row: SourceRow = [group, path, mark, ino, offset, n, anchor]
  if (memo !== null) row.push(memo)
  return row
}
