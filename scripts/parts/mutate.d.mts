export interface Mutant {
  start: number
  end: number
  /** What was between start and end, and what is put there. */
  before: string
  text: string
  what: string
  line: number
}
export function mutantsOf(code: string, file?: string): Mutant[]
export function withMutant(code: string, mutant: Mutant): string
export function showMutant(code: string, mutant: Mutant): string
export function sample<T>(items: readonly T[], most: number, seed: number): T[]
