/** Which files of a memory go into a bundle, by their names: all that is remembered, nothing that belongs to a machine. */

import { pageName } from '../pages/page.ts'
import {
  CONCEPTS_FILE,
  CONFIG_FILE,
  FACTS_FILE,
  FORGOTTEN_FILE,
  id8OfFile,
  isArchiveFile,
  MEMORY_FILE,
  RULES_FILE,
  SESSIONS_DIR,
  STANDING_FILE,
  STATE_FILE,
} from '../platform/layout.ts'

export type BundleKind =
  | 'session'
  /** In a bundle its text, unpacked. */
  | 'packed'
  | 'session-facts'
  | 'session-summary'
  | 'tier'
  | 'memory'
  | 'archive'
  | 'archive-summary'
  | 'facts'
  | 'concepts'
  | 'standing'
  | 'rules'
  | 'config'
  | 'forgotten'
  /** Only what is no machine's own. */
  | 'state'
  | 'page'

const BY_NAME: ReadonlyMap<string, BundleKind> = new Map([
  [MEMORY_FILE, 'memory'],
  [FACTS_FILE, 'facts'],
  [CONCEPTS_FILE, 'concepts'],
  [STANDING_FILE, 'standing'],
  [RULES_FILE, 'rules'],
  [CONFIG_FILE, 'config'],
  [FORGOTTEN_FILE, 'forgotten'],
  [STATE_FILE, 'state'],
] as const)

/** Null: no such file. Names come from strangers: there is no other way out of the memory than these. */
export function bundleKindOf(path: string): BundleKind | null {
  const at = path.lastIndexOf('/')
  const [folder, name] = [path.slice(0, Math.max(0, at)), path.slice(at + 1)]
  if (at === 0 || /[\\\u0000-\u001f]/.test(path)) return null
  if (folder === '') return ofRoot(name)
  if (folder === SESSIONS_DIR) return ofSessions(name)
  return folder === `${SESSIONS_DIR}/archive` ? ofArchive(name) : null
}

function ofRoot(name: string): BundleKind | null {
  const known = BY_NAME.get(name)
  if (known !== undefined) return known
  if (isArchiveFile(name)) return 'archive'
  if (/^memory_\d{8}_\d{6}(?:_\d+)?\.summary\.json$/.test(name)) return 'archive-summary'
  return /\.md$/i.test(name) && pageName(name) !== null ? 'page' : null
}

function ofSessions(name: string): BundleKind | null {
  if (id8OfFile(name) !== null) return 'session'
  if (/^\d{8}_\d{6}_[0-9a-z]{8}\.l2\.json$/.test(name)) return 'session-facts'
  if (/^\d{8}_\d{6}_[0-9a-z]{8}\.md$/.test(name)) return 'session-summary'
  return /^week-\d{4}-\d\d\.md$/.test(name) ? 'tier' : null
}

function ofArchive(name: string): BundleKind | null {
  if (name.endsWith('.gz') && id8OfFile(name.slice(0, -'.gz'.length)) !== null) return 'packed'
  return /^\d{4}-\d\d\.md$/.test(name) ? 'tier' : null
}
