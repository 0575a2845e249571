/** Layouts of earlier versions: which file of theirs is what, told by its name, and which version wrote a memory. */

import { pageName } from '../pages/page.ts'
import {
  CONCEPTS_FILE,
  CONFIG_FILE,
  DELTA_FILE,
  FACTS_FILE,
  id8OfFile,
  isArchiveFile,
  MEMORY_FILE,
  STATE_FILE,
} from '../platform/layout.ts'

export interface LegacyFile {
  /** Below its memory, with slashes. */
  path: string
  text: string
  /** When it was last written; ISO. */
  written: string
}

export type LegacyKind =
  | 'memory'
  | 'archive'
  | 'archive-summary'
  | 'facts'
  | 'concepts'
  | 'state'
  | 'counter'
  /** Says that something was done; state says so today. */
  | 'marker'
  | 'delta'
  | 'config'
  /** A refined transcript. */
  | 'lines'
  /** A conversation in markdown. */
  | 'talk'
  | 'session-facts'
  | 'session-summary'
  | 'week'
  | 'month'
  | 'page'
  /** Named as we name it. */
  | 'current'
  /** Of no use to anybody else. */
  | 'own'
  | 'unknown'

export type Layout = 'v3' | 'v4' | 'v12' | 'v13' | 'current'

const BY_NAME: Readonly<Record<string, LegacyKind>> = {
  [MEMORY_FILE]: 'memory',
  [FACTS_FILE]: 'facts',
  [CONCEPTS_FILE]: 'concepts',
  [STATE_FILE]: 'state',
  [CONFIG_FILE]: 'config',
  [DELTA_FILE]: 'delta',
  'counter.txt': 'counter',
  'standing.json': 'own',
  'notices.json': 'own',
  /** Told with every prompt: nobody's rules come in by the way. */
  'rules.md': 'config',
}
const OUR_SESSION = /^\d{8}_\d{6}_[0-9a-z]{8}\.(?:md|l2\.json)$/
const PATTERNS: readonly (readonly [RegExp, LegacyKind])[] = [
  [/^week-\d{4}-\d\d\.md$/, 'current'],
  [/^memory_\d{8}_\d{6}(?:_\d+)?\.summary\.json$/, 'archive-summary'],
  [/\.l4-done$/, 'marker'],
  [/\.l1\.jsonl$/, 'lines'],
  [/\.l2\.json$/, 'session-facts'],
  [/\.raw\.md$/, 'talk'],
  [/^\d{4}-\d\d-\d\d(?:_\d{4}(?:\d\d)?)?\.md$/, 'session-summary'],
  [/^week-\d{1,2}\.md$/, 'week'],
  [/^\d{4}-\d\d\.md$/, 'month'],
  [/^\.|\.tmp$|\.lock$|\.log$|\.broken-\d+$/, 'own'],
]

export function legacyKindOf(path: string): LegacyKind {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (/^(?:journal|logs)\//.test(path)) return 'own'
  if (id8OfFile(name) !== null || OUR_SESSION.test(name)) return 'current'
  if (isArchiveFile(name)) return 'archive'
  const known = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined
  const kind = known ?? PATTERNS.find(([pattern]) => pattern.test(name))?.[1]
  if (kind !== undefined) return kind
  return /\.md$/i.test(name) && !path.includes('/') && pageName(name) !== null ? 'page' : 'unknown'
}

/** By what only that version had; `version`: of the state file, null where there is none. */
export function layoutOf(paths: readonly string[], version: number | null): Layout | null {
  const kinds = new Set(paths.map(legacyKindOf))
  const has = (...wanted: LegacyKind[]): boolean => wanted.some((kind) => kinds.has(kind))
  if (version !== null && version >= 2) return 'current'
  if (version === 1 || has('archive', 'archive-summary')) return 'v13'
  if (has('marker', 'session-facts', 'concepts', 'lines')) return 'v12'
  if (has('talk', 'week', 'month', 'facts')) return 'v4'
  return has('counter', 'session-summary', 'memory') ? 'v3' : null
}
