/** Writes the rules between our markers into the project's CLAUDE.md if the setting is on, and removes them again. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { codeOf, disk, readPart, realPath, replaceUsers, statOf } from '../../../kernel/platform/disk/files.ts'
import { CLAUDE_MD_RECORD, HOST_INSTRUCTIONS, JOURNAL_DIR } from '../../../kernel/platform/layout.ts'
import { type Edited, hasSection, withoutSection, withSection } from '../claude-md.ts'

export type Synced = 'same' | 'written' | 'removed' | 'damaged' | 'refused'

/** A larger file is not a hand-written CLAUDE.md. */
const MAX_BYTES = 4_000_000
const RECORD = path.join(JOURNAL_DIR, CLAUDE_MD_RECORD)

/** Call it under the lock. `refused` and `damaged`: nothing was changed; `whyNotSynced` returns the reason. */
export function syncClaudeMd(store: Store, rules: readonly string[]): Synced {
  const isWanted = store.config.claudeMdSync && rules.length > 0
  // Without a record, a section is a teammate's: it came with the repository.
  if (!isWanted && !hasClaudeMdSection(store)) return 'same'
  try {
    return isWanted ? putIn(store, rules) : takeOut(store)
  } catch (error) {
    // The system refuses (no permission, read-only, full): the session continues without it.
    if (/^E[A-Z]+$/.test(codeOf(error))) return 'refused'
    throw error
  }
}

/** Whether there is anything to do: the setting is on, or a section is to be removed. */
export function mayTouchClaudeMd(store: Store): boolean {
  return store.config.claudeMdSync || hasClaudeMdSection(store)
}

export function whyNotSynced(store: Store): string {
  const target = findTarget(store)
  if ('refusedBecause' in target) return target.refusedBecause
  const file = path.join(store.places.project.root, HOST_INSTRUCTIONS)
  const edited = withSection(target.bytes, [])
  return edited.is === 'damaged'
    ? `${file} was not changed: ${edited.reason}. Fix that, or: memory-keeper config set claudeMdSync false`
    : `${file} cannot be written. Make it writable, or: memory-keeper config set claudeMdSync false`
}

function putIn(store: Store, rules: readonly string[]): Synced {
  const plan = planFor(store, (bytes) => withSection(bytes, rules))
  if (typeof plan === 'string') return plan
  const isNew = plan.before === null || !hasSection(plan.before)
  if (isNew && !hasClaudeMdSection(store)) {
    // The record first, then the section: after a kill in between there is a record without a section, which does no harm.
    store.perform([{ do: 'write', path: RECORD, text: `${JSON.stringify({ version: 1 })}\n` }])
    // Syncing the record takes time: the user may have saved the file meanwhile.
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
    // A link stays, whatever its target: it was there before us.
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

/** The file to write and its content. A link is followed only inside the project, and only to Markdown. `name`: below the project. */
export function findTarget(
  store: Store,
  name = HOST_INSTRUCTIONS,
): { file: string; bytes: Buffer | null } | { refusedBecause: string } {
  const { root } = store.places.project
  const named = path.join(root, name)
  if (store.ownership === 'foreign') {
    return { refusedBecause: `${store.places.inProject} is not trusted: memory-keeper trust shows it.` }
  }
  const kind = statOf(named)?.kind ?? null
  if (kind === null) return { file: named, bytes: null }
  const file = kind === 'link' ? realPath(named) : named
  if (kind === 'link' && !(file.startsWith(root + path.sep) && file.toLowerCase().endsWith('.md'))) {
    return { refusedBecause: `${named} is a link that leads out of the project or to no Markdown file: not written.` }
  }
  const stat = statOf(file)
  if (stat?.kind !== 'file') return { refusedBecause: `${named} is not a file.` }
  if (stat.size > MAX_BYTES) return { refusedBecause: `${named} is too large (${stat.size} bytes).` }
  const bytes = readPart(file, 0, MAX_BYTES)
  return bytes === null ? { refusedBecause: `${named} cannot be read.` } : { file, bytes }
}

/** Removes the section, whatever the settings say; false: it could not be removed. */
export function removeClaudeMdSection(store: Store): boolean {
  return ['same', 'removed'].includes(syncClaudeMd({ ...store, config: { ...store.config, claudeMdSync: false } }, []))
}

/** Whether the project's CLAUDE.md contains a section of ours; one that came with the repository does not count. */
export function hasClaudeMdSection(store: Store): boolean {
  return statOf(path.join(store.dir, RECORD))?.kind === 'file'
}
