/** What a user must be told once: a stranger's memory, files brought back, settings that were not understood, what waits for a yes. */
import path from 'node:path'
import { fingerprint } from '../core/fingerprint.ts'
import { FACTS_FILE, NOTICES_FILE, STATE_FILE } from '../core/layout.ts'
import { changePermanent } from '../core/permanent-change.ts'
import { proposedIn, renderQuestion } from '../core/proposal.ts'
import { factsOf, readOwnText, readText } from '../store/files.ts'
import { readFacts, writeFacts } from '../store/knowledge.ts'
import { waitsForMigration } from '../store/migrate-notice.ts'
import { HOOK_WAIT_MS, type Store } from '../store/store.ts'
import { adoptFiles, hasFiles } from '../store/vault.ts'

/**
 * After `git clean -fdx` or in a fresh checkout: the memory comes back from the vault, and what was kept at home joins it.
 * At whatever event it is missed first, before a new one is begun. The state is written last: killed, it is all done again.
 */
export function restoreIfLost(store: Store): string | null {
  if (store.standing === 'foreign' || store.config.storage === 'home') return null
  if (factsOf(path.join(store.dir, STATE_FILE)) !== null) return null
  const sources = [store.places.vault, store.places.atHome].filter(hasFiles)
  if (sources.length === 0) return null
  const files = store.whileLocked(HOOK_WAIT_MS, () => sources.reduce((sum, from) => sum + adoptFiles(store, from), 0))
  if (files === null || files.value === 0) return null
  return `Memory Keeper: this project's memory was gone; ${files.value} files are restored from the vault.`
}

/** The lines nobody has seen yet. They count as seen only when somebody sits there. */
export function takeNotices(store: Store, restored: string | null, isAttended: boolean): string[] {
  const lines = [...(restored === null ? [] : [restored]), ...standingNotices(store)]
  if (lines.length === 0 || !isAttended) return lines.filter((line) => line === restored)
  const told = parseTold(readText(path.join(store.dir, NOTICES_FILE)))
  // Bringing files back is news every time it happens.
  const fresh = lines.filter((line) => line === restored || !told.includes(fingerprint(line)))
  const add = fresh.map(fingerprint).filter((mark) => !told.includes(mark))
  if (add.length > 0) {
    store.perform([
      { do: 'write', path: NOTICES_FILE, text: `${JSON.stringify({ version: 1, told: [...told, ...add] })}\n` },
    ])
  }
  return fresh
}

/** As it stands in facts.json. */
const PROPOSED = '"status":"proposed"'

/**
 * One line for the user where something waits for their yes: one proposal at a start, each of them once. Nobody is asked in the
 * middle of a session, and not before it is written down that they were.
 */
export function askForYes(store: Store, source: string, isAttended: boolean, now: string): string[] {
  if (!isAttended || source === 'compact' || !store.isPrepared()) return []
  // Nearly always nothing waits: then nothing is parsed.
  if (readOwnText(path.join(store.dir, FACTS_FILE))?.includes(PROPOSED) !== true) return []
  const asked = store.whileLocked(HOOK_WAIT_MS, () => {
    const facts = readFacts(store)
    const item = proposedIn(facts).find(({ askedAt }) => askedAt === undefined)
    if (item !== undefined) writeFacts(store, facts, changePermanent(facts, item.id, { askedAt: now }), now)
    return item
  })?.value
  return asked === undefined ? [] : [renderQuestion(asked)]
}

function standingNotices(store: Store): string[] {
  const foreign =
    store.standing === 'foreign'
      ? [
          'Memory Keeper: this project contains a memory that is not trusted (.claude/memory): it came with the repository, or you said so. Nothing of it is read. ' +
            'Your own sessions are kept in your home directory. To look at it and use it: memory-keeper trust',
        ]
      : []
  const waiting = waitsForMigration(store)
  return [
    ...foreign,
    ...store.configWarnings.map((warning) => `Memory Keeper: ${warning}.`),
    ...(waiting === null ? [] : [waiting]),
  ]
}

function parseTold(text: string | null): string[] {
  if (text === null) return []
  try {
    const { told } = JSON.parse(text) as { told?: unknown }
    return Array.isArray(told) ? told.filter((mark) => typeof mark === 'string') : []
  } catch {
    return []
  }
}
