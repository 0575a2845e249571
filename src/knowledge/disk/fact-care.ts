/** Facts and concepts kept up to date in the background: a fact is stale when git says that its files changed; concepts follow their facts. */

import path from 'node:path'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import { readOwnText, readPart } from '../../platform/disk/files.ts'
import { attempt } from '../../platform/disk/log.ts'
import { numberOr, parseObject } from '../../platform/json.ts'
import { GIT_CHECK_FILE, JOURNAL_DIR } from '../../platform/layout.ts'
import { parseStamp } from '../../platform/time.ts'
import { readSession } from '../../sessions/disk/lineage.ts'
import { sessionFacts } from '../../sessions/disk/session-archive.ts'
import { findSessionFile } from '../../sessions/disk/sessions.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { type Entry, parseSession, type Tombstone } from '../../transcript/session.ts'
import { headOf, repositoryAt } from '../../trust/disk/git-head.ts'
import { refreshConcepts, restoreMissing } from '../concept-refresh.ts'
import { allFacts, type Facts } from '../fact.ts'
import { isLive } from '../fact-list.ts'
import { type FileHistory, judgeStaleness, type SpanOf } from '../fact-stale.ts'
import { type GitWorld, LONGEST_MS, readHistory } from './git-history.ts'
import { commitBoth, type Knowledge, readBoth, readFacts, writeBoth } from './knowledge.ts'

const TAIL_BYTES = 128 * 1024
export interface CareWorld extends GitWorld {
  now: () => string
  /** For the lock. */
  waitMs: number
}

/** How many facts changed their state; null: nothing new to look at, or nothing known. */
export type Staled = { stale: number; fresh: number } | null

/** Not under the lock: git may take its time, and only the verdict is written under it. */
export function markStale(store: Store, world: CareWorld): Staled {
  const facts = readFacts(store)
  const since = oldestOf(facts)
  if (since === null) return null
  const asked = attempt(store.dir, world.now(), 'git history', () => askGit(store, facts, since, world), null)
  if (asked === null) return null
  const spanOf = sessionSpans(store)
  const judge = (): Staled | false => {
    const before = readBoth(store)
    const after = judgeStaleness(before.facts, asked.history, spanOf)
    const done = commitBoth(store, before, { ...before, facts: after }, { waitMs: world.waitMs, now: world.now() })
    if (done !== true) return done
    remember(store, asked, after, world)
    return countChanges(before.facts, after)
  }
  // Somebody wrote meanwhile: once more, and then whoever comes next asks again.
  const first = judge()
  return (first === false ? judge() : first) || null
}

/** When the first fact that names files was said; null: there is none. */
function oldestOf(facts: Facts): string | null {
  const times = allFacts(facts)
    .filter((fact) => isLive(fact) && fact.files.length > 0)
    .map(({ at, lastAt }) => Date.parse(lastAt ?? at))
    .filter((time) => !Number.isNaN(time))
  if (times.length === 0) return null
  return new Date(times.reduce((a, b) => Math.min(a, b))).toISOString()
}

interface Asked {
  head: string | null
  history: FileHistory
}

/** Null: it was asked at this commit about these facts, or there is nobody to ask. */
function askGit(store: Store, facts: Facts, since: string, world: GitWorld): Asked | null {
  const repository = repositoryAt(store.places.project.root)
  if (repository === null) return null
  const head = headOf(repository)
  if (head !== null && wasAsked(store, head, facts, world)) return null
  const history = readHistory(repository, since, world)
  return history === null ? null : { head, history }
}

/** An answer that came in part is asked for again by whoever has more time. */
function wasAsked(store: Store, head: string, facts: Facts, { timeoutMs = LONGEST_MS }: GitWorld): boolean {
  const last = parseObject(readOwnText(path.join(store.dir, JOURNAL_DIR, GIT_CHECK_FILE)) ?? '')
  if (last?.head !== head || last.facts !== markOf(facts)) return false
  return last.within === null || timeoutMs <= numberOr(last.within, 0)
}

function remember(store: Store, { head, history }: Asked, facts: Facts, { timeoutMs = LONGEST_MS }: GitWorld): void {
  if (head === null) return
  const check = { head, facts: markOf(facts), within: history.isComplete ? null : timeoutMs }
  const text = `${JSON.stringify(check)}\n`
  store.perform([{ do: 'write', path: path.join(JOURNAL_DIR, GIT_CHECK_FILE), text }])
}

/** Only what the verdict depends on: others write facts.json all the time. */
function markOf(facts: Facts): string {
  const asked = allFacts(facts)
    .filter((fact) => isLive(fact) && fact.files.length > 0)
    .map(({ id, at, lastAt, files, state }) => [id, lastAt ?? at, state, ...files])
  return fingerprint(JSON.stringify(asked))
}

/** When sessions began and ended, each looked up once. */
function sessionSpans(store: Store): SpanOf {
  const spans = new Map<string, ReturnType<SpanOf>>()
  return (session) => {
    const known = spans.get(session)
    if (known !== undefined) return known
    const span = session === '' ? null : readSpan(store, session)
    spans.set(session, span)
    return span
  }
}

function readSpan(store: Store, session: string): ReturnType<SpanOf> {
  const file = findSessionFile(store, session)
  if (file === null) return null
  const from = parseStamp(file)
  const to = lastTime(store, file)
  return from === null || to === null ? null : { from, to }
}

/** A compressed session says it itself; otherwise the end of the file does. */
function lastTime(store: Store, file: string): string | null {
  const facts = sessionFacts(store.dir, file)
  if (facts?.lastAt) return facts.lastAt
  const plain = path.join(store.dir, sessionPath(file))
  const from = Math.max(0, (facts?.size ?? 0) - TAIL_BYTES)
  const tail = facts?.lastAt === null ? (readPart(plain, from, TAIL_BYTES)?.toString('utf8') ?? '') : ''
  return lastOf(parseSession(tail).entries) ?? lastOf(readSession(store, file))
}

function lastOf(entries: readonly (Entry | Tombstone)[]): string | null {
  return entries.findLast((entry): entry is Entry => entry.role !== 'tombstone')?.ts ?? null
}

function countChanges(before: Facts, after: Facts): { stale: number; fresh: number } {
  const states = new Map(allFacts(before).map(({ id, state }) => [id, state]))
  const changed = allFacts(after).filter(({ id, state }) => states.get(id) !== state)
  const stale = changed.filter(({ state }) => state === 'stale').length
  return { stale, fresh: changed.length - stale }
}

export interface ConceptsUpdate {
  /** Names of concepts whose facts, files or keywords changed. */
  changed: string[]
}

/** Derives anew what concepts say of their facts. Call it under the lock. */
export function updateConcepts(store: Store, now: string): ConceptsUpdate {
  const before = readBoth(store)
  const after = refreshed(store, before)
  writeBoth(store, before, after, now)
  return difference(before, after)
}

/** The same for the finisher: only writing takes the lock. Call it without the lock. */
export function updateConceptsQuietly(store: Store, waitMs: number, now: string): void {
  const attempt = (): boolean | null => {
    const before = readBoth(store)
    return commitBoth(store, before, refreshed(store, before), { waitMs, now })
  }
  // Somebody wrote meanwhile: once more, and then the next finisher does it.
  if (attempt() === false) attempt()
}

/** The same without writing. */
export function upcomingConcepts(store: Store): ConceptsUpdate {
  const before = readBoth(store)
  return difference(before, refreshed(store, before))
}

function refreshed(store: Store, before: Knowledge): Knowledge {
  const whole = restoreMissing(before, store.config.conceptSimilarity)
  return { concepts: refreshConcepts(whole.concepts, whole.facts), facts: whole.facts }
}

function difference(before: Knowledge, after: Knowledge): ConceptsUpdate {
  const had = new Set(before.concepts.concepts.map((one) => JSON.stringify(one)))
  return {
    changed: after.concepts.concepts.filter((one) => !had.has(JSON.stringify(one))).map(({ name }) => name),
  }
}
