/** What the page asks the server for, and what it is given: types only, for both sides. All of it is JSON; instants are ISO in UTC. */
import type { ToldPage, ToldRow } from '../receipts/receipt.ts'
import type { RowOfSession } from '../sessions/session-row.ts'

/** GET /api/overview: what stands above every view. */
export interface Overview {
  version: string
  project: string
  memory: string
  /** In which days are counted: an IANA name. */
  timezone: string
  /** `foreign`: the project's own directory is not read. */
  standing: 'ours' | 'absent' | 'foreign'
  sessions: number
  entries: number
  notes: number
  facts: number
  /** Rules that wait for the user's yes. */
  proposed: number
  /** Findings of the doctor that are no `ok`; null: it is still looking. */
  findings: number | null
  /** Nothing can be changed here. */
  isReadOnly: boolean
  /** Why, for a person; empty where it can be changed. */
  readOnlyWhy: string
  /** Another one: something on disk has changed since, also where every figure is the same. */
  mark: string
}

/** GET /api/sessions?offset=0&limit=200: newest first. */
export interface SessionList {
  total: number
  offset: number
  sessions: SessionItem[]
}

/** `files`: most worked on first; at most 8. */
export type SessionItem = Omit<RowOfSession, 'fileCounts' | 'quarters'> & { files: string[] }

/** GET /api/session/<id>?from=0&limit=400 */
export interface SessionPage {
  session: SessionItem
  from: number
  entries: EntryItem[]
  notes: NoteItem[]
  /** Ids of the facts that were said here. */
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
  /** Of memory.md, newest first. */
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
  author: 'headless' | 'agent' | 'extractive' | 'user'
  /** `memory.md` or the archive that holds it. */
  file: string
  /** The entries it tells of; null for one written by hand. */
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

export interface FactItem {
  id: string
  type: 'decision' | 'pattern' | 'issue'
  text: string
  reason: string | null
  status: 'open' | 'resolved' | null
  resolution: string | null
  at: string
  lastAt: string
  state: 'fresh' | 'stale' | 'superseded' | 'rejected'
  /** Why it is in this state, in words; empty when fresh. */
  why: string
  isPinned: boolean
  concept: string | null
  files: string[]
  /** Whose words the evidence is: yours, Claude's, or a tool's. */
  by: 'user' | 'assistant' | 'tool' | null
  quote: string
  /** `L1:1a2b3c4d#5`, or empty for a fact written by hand. */
  place: string
  also: string[]
}

export interface PermanentRow {
  id: string
  kind: 'rule' | 'solution' | 'core_logic'
  text: string
  status: 'proposed' | 'active' | 'declined' | 'superseded'
  at: string
  facts: string[]
  evidence: { place: string; quote: string }[]
  why: string
}

/** GET /api/search?q=…&layer=L1,L2,L3&type=&since=&until=&session=&file=&limit=30 */
export interface SearchView {
  hits: {
    id: string
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

/** GET /api/item/<id>: whatever has an id, as text with its neighbours, for a hit that is opened. */
export interface ItemView {
  id: string
  title: string
  text: string
  /** Entries around it, where it is in a session. */
  around: EntryItem[]
  session: string | null
}

/** GET /api/injected?offset=0&limit=100: sessions that were told something, newest first. */
export interface InjectedList {
  total: number
  sessions: InjectedRow[]
}

export type InjectedRow = Omit<ToldRow, 'session'> & { goal: string }

/** GET /api/injected/<id> */
export type InjectedPage = Omit<ToldPage, 'row'> & { row: InjectedRow }

/** GET /api/health */
export interface HealthView {
  checks: { name: string; verdict: 'ok' | 'warning' | 'problem'; finding: string; fix: string }[]
  coverage: { transcripts: number; behind: number; damaged: number }
  /** Per day and event. */
  hooks: { day: string; event: string; calls: number; p50: number; p95: number }[]
  /** Of all calls in the journal: per event, how many took so long; upper bounds in ms. */
  distribution: { bounds: number[]; events: { event: string; counts: number[] }[] }
  /** Tokens told per day, by part. */
  tokensPerDay: { day: string; briefing: number; rules: number; recall: number; request: number }[]
  /** Tokens used by background calls, per day. */
  modelPerDay: { day: string; calls: number; tokens: number; costUsd: number }[]
  redactions: number
  badLines: number
  /** The newest lines of the log. */
  errors: string[]
  bytes: { sessions: number; memory: number; index: number; vault: number }
}

/** GET /api/charts */
export interface ChartsView {
  /** Every day from the first to the last session. */
  days: { day: string; sessions: number; prompts: number; tools: number }[]
  /** Uses per day of the commonest tools; `other` last. */
  toolNames: string[]
  toolsPerDay: { day: string; counts: number[] }[]
  files: { file: string; uses: number; sessions: number }[]
  /** Tokens of memory.md after each note; a rotation lowers it. */
  memory: { at: string; tokens: number; isRotation: boolean }[]
}

/** POST /api/act, JSON; the same functions as the commands. With `dryRun` only says what would be done. */
export type Action =
  | { do: 'forget'; id: string; dryRun: boolean }
  | { do: 'edit-note'; id: string; text: string }
  | { do: 'resolve'; id: string; resolution: string }
  | { do: 'reopen'; id: string }
  | { do: 'reject'; id: string; why: string }
  | { do: 'restore'; id: string }
  | { do: 'pin' | 'unpin'; id: string }
  | { do: 'accept' | 'decline'; id: string }
  | { do: 'undo' }

export interface Acted {
  /** What was done, or would be, in lines for a person. */
  said: string[]
}

/** Every error: status 400, 401, 403, 404, 409, 413 or 500. */
export interface Failed {
  error: { code: string; message: string }
}
