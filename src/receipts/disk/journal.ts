/**
 * Receipts on disk: what a session was told at its start and with its prompts, why, and how long hooks took. Everything is bounded in size.
 * Hooks write them, so it must cost next to nothing.
 */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import {
  create,
  disk,
  list,
  makeDir,
  readOwnText,
  readPart,
  replaceQuickly,
  sizeOf,
  statOf,
} from '../../platform/disk/files.ts'
import { parseObject } from '../../platform/json.ts'
import {
  BRIEFINGS_DIR,
  HOOK_TIMES_FILE,
  JOURNAL_DIR,
  RECALL_TEXTS_FILE,
  RECALLS_FILE,
  TOLD_RULES_DIR,
} from '../../platform/layout.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import {
  type Briefing,
  formatReceipt,
  formatStart,
  formatToldRecall,
  formatWhy,
  parseReceipts,
  parseStarts,
  type Receipt,
  receiptsSinceCompaction,
  type Shown,
  type Start,
  type ToldRecall,
} from '../receipt.ts'

/** Of a file of lines; a larger one loses its older half. */
const MAX_BYTES = 512 * 1024
/** A session that old is not resumed. */
const MAX_BRIEFINGS = 400
/** People change their rules now and then. */
const MAX_RULES = 100

const BRIEFING = '.txt'
const WHY = '.why.json'

type Memory = Pick<Store, 'dir'>

function inJournal({ dir }: Memory, ...names: string[]): string {
  return path.join(dir, JOURNAL_DIR, ...names)
}

/** One write at the end of a file of lines. Behind half a line that a killed writer left, a new line begins. */
function addLine(store: Store, name: string, line: string): void {
  const file = inJournal(store, name)
  const size = sizeOf(file) ?? 0
  const last = size === 0 ? null : readPart(file, size - 1, 1)?.toString('latin1')
  const text = last === null || last === '\n' ? line : `\n${line}`
  store.perform([{ do: 'append', path: path.join(JOURNAL_DIR, name), text }])
}

/** The oldest receipts go. Call it under the lock. */
export function trimReceipts(memory: Memory): void {
  for (const name of [HOOK_TIMES_FILE, RECALLS_FILE, RECALL_TEXTS_FILE]) trimLines(inJournal(memory, name))
  trimDir(inJournal(memory, BRIEFINGS_DIR), MAX_BRIEFINGS)
  trimDir(inJournal(memory, TOLD_RULES_DIR), MAX_RULES)
}

/** Keeps the newer half of a file that has grown too large. */
function trimLines(file: string): void {
  if ((sizeOf(file) ?? 0) <= MAX_BYTES) return
  const lines = (readOwnText(file) ?? '').split('\n')
  disk.replace(file, lines.slice(Math.floor(lines.length / 2)).join('\n'))
}

function trimDir(dir: string, most: number): void {
  const names = list(dir).filter((name) => name.endsWith(BRIEFING))
  if (names.length <= most) return
  const byAge = names
    .map((name) => ({ name, at: statOf(path.join(dir, name))?.mtimeMs ?? 0 }))
    .toSorted((a, b) => a.at - b.at)
  for (const { name } of byAge.slice(0, names.length - most))
    for (const one of [name, name.replace(BRIEFING, WHY)]) disk.remove(path.join(dir, one))
}

export interface HookTime {
  at: string
  event: string
  ms: number
  session?: string
  /** Characters told to Claude, by part. */
  told?: Record<string, number>
  /** Which rules were among it: the name of their text. */
  rules?: string
}

export function noteHookTime(dir: string, time: HookTime): void {
  disk.append(inJournal({ dir }, HOOK_TIMES_FILE), `${JSON.stringify(time)}\n`)
}

export function readHookTimes(dir: string): HookTime[] {
  const lines = (readOwnText(inJournal({ dir }, HOOK_TIMES_FILE)) ?? '').split('\n')
  return lines.flatMap((line) => (line === '' ? [] : ((parseObject(line) as HookTime | null) ?? [])))
}

/** What was decided about a prompt. */
export interface RecallDecided {
  fires: boolean
  verdict: string
  picks: readonly (Shown & { verdict: string })[]
  tokens: number
  /** Entries of the session. */
  n: number
}

export function keepRecall(
  store: Store,
  { fires, verdict, picks, tokens, n }: RecallDecided,
  about: { at: string; session: string; ms: number },
): void {
  const shown = picks
    .filter((pick) => pick.verdict === 'told')
    .map(({ id, from, to, mark }) => ({ id, from, to, mark }))
  addLine(store, RECALLS_FILE, formatReceipt({ ...about, n, fired: fires, shown, tokens, verdict }))
}

export function keepRecallTold(store: Store, told: ToldRecall): void {
  addLine(store, RECALL_TEXTS_FILE, formatToldRecall(told))
}

/** Nobody asks for it where nothing is recalled. */
export function keepStart(store: Store, start: Start): void {
  if (store.config.recall && store.config.recallMaxTokens > 0) addLine(store, RECALLS_FILE, formatStart(start))
}

function ledger(store: Store): string {
  return readOwnText(inJournal(store, RECALLS_FILE)) ?? ''
}

export function readRecalls(store: Store): Receipt[] {
  return parseReceipts(ledger(store))
}

/** Of this session, since it was compacted; null: it was not, as far as the ledger knows. */
export function recallsSinceCompaction(store: Store, session: string): Receipt[] | null {
  return receiptsSinceCompaction(ledger(store), session)
}

export function readStarts(store: Store): Start[] {
  return parseStarts(ledger(store))
}

/** What a session was told at its start, or after its last compaction; null: nothing. */
export function readReceipt(store: Store, session: string): string | null {
  return isName(session) ? readOwnText(inJournal(store, BRIEFINGS_DIR, session + BRIEFING)) : null
}

/** `lines` null: the same text as before, or a fork's; why is not known anew. */
export function keepReceipt(
  store: Store,
  session: string,
  told: Pick<Briefing, 'text'> & { lines: Briefing['lines'] | null },
): void {
  const before = readReceipt(store, session)
  if (!isName(session) || before === told.text) return
  const dir = inJournal(store, BRIEFINGS_DIR)
  if (before !== null) setAside(dir, session, before)
  store.perform([{ do: 'write', path: path.join(JOURNAL_DIR, BRIEFINGS_DIR, session + BRIEFING), text: told.text }])
  if (told.lines !== null) replaceQuickly(path.join(dir, session + WHY), formatWhy(told.text, told.lines))
}

/** Told anew after a compaction: what was told before keeps a number. The newest stays readable all the time. */
function setAside(dir: string, session: string, text: string): void {
  const number = 1 + list(dir).filter((name) => name.startsWith(`${session}.`) && /\.\d+\.txt$/.test(name)).length
  const why = readOwnText(path.join(dir, session + WHY))
  if (why !== null) replaceQuickly(path.join(dir, `${session}.${number}${WHY}`), why)
  replaceQuickly(path.join(dir, `${session}.${number}${BRIEFING}`), text)
}

/** Kept once for each version; gives its name. */
export function keepRulesTold(store: Store, text: string): string {
  const name = fingerprint(text)
  const dir = inJournal(store, TOLD_RULES_DIR)
  const file = path.join(dir, name + BRIEFING)
  if (sizeOf(file) === null) {
    makeDir(dir)
    create(file, text)
  }
  return name
}

function isName(session: string): boolean {
  return /^[\w-]{8,64}$/.test(session)
}
