/** What a migration starts from: the files of an earlier version as they were understood, and what is there already. */
import type { Concepts } from '../knowledge/concept.ts'
import type { Facts } from '../knowledge/fact.ts'
import type { State } from '../memory/state.ts'
import type { RotationLimits } from '../notes/rotation.ts'
import type { LegacyFile } from './legacy.ts'
import type { Converting, Made } from './legacy-convert.ts'

export interface Converted {
  file: LegacyFile
  made: Made
}

/** What is there, and how it is to be. */
export interface Target extends Converting {
  /** What a file holds; null: there is none. */
  textOf: (path: string) => string | null
  /** Names of the archives that are there. */
  archives: readonly string[]
  facts: Facts
  concepts: Concepts
  state: State
  limits: RotationLimits
  conceptSimilarity: number
  /** How a new memory.md begins. */
  memoryHead: string
  now: string
}
