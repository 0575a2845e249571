/** Notices that a user must see: what a start finds, restored files, proposals. Each is shown once. */

import path from 'node:path'
import type { Check } from '../../core/health/disk/check.ts'
import { startFindings } from '../../core/health/disk/start-findings.ts'
import { readFacts, writeFacts } from '../../core/knowledge/disk/knowledge.ts'
import type { PermanentItem } from '../../core/knowledge/item.ts'
import { arrivedRulesNotice, changePermanent, proposedIn } from '../../core/knowledge/permanent.ts'
import { renderQuestion } from '../../core/knowledge/permanent-question.ts'
import type { Way } from '../../core/model/headless.ts'
import { HOOK_WAIT_MS, type Store } from '../../kernel/memory/disk/store.ts'
import { readOwnText } from '../../kernel/platform/disk/files.ts'
import { FACTS_FILE, NOTICES_FILE } from '../../kernel/platform/layout.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'

/** A line for a person. */
export interface Notice {
  text: string
  /** Shown again when this changes. */
  about: string
}

/** The lines that were not shown yet. They count as shown only if a person attends the session. */
export function takeNotices(
  store: Store,
  { restored, isAttended, now }: { restored: string | null; isAttended: boolean; now: string },
): string[] {
  const found = isAttended ? startFindings(store, now).filter(isToTell) : []
  const isEveryTime = ({ at }: Check): boolean => at === 'every start'
  return [
    // A restore is reported every time.
    ...(restored === null ? [] : [restored]),
    ...takeFresh(store, found.filter((one) => !isEveryTime(one)).map(noticeOf)),
    ...found.filter(isEveryTime).map((one) => noticeOf(one).text),
  ]
}

function isToTell({ verdict }: Check): boolean {
  return verdict !== 'ok'
}

/** With the commands as the user types them in Claude Code; a directory may have our name. */
function noticeOf({ finding, fix, about }: Check): Notice {
  const said = `${finding}.${fix === undefined ? '' : ` → ${fix}`}`
  const text = `Memory Keeper: ${said.replace(/(?<![/\\])\bmemory-keeper (?=[a-z])/g, '/memory-keeper:run ')}`
  return { text, about: about ?? text }
}

/** One line that is shown once. */
export function takeOnce(store: Store, notice: Notice): string[] {
  return takeFresh(store, [notice])
}

/** Whether a start at which somebody sits has a line that is told once, or will have one when its time comes. */
export function hasNotices(store: Store, now: string): boolean {
  const isToAsk = proposals(store).some(({ askedAt }) => askedAt === undefined)
  const found = startFindings(store, now).filter(isToTell)
  const isEveryTime = found.some(({ at }) => at === 'every start')
  return isToAsk || isEveryTime || freshOf(store, [...found.map(noticeOf), ...arrivedRules(store)]).length > 0
}

/** Whether this line waits to be told. */
export function isFresh(store: Store, notice: Notice): boolean {
  return freshOf(store, [notice]).length > 0
}

function freshOf(store: Store, notices: readonly Notice[]): readonly Notice[] {
  if (notices.length === 0) return []
  const shown = parseShown(readOwnText(path.join(store.dir, NOTICES_FILE)))
  return notices.filter(({ about }) => !shown.includes(fingerprint(about)))
}

function takeFresh(store: Store, notices: readonly Notice[]): string[] {
  const fresh = freshOf(store, notices)
  const shown = parseShown(readOwnText(path.join(store.dir, NOTICES_FILE)))
  const add = fresh.map(({ about }) => fingerprint(about))
  if (add.length > 0) {
    store.perform([
      { do: 'write', path: NOTICES_FILE, text: `${JSON.stringify({ version: 1, told: [...shown, ...add] })}\n` },
    ])
  }
  return fresh.map(({ text }) => text)
}

const DAY_MS = 24 * 60 * 60_000
/** As written in facts.json. */
const PROPOSED = '"status":"proposed"'

/**
 * A question for the user, without our name, if something waits for their approval: one proposal per start, each once. The user is not asked in the
 * middle of a session, and not before it is recorded that they were asked.
 */
export function askForYes(
  store: Store,
  { source, isAttended, way, now }: { source: string; isAttended: boolean; way: Way; now: string },
): string[] {
  if (!isAttended || source === 'compact' || !store.isPrepared()) return []
  if (!hasProposals(store)) return []
  const asked = store.whileLocked(HOOK_WAIT_MS, () => {
    const facts = readFacts(store)
    const isByCode = way === 'extractive' || store.config.summarizer === 'extractive'
    // If a model judges proposals, it does so first; after a day the user is asked anyway.
    const isRipe = ({ judged, at }: PermanentItem): boolean =>
      isByCode || judged !== undefined || Date.parse(now) - Date.parse(at) > DAY_MS
    const item = proposedIn(facts).find((one) => one.askedAt === undefined && isRipe(one))
    if (item !== undefined) writeFacts(store, facts, changePermanent(facts, item.id, { askedAt: now }), now)
    return item
  })?.value
  return asked === undefined ? [] : [renderQuestion(asked)]
}

/** All that waits for the user's approval. */
export function proposals(store: Store): PermanentItem[] {
  return hasProposals(store) ? proposedIn(readFacts(store)) : []
}

/** Nearly always nothing waits: then nothing is parsed. */
function hasProposals(store: Store): boolean {
  return readOwnText(path.join(store.dir, FACTS_FILE))?.includes(PROPOSED) === true
}

/** Without our name: it stands behind the number of rules to accept. */
export function takeArrivedRules(store: Store): string[] {
  return takeFresh(store, arrivedRules(store))
}

/** Rules of an earlier version or of another machine: shown once, however many are answered meanwhile. The mark is that of 0.6. */
function arrivedRules(store: Store): Notice[] {
  if (!store.isPrepared() || !hasProposals(store)) return []
  const text = arrivedRulesNotice(readFacts(store))
  return text === null ? [] : [{ text, about: 'rules of 0.5' }]
}

function parseShown(text: string | null): string[] {
  if (text === null) return []
  try {
    const { told: shown } = JSON.parse(text) as { told?: unknown }
    return Array.isArray(shown) ? shown.filter((mark) => typeof mark === 'string') : []
  } catch {
    return []
  }
}
