/** The input of a briefing, and the distribution of room to its lines: each part has a guaranteed share, and unused room is distributed again. */

import type { Note } from '../../kernel/memory/note.ts'
import type { Frame } from '../../kernel/text/frame.ts'
import type { Concept } from '../knowledge/concept.ts'
import type { Fact } from '../knowledge/item.ts'
import type { Items } from '../knowledge/items.ts'
import type { Learned } from '../notes/learned-use.ts'
import type { OpenWork } from '../notes/open-work.ts'
import type { Story } from '../notes/story.ts'
import type { ArchiveSummary } from '../notes/summary.ts'
import type { Teammate } from '../others/others.ts'
import type { FactTally } from './newest-facts.ts'

/** A session whose entries are not read: what its record says. */
export interface SessionEnd {
  /** Its id8. */
  id: string
  /** The time of its last entry. */
  at: string
  /** Its goal; empty: there was no prompt. */
  goal: string
}

/** A session as it is told, with what a model or a person wrote about it. */
export interface StoryInput {
  story: Story
  /** Of a model or a person; they stand for the turns that they cover. Oldest first. */
  notes: readonly Note[]
  /** Where it stands, as a model wrote it; empty: no model did. */
  stands: string
  /** It still runs in another terminal. */
  isRunning: boolean
  /** Our hooks saw it; otherwise it was imported, or an earlier version kept it. */
  isSeen?: true
  /** Only its end is read: when it began and how many prompts it has is not known. */
  isEnd?: true
}

export interface BriefingInput {
  /** The name of the project's directory. */
  project: string
  branch: string | null
  /** From package.json, Cargo.toml …, if there is one. */
  version: string | null
  /** The active rules, as instructions. */
  rules: readonly string[]
  facts: Items
  /** By the ids of decisions, what is told behind them: words of the user that nobody has settled. */
  later: ReadonlyMap<string, string>
  /** Facts of a model that no audit can judge any more; empty while one can come: then they are not told. */
  unaudited: readonly Fact[]
  /** Files that changed since git's index was written, relative to the project's root. */
  changed: ReadonlySet<string>
  /** The concepts of the facts. */
  concepts: readonly Concept[]
  /** The number of current facts per concept, if `facts` contains only the newest; null: all facts are there. */
  tally: ReadonlyMap<string, FactTally> | null
  /** Then: whether one of the others says the same. */
  isLeftOut?: (text: string) => boolean
  /** Sessions, newest first. */
  stories: readonly StoryInput[]
  /** How many of the newest sessions nobody typed in. */
  headless: number
  /** What the last session left open. Issues of a model or a person are among the facts. */
  work: readonly OpenWork[]
  learned: readonly Learned[]
  /** Reports of subagents, newest first. `source`: `1a2b3c4d#5`; `text`: what the task was called; `about`: files and headings. */
  reports: readonly { at: string; source: string; text: string; about: string }[]
  /** Notes about no session that is told: a person's own, and those whose session is not stored. Oldest first. */
  notes: readonly Note[]
  /** Where the work stood when v3 or v4 last wrote it; missing or empty: nowhere. */
  stateBefore?: string
  /** Sessions before the stories, newest first. */
  earlier: readonly SessionEnd[]
  /** Without comments and without unchanged templates. */
  pages: readonly { name: string; text: string }[]
  /** Newest first. */
  archives: readonly { file: string; summary: ArchiveSummary | null }[]
  /** The host's own auto memory: it loads MEMORY.md itself, but not the topic files beside it. */
  autoMemory: { lines: readonly string[]; topics: readonly string[] } | null
  /** Where the user's other machines stand and what was decided there. */
  machines: readonly Teammate[]
  /** Where others of the project stand and what they decided, as far as they share it. */
  teammates: readonly Teammate[]
  /** After a compaction: what this session did, which the host's summary drops. */
  compacted: readonly RoomLine[] | null
  /** The running session's id8: after a compaction its notes come first. */
  session: string | null
  maxChars: number
  frame: Frame
}

export interface RoomLine {
  text: string
  /** The reason, for a person who asks. */
  reason: string
  /** A shorter version; without it a line is included whole or not at all. */
  shorten?: (room: number) => string | null
  /** The entry that it covers: `1a2b3c4d#5`. */
  about?: string
  /** Of v3 or v4, and nobody has judged it: it does not age. */
  isEarlier?: true
  /** Its day, and the text with it: told where the line before is of another day. */
  dated?: { day: string; text: string }
}

export interface RoomPart {
  title: string
  /** The share of all the room, 0 to 1. */
  share: number
  /** Most important first. */
  lines: readonly RoomLine[]
  /** Stops at the first line that does not fit; otherwise shorter lines behind it are tried. */
  isRunning?: true
  /** Appended to the last line if lines are missing. */
  more?: string
}

export interface Filled {
  title: string
  lines: RoomLine[]
}

/**
 * The lines of each part that fit; a part without lines has no title and is left out. First each part takes whole lines within
 * its share, then each empty part its first line, then everything else in the order of parts.
 */
export function fill(parts: readonly RoomPart[], room: number): Filled[] {
  const takers = parts.map((part) => ({ part, taken: new Map<number, RoomLine>() }))
  let left = room
  const take = (part: RoomPart, taken: Map<number, RoomLine>, allowed: number): void => {
    left -= allowed - takeLines(part, taken, allowed)
  }
  for (const { part, taken } of takers) {
    const whole = { ...part, lines: part.lines.map(({ shorten: _, ...line }) => line) }
    take(whole, taken, Math.min(left, Math.floor(room * part.share)))
  }
  for (const { part, taken } of takers)
    if (taken.size === 0) take({ ...part, lines: part.lines.slice(0, 1) }, taken, left)
  for (const { part, taken } of takers) take(part, taken, left)
  return takers
    .filter(({ taken }) => taken.size > 0)
    .map(({ part, taken }) => ({ title: part.title, lines: inOrder(part, taken) }))
}

/** The length of the parts as text, each line with its line break. */
export function lengthOfLines(filled: readonly Filled[]): number {
  return filled.reduce(
    (sum, { title, lines }) => sum + costOf(title) + lines.reduce((inner, { text }) => inner + costOf(text), 0),
    0,
  )
}

/** Returns the room that is left. */
function takeLines(part: RoomPart, taken: Map<number, RoomLine>, room: number): number {
  let left = room
  for (const [i, line] of part.lines.entries()) {
    const before = taken.get(i)
    if (before !== undefined && before.text !== line.text && part.isRunning) break
    if (before !== undefined) continue
    const title = taken.size === 0 ? costOf(part.title) + (part.more?.length ?? 0) : 0
    const days = costOfDays(part, taken, i)
    const fitting = fitted(line, left - title - days - 1)
    if (fitting === null && part.isRunning) break
    if (fitting === null) continue
    taken.set(i, fitting)
    left -= title + days + costOf(fitting.text)
    if (fitting.text !== line.text && part.isRunning) break
  }
  return left
}

/** What the i-th line costs besides its text, when it comes between those that are taken: its day, and the day of the next one. */
function costOfDays({ lines }: RoomPart, taken: ReadonlyMap<number, RoomLine>, i: number): number {
  const line = lines[i]
  if (line?.dated === undefined) return 0
  const before = lines.findLast((_, n) => n < i && taken.has(n))
  const after = lines.find((_, n) => n > i && taken.has(n))
  const next = after === undefined ? 0 : shown(after, line).length - shown(after, before).length
  return shown(line, before).length - line.text.length + next
}

function shown({ text, dated }: RoomLine, before: RoomLine | undefined): string {
  return dated === undefined || dated.day === before?.dated?.day ? text : dated.text
}

function fitted(line: RoomLine, room: number): RoomLine | null {
  if (line.text.length <= room) return line
  const text = line.shorten?.(room) ?? null
  return text === null || text.length > room ? null : { ...line, text }
}

function inOrder(part: RoomPart, taken: ReadonlyMap<number, RoomLine>): RoomLine[] {
  const lines = part.lines
    .flatMap((_, i) => taken.get(i) ?? [])
    .map((line, i, all) => ({ ...line, text: shown(line, all[i - 1]) }))
  const { more } = part
  if (more === undefined || lines.length === part.lines.length) return lines
  return lines.map((line, i) => (i === lines.length - 1 ? { ...line, text: line.text + more } : line))
}

/** A missing title costs nothing. */
function costOf(line: string): number {
  return line === '' ? 0 : line.length + 1
}
