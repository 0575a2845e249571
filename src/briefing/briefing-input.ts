/** The input of a briefing. */

import type { Teammate } from '../copies/others.ts'
import type { Concept } from '../knowledge/concept.ts'
import type { Facts } from '../knowledge/fact.ts'
import type { FactTally } from '../knowledge/fact-list.ts'
import type { Note } from '../memory/note.ts'
import type { StructureLine } from '../notes/structure.ts'
import type { ArchiveSummary } from '../notes/summary.ts'
import type { RoomPart } from './briefing-room.ts'

/** What a session did, already rendered: only a start after a compaction loads the code for it. */
export interface Compacted {
  parts: readonly RoomPart[]
  /** All of its lines, so that nothing is repeated. */
  lines: readonly string[]
}

export interface SessionEnd {
  /** Its id8. */
  id: string
  /** The time of its last entry. */
  at: string
  /** Its goal; empty: there was no prompt. */
  goal: string
  /** Where it stands; empty: there was no answer. */
  stands: string
  /** A greeting, or a question and its answer. */
  isSmall: boolean
}

/** The newest session with notes: rendered again from its entries, in the available room. */
export interface Digest {
  /** Its id8. */
  session: string
  at: string
  /** Code wrote all its notes: the digest replaces them. Otherwise it follows them. */
  isNote: boolean
  /** About this many characters. */
  lines: (chars: number) => readonly StructureLine[]
  /** How it ended, in at most this many characters; empty: there was no answer. */
  end: (chars: number) => string
}

export interface BriefingInput {
  /** The name of the project's directory. */
  project: string
  branch: string | null
  /** From package.json, Cargo.toml …, if there is one. */
  version: string | null
  /** The active rules, as instructions. */
  rules: readonly string[]
  facts: Facts
  /** Files that changed since git's index was written, relative to the project's root. */
  changed: ReadonlySet<string>
  /** The concepts of the facts. */
  concepts: readonly Concept[]
  /** The number of current facts per concept, if `facts` contains only the newest; null: all facts are there. */
  tally: ReadonlyMap<string, FactTally> | null
  /** From memory.md, and from the newest archive if memory.md has few; oldest first. */
  notes: readonly Note[]
  digest: Digest | null
  /** Newest first. */
  sessions: readonly SessionEnd[]
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
  compacted: Compacted | null
  /** The running session's id8: after a compaction its notes come first. */
  session: string | null
  maxChars: number
}
