/** What somebody was shown before it is forgotten: a bare yes counts for that, and only for a while. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { codeOf, readOwnText } from '../../platform/disk/files.ts'
import { parseObject } from '../../platform/json.ts'
import { JOURNAL_DIR } from '../../platform/layout.ts'
import { fingerprintOfWords } from '../../text/fingerprint.ts'

const FILE = 'previewed.json'
const COUNTS_MS = 600_000

/** By its mark: no word of it is kept. Where nothing can be written, nothing can be forgotten either. */
export function keepPreviewed(store: Store, words: string, now: string): void {
  const text = `${JSON.stringify({ at: now, mark: fingerprintOfWords(words) })}\n`
  try {
    store.perform([{ do: 'write', path: path.join(JOURNAL_DIR, FILE), text }])
  } catch (error) {
    if (codeOf(error) === '') throw error
  }
}

export function wasPreviewed(store: Store, words: string, now: string): boolean {
  const { at, mark } = parseObject(readOwnText(path.join(store.dir, JOURNAL_DIR, FILE)) ?? '') ?? {}
  const age = Date.parse(now) - Date.parse(String(at))
  return mark === fingerprintOfWords(words) && age >= 0 && age <= COUNTS_MS
}
