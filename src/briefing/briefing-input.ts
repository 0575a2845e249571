/** What a briefing is made of. */

import type { Teammate } from '../copies/share.ts'
import type { Concept } from '../knowledge/concept.ts'
import type { Facts } from '../knowledge/fact.ts'
import type { FactTally } from '../knowledge/fact-list.ts'
import type { Note } from '../memory/note.ts'
import type { StructureLine } from '../notes/structure.ts'
import type { ArchiveSummary } from '../notes/summary.ts'
import type { RoomPart } from './briefing-room.ts'

/** What a session did, ready to be told: a start that is no compaction need not know how it is found. */
export interface Compacted {
  parts: readonly RoomPart[]
  /** All of it, to tell nothing twice. */
  lines: readonly string[]
}

export interface SessionEnd {
  /** Its id8. */
  id: string
  /** When its last entry was written. */
  at: string
  /** What it was about; empty: nobody asked for anything. */
  goal: string
  /** Where it stands; empty: nothing was said. */
  stands: string
  /** A greeting, or a question and its answer. */
  isSmall: boolean
}

/** The newest session that has notes: told anew from its entries, in the room that is there. */
export interface Digest {
  /** Its id8. */
  session: string
  at: string
  /** Code wrote all of its notes: the digest takes their place. Otherwise it comes behind them. */
  isNote: boolean
  /** About so many characters. */
  lines: (chars: number) => readonly StructureLine[]
  /** How it ended, in at most so many characters; empty: nothing was said. */
  end: (chars: number) => string
}

export interface BriefingInput {
  /** Name of the project's directory. */
  project: string
  branch: string | null
  /** From package.json, Cargo.toml …, if there is one. */
  version: string | null
  /** The rules that hold, as instructions. */
  rules: readonly string[]
  facts: Facts
  /** Files that changed since git's index was written, from the project's root on. */
  changed: ReadonlySet<string>
  /** What the facts are about. */
  concepts: readonly Concept[]
  /** How many live facts each concept has, where `facts` holds the newest only; null: they are all there. */
  tally: ReadonlyMap<string, FactTally> | null
  /** Of memory.md, and of the newest archive where memory.md has few; oldest first. */
  notes: readonly Note[]
  digest: Digest | null
  /** The newest first. */
  sessions: readonly SessionEnd[]
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
