/** What a user must be told once: a stranger's memory, files brought back, settings that were not understood, what waits for a yes. */
import path from 'node:path'
import { fingerprint } from '../core/fingerprint.ts'
import { FACTS_FILE, NOTICES_FILE } from '../core/layout.ts'
import type { Way } from '../core/pending.ts'
import type { PermanentItem } from '../core/permanent.ts'
import { changePermanent } from '../core/permanent-change.ts'
import { proposedIn, renderQuestion } from '../core/proposal.ts'
import { readOwnText, readText } from '../store/files.ts'
import { readFacts, writeFacts } from '../store/knowledge.ts'
import { waitsForMigration } from '../store/migrate-notice.ts'
import { HOOK_WAIT_MS, type Store } from '../store/store.ts'

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

const DAY_MS = 24 * 60 * 60_000
/** As it stands in facts.json. */
const PROPOSED = '"status":"proposed"'

/**
 * One line for the user where something waits for their yes: one proposal at a start, each of them once. Nobody is asked in the
 * middle of a session, and not before it is written down that they were.
 */
export function askForYes(
  store: Store,
  { source, isAttended, way, now }: { source: string; isAttended: boolean; way: Way; now: string },
): string[] {
  if (!isAttended || source === 'compact' || !store.isPrepared()) return []
  // Nearly always nothing waits: then nothing is parsed.
  if (readOwnText(path.join(store.dir, FACTS_FILE))?.includes(PROPOSED) !== true) return []
  const asked = store.whileLocked(HOOK_WAIT_MS, () => {
    const facts = readFacts(store)
    // Where a model judges, it does so first; what it did not come to in a day is asked all the same.
    const isRipe = ({ judged, at }: PermanentItem): boolean =>
      way === 'extractive' || judged !== undefined || Date.parse(now) - Date.parse(at) > DAY_MS
    const item = proposedIn(facts).find((one) => one.askedAt === undefined && isRipe(one))
    if (item !== undefined) writeFacts(store, facts, changePermanent(facts, item.id, { askedAt: now }), now)
    return item
  })?.value
  return asked === undefined ? [] : [renderQuestion(asked)]
}

function standingNotices(store: Store): string[] {
  const foreign =
    store.standing === 'foreign'
      ? [
          'Memory Keeper: this project contains a memory that is not trusted (.claude/memory): it came with the repository, an earlier version of Memory Keeper made it, or you said so. Nothing of it is read. ' +
            'Your own sessions are kept in your home directory. To look at it and use it, ask Claude to run: memory-keeper trust',
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
