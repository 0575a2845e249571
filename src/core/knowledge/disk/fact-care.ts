/** Keeps facts and concepts up to date in the background: a fact is stale if git reports changes of its files; concepts follow their facts. */

import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import { attempt } from '../../../kernel/platform/disk/log.ts'
import { numberOr, parseObject } from '../../../kernel/platform/json.ts'
import { GIT_CHECK_FILE, JOURNAL_DIR } from '../../../kernel/platform/layout.ts'
import { fingerprint } from '../../../kernel/text/fingerprint.ts'
import { headOf, repositoryAt } from '../../../kernel/trust/disk/git-head.ts'
import { restoreMissing } from '../concept.ts'
import { refreshConcepts } from '../concept-refresh.ts'
import { type FileHistory, judgeStaleness, type SpanOf } from '../fact-stale.ts'
import { type Fact, isLive } from '../item.ts'
import { allFacts, type Items } from '../items.ts'
import { type GitWorld, LONGEST_MS, readHistory } from './git-history.ts'
import { changeQuietly, type Knowledge, readBoth, readFacts, writeBoth } from './knowledge.ts'
import { sessionsSaidIn } from './reflection.ts'

export interface CareWorld extends GitWorld {
  now: () => string
  /** How long to wait for the lock. */
  waitMs: number
}

/** Call it without the lock: git may be slow, and only the result is written under the lock. False: nothing new to check, or nothing known. */
export function markStale(store: Store, world: CareWorld): boolean {
  const facts = readFacts(store)
  const since = oldestOf(facts)
  if (since === null) return false
  const asked = attempt(store.dir, world.now(), 'git history', () => askGit(store, facts, since, world), null)
  if (asked === null) return false
  const spanOf = sessionSpans(store)
  const done = changeQuietly(store, world.waitMs, world.now(), (before) => ({
    ...before,
    facts: judgeStaleness(before.facts, asked.history, spanOf),
  }))
  if (done !== null) remember(store, asked, done.after.facts, world)
  return done !== null
}

/** The time of the oldest fact that names files; null: there is none. */
function oldestOf(facts: Items): string | null {
  const times = withFiles(facts)
    .map(({ at, lastAt }) => Date.parse(lastAt ?? at))
    .filter((time) => !Number.isNaN(time))
  return times.length === 0 ? null : new Date(times.reduce((a, b) => Math.min(a, b))).toISOString()
}

function withFiles(facts: Items): Fact[] {
  return allFacts(facts).filter((fact) => isLive(fact) && fact.files.length > 0)
}

interface Asked {
  head: string | null
  history: FileHistory
}

/** Null: git was already asked at this commit about these facts, or git is not available. */
function askGit(store: Store, facts: Items, since: string, world: GitWorld): Asked | null {
  const repository = repositoryAt(store.places.project.root)
  if (repository === null) return null
  const head = headOf(repository)
  if (head !== null && wasAsked(store, head, facts, world)) return null
  const history = readHistory(repository, since, world)
  return history === null ? null : { head, history }
}

/** An incomplete answer is requested again if more time is available. */
function wasAsked(store: Store, head: string, facts: Items, { timeoutMs = LONGEST_MS }: GitWorld): boolean {
  const last = parseObject(readOwnText(path.join(store.dir, JOURNAL_DIR, GIT_CHECK_FILE)) ?? '')
  if (last?.head !== head || last.facts !== markOf(facts)) return false
  return last.within === null || timeoutMs <= numberOr(last.within, 0)
}

function remember(store: Store, { head, history }: Asked, facts: Items, { timeoutMs = LONGEST_MS }: GitWorld): void {
  if (head === null) return
  const check = { head, facts: markOf(facts), within: history.isComplete ? null : timeoutMs }
  const text = `${JSON.stringify(check)}\n`
  store.perform([{ do: 'write', path: path.join(JOURNAL_DIR, GIT_CHECK_FILE), text }])
}

/** Only the fields that the result depends on: facts.json changes often. */
function markOf(facts: Items): string {
  return fingerprint(
    JSON.stringify(withFiles(facts).map(({ id, at, lastAt, files, state }) => [id, lastAt ?? at, state, ...files])),
  )
}

/** The start and end of sessions. */
function sessionSpans(store: Store): SpanOf {
  const entriesOf = sessionsSaidIn(store)
  return (session) => {
    const times = entriesOf(session).flatMap((entry) => ('ts' in entry ? [entry.ts] : []))
    const [from, to] = [times[0], times.at(-1)]
    return from === undefined || to === undefined ? null : { from, to }
  }
}

/** Rebuilds the concepts from their facts, and returns the names of the changed ones. Call it under the lock. */
export function updateConcepts(store: Store, now: string): { changed: string[] } {
  const before = readBoth(store)
  const after = refreshed(store, before)
  writeBoth(store, before, after, now)
  return changesOf(before, after)
}

/** The same for the finisher. Call it without the lock. */
export function updateConceptsQuietly(store: Store, waitMs: number, now: string): void {
  changeQuietly(store, waitMs, now, (before) => refreshed(store, before))
}

/** The same without writing. */
export function upcomingConcepts(store: Store): { changed: string[] } {
  const before = readBoth(store)
  return changesOf(before, refreshed(store, before))
}

function refreshed(store: Store, before: Knowledge): Knowledge {
  const whole = restoreMissing(before, store.config.conceptSimilarity)
  return { concepts: refreshConcepts(whole.concepts, whole.facts), facts: whole.facts }
}

function changesOf(before: Knowledge, after: Knowledge): { changed: string[] } {
  const had = new Set(before.concepts.concepts.map((one) => JSON.stringify(one)))
  const changed = after.concepts.concepts.filter((one) => !had.has(JSON.stringify(one)))
  return { changed: changed.map(({ name }) => name) }
}
