/** Sharing in the repository: the file names, the names of their owners, and the .gitignore and .gitattributes texts. */
import { GITIGNORE_FILE, SHARED_DIR } from '../platform/layout.ts'

/** For a memory that is not shared: git ignores all of it. */
export const IGNORE_ALL = '*\n'

/** For a shared memory: git tracks only the files written for others. */
export const IGNORE_BUT_SHARED = `# Memory Keeper: only what was shared on purpose is taken in.\n*\n!${GITIGNORE_FILE}\n!${SHARED_DIR}/\n!${SHARED_DIR}/**\n*.tmp\n`

/** Git keeps the lines of both sides if two people, or two machines, wrote. */
export const SHARED_ATTRIBUTES = '*.md text eol=lf merge=union\n*.jsonl text eol=lf merge=union\n'

/** Ignores the kind of line breaks. */
export function isOurIgnore(text: string): boolean {
  const plain = text.replaceAll('\r\n', '\n')
  return plain === IGNORE_ALL || plain === IGNORE_BUT_SHARED
}

export const SHARED_MEMORY = 'memory.md'
export const SHARED_FACTS = 'facts.jsonl'
export const SHARED_CONCEPTS = 'concepts.jsonl'
/** In the order in which they are read. */
export const SHARED_FILES: readonly string[] = [SHARED_FACTS, SHARED_MEMORY, SHARED_CONCEPTS]

/** Prefixes of other ids, and names that Windows reserves. */
const TAKEN = /^(?:l[123]|s|n|host|page|con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/

/** A valid folder name on every file system, whether or not it is case-sensitive, and a valid prefix of an id (`alice:d012`). */
export function isWho(name: string): boolean {
  // Compiled here and not above: it takes a millisecond that most starts do not need.
  const isLetters = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}._-]{0,38}[\p{L}\p{N}\p{M}])?$/u.test(name)
  return isLetters && !TAKEN.test(name) && name === name.normalize('NFC').toLowerCase()
}

/** Whose an id is (`alice:d012`); null: it is the user's own, of this machine. */
export function ownerInId(id: string): string | null {
  const who = id.slice(0, Math.max(0, id.indexOf(':')))
  return who !== '' && isWho(who) ? who : null
}

/** Derives such a name from a person's name; null: no character of it can be used. */
export function whoOf(name: string): string | null {
  const plain = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}._]+/gu, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[^\p{L}\p{N}]+/u, '')
  const short = Array.from(plain)
    .slice(0, 40)
    .join('')
    .replace(/[^\p{L}\p{N}\p{M}]+$/u, '')
  return isWho(short) ? short : null
}
