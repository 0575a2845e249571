/** The shape of a digest: what its parts find and its reader shows. */
import type { Entry, Tombstone } from '../transcript/session.ts'

/** An entry with its number in the session. */
export interface Numbered {
  n: number
  entry: Entry | Tombstone
}

export interface ChangedFile {
  path: string
  /** `created` by Write, `removed` by the shell, `edited` otherwise. */
  how: 'created' | 'edited' | 'removed'
  times: number
}

export interface RanCommand {
  /** Word for word. */
  command: string
  /** The outcome of the last run; null: none is known. */
  ok: boolean | null
  /** How often it ran, and how often it failed. */
  runs: number
  failures: number
  /** The telling line of its output, if there is one. */
  tellingLine: string | null
  n: number
}

/** A sentence somebody said, whole, and where. */
export interface Said {
  text: string
  n: number
  by: 'user' | 'assistant'
}

export interface Digest {
  /** What was asked for: the prompts that matter, oldest first, in whole sentences. */
  asked: Said[]
  changed: ChangedFile[]
  ran: RanCommand[]
  commits: { message: string; n: number }[]
  /** Tool uses that the user refused. */
  refused: { tool: string; text: string; n: number }[]
  decided: Said[]
  open: Said[]
  resolved: Said[]
  /** Where it stood at the end: the telling sentences of the last answer. */
  answer: Said | null
  /** Tool uses without a command or a file worth naming, by name (searches, reads, web). */
  others: Record<string, number>
}
