/** Names of all files and directories, ours and the host's; the only place that spells them. */
import { fingerprint } from '../text/fingerprint.ts'
import { formatStamp } from './time.ts'

/** Below the project, when memory is stored in the project. */
export const MEMORY_DIR = ['.claude', 'memory'] as const
/** Below `~/.claude`: settings, projects stored at home, vault and trust records. */
export const HOME_DIR = 'memory-keeper'
export const PROJECTS_DIR = 'projects'
export const VAULT_DIR = 'vault'
export const TRUST_DIR = 'trust'
/** Jobs that wait for a finisher, and the finishers that run. */
export const FINISHERS_DIR = 'finishers'
/** Below `~/.claude/memory-keeper`, a file a project: when the user wanted nothing recorded. */
export const PAUSED_DIR = 'paused'
/** Below `~/.claude/memory-keeper`, one directory a project: where running MCP servers can be asked. */
export const SERVERS_DIR = 'servers'

export const STATE_FILE = 'memory-index.json'
export const CONFIG_FILE = 'config.json'
/** Holds a random token; a directory is ours only when the trust record at home holds the same one. */
export const OWNER_FILE = '.owner'
export const GITIGNORE_FILE = '.gitignore'
export const GITATTRIBUTES_FILE = '.gitattributes'
/** What people share through git, a folder for each: `shared/<who>/`. */
export const SHARED_DIR = 'shared'
export const LOCK_FILE = '.lock'
export const MEMORY_FILE = 'memory.md'
/** The delta that waits for its note, for a reader. */
export const DELTA_FILE = 'delta_temp.txt'
export const FACTS_FILE = 'facts.json'
export const CONCEPTS_FILE = 'concepts.json'
export const SESSIONS_DIR = 'sessions'
/** Below the sessions: months, and old sessions, compressed. */
export const ARCHIVE_DIR = 'archive'
/** Below the sessions: what the state knew of sessions that nothing is left to do about, a file for each month. */
export const SETTLED_DIR = 'settled'
export const JOURNAL_DIR = 'journal'
/** What each session was told at its start, one file each. */
export const BRIEFINGS_DIR = 'briefings'
export const HOOK_TIMES_FILE = 'hooks.jsonl'
/** What was recalled with each prompt, and why. */
export const RECALLS_FILE = 'recalls.jsonl'
/** In the journal: each recall, word for word. */
export const RECALL_TEXTS_FILE = 'recall-texts.jsonl'
/** In the journal: each version of the rules that was told, by its fingerprint. */
export const TOLD_RULES_DIR = 'rules'
/** In the journal: what people changed by hand, so that they can take it back. */
export const UNDO_FILE = 'undo.jsonl'
/** In the journal: what HEAD and facts.json were when git was last asked which files changed. It can be deleted. */
export const GIT_CHECK_FILE = 'git-check.json'
export const LOGS_DIR = 'logs'
export const LOG_FILE = 'memory-keeper.log'
export const NOTICES_FILE = 'notices.json'
/** The user's own rules; absent: the built-in ones. */
export const RULES_FILE = 'rules.md'
/** Of 0.5.x: instructions that code found by their wording. `migrate/disk/rules-05.ts` takes it over. */
export const STANDING_FILE = 'standing.json'
/** What was forgotten, by fingerprint: it must not come back. Copied to the vault like all that is not in the journal. */
export const FORGOTTEN_FILE = 'forgotten.jsonl'
export const PAGE_SUFFIX = '.md'
/** In the journal: the section in the project's CLAUDE.md was put there by us. */
export const CLAUDE_MD_RECORD = 'claude-md.json'
/** The host's instructions for a project; ours is only the section between our markers. */
export const HOST_INSTRUCTIONS = 'CLAUDE.md'
const SESSION_SUFFIX = '.l1.jsonl'
const RAW_SUFFIX = '.raw.jsonl.gz'
const FACTS_SUFFIX = '.l2.json'

/** Below `~/.claude/memory-keeper`: signs what this user exports, so that it is known as theirs when it comes back. */
export const BUNDLE_KEY_FILE = 'bundle.key'
/** Below `~/.claude/memory-keeper`, for all projects of this machine together: calls of a model, and how they fare. */
export const MODEL_CALLS_FILE = 'model-calls.jsonl'
export const HEADLESS_LOCK = 'headless.lock'
export const HEADLESS_HEALTH_FILE = 'headless.json'
/** Leads a browser to the page: the address with the token stands in this file and on no command line. It goes with the page. */
export const PAGE_OPENER = 'dashboard'
/** Who answers us right now: a child may outlive the process that started it. */
export const HEADLESS_CHILD_FILE = 'headless-child.json'

/** In the vault: of a file that lost something without a known reason, the copy as it was before. */
export const KEPT_DIR = '.kept'
/** In home storage: sessions are kept there while the state of the project's own memory cannot be read. */
export const MEANWHILE_FILE = '.meanwhile'

/** Files that belong to this machine or to their place, and never travel to the vault, from there, or into a share. */
export const LOCAL_FILES: readonly string[] = [OWNER_FILE, LOCK_FILE, DELTA_FILE, SHARED_DIR, KEPT_DIR, MEANWHILE_FILE]

/** A file that could not be read, set aside. */
export function isSetAside(name: string): boolean {
  return /\.broken-[^./\\]+$/.test(name)
}

export function sessionFile(startedAt: string, id8: string): string {
  return `${formatStamp(startedAt)}_${id8}${SESSION_SUFFIX}`
}

/** The backup of the transcript behind a session file. */
export function rawFile(sessionFile: string): string {
  return `${sessionFile.slice(0, -SESSION_SUFFIX.length)}${RAW_SUFFIX}`
}

/** The id8 inside a session file's name, or null for any other file. */
export function id8OfFile(name: string): string | null {
  return /^\d{8}_\d{6}_([0-9a-z]{8})\.l1\.jsonl$/.exec(name)?.[1] ?? null
}

/** The id8 that a session's file has, unless another session's has it already. */
export function plainId8(session: string): string {
  const plain = session
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .slice(0, 8)
  return plain.length === 8 ? plain : fingerprint(session).slice(0, 8)
}

/** The id8s that a session's file may have, in the order in which they are tried. */
export function* id8sOf(session: string): Generator<string> {
  yield plainId8(session)
  for (let salt = 0; ; salt++) yield fingerprint(`${session}${salt}`).slice(0, 8)
}

/** In `sessions/settled/`: the file for the session with this file. A session without a file has nothing that a name could tell. */
export function settledFile(sessionFile: string): string {
  const [, year, month] = /^(\d{4})(\d\d)/.exec(sessionFile) ?? []
  return year === undefined ? WITHOUT_FILE : `${year}-${month}.jsonl`
}

/** Among the files of settled sessions: those of which nothing was told. */
export const WITHOUT_FILE = 'empty.jsonl'

export function isSettledFile(name: string): boolean {
  return name === WITHOUT_FILE || /^\d{4}-\d\d\.jsonl$/.test(name)
}

/** The facts of one session, as they were extracted. */
export function sessionFactsFile(sessionFile: string): string {
  return sessionFile.replace(SESSION_SUFFIX, FACTS_SUFFIX)
}

/** The host cuts longer names of directories and adds a hash of the path. */
const LONGEST_SLUG = 200

/** How the host (2.1.197 and 2.1.325) names the directory of a project's transcripts. */
export function hostSlug(dir: string): string {
  const slug = dir.replace(/[^a-zA-Z0-9]/g, '-')
  if (slug.length <= LONGEST_SLUG) return slug
  let hash = 0
  for (let i = 0; i < dir.length; i++) hash = (hash * 31 + dir.charCodeAt(i)) | 0
  return `${slug.slice(0, LONGEST_SLUG)}-${Math.abs(hash).toString(36)}`
}

/**
 * Whether the host's directory of this name may hold transcripts of sessions that were started in one of these directories
 * or below. The name says no more than that: several paths have the same one.
 */
export function hostDirMatcher(dirs: readonly string[], platform: NodeJS.Platform): (name: string) => boolean {
  // macOS knows a name in both forms, and their slugs differ.
  const paths = platform === 'darwin' ? dirs.flatMap((dir) => [dir.normalize('NFC'), dir.normalize('NFD')]) : dirs
  const slugs = [...new Set(paths.map((dir) => fileSystemForm(hostSlug(dir), platform)))]
  return (name) => {
    const form = fileSystemForm(name, platform)
    return slugs.some((slug) => form === slug || form.startsWith(`${slug.slice(0, LONGEST_SLUG)}-`))
  }
}

/** Equal for two names that the file system takes for the same one. */
export function fileSystemForm(name: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return name.toLowerCase()
  return platform === 'darwin' ? name.normalize('NFC').toLowerCase() : name
}

/** `memory_20260113_120000.md`. */
export function archiveFile(at: string): string {
  return `memory_${formatStamp(at)}.md`
}

export function isArchiveFile(name: string): boolean {
  return /^memory_\d{8}_\d{6}(?:_\d+)?\.md$/.test(name)
}

export function summaryFileOf(archive: string): string {
  return archive.replace(/\.md$/, '.summary.json')
}

/** The summary beside a session file. */
export function sessionSummaryFile(sessionFile: string): string {
  return sessionFile.replace(SESSION_SUFFIX, '.md')
}
