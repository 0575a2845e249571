/** Facts as a model proposes them, before the program has checked a word of it; and what the program says about them. */
import type { FactType, NewFact } from './fact.ts'

export interface Draft {
  type: string
  text: string
  reason?: string
  /** Words of the entries that the reason is taken from. */
  reasonQuote?: string
  /** The entry that shows that it is done, where it is reported as done. */
  done?: number
  /** Word for word from the entries; it proves the fact. */
  quote: string
  /** The number of the entry the quote is from, where the model knows it. */
  entry?: number
  files?: readonly string[]
  /** Issues: open or resolved. */
  status?: string
  resolution?: string
  resolutionQuote?: string
  conceptId?: string
  conceptName?: string
  /** An earlier decision (d001) that this one replaces. */
  supersedes?: string
  /** An open issue (i001) that this one solves. */
  resolves?: string
}

/** A fact that holds what it promises, and what is to be done with it. */
export interface SoundFact {
  /** Which of the drafts, counted from 1. */
  number: number
  /** Unaudited. */
  fact: NewFact
  concept: ConceptChoice
  /** The open issue that it settles. */
  resolves: string | null
}

/** `name`: begins a new one. `none`: the fact has no concept. */
export type ConceptChoice = { is: 'known'; id: string } | { is: 'new'; name: string } | { is: 'none' }

/** Why a draft is not kept: the number counts from 1, the problem is a sentence for the model. */
export interface FactRefusal {
  number: number
  problem: string
  /** Only what it belongs to is wrong: the fact itself holds, and is among the sound ones without that. */
  isMinor?: true
}

/** Says what another one says: it will join that one. Nothing is wrong with it. */
export interface Duplicate {
  number: number
  /** `d001`, or `2` for another draft. */
  of: string
  text: string
}

/** An entry that carries weight and that no fact covers. */
export interface DraftQuestion {
  entry: number
  /** Its words, shortened. */
  excerpt: string
  /** What it is. */
  ask: string
}

export interface Checked {
  sound: SoundFact[]
  refused: FactRefusal[]
  duplicates: Duplicate[]
  /** The weightiest first. */
  questions: DraftQuestion[]
}

export const FACT_TYPES: readonly FactType[] = ['decision', 'pattern', 'issue']
