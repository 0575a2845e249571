/** Sharing in the repository: the names of the files, who may own them, and what git is told to take in. */
import { GITIGNORE_FILE, SHARED_DIR } from '../platform/layout.ts'

/** Of a memory that nobody shares: nothing of it travels. */
export const IGNORE_ALL = '*\n'

/** Of a shared one: exactly what was written for others. */
export const IGNORE_BUT_SHARED = `# Memory Keeper: only what was shared on purpose is taken in.\n*\n!${GITIGNORE_FILE}\n!${SHARED_DIR}/\n!${SHARED_DIR}/**\n*.tmp\n`

/** One line of each side stays where two people, or two machines of one, wrote. */
export const SHARED_ATTRIBUTES = '*.md text eol=lf merge=union\n*.jsonl text eol=lf merge=union\n'

/** Whatever line breaks git made of it. */
export function isOurIgnore(text: string): boolean {
  const plain = text.replaceAll('\r\n', '\n')
  return plain === IGNORE_ALL || plain === IGNORE_BUT_SHARED
}

export const SHARED_MEMORY = 'memory.md'
export const SHARED_FACTS = 'facts.jsonl'
export const SHARED_CONCEPTS = 'concepts.jsonl'
/** In the order in which they are read. */
export const SHARED_FILES: readonly string[] = [SHARED_FACTS, SHARED_MEMORY, SHARED_CONCEPTS]

/** Other ids begin so, or Windows keeps the name for itself. */
const TAKEN = /^(?:l[123]|s|n|host|page|con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/

/** A folder of its own for each: also on file systems that know no case, and as the beginning of an id (`alice:d012`). */
export function isWho(name: string): boolean {
  // Here and not above: to make it takes a millisecond that most starts do not need.
  const isLetters = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}._-]{0,38}[\p{L}\p{N}\p{M}])?$/u.test(name)
  return isLetters && !TAKEN.test(name) && name === name.normalize('NFC').toLowerCase()
}

/** A name of that kind out of what a person calls themselves; null: nothing of it can be used. */
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
