/** What is open between the lines of a transcript, as it is saved with the byte offset: tool uses, texts in the host's queue. */

import type { TaskItem } from './session.ts'

/** Everything that a later line may refer to. It is saved with the byte offset, so that reading can stop and continue anywhere. */
export interface RefineState {
  ts: string
  /** The launch directory of the session. */
  base: string
  /** The git branch of the newest line that produced an entry. */
  branch: string
  /** The host's name for the plan at hand, by the newest line that produced an entry. */
  slug: string
  /** The directory in which that line left the launch directory; empty: it did not. */
  tree: string
  /** The time of a refusal at the beginning that belongs to another file's tool use; empty: something else followed it. */
  orphan: string
  tools: Record<string, StartedTool>
  queue: QueuedText[]
  /** Fingerprints of Claude's texts since the last prompt: an answer that the Stop hook reported is not stored twice. */
  said: string[]
  /** The answer that the Stop hook reported, until its line appears in the transcript. */
  answer: { text: string; ts: string } | null
}

export const EMPTY_REFINE_STATE: RefineState = {
  ts: '',
  base: '',
  branch: '',
  slug: '',
  tree: '',
  orphan: '',
  tools: {},
  queue: [],
  said: [],
  answer: null,
}

/** `done`: the result has arrived, but a tool that was called earlier is still running. */
export interface StartedTool {
  name: string
  cmd: string
  ts: string
  agent?: string | undefined
  items?: TaskItem[] | undefined
  /** Of a Read: see `Entry`. */
  offset?: number | undefined
  limit?: number | undefined
  /** Of an agent: see `Entry`. */
  title?: string | undefined
  /** Of a dialog: a text that Claude put into it contains a quotation mark. */
  isQuoted?: true | undefined
  done?: FinishedTool | undefined
  /** A finisher was started to wait for the result. */
  waited?: true
}

export interface FinishedTool extends KeptOutput {
  /** Null: a dialog that nobody answered. */
  ok: boolean | null
  refused?: true | undefined
  /** The number of a newly created task. */
  task?: string | undefined
  /** The user's words inside the result, and their time. */
  words?: { text: string; ts: string; sent?: true } | undefined
}

export interface KeptOutput {
  output: string
  /** Only the beginning is kept, and may end in the middle of a word. */
  cut?: true | undefined
  /** The id of the agent that the tool use started. */
  ran?: string | undefined
}

/** `taken`: handed to Claude, its own line not seen yet. `told`: stored from the queue; its own line may still follow. */
export interface QueuedText {
  /** Empty for text of the host, which keeps its place so that the order of the queue stays right. */
  text: string
  /** The sender, if the message is not the user's. */
  from?: string
  ts: string
  at: 'waiting' | 'taken' | 'told'
  /** The time of the last change of `at`. A late line is older than this; a new prompt with the same text is newer. */
  since: string
}

export interface ToolOptions {
  outputChars: number
  /** Every text is redacted with this before it is used; an output together with the command that printed it. */
  redact: (text: string, printed?: { command: string; failed: boolean }) => string
  /** The file is outside the host's own directories. Anyone may have written its prompts, so that all of them are `sent`. */
  isForeign?: true
  /** Whether this text ends the own transcript of the agent of this id, whose texts are stored with it. */
  isInOwnFile?: (agent: string, report: string) => boolean
  /** Whether an agent's text among the entries of this piece is this one. */
  isStored?: (report: string) => boolean
}
