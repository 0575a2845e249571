/** Layouts of earlier versions: which file of theirs is what, by its name, and which version wrote a memory. */

import { pageName } from '../pages/page.ts'

export interface LegacyFile {
  /** Below its memory, with slashes. */
  path: string
  text: string
  /** When it was last written; ISO. */
  written: string
}

/** Patterns of file names. The first one that matches counts. */
const KINDS = {
  /** Of this version, as are the next five. */
  session: /^\d{8}_\d{6}_[0-9a-z]{8}\.l1\.jsonl$/,
  'of-session': /^\d{8}_\d{6}_[0-9a-z]{8}\.(?:md|l2\.json)$/,
  week: /^week-\d{4}-\d\d\.md$/,
  rules: /^rules\.md$/,
  forgotten: /^forgotten\.jsonl$/,
  standing: /^standing\.json$/,
  memory: /^memory\.md$/,
  archive: /^memory_\d{8}_\d{6}(?:_\d+)?\.md$/,
  'archive-summary': /^memory_\d{8}_\d{6}(?:_\d+)?\.summary\.json$/,
  facts: /^facts\.json$/,
  concepts: /^concepts\.json$/,
  state: /^memory-index\.json$/,
  delta: /^delta_temp\.txt$/,
  config: /^config\.json$/,
  /** Counts or says that something was done; the state does so today. */
  marker: /^counter\.txt$|\.l4-done$/,
  /** A refined transcript. */
  lines: /\.l1\.jsonl$/,
  'session-facts': /\.l2\.json$/,
  /** A conversation, a session or a week, told in Markdown. */
  prose: /\.raw\.md$|^(?:\d{4}-\d\d-\d\d(?:_\d{4}(?:\d\d)?)?|week-\d{1,2})\.md$/,
  month: /^\d{4}-\d\d\.md$/,
  /** Of no use to another version. */
  own: /^notices\.json$|^\.|\.tmp$|\.lock$|\.log$|\.broken-\d+$/,
}

export type LegacyKind = keyof typeof KINDS | 'page' | 'unknown'
export type Layout = 'v3' | 'v4' | 'v12' | 'v13' | 'current'

export function legacyKindOf(path: string): LegacyKind {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (/^(?:journal|logs)\//.test(path)) return 'own'
  const [kind] = Object.entries(KINDS).find(([, pattern]) => pattern.test(name)) ?? []
  if (kind !== undefined) return kind as LegacyKind
  return /\.md$/i.test(name) && !path.includes('/') && pageName(name) !== null ? 'page' : 'unknown'
}

/** By what only that version had; `version`: of the state file, null where there is none. */
export function layoutOf(paths: readonly string[], version: number | null): Layout | null {
  const kinds = new Set(paths.map(legacyKindOf))
  const has = (...wanted: LegacyKind[]): boolean => wanted.some((kind) => kinds.has(kind))
  if (version !== null && version >= 2) return 'current'
  if (version === 1 || has('archive', 'archive-summary')) return 'v13'
  if (has('session-facts', 'concepts', 'lines')) return 'v12'
  if (has('month', 'facts') || paths.some((path) => path.endsWith('.raw.md'))) return 'v4'
  return has('marker', 'prose', 'memory') ? 'v3' : null
}
