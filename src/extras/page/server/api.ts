/** The requests of the page and the server's answers: types only, for both sides. All are JSON; instants are ISO in UTC. */

import type { Finding } from '../../../core/extra.ts'
import type { daysOf, hooksPerDay, toolsOf } from '../../../core/health/series.ts'
import type { Fact, PermanentItem, Speaker } from '../../../core/knowledge/item.ts'
import type { ReceiptRow, SessionReceipts } from '../../../core/receipts/receipt.ts'
import type { RowOfSession } from '../../../kernel/sessions/session-row.ts'

/** GET /api/overview: shown above every view. */
export interface Overview {
  version: string
  project: string
  memory: string
  /** The time zone of the days: an IANA name. */
  timezone: string
  /** `foreign`: the project's own directory is not read. */
  standing: 'ours' | 'absent' | 'foreign'
  sessions: number
  entries: number
  notes: number
  facts: number
  /** Rules that wait for the user's approval. */
  proposed: number
  /** Problems and warnings; null: the doctor is still running. */
  findings: number | null
  /** By its worst finding; empty: it is still looking. */
  health: 'good' | 'fair' | 'poor' | ''
  /** Nothing can be changed here. */
  isReadOnly: boolean
  /** The reason, for a person; empty if it can be changed. */
  readOnlyWhy: string
  /** Changes whenever something on disk changes, even if every figure stays the same. */
  mark: string
}

/** GET /api/pulse: the overview's `mark` alone, which costs a few looks at files. */
export type Pulse = Pick<Overview, 'mark'>

/** GET /api/projects: those of this machine that the page may show; the one it was started in is first. */
export interface ProjectItem {
  /** For `?project=` in an address; empty: the one it was started in. */
  key: string
  root: string
  /** False: it is not trusted, and nothing of it is read. */
  isOpen: boolean
}

/** GET /api/today: the first view. */
export interface TodayView {
  /** The newest ones, with where each stands. */
  sessions: (SessionItem & { stands: string })[]
  /** Open ones, newest first; at most 8. */
  issues: FactItem[]
  /** Of the facts. */
  openIssues: number
  /** What the last session left open. */
  left: { source: string; text: string }[]
  /** Rules that wait for the user's yes. */
  proposed: PermanentRow[]
  today: Spent
  /** Today and the six days before. */
  week: Spent
  /** The last change by you or Claude, which `undo` takes back. */
  lastChange: { at: string; what: string } | null
}

/** What was injected into sessions, and what background calls used. */
export interface Spent {
  injected: number
  calls: number
  tokens: number
  costUsd: number
}

/** GET /api/sessions?offset=0&limit=200: newest first. */
export interface SessionList {
  total: number
  offset: number
  sessions: SessionItem[]
}

export type SessionItem = Omit<RowOfSession, 'fileCounts' | 'quarters'> & {
  /** Most worked on first; at most 8. */
  files: string[]
  /** The host that runs it is alive, and its end was not announced. */
  isRunning: boolean
}

/** GET /api/session/<id>?from=0&limit=400 */
export interface SessionPage {
  session: SessionItem
  from: number
  /** How many numbers its entries have, those of forgotten ones too. */
  total: number
  entries: EntryItem[]
  notes: NoteItem[]
  /** Ids of the facts from this session. */
  facts: string[]
}

export interface EntryItem {
  n: number
  /** `L1:1a2b3c4d#5`. */
  id: string
  role: 'user' | 'assistant' | 'tool' | 'subagent' | 'teammate' | 'summary' | 'tombstone'
  at: string
  /** Empty for a tool use and a tombstone. */
  text: string
  tool?: { name: string; cmd: string; outcome: 'no result' | 'ok' | 'refused' | 'failed'; output: string }
  agent?: string
  /** The sender of a message. */
  from?: string
  /** Why a prompt is not the user's own. */
  notUsers?: string
}

/** GET /api/memory */
export interface MemoryView {
  /** From memory.md, newest first. */
  notes: NoteItem[]
  tokens: number
  rotatesAt: number
  /** Newest first. */
  archives: ArchiveItem[]
  /** Weeks and months, newest first. */
  tiers: { file: string; kind: 'week' | 'month'; period: string; sessions: number }[]
  pages: { name: string; text: string; isTemplate: boolean }[]
}

export interface NoteItem {
  id: string
  at: string
  text: string
  author: 'headless' | 'agent' | 'extractive' | 'user' | 'unknown'
  /** `memory.md` or the archive that contains it. */
  file: string
  /** The entries it covers; null for a hand-written note. */
  source: { session: string; from: number; to: number } | null
}

export interface ArchiveItem {
  file: string
  at: string
  notes: number
  tokens: number
  summary: {
    overall: string
    themes: string[]
    keyDecisions: string[]
    issues: string[]
    madeBy: 'model' | 'code'
  } | null
}

/** GET /api/archive/<file> and GET /api/tier/<file> (a tier's text is markdown). */
export interface ArchivePage {
  archive: ArchiveItem
  notes: NoteItem[]
}
export interface TierPage {
  file: string
  text: string
}

/** GET /api/knowledge */
export interface KnowledgeView {
  facts: FactItem[]
  concepts: { id: string; name: string; summary: string; files: string[]; facts: number }[]
  permanent: PermanentRow[]
  rules: { text: string; isBuiltIn: boolean }[]
}

export type FactItem = Pick<
  Fact,
  'id' | 'kind' | 'text' | 'reason' | 'status' | 'resolution' | 'at' | 'state' | 'concept' | 'files'
> & {
  lastAt: string
  /** The reason for this state; empty when fresh. */
  why: string
  isPinned: boolean
  /** An open issue: work that is left. */
  isOpen: boolean
  /** Whose words the evidence is: yours, Claude's, or a tool's. */
  by: Speaker | null
  quote: string
  /** `L1:1a2b3c4d#5`, or empty for a fact written by hand. */
  place: string
  also: string[]
}

export type PermanentRow = Pick<PermanentItem, 'id' | 'text' | 'state' | 'at' | 'facts'> & {
  kind: 'rule' | 'solution' | 'core_logic'
  /** The other machine, or the earlier version, that it came from; empty: it was said here. */
  from: string
  evidence: { place: string; quote: string }[]
  why: string
}

/** GET /api/search?q=…&layer=L1,L2,L3&type=&since=&until=&session=&file=&limit=30 */
export interface SearchView {
  hits: {
    id: string
    /** Another machine of the user or a teammate who remembers it; null: it is of this machine. */
    owner: string | null
    layer: 'L1' | 'L2' | 'L3'
    kind: string
    date: string
    session: string | null
    entry: number | null
    snippet: string
    /** [from, to) in the snippet. */
    marks: (readonly [number, number])[]
    state: string
    also: string[]
  }[]
  ms: number
  corrected: { typed: string; taken: string }[]
  missing: string[]
  /** False: older sessions are still being read for the first time; ask again in a moment. */
  isComplete: boolean
}

/** GET /api/item/<id>: anything with an id, as text with its neighbours, for an opened hit. */
export interface ItemView {
  id: string
  title: string
  text: string
  /** The entries around it, if it is in a session. */
  around: EntryItem[]
  session: string | null
}

/** GET /api/injected?offset=0&limit=100: sessions into which something was injected, newest first. */
export interface InjectedList {
  total: number
  sessions: InjectedRow[]
}

export type InjectedRow = Omit<ReceiptRow, 'session'> & { goal: string }

/** GET /api/injected/<id> */
export type InjectedPage = Omit<SessionReceipts, 'row'> & { row: InjectedRow }

/** GET /api/health */
export interface HealthView {
  checks: { name: string; verdict: Finding['verdict']; finding: string; fix: string }[]
  coverage: { transcripts: number; behind: number; damaged: number }
  /** Per day and event. */
  hooks: ReturnType<typeof hooksPerDay>
  /** Injected tokens per day, by part. */
  tokensPerDay: { day: string; briefing: number; rules: number; recall: number; request: number }[]
  /** Tokens used by background calls, per day. */
  modelPerDay: { day: string; calls: number; tokens: number; costUsd: number }[]
  redactions: number
  badLines: number
  /** The newest lines of the log. */
  errors: string[]
  bytes: { sessions: number; memory: number; index: number; vault: number }
}

/** GET /api/charts: every day from the first to the last session, and uses per day of the most used tools; `other` last. */
export type ChartsView = ReturnType<typeof toolsOf> & {
  days: ReturnType<typeof daysOf>
  /** Tokens of memory.md after each note; a rotation lowers it. */
  memory: { at: string; tokens: number; isRotation: boolean }[]
}

/** Every address takes `?project=<key>`. POST /api/act, JSON; the same functions as the commands. With `dryRun` only says what would be done. */
export type Action =
  | { do: 'forget'; id: string; dryRun: boolean }
  | { do: 'edit-note'; id: string; text: string }
  | { do: 'edit-fact'; id: string; text: string; reason: string }
  /** A rule of rules.md, by its words. */
  | { do: 'edit-rule'; rule: string; text: string }
  | { do: 'resolve'; id: string; resolution: string }
  | { do: 'reopen'; id: string }
  | { do: 'reject'; id: string; why: string }
  | { do: 'restore'; id: string }
  | { do: 'pin' | 'unpin'; id: string }
  /** `text`: in these words. */
  | { do: 'accept'; id: string; text?: string }
  | { do: 'decline'; id: string }
  | { do: 'undo' }

export interface Acted {
  /** What was done, or would be done, as lines for a person. */
  said: string[]
}

/** Every error: status 400, 401, 403, 404, 409, 413 or 500. */
export interface Failed {
  error: { code: string; message: string }
}
