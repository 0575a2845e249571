/** The recall ledger on disk: a receipt for each prompt that was looked at, a line for each start, bounded in size. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { disk, readOwnText, readPart, sizeOf } from '../../platform/disk/files.ts'
import { JOURNAL_DIR, RECALLS_FILE } from '../../platform/layout.ts'
import {
  formatReceipt,
  formatStart,
  parseReceipts,
  parseStarts,
  type Receipt,
  receiptsSinceCompaction,
  type Shown,
  type Start,
} from '../recall-ledger.ts'

const MAX_BYTES = 512 * 1024

/** What was decided about a prompt. */
export interface RecallDecided {
  fires: boolean
  verdict: string
  picks: readonly (Shown & { verdict: string })[]
  tokens: number
  /** Entries of the session. */
  n: number
}

export function readRecalls(store: Store): Receipt[] {
  return parseReceipts(readOwnText(fileOf(store)) ?? '')
}

/** Of this session, since it was compacted; null: it was not, as far as the ledger knows. */
export function recallsSinceCompaction(store: Store, session: string): Receipt[] | null {
  return receiptsSinceCompaction(readOwnText(fileOf(store)) ?? '', session)
}

export function readStarts(store: Store): Start[] {
  return parseStarts(readOwnText(fileOf(store)) ?? '')
}

/** Nobody asks for it where nothing is recalled. */
export function keepStart(store: Store, start: Start): void {
  if (store.config.recall && store.config.recallMaxTokens > 0) addLine(store, formatStart(start))
}

export function keepRecall(
  store: Store,
  { fires, verdict, picks, tokens, n }: RecallDecided,
  about: { at: string; session: string; ms: number },
): void {
  const shown = picks
    .filter((pick) => pick.verdict === 'told')
    .map(({ id, from, to, mark }) => ({ id, from, to, mark }))
  addLine(store, formatReceipt({ ...about, n, fired: fires, shown, tokens, verdict }))
}

/** One write at the end of the file. */
function addLine(store: Store, line: string): void {
  store.perform([{ do: 'append', path: path.join(JOURNAL_DIR, RECALLS_FILE), text: afterBreak(store, line) }])
}

/** Behind half a line that a killed writer left, a new line begins. */
function afterBreak(store: Store, line: string): string {
  const size = sizeOf(fileOf(store)) ?? 0
  const last = size === 0 ? null : readPart(fileOf(store), size - 1, 1)?.toString('latin1')
  return last === null || last === '\n' ? line : `\n${line}`
}

/** Keeps the newer half of a ledger that has grown too large. Call it under the lock. */
export function trimRecalls(store: Store): void {
  if ((sizeOf(fileOf(store)) ?? 0) <= MAX_BYTES) return
  const lines = (readOwnText(fileOf(store)) ?? '').split('\n')
  disk.replace(fileOf(store), lines.slice(Math.floor(lines.length / 2)).join('\n'))
}

function fileOf(store: Store): string {
  return path.join(store.dir, JOURNAL_DIR, RECALLS_FILE)
}
