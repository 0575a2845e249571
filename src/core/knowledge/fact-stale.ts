/** Determines which facts are stale: one of their files was committed after they were said, and not as part of the same work. */

import { pathsBelow } from '../../kernel/platform/local-path.ts'
import { once } from '../../kernel/text/once.ts'
import { type Fact, isLive } from './item.ts'
import { type Items, mapFacts } from './items.ts'

/** The commit that implements a decision changes its file soon after it was said: it does not make the fact stale. */
const SAME_WORK_MS = 12 * 3_600_000
/** A person may commit a session's work this long after its last entry. */
const AFTER_SESSION_MS = 2 * 3_600_000
/** A session may continue for weeks; changes after this time are new work. */
const LONGEST_WORK_MS = 72 * 3_600_000

export interface Commit {
  hash: string
  /** The commit date (ISO): a rebase changes it, so that it shows what is new in this history. */
  at: string
  /** The author date (ISO): a rebase keeps it, so that it shows to which work the commit belongs. */
  writtenAt: string
  /** Relative to the repository's root, with slashes. */
  files: readonly string[]
}

export interface FileHistory {
  commits: readonly Commit[]
  /** Contains everything since the facts were said; otherwise only the newest part. */
  isComplete: boolean
  /** All current files; null: unknown. */
  tracked: readonly string[] | null
  /** The repository and its worktrees: an absolute path below one of them is a path of the repository. */
  roots: readonly string[]
  platform: string
}

/** The start and end of a session; null: unknown. */
export type SpanOf = (session: string) => { from: string; to: string } | null

/** Only a fact that git made stale becomes fresh again by git. */
export function judgeStaleness(facts: Items, history: FileHistory, spanOf: SpanOf): Items {
  const meant = pathFinder(history)
  return mapFacts(facts, (fact) => {
    if (!isLive(fact) || (fact.state === 'stale' && fact.judged?.by !== 'git')) return fact
    const change = changeOf(fact, meant, spanOf)
    if (fact.state === 'fresh') {
      if (change === null) return fact
      const why = `${change.path} changed in ${change.commit.hash.slice(0, 7)}`
      return { ...fact, state: 'stale', judged: { by: 'git', at: change.commit.at, why, other: null } }
    }
    const { judged: _, ...unjudged } = fact
    return change === null && history.isComplete ? { ...unjudged, state: 'fresh' } : fact
  })
}

interface Change {
  path: string
  commit: Commit
}

/** The first change after the fact that is not part of its own work, of the first of its files that has one. */
function changeOf(fact: Fact, meant: PathFinder, spanOf: SpanOf): Change | null {
  const said = Date.parse(fact.lastAt ?? fact.at)
  // Reads sessions, therefore only if something changed.
  const work = once(() => workOf(said, spanOf(sayingSession(fact))))
  const isAfter = ({ at, written }: Timed): boolean =>
    at > said + SAME_WORK_MS && at > work().ended && !(written >= work().began && written <= work().ended)
  for (const name of fact.files) {
    const changes = meant(name).map(({ path, commits }): Change | null => {
      const found = commits.find(isAfter)
      return found === undefined ? null : { path, commit: found.commit }
    })
    // A name that several files share counts only if all of them changed.
    const [first] = changes
    if (first && changes.every((one) => one !== null)) return first
  }
  return null
}

/** The time in which the fact was said and implemented. */
function workOf(said: number, span: ReturnType<SpanOf>): { began: number; ended: number } {
  const sessionEnd = Math.min(timeOr(span?.to, said) + AFTER_SESSION_MS, said + LONGEST_WORK_MS)
  return {
    began: Math.min(said - SAME_WORK_MS, timeOr(span?.from, said)),
    ended: Math.max(said + SAME_WORK_MS, sessionEnd),
  }
}

/** The session in which it was last said. */
function sayingSession({ session, lastAt, also = [] }: Fact): string {
  const last = lastAt === undefined ? undefined : also.at(-1)
  return last?.replace(/#.*$/s, '') ?? session
}

function timeOr(at: string | undefined, otherwise: number): number {
  const time = Date.parse(at ?? '')
  return Number.isNaN(time) ? otherwise : time
}

interface Timed {
  commit: Commit
  at: number
  written: number
}

/** The paths that a name can mean, each with the commits that changed it, oldest first. */
type PathFinder = (name: string) => readonly { path: string; commits: readonly Timed[] }[]

/** All files that a name can mean: the path itself, else all paths that end in it. */
function pathFinder({ commits, tracked, roots, platform }: FileHistory): PathFinder {
  const changes = changesByPath(commits)
  const known = (path: string): ReturnType<PathFinder>[number] => ({ path, commits: changes.get(path) ?? [] })
  const all = new Set([...(tracked ?? []), ...changes.keys()])
  const byName = new Map<string, string[]>()
  for (const path of all) push(byName, nameOf(path), path)
  const below = pathsBelow(roots, platform)
  return (named) => {
    const path = pathInRepository(named, below)
    if (path === null) return []
    if (all.has(path)) return [known(path)]
    // Without the list of all files it is unknown which others end like this.
    if (tracked === null) return []
    return (byName.get(nameOf(path)) ?? []).filter((one) => one.endsWith(`/${path}`)).map(known)
  }
}

function changesByPath(commits: readonly Commit[]): Map<string, Timed[]> {
  const changes = new Map<string, Timed[]>()
  const timed = commits.map((commit) => ({ commit, at: Date.parse(commit.at), written: Date.parse(commit.writtenAt) }))
  for (const one of timed.sort((a, b) => a.at - b.at)) for (const path of one.commit.files) push(changes, path, one)
  return changes
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key) ?? []
  list.push(value)
  lists.set(key, list)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Accepts names as people and tools write them: with backslashes, a leading `./` or a line number. Null: outside the repository, or not a file. */
function pathInRepository(named: string, below: (named: string) => string | null): string | null {
  const plain = named.trim().replace(/(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/, '')
  const path = (below(plain) ?? plain).replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
  const isOutside = /^(?:\/|~|[a-z]:\/|[a-z]+:\/\/)/i.test(path) || path.split('/').includes('..')
  return isOutside || path === '' || path.endsWith('/') ? null : path
}
