/** Who put something into its state, and when. */
import { isObject, textOr } from '../platform/json.ts'

export interface Judged {
  by: 'user' | 'agent' | 'headless' | 'code' | 'git'
  at: string
  why: string | null
  /** What stands in its place. */
  other: string | null
}

const JUDGES: ReadonlySet<unknown> = new Set(['user', 'agent', 'headless', 'code', 'git'])

/** Who and when must be there, or it says nothing. */
export function judgedOf(value: unknown): { judged?: Judged } {
  if (!isObject(value) || !JUDGES.has(value.by) || typeof value.at !== 'string') return {}
  const by = value.by as Judged['by']
  return { judged: { by, at: value.at, why: textOr(value.why, null), other: textOr(value.other, null) } }
}
