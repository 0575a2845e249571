/**
 * Receipts on disk: what was injected into a session and why, and how long hooks took. Every file is bounded in size.
 * Hooks write them, so that it must cost next to nothing.
 */
import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
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
} from '../../../kernel/platform/disk/files.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import {
  ARCHIVE_DIR,
  BRIEFINGS_DIR,
  HOOK_TIMES_FILE,
  INJECTED_RULES_DIR,
  JOURNAL_DIR,
  RECALL_TEXTS_FILE,
  RECALLS_FILE,
  SESSIONS_DIR,
} from '../../../kernel/platform/layout.ts'
import { total } from '../../../kernel/text/figures.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import {
  type Briefing,
  formatInjectedRecall,
  formatReceipt,
  formatStart,
  formatWhy,
  type InjectedRecall,
  parseReceipts,
  parseStarts,
  type Receipt,
  receiptsSinceCompaction,
  type Shown,
  type Start,
} from '../receipt.ts'

/** Of a file of lines, and of all briefings. The receipts of a project take less room than its sessions, each kind a quarter of it at most. */
const MAX_BYTES = 512 * 1024
/** Of a project whose sessions are few: some briefings, which may be told again. */
const LEAST_BYTES = 192 * 1024
/** A session older than this many briefings is not resumed. */
const MAX_BRIEFINGS = 400
/** People change their rules only now and then. */
const MAX_RULES = 100

const BRIEFING = '.txt'
const WHY = '.why.json'

type Memory = Pick<Store, 'dir'>
type Writable = Pick<Store, 'dir' | 'perform'>

function inJournal({ dir }: Memory, ...names: string[]): string {
  return path.join(dir, JOURNAL_DIR, ...names)
}

/** Appends one line. If a killed writer left half a line, a new line is started first. */
function addLine(memory: Writable, name: string, line: string): void {
  const file = inJournal(memory, name)
  const size = sizeOf(file) ?? 0
  const last = size === 0 ? null : readPart(file, size - 1, 1)?.toString('latin1')
  const text = last === null || last === '\n' ? line : `\n${line}`
  memory.perform([{ do: 'append', path: path.join(JOURNAL_DIR, name), text }])
}

/** Deletes the oldest receipts. Call it under the lock. */
export function trimReceipts(memory: Memory): void {
  const bytes = Math.min(MAX_BYTES, Math.max(LEAST_BYTES, bytesOfSessions(memory) / 4))
  for (const name of [HOOK_TIMES_FILE, RECALLS_FILE, RECALL_TEXTS_FILE]) trimLines(inJournal(memory, name), bytes)
  trimDir(inJournal(memory, BRIEFINGS_DIR), { most: MAX_BRIEFINGS, bytes })
  trimDir(inJournal(memory, INJECTED_RULES_DIR), { most: MAX_RULES, bytes })
}

function bytesOfSessions({ dir }: Memory): number {
  const dirs = [path.join(dir, SESSIONS_DIR), path.join(dir, SESSIONS_DIR, ARCHIVE_DIR)]
  return total(dirs, (one) => total(list(one), (name) => sizeOf(path.join(one, name)) ?? 0))
}

/** Keeps the newer half of a file that has grown too large, or what is allowed of it. */
function trimLines(file: string, most: number): void {
  const size = sizeOf(file) ?? 0
  if (size <= most) return
  const kept = Math.floor(Math.min(size / 2, most))
  const text = readPart(file, size - kept, kept)?.toString('utf8') ?? ''
  disk.replace(file, text.slice(text.indexOf('\n') + 1))
}

/** Keeps the newest texts, with why each was told. */
function trimDir(dir: string, { most, bytes }: { most: number; bytes: number }): void {
  const byAge = list(dir)
    .filter((name) => name.endsWith(BRIEFING))
    .map((name) => {
      const files = [name, name.replace(BRIEFING, WHY)].map((one) => path.join(dir, one))
      return { files, at: statOf(files[0] ?? '')?.mtimeMs ?? 0, size: total(files, (file) => sizeOf(file) ?? 0) }
    })
    .toSorted((a, b) => b.at - a.at)
  let sum = 0
  const old = byAge.filter(({ size }, n) => {
    sum += size
    return n >= most || (n > 0 && sum > bytes)
  })
  for (const { files } of old) for (const file of files) disk.remove(file)
}

export interface HookTime {
  at: string
  event: string
  ms: number
  /** Of it, how long a server was waited for that did not answer. */
  waited?: number
  /** Who answered, where it was not the hook program: the running server, or what was prepared. */
  by?: 'server' | 'prepared'
  session?: string
  /** Injected characters, by part. */
  told?: Record<string, number>
  /** The fingerprint of the injected rules. */
  rules?: string
}

export function noteHookTime(dir: string, time: HookTime): void {
  disk.append(inJournal({ dir }, HOOK_TIMES_FILE), `${JSON.stringify(time)}\n`)
}

export function readHookTimes(dir: string): HookTime[] {
  const lines = (readOwnText(inJournal({ dir }, HOOK_TIMES_FILE)) ?? '').split('\n')
  return lines.flatMap((line) => (line === '' ? [] : ((parseObject(line) as HookTime | null) ?? [])))
}

/** The decision about a prompt. */
export interface RecallDecided {
  fires: boolean
  signal: string | null
  verdict: string
  picks: readonly (Shown & { verdict: string })[]
  tokens: number
  /** The number of entries of the session. */
  n: number
}

export function keepRecall(
  memory: Writable,
  { fires, signal, verdict, picks, tokens, n }: RecallDecided,
  about: { at: string; session: string; ms: number },
): void {
  const shown = picks
    .filter((pick) => pick.verdict === 'told')
    .map(({ id, from, to, mark }) => ({ id, from, to, mark }))
  addLine(
    memory,
    RECALLS_FILE,
    formatReceipt({ ...about, n, fired: fires, signal: signal ?? '', shown, tokens, verdict }),
  )
}

export function keepInjectedRecall(memory: Writable, recall: InjectedRecall): void {
  addLine(memory, RECALL_TEXTS_FILE, formatInjectedRecall(recall))
}

export function keepStart(memory: Writable, start: Start): void {
  addLine(memory, RECALLS_FILE, formatStart(start))
}

function ledger(store: Store): string {
  return readOwnText(inJournal(store, RECALLS_FILE)) ?? ''
}

export function readRecalls(store: Store): Receipt[] {
  return parseReceipts(ledger(store))
}

/** The recalls of this session since its last compaction; null: the ledger has no compaction of it. */
export function recallsSinceCompaction(store: Store, session: string): Receipt[] | null {
  return receiptsSinceCompaction(ledger(store), session)
}

export function readStarts(store: Store): Start[] {
  return parseStarts(ledger(store))
}

/** The session's last briefing (at its start or after a compaction); null: none. */
export function readReceipt(memory: Memory, session: string): string | null {
  // Empty: the machine lost its power before the disk had it.
  return isName(session) ? readOwnText(inJournal(memory, BRIEFINGS_DIR, session + BRIEFING)) || null : null
}

/** `lines` null: the same text as before, or a fork's; the reasons are not written again. */
export function keepReceipt(
  memory: Memory,
  session: string,
  briefing: Pick<Briefing, 'text'> & { lines: Briefing['lines'] | null },
): void {
  const before = readReceipt(memory, session)
  if (!isName(session) || before === briefing.text) return
  const dir = inJournal(memory, BRIEFINGS_DIR)
  if (before !== null) setAside(dir, session, before)
  makeDir(dir)
  replaceQuickly(path.join(dir, session + BRIEFING), briefing.text)
  if (briefing.lines !== null) replaceQuickly(path.join(dir, session + WHY), formatWhy(briefing.text, briefing.lines))
}

/** After a compaction the session gets a new briefing, and the earlier one gets a number. The newest stays readable all the time. */
function setAside(dir: string, session: string, text: string): void {
  const number = 1 + list(dir).filter((name) => name.startsWith(`${session}.`) && /\.\d+\.txt$/.test(name)).length
  const why = readOwnText(path.join(dir, session + WHY))
  if (why !== null) replaceQuickly(path.join(dir, `${session}.${number}${WHY}`), why)
  replaceQuickly(path.join(dir, `${session}.${number}${BRIEFING}`), text)
}

/** Stores each version once; returns its name. */
export function keepInjectedRules(store: Store, text: string): string {
  const name = fingerprint(text)
  const dir = inJournal(store, INJECTED_RULES_DIR)
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
