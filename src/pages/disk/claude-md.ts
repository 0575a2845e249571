/** Keeps the rules between our markers in the project's CLAUDE.md, when the user wants that, and takes them out again. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { codeOf, disk, readPart, realPath, replaceUsers, statOf } from '../../platform/disk/files.ts'
import { CLAUDE_MD_RECORD, HOST_INSTRUCTIONS, JOURNAL_DIR } from '../../platform/layout.ts'
import { type Edited, hasSection, withoutSection, withSection } from '../claude-md.ts'

export type Synced = 'same' | 'written' | 'removed' | 'damaged' | 'refused'

/** Nobody writes so much for a model to read with every request. */
const MAX_BYTES = 4_000_000
const RECORD = path.join(JOURNAL_DIR, CLAUDE_MD_RECORD)

/** Call it under the lock. `refused` and `damaged`: nothing was changed; `whyNotSynced` says why. */
export function syncClaudeMd(store: Store, rules: readonly string[]): Synced {
  const isWanted = store.config.claudeMdSync && rules.length > 0
  // Without a record, a section is a teammate's: it came with the repository.
  if (!isWanted && !hasRecord(store)) return 'same'
  try {
    return isWanted ? putIn(store, rules) : takeOut(store)
  } catch (error) {
    // Not allowed, read-only, full: the system refuses, and a session goes on without it.
    if (/^E[A-Z]+$/.test(codeOf(error))) return 'refused'
    throw error
  }
}

/** Whether there is anything to do about it: wanted, or to be taken out again. */
export function mayTouchClaudeMd(store: Store): boolean {
  return store.config.claudeMdSync || hasRecord(store)
}

export function whyNotSynced(store: Store): string {
  const target = findTarget(store)
  if ('refusedBecause' in target) return target.refusedBecause
  const file = path.join(store.places.project.root, HOST_INSTRUCTIONS)
  const edited = withSection(target.bytes, [])
  return edited.is === 'damaged'
    ? `${file} was left alone: ${edited.reason}. Mend that, or: memory-keeper config set claudeMdSync false`
    : `${file} cannot be written. Make it writable, or: memory-keeper config set claudeMdSync false`
}

function putIn(store: Store, rules: readonly string[]): Synced {
  const plan = planFor(store, (bytes) => withSection(bytes, rules))
  if (typeof plan === 'string') return plan
  const isNew = plan.before === null || !hasSection(plan.before)
  if (isNew && !hasRecord(store)) {
    // First the record, then the section: killed in between, there is a record of nothing, which does no harm.
    store.perform([{ do: 'write', path: RECORD, text: `${JSON.stringify({ version: 1 })}\n` }])
    // Syncing the record to disk takes a while: the user may have saved the file meanwhile.
    const again = planFor(store, (bytes) => withSection(bytes, rules))
    if (typeof again === 'string') return again
    replaceUsers(again.file, again.after ?? '')
  } else replaceUsers(plan.file, plan.after ?? '')
  return 'written'
}

function takeOut(store: Store): Synced {
  const plan = planFor(store, (bytes) => (bytes === null ? { is: 'fine', bytes } : withoutSection(bytes)))
  if (plan === 'damaged' || plan === 'refused') return plan
  if (plan !== 'same') {
    // A link stays, whatever it leads to: it was there before us.
    const isLink = statOf(path.join(store.places.project.root, HOST_INSTRUCTIONS))?.kind === 'link'
    if (plan.after === null && !isLink) disk.remove(plan.file)
    else replaceUsers(plan.file, plan.after ?? '')
  }
  store.perform([{ do: 'remove', path: RECORD }])
  return plan === 'same' ? 'same' : 'removed'
}

interface Plan {
  file: string
  before: Buffer | null
  after: Buffer | null
}

function planFor(store: Store, edit: (bytes: Buffer | null) => Edited): Plan | 'same' | 'damaged' | 'refused' {
  const target = findTarget(store)
  if ('refusedBecause' in target) return 'refused'
  const edited = edit(target.bytes)
  if (edited.is === 'damaged') return 'damaged'
  const { bytes: after } = edited
  const isSame = after === null ? target.bytes === null : target.bytes !== null && after.equals(target.bytes)
  return isSame ? 'same' : { file: target.file, before: target.bytes, after }
}

/** The file to write, and what is in it. A link is followed inside of the project only, and to Markdown only. */
function findTarget(store: Store): { file: string; bytes: Buffer | null } | { refusedBecause: string } {
  const { root } = store.places.project
  const named = path.join(root, HOST_INSTRUCTIONS)
  if (store.ownership === 'foreign') {
    return { refusedBecause: `${store.places.inProject} is not trusted: memory-keeper trust shows it.` }
  }
  const kind = statOf(named)?.kind ?? null
  if (kind === null) return { file: named, bytes: null }
  const file = kind === 'link' ? realPath(named) : named
  if (kind === 'link' && !(file.startsWith(root + path.sep) && file.toLowerCase().endsWith('.md'))) {
    return { refusedBecause: `${named} is a link that leads out of the project or to no Markdown file: not written.` }
  }
  const facts = statOf(file)
  if (facts?.kind !== 'file') return { refusedBecause: `${named} is not a file.` }
  if (facts.size > MAX_BYTES) return { refusedBecause: `${named} is too large (${facts.size} bytes).` }
  const bytes = readPart(file, 0, MAX_BYTES)
  return bytes === null ? { refusedBecause: `${named} cannot be read.` } : { file, bytes }
}

/** Whether a section of ours stands in the project's CLAUDE.md: one that came with the repository is not. */
export function hasClaudeMdSection(store: Store): boolean {
  return hasRecord(store)
}

/** Takes it out, whatever the settings say; false: it had to be left. */
export function removeClaudeMdSection(store: Store): boolean {
  return ['same', 'removed'].includes(syncClaudeMd({ ...store, config: { ...store.config, claudeMdSync: false } }, []))
}

function hasRecord(store: Store): boolean {
  return statOf(path.join(store.dir, RECORD))?.kind === 'file'
}
