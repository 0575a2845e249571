/** Every kind of file of a memory, of this version and of earlier ones: its name, its place, and how two versions of it become one. */
import { pageName } from '../pages/page.ts'

/**
 * What becomes of a file that arrives where another text has its name. `ours`: that one stays. `lines`: the lines it lacks are added.
 * `behind`: the whole text is added. `beside`: it gets another name. `longer`: it replaces a session that it goes on from. `content`:
 * notes, facts and concepts are joined one by one.
 */
export type Joining = 'ours' | 'lines' | 'behind' | 'beside' | 'longer' | 'content'

/** From 0.5 on: files of these versions are read as they are. */
export const FACTS_VERSION = 4
export const STATE_VERSION = 2

interface KindRow {
  /** Matches the file's name without its folders. The first row that matches counts. */
  name: RegExp
  /** This version keeps it in this folder, and a copy in a file contains it. Missing: only earlier versions wrote it, or it stays where it is. */
  at?: '' | 'sessions' | 'sessions/archive'
  join?: Joining
  /** It comes in from the user's own memory only: rules are injected with prompts. */
  isUsersOnly?: true
  /** Only a memory has such a file. */
  isTelling?: true
  /** No memory has it any more once it is migrated. */
  isOld?: true
}

const ROWS = {
  session: { name: /^\d{8}_\d{6}_[0-9a-z]{8}\.l1\.jsonl$/, at: 'sessions', join: 'longer', isTelling: true },
  /** A session that is compressed; copies in a file contain its text. */
  packed: { name: /^\d{8}_\d{6}_[0-9a-z]{8}\.l1\.jsonl\.gz$/, at: 'sessions/archive', join: 'longer' },
  'of-session': { name: /^\d{8}_\d{6}_[0-9a-z]{8}\.(?:md|l2\.json)$/, at: 'sessions', join: 'ours', isTelling: true },
  week: { name: /^week-\d{4}-\d\d\.md$/, at: 'sessions', join: 'behind', isTelling: true },
  month: { name: /^\d{4}-\d\d\.md$/, at: 'sessions/archive', join: 'behind' },
  rules: { name: /^rules\.md$/, at: '', join: 'lines', isUsersOnly: true },
  /** What was forgotten elsewhere is forgotten here, too. */
  forgotten: { name: /^forgotten\.jsonl$/, at: '', join: 'lines', isUsersOnly: true },
  /** Of 0.5: the next session takes its rules over. */
  standing: { name: /^standing\.json$/, at: '', join: 'ours', isUsersOnly: true },
  config: { name: /^config\.json$/, at: '', join: 'ours', isUsersOnly: true },
  memory: { name: /^memory\.md$/, at: '', join: 'content', isTelling: true },
  archive: { name: /^memory_\d{8}_\d{6}(?:_\d+)?\.md$/, at: '', join: 'content', isTelling: true },
  'archive-summary': { name: /^memory_\d{8}_\d{6}(?:_\d+)?\.summary\.json$/, at: '', join: 'ours' },
  facts: { name: /^facts\.json$/, at: '', join: 'content' },
  concepts: { name: /^concepts\.json$/, at: '', join: 'content' },
  /** Copies in a file contain what is true of it on every machine. */
  state: { name: /^memory-index\.json$/, at: '', join: 'content' },
  delta: { name: /^delta_temp\.txt$/ },
  /** Counts, or says that something was done; the state does so today. */
  marker: { name: /^counter\.txt$|\.l4-done$/, isOld: true },
  /** A refined transcript. */
  lines: { name: /\.l1\.jsonl$/, isTelling: true, isOld: true },
  'session-facts': { name: /\.l2\.json$/, isTelling: true, isOld: true },
  /** A conversation, a session or a week, told in Markdown. */
  prose: { name: /\.raw\.md$|^(?:\d{4}-\d\d-\d\d(?:_\d{4}(?:\d\d)?)?|week-\d{1,2})\.md$/, isOld: true },
  /** Of no use to another version. */
  own: { name: /^notices\.json$|^\.|\.tmp$|\.lock$|\.log$|\.broken-\d+$/ },
  page: { name: /^[^/\\\u0000-\u001f]+\.md$/i, at: '', join: 'beside' },
  unknown: { name: /^/ },
} as const satisfies Record<string, KindRow>

export type FileKind = keyof typeof ROWS

/** `path`: below the memory, with slashes. */
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

/** Where this version keeps a file of this name; null: nowhere. */
export function placeOf(path: string): string | null {
  const { at } = kindRow(fileKindOf(path))
  return at === undefined ? null : `${at === '' ? '' : `${at}/`}${nameIn(path)}`
}

/** Whether a copy in a file contains it. Names come from strangers: no other path is written. */
export function isInFileCopy(path: string): boolean {
  return placeOf(path) === path || isPage(path)
}

function isPage(path: string): boolean {
  return ROWS.page.name.test(path) && pageName(path) !== null
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The lines of `theirs` that `ours` lacks, behind it. */
export function joinLines(ours: string, theirs: string): string {
  const known = new Set(['', ...ours.split('\n').map((line) => line.trim())])
  const fresh = theirs.split('\n').filter((line) => !known.has(line.trim()))
  return fresh.length === 0 ? ours : `${ours}${ours === '' || ours.endsWith('\n') ? '' : '\n'}${fresh.join('\n')}\n`
}
