/** Names of all files and directories, ours and the host's; the only place that spells them. */
import { formatStamp } from './time.ts'

/** Below the project, when memory is stored in the project. */
export const MEMORY_DIR = ['.claude', 'memory'] as const
/** Below `~/.claude`: settings, projects stored at home, vault and trust records. */
export const HOME_DIR = 'memory-keeper'
export const PROJECTS_DIR = 'projects'
export const VAULT_DIR = 'vault'
export const TRUST_DIR = 'trust'

export const STATE_FILE = 'memory-index.json'
export const CONFIG_FILE = 'config.json'
/** Holds a random token; a directory is ours only when the trust record at home holds the same one. */
export const OWNER_FILE = '.owner'
export const GITIGNORE_FILE = '.gitignore'
export const LOCK_FILE = '.lock'
export const SESSIONS_DIR = 'sessions'
export const JOURNAL_DIR = 'journal'
export const HOOK_TIMES_FILE = 'hooks.jsonl'
export const LOGS_DIR = 'logs'
export const LOG_FILE = 'memory-keeper.log'
export const NOTICES_FILE = 'notices.json'
const SESSION_SUFFIX = '.l1.jsonl'

/** Files that belong to this machine and never travel to the vault or into a share. */
export const LOCAL_FILES: readonly string[] = [OWNER_FILE, LOCK_FILE]

export function sessionFile(startedAt: string, id8: string): string {
  return `${formatStamp(startedAt)}_${id8}${SESSION_SUFFIX}`
}

/** The id8 inside a session file's name, or null for any other file. */
export function id8OfFile(name: string): string | null {
  return /^\d{8}_\d{6}_([0-9a-z]{8})\.l1\.jsonl$/.exec(name)?.[1] ?? null
}

/** How the host names the directory of a project's transcripts. */
export function hostSlug(dir: string): string {
  return dir.replace(/[^a-zA-Z0-9]/g, '-')
}
