/** The record of what was joined or migrated before, so that nothing comes twice, not even what was deleted since. */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import type { Effect } from '../../../kernel/platform/effect.ts'
import { isObject, parseObject } from '../../../kernel/platform/json.ts'
import { JOURNAL_DIR } from '../../../kernel/platform/layout.ts'

const RECORD_FILE = `${JOURNAL_DIR}/migrated.json`

/** The fingerprint of what came last from this source; null: nothing did. */
export function takenOver(store: Store, source: string): string | null {
  const mark = readRecord(store)[source]
  return typeof mark === 'string' ? mark : null
}

export function recordEffect(store: Store, source: string, mark: string): Effect {
  const sources = { ...readRecord(store), [source]: mark }
  return { do: 'write', path: RECORD_FILE, text: `${JSON.stringify({ version: 1, sources })}\n` }
}

function readRecord(store: Store): Record<string, unknown> {
  const sources = parseObject(readOwnText(path.join(store.dir, RECORD_FILE)) ?? '')?.sources
  return isObject(sources) ? sources : {}
}
