/** What a briefing is made of. */

import type { Teammate } from '../copies/share.ts'
import type { Concept } from '../knowledge/concept.ts'
import type { Facts } from '../knowledge/fact.ts'
import type { FactTally } from '../knowledge/fact-list.ts'
import type { Note } from '../memory/note.ts'
import type { ArchiveSummary } from '../notes/summary.ts'
import type { RoomPart } from './briefing-room.ts'

/** What a session did, ready to be told: a start that is no compaction need not know how it is found. */
export interface Compacted {
  parts: readonly RoomPart[]
  /** All of it, to tell nothing twice. */
  lines: readonly string[]
}

export interface EarlierSession {
  /** Its id8. */
  id: string
  /** `2026-08-19`; empty if it is not known. */
  day: string
  goal: string
}

export interface BriefingInput {
  /** Name of the project's directory. */
  project: string
  branch: string | null
  /** From package.json, Cargo.toml …, if there is one. */
  version: string | null
  /** What people said for good and no rule tells yet, the most important first. */
  /** What is told with the prompts, whatever a briefing says. */
  rules: readonly string[]
  facts: Facts
  /** What the facts are about. */
  concepts: readonly Concept[]
  /** How many live facts each concept has, where `facts` holds the newest only; null: they are all there. */
  tally: ReadonlyMap<string, FactTally> | null
  /** Of memory.md, and of the newest archive where memory.md has few; oldest first. */
  notes: readonly Note[]
  /** Earlier sessions by what they were about, newest first: where there are few notes. */
  sessions: readonly EarlierSession[]
  /** Comments stripped, untouched templates left out. */
  pages: readonly { name: string; text: string }[]
  /** Newest first. */
  archives: readonly { file: string; summary: ArchiveSummary | null }[]
  /** The host's own auto memory: it loads MEMORY.md itself, but not the topic files beside it. */
  autoMemory: { lines: readonly string[]; topics: readonly string[] } | null
  /** What others of the project decided and shared, newest first. */
  teammates: readonly Teammate[]
  /** After a compaction: what this session did, which the host's summary drops. */
  compacted: Compacted | null
  /** The running session's id8: after a compaction its notes come first. */
  session: string | null
  maxChars: number
}
