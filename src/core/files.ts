/** The table of all kinds of files in a memory, of this version and earlier ones: name, place, and how two versions are merged. */
import { pageName } from './pages/page.ts'

/**
 * How an arriving file is merged with an existing one of the same name. `ours`: the existing one stays. `lines`, `rules`: missing ones
 * are added. `behind`: the whole text is appended. `beside`: it gets another name. `longer`: it replaces a session that it continues.
 * `content`: notes, facts and concepts are merged one by one.
 */
export type Joining = 'ours' | 'lines' | 'rules' | 'behind' | 'beside' | 'longer' | 'content'

/** The versions since 0.5: these files are read unchanged. */
export const FACTS_VERSION = 4
export const STATE_VERSION = 2

interface KindRow {
  /** Matches the file's name without its folders. The first matching row is used. */
  name: RegExp
  /** The folder in which this version stores it; a copy in a file includes it. Missing: only earlier versions wrote it, or it stays where it is. */
  at?: '' | 'sessions' | 'sessions/archive'
  join?: Joining
  /** Accepted only from the user's own memory: rules are injected with prompts. */
  isUsersOnly?: true
  /** Only a memory has such a file. */
  isTelling?: true
  /** After a migration no such file is left. */
  isOld?: true
}

const ROWS = {
  session: { name: /^\d{8}_\d{6}_[0-9a-z]{8}\.l1\.jsonl$/, at: 'sessions', join: 'longer', isTelling: true },
  /** A compressed session; a copy in a file contains its text. */
  packed: { name: /^\d{8}_\d{6}_[0-9a-z]{8}\.l1\.jsonl\.gz$/, at: 'sessions/archive', join: 'longer' },
  'of-session': { name: /^\d{8}_\d{6}_[0-9a-z]{8}\.(?:md|l2\.json)$/, at: 'sessions', join: 'ours', isTelling: true },
  week: { name: /^week-\d{4}-\d\d\.md$/, at: 'sessions', join: 'behind', isTelling: true },
  month: { name: /^\d{4}-\d\d\.md$/, at: 'sessions/archive', join: 'behind' },
  rules: { name: /^rules\.md$/, at: '', join: 'rules', isUsersOnly: true },
  /** What was forgotten elsewhere is forgotten here too. */
  forgotten: { name: /^forgotten\.jsonl$/, at: '', join: 'lines', isUsersOnly: true },
  /** Of 0.5: the next session converts its rules. */
  standing: { name: /^standing\.json$/, at: '', join: 'ours', isUsersOnly: true },
  config: { name: /^config\.json$/, at: '', join: 'ours', isUsersOnly: true },
  memory: { name: /^memory\.md$/, at: '', join: 'content', isTelling: true },
  archive: { name: /^memory_\d{8}_\d{6}(?:_\d+)?\.md$/, at: '', join: 'content', isTelling: true },
  'archive-summary': { name: /^memory_\d{8}_\d{6}(?:_\d+)?\.summary\.json$/, at: '', join: 'ours' },
  facts: { name: /^facts\.json$/, at: '', join: 'content' },
  concepts: { name: /^concepts\.json$/, at: '', join: 'content' },
  /** A copy in a file contains its portable part. */
  state: { name: /^memory-index\.json$/, at: '', join: 'content' },
  delta: { name: /^delta_temp\.txt$/ },
  /** A counter or a marker; today the state contains this. */
  marker: { name: /^counter\.txt$|\.l4-done$/, isOld: true },
  /** A whole transcript, as the host wrote it. */
  raw: { name: /\.raw\.jsonl$/, isTelling: true, isOld: true },
  /** A refined transcript. */
  lines: { name: /\.l1\.jsonl$/, isTelling: true, isOld: true },
  'session-facts': { name: /\.l2\.json$/, isTelling: true, isOld: true },
  /** A conversation, a session or a week, as Markdown. */
  prose: { name: /\.raw\.md$|^(?:\d{4}-\d\d-\d\d(?:_\d{4}(?:\d\d)?)?|week-\d{1,2})\.md$/, isOld: true },
  /** Useless to another version. */
  own: { name: /^notices\.json$|^\.|\.tmp$|\.lock$|\.log$|\.broken-\d+$/ },
  page: { name: /^[^/\\\u0000-\u001f]+\.md$/i, at: '', join: 'beside' },
  unknown: { name: /^/ },
} as const satisfies Record<string, KindRow>

export type FileKind = keyof typeof ROWS

/** `path`: relative to the memory, with slashes. */
export function fileKindOf(path: string): FileKind {
  if (/^(?:journal|logs)\//.test(path)) return 'own'
  const name = nameIn(path)
  const kinds = Object.keys(ROWS) as FileKind[]
  const kind = kinds.find((one) => ROWS[one].name.test(name)) ?? 'unknown'
  return kind === 'page' && !isPage(path) ? 'unknown' : kind
}

export function kindRow(kind: FileKind): KindRow {
  return ROWS[kind]
}

/** The place of a file with this name in this version; null: none. */
export function placeOf(path: string): string | null {
  const { at } = kindRow(fileKindOf(path))
  return at === undefined ? null : `${at === '' ? '' : `${at}/`}${nameIn(path)}`
}

/** Whether a copy in a file contains it. The names may come from a stranger: no other path is written. */
export function isInFileCopy(path: string): boolean {
  return placeOf(path) === path || isPage(path)
}

function isPage(path: string): boolean {
  return ROWS.page.name.test(path) && pageName(path) !== null
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Appends the lines of `theirs` that `ours` lacks. */
export function joinLines(ours: string, theirs: string): string {
  const known = new Set(['', ...ours.split('\n').map((line) => line.trim())])
  const fresh = theirs.split('\n').filter((line) => !known.has(line.trim()))
  return fresh.length === 0 ? ours : `${ours}${ours === '' || ours.endsWith('\n') ? '' : '\n'}${fresh.join('\n')}\n`
}
