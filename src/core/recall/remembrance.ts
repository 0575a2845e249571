/** The memory as recall sees it for one session, and what a signal found in it. */

import type { Unit } from '../../kernel/memory/document.ts'
import type { Entry, Tombstone } from '../../kernel/transcript/session.ts'
import type { Columns, Engine } from '../search/engine.ts'

/** With a prompt, in this order: the first that fires is told. `failure` comes after a failed command, `agent` before an agent starts. */
export type Signal = 'operation' | 'standing' | 'error' | 'reference' | 'question' | 'failure' | 'agent'

/** Sentences of one source: the first is told whole, then as many of the following as fit. */
export interface Recollection {
  source: RecalledSource
  score: number
  sentences: readonly string[]
  /** Where the first of them begins among all that may be told of the source, in characters. */
  from: number
}

/** What a recalled line names: the id, the day and the author. `branch`: where the work stood. */
export type RecalledSource = Omit<Unit, 'n' | 'text' | 'about'> & { branch?: string }

export interface Recall {
  /** Null: nothing is injected. */
  signal: Signal | null
  /** One sentence. */
  verdict: string
  scores: Record<string, number>
  /** Most important first. */
  picks: readonly Recollection[]
  /** It is told once in a session, whatever else told it. */
  once?: string
}

/** The memory, as one session may see it. */
export interface Remembrance {
  columns: Columns
  engine: Engine
  /** Null: it was deleted, or is only about this session. */
  unitOf: (doc: number) => Unit | null
  /** Null: it is no entry of a session. */
  entryOf: (doc: number) => Entry | null
  /** The entries that stand near behind it in its session. */
  behind: (doc: number) => readonly (Entry | Tombstone)[]
  sessionOf: (doc: number) => string | null
  /** Undefined: all documents. */
  isWanted?: ((doc: number) => boolean) | undefined
  /** What people and Claude said in this session before the prompt. */
  said: () => readonly string[]
  /** Where any session worked. */
  branches: () => ReadonlySet<string>
  /** Where this session works; null: nobody knows. */
  branch: () => string | null
  /** How the newest typed session of a branch ended, null: of any. Null: there is none, or there are more than `most`. */
  standing: (branch: string | null, most: number) => Recollection | null
}
