/** The names of all files and directories, ours and the host's. No other file spells them. */
import { fingerprint } from '../text/fingerprint.ts'
import { formatStamp, parseStamp } from './time.ts'

/** Below the project, if its memory is stored there. */
export const MEMORY_DIR = ['.claude', 'memory'] as const
/** Below each checkout of the project: rules of the host's for single files, made by `extras/traps`. */
export const FILE_RULES_DIR = ['.claude', 'rules', 'memory-keeper'] as const
export const README_FILE = 'README.txt'
/** Below `~/.claude`: settings, projects stored at home, vault and trust records. */
export const HOME_DIR = 'memory-keeper'
export const PROJECTS_DIR = 'projects'
export const VAULT_DIR = 'vault'
export const TRUST_DIR = 'trust'
/** Below `~/.claude/memory-keeper`, one directory a project: what the user's other machines and teammates remember of it. */
export const OTHERS_DIR = 'others'
/** Below `~/.claude/memory-keeper`: the key of this machine, and a git repository with a branch for each machine of the user. */
export const SYNC_DIR = 'sync'
/** In `sync/`: the remote, the machines that the user confirmed, how the last sync went. Written by every sync. */
export const SYNC_RECORD = 'machine.json'
/** In `sync/`: the repository. It can be deleted. */
export const SYNC_REPOSITORY = 'repo.git'
/** Below `~/.claude/memory-keeper`: the team's server, and for each shared project what was sent, received and went wrong. */
export const TEAM_DIR = 'team'
/** Behind the key of a project: how the last connection went. */
export const TEAM_STATUS = '.status.json'
/** Jobs that wait for a finisher, and the finishers that run. */
export const FINISHERS_DIR = 'finishers'
/** Below `~/.claude/memory-keeper`, one file per project: when recording was paused. */
export const PAUSED_DIR = 'paused'
/** Below `~/.claude/memory-keeper`, one directory per project: the addresses of running MCP servers. */
export const SERVERS_DIR = 'servers'

export const STATE_FILE = 'memory-index.json'
export const CONFIG_FILE = 'config.json'
/** Contains a random token; a directory is ours only if the trust record at home contains the same token. */
export const OWNER_FILE = '.owner'
export const GITIGNORE_FILE = '.gitignore'
export const GITATTRIBUTES_FILE = '.gitattributes'
/** Memory that people share through git, one folder per person: `shared/<who>/`. */
export const SHARED_DIR = 'shared'
export const LOCK_FILE = '.lock'
export const MEMORY_FILE = 'memory.md'
/** A readable copy of the delta that waits for its note. */
export const DELTA_FILE = 'delta_temp.txt'
export const FACTS_FILE = 'facts.json'
export const CONCEPTS_FILE = 'concepts.json'
export const SESSIONS_DIR = 'sessions'
/** Below the sessions: one directory per month with old sessions, compressed. */
export const ARCHIVE_DIR = 'archive'
/** Below the sessions: the state rows of sessions with no work left, one file per month. */
export const SETTLED_DIR = 'settled'
export const JOURNAL_DIR = 'journal'
/** The briefing of each session, one file per session. */
export const BRIEFINGS_DIR = 'briefings'
export const HOOK_TIMES_FILE = 'hooks.jsonl'
/** Which items were recalled with each prompt, and why. */
export const RECALLS_FILE = 'recalls.jsonl'
/** In the journal: the full text of each recall. */
export const RECALL_TEXTS_FILE = 'recall-texts.jsonl'
/** In the journal: each injected version of the rules, named by its fingerprint. */
export const INJECTED_RULES_DIR = 'rules'
/** In the journal: changes made by people, so that they can be undone. */
export const UNDO_FILE = 'undo.jsonl'
/** In the journal: HEAD and facts.json at the last check of changed files by git. May be deleted. */
export const GIT_CHECK_FILE = 'git-check.json'
export const LOGS_DIR = 'logs'
export const LOG_FILE = 'memory-keeper.log'
export const NOTICES_FILE = 'notices.json'
/** The user's own rules; absent: the built-in ones. */
export const RULES_FILE = 'rules.md'
/** Fingerprints of forgotten entries, so that they do not come back. Copied to the vault like everything outside the journal. */
export const FORGOTTEN_FILE = 'forgotten.jsonl'
export const PAGE_SUFFIX = '.md'
/** In the journal: records that we added the section to the project's CLAUDE.md. */
export const CLAUDE_MD_RECORD = 'claude-md.json'
/** The host's instructions for a project; only the section between our markers is ours. */
export const HOST_INSTRUCTIONS = 'CLAUDE.md'
const SESSION_SUFFIX = '.l1.jsonl'
const RAW_SUFFIX = '.raw.jsonl.gz'
const FACTS_SUFFIX = '.l2.json'

/** Below `~/.claude/memory-keeper`: the key that signs exports, so that an import recognises the user's own files. */
export const BUNDLE_KEY_FILE = 'bundle.key'
/** Below `~/.claude/memory-keeper`, for all projects of this machine: the calls of a model and their results. */
export const MODEL_CALLS_FILE = 'model-calls.jsonl'
export const HEADLESS_LOCK = 'headless.lock'
export const HEADLESS_HEALTH_FILE = 'headless.json'
/** A file that redirects a browser to the page. It contains the address with the token, which must not appear on a command line. Deleted when the page stops. */
export const PAGE_OPENER = 'dashboard'
/** In the directory of a project's servers: the address of its page, while it runs. */
export const PAGE_ADDRESS_FILE = 'page.url'
/** Below `~/.claude/memory-keeper`: what a browser that was let in shows again, so that a bookmark of the page works. */
export const PAGE_KEY_FILE = 'dashboard.key'
/** Below `~/.claude/memory-keeper`: with it the frames of remembered text are made. */
export const FRAME_KEY_FILE = 'frame.key'
/** The running child process of a model call: it may outlive the process that started it. */
export const HEADLESS_CHILD_FILE = 'headless-child.json'

/** In the vault: earlier copies of files that became smaller for an unknown reason. */
export const KEPT_DIR = '.kept'
/** In home storage: 0.6 marked with it that sessions there belong into the project's memory. */
export const HOME_MARK_FILE = '.meanwhile'

/** Files that belong to this machine or place. They are never copied to or from the vault, or into a share. */
export const LOCAL_FILES: readonly string[] = [OWNER_FILE, LOCK_FILE, DELTA_FILE, SHARED_DIR, KEPT_DIR, HOME_MARK_FILE]

/** An unreadable file that was set aside. */
export function isSetAside(name: string): boolean {
  return /\.broken-[^./\\]+$/.test(name)
}

export function sessionFile(startedAt: string, id8: string): string {
  return `${formatStamp(startedAt)}_${id8}${SESSION_SUFFIX}`
}

/** The backup of a session's transcript. */
export function rawFile(sessionFile: string): string {
  return `${sessionFile.slice(0, -SESSION_SUFFIX.length)}${RAW_SUFFIX}`
}

/** The id8 in a session file's name; null for any other file. */
export function id8OfFile(name: string): string | null {
  return /^\d{8}_\d{6}_([0-9a-z]{8})\.l1\.jsonl$/.exec(name)?.[1] ?? null
}

/** The id8 of a session's file, unless another session already has it. */
export function plainId8(session: string): string {
  const plain = session
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .slice(0, 8)
  return plain.length === 8 ? plain : fingerprint(session).slice(0, 8)
}

/** The possible id8s of a session's file, in the order in which they are tried. */
export function* id8sOf(session: string): Generator<string> {
  yield plainId8(session)
  for (let salt = 0; ; salt++) yield fingerprint(`${session}${salt}`).slice(0, 8)
}

/** The file in `sessions/settled/` for a session. All sessions without a file share one. */
export function settledFile(sessionFile: string): string {
  const [, year, month] = /^(\d{4})(\d\d)/.exec(sessionFile) ?? []
  return year === undefined ? WITHOUT_FILE : `${year}-${month}.jsonl`
}

/** For settled sessions that have no file. */
export const WITHOUT_FILE = 'empty.jsonl'

export function isSettledFile(name: string): boolean {
  return name === WITHOUT_FILE || /^\d{4}-\d\d\.jsonl$/.test(name)
}

/** The extracted facts of one session. */
export function sessionFactsFile(sessionFile: string): string {
  return sessionFile.replace(SESSION_SUFFIX, FACTS_SUFFIX)
}

/** The host cuts longer directory names and appends a hash of the path. */
const LONGEST_SLUG = 200

/** The name of the host's (2.1.197 and 2.1.325) directory for a project's transcripts. */
export function hostSlug(dir: string): string {
  const slug = dir.replace(/[^a-zA-Z0-9]/g, '-')
  if (slug.length <= LONGEST_SLUG) return slug
  let hash = 0
  for (let i = 0; i < dir.length; i++) hash = (hash * 31 + dir.charCodeAt(i)) | 0
  return `${slug.slice(0, LONGEST_SLUG)}-${Math.abs(hash).toString(36)}`
}

/**
 * Matches names of the host's directories that may contain transcripts of sessions started in one of these directories or
 * below. It is not exact: several paths have the same name.
 */
export function hostDirMatcher(dirs: readonly string[], platform: NodeJS.Platform): (name: string) => boolean {
  // macOS accepts a name in both forms, and their slugs differ.
  const paths = platform === 'darwin' ? dirs.flatMap((dir) => [dir.normalize('NFC'), dir.normalize('NFD')]) : dirs
  const slugs = [...new Set(paths.map((dir) => fileSystemForm(hostSlug(dir), platform)))]
  return (name) => {
    const form = fileSystemForm(name, platform)
    return slugs.some((slug) => form === slug || form.startsWith(`${slug.slice(0, LONGEST_SLUG)}-`))
  }
}

/** Equal for two names that the file system treats as the same. */
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

/** When its notes were moved there; null: no archive. */
export function archiveStamp(name: string): string | null {
  return isArchiveFile(name) ? parseStamp(name.slice('memory_'.length)) : null
}

export function summaryFileOf(archive: string): string {
  return archive.replace(/\.md$/, '.summary.json')
}

/** The summary beside a session file. */
export function sessionSummaryFile(sessionFile: string): string {
  return sessionFile.replace(SESSION_SUFFIX, '.md')
}

/** With slashes, as rows of file kinds and the index name them. */
export const SETTLED_PATH = 'sessions/settled'
export const SHARED_PREFIX = 'shared/'
export const OTHERS_PREFIX = 'others/'
