/** Receipts are kept: exactly what a session is told, and why. Hooks do it, so it must cost next to nothing. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { create, disk, list, makeDir, readOwnText, replaceQuickly, sizeOf, statOf } from '../../platform/disk/files.ts'
import { BRIEFINGS_DIR, JOURNAL_DIR, RECALL_TEXTS_FILE, TOLD_RULES_DIR } from '../../platform/layout.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { type Briefing, formatToldRecall, formatWhy, type ToldRecall } from '../told.ts'

/** A session that old is not resumed. */
const MAX_BRIEFINGS = 400
/** People change their rules now and then. */
const MAX_RULES = 100
const MAX_BYTES = 512 * 1024

const BRIEFING = '.txt'
const WHY = '.why.json'

/** What a session was told at its start, or after its last compaction; null: nothing. */
export function readReceipt(store: Store, session: string): string | null {
  return isName(session) ? readOwnText(path.join(briefingsDir(store), session + BRIEFING)) : null
}

/** `lines` null: the same text as before, or a fork's; why is not known anew. */
export function keepReceipt(
  store: Store,
  session: string,
  told: Pick<Briefing, 'text'> & { lines: Briefing['lines'] | null },
): void {
  if (!isName(session)) return
  const dir = briefingsDir(store)
  const before = readOwnText(path.join(dir, session + BRIEFING))
  if (before === told.text) return
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
  const dir = path.join(store.dir, JOURNAL_DIR, TOLD_RULES_DIR)
  const file = path.join(dir, name + BRIEFING)
  if (sizeOf(file) === null) {
    makeDir(dir)
    create(file, text)
  }
  return name
}

export function keepRecallTold(store: Store, told: ToldRecall): void {
  // Behind half a line that a killed writer left, a new line begins; an empty one says nothing.
  store.perform([
    { do: 'append', path: path.join(JOURNAL_DIR, RECALL_TEXTS_FILE), text: `\n${formatToldRecall(told)}` },
  ])
}

/** The oldest go. Call it under the lock. */
export function trimReceipts(store: Store): void {
  const briefings = briefingsDir(store)
  trimDir(briefings, MAX_BRIEFINGS, (name) => [name, name.replace(BRIEFING, WHY)])
  trimDir(path.join(store.dir, JOURNAL_DIR, TOLD_RULES_DIR), MAX_RULES, (name) => [name])
  const recalls = path.join(store.dir, JOURNAL_DIR, RECALL_TEXTS_FILE)
  if ((sizeOf(recalls) ?? 0) <= MAX_BYTES) return
  const lines = (readOwnText(recalls) ?? '').split('\n')
  disk.replace(recalls, lines.slice(Math.floor(lines.length / 2)).join('\n'))
}

function trimDir(dir: string, most: number, withIt: (name: string) => string[]): void {
  const names = list(dir).filter((name) => name.endsWith(BRIEFING))
  if (names.length <= most) return
  const byAge = names
    .map((name) => ({ name, at: statOf(path.join(dir, name))?.mtimeMs ?? 0 }))
    .toSorted((a, b) => a.at - b.at)
  for (const { name } of byAge.slice(0, names.length - most))
    for (const one of withIt(name)) disk.remove(path.join(dir, one))
}

function briefingsDir(store: Store): string {
  return path.join(store.dir, JOURNAL_DIR, BRIEFINGS_DIR)
}

function isName(session: string): boolean {
  return /^[\w-]{8,64}$/.test(session)
}
