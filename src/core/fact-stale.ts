/** Which facts are stale: a file they are about was committed after they were said, and not as part of the same work. */
import type { Fact, Facts } from './fact.ts'
import { isLive, mapFacts } from './fact-list.ts'

/** The commit that carries a decision out touches its file soon after it was said: it does not make it stale. */
const SAME_WORK_MS = 12 * 3_600_000
/** After its last entry, a person still commits what a session did. */
const AFTER_SESSION_MS = 2 * 3_600_000
/** A session may go on for weeks; what changes so late is something new. */
const LONGEST_WORK_MS = 72 * 3_600_000

export interface Commit {
  hash: string
  /** When it came into this history: a rebase moves it, so it tells what is new here. ISO. */
  at: string
  /** When it was written: a rebase keeps it, so it tells whose work it is. ISO. */
  writtenAt: string
  /** Below the repository's root, with slashes. */
  files: readonly string[]
}

export interface FileHistory {
  commits: readonly Commit[]
  /** Everything since the facts were said; else only the newest part is known. */
  isComplete: boolean
  /** All files there are now; null: nobody knows. */
  tracked: readonly string[] | null
  /** The repository and its worktrees: an absolute path below one of them is a path of the repository. */
  roots: readonly string[]
}

/** When a session began and ended; null: it is not known (any more). */
export type SpanOf = (session: string) => { from: string; to: string } | null

/** Only what git made stale becomes fresh again by git's word. */
export function judgeStaleness(facts: Facts, history: FileHistory, spanOf: SpanOf): Facts {
  const meant = pathFinder(history)
  return mapFacts(facts, (fact) => {
    if (!isLive(fact) || (fact.state === 'stale' && fact.judged?.by !== 'git')) return fact
    const change = changeOf(fact, meant, spanOf)
    if (fact.state === 'stale') return change === null && history.isComplete ? asFresh(fact) : fact
    return change === null ? fact : asStale(fact, change)
  })
}

interface Change {
  path: string
  commit: Commit
}

function asStale(fact: Fact, { path, commit }: Change): Fact {
  const why = `${path} changed in ${commit.hash.slice(0, 7)}`
  return { ...fact, state: 'stale', judged: { by: 'git', at: commit.at, why, other: null } }
}

function asFresh({ judged: _, ...fact }: Fact): Fact {
  return { ...fact, state: 'fresh' }
}

/** The first change after the fact that is not its own work, of the first of its files that has one. */
function changeOf(fact: Fact, meant: PathFinder, spanOf: SpanOf): Change | null {
  for (const name of fact.files) {
    const changes = meant(name).map((path): Change | null => {
      const commit = path.commits.find((one) => isAfter(one, fact, spanOf))
      return commit === undefined ? null : { path: path.path, commit }
    })
    // A name that several files have tells nothing, unless all of them changed.
    const [first] = changes
    if (first && changes.every((one) => one !== null)) return first
  }
  return null
}

function isAfter(commit: Commit, fact: Fact, spanOf: SpanOf): boolean {
  const said = Date.parse(fact.lastAt ?? fact.at)
  const at = Date.parse(commit.at)
  if (!(at > said + SAME_WORK_MS)) return false
  const span = spanOf(sayingSession(fact))
  const began = Math.min(said - SAME_WORK_MS, timeOr(span?.from, said))
  const sessionEnd = Math.min(timeOr(span?.to, said) + AFTER_SESSION_MS, said + LONGEST_WORK_MS)
  const ended = Math.max(said + SAME_WORK_MS, sessionEnd)
  const written = Date.parse(commit.writtenAt)
  return at > ended && !(written >= began && written <= ended)
}

/** Where it was said last. */
function sayingSession({ session, lastAt, also = [] }: Fact): string {
  const last = lastAt === undefined ? undefined : also.at(-1)
  return last?.replace(/#.*$/s, '') ?? session
}

function timeOr(at: string | undefined, otherwise: number): number {
  const time = Date.parse(at ?? '')
  return Number.isNaN(time) ? otherwise : time
}

interface KnownPath {
  path: string
  /** That changed it, oldest first. */
  commits: readonly Commit[]
}

type PathFinder = (name: string) => readonly KnownPath[]

/** All files a name can mean: the path itself, else whatever ends in it. */
function pathFinder({ commits, tracked, roots }: FileHistory): PathFinder {
  const changes = new Map<string, Commit[]>()
  for (const commit of commits.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))) {
    for (const path of commit.files) {
      const known = changes.get(path)
      if (known === undefined) changes.set(path, [commit])
      else known.push(commit)
    }
  }
  const known = (path: string): KnownPath => ({ path, commits: changes.get(path) ?? [] })
  const all = new Set([...(tracked ?? []), ...changes.keys()])
  const byName = new Map<string, string[]>()
  for (const path of all) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const others = byName.get(name)
    if (others === undefined) byName.set(name, [path])
    else others.push(path)
  }
  return (named) => {
    const path = pathInRepository(named, roots)
    if (path === null) return []
    if (all.has(path)) return [known(path)]
    // Without all files nobody knows what else ends like this.
    if (tracked === null) return []
    const name = path.slice(path.lastIndexOf('/') + 1)
    return (byName.get(name) ?? []).filter((one) => one.endsWith(`/${path}`)).map(known)
  }
}

/** As people and tools name files: with backslashes, `./` before or a line number behind. Null: outside, or no file. */
function pathInRepository(named: string, roots: readonly string[]): string | null {
  const plain = named
    .trim()
    .replaceAll('\\', '/')
    .replace(/(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?)$/, '')
  const root = roots
    .map((one) => `${one.replaceAll('\\', '/').replace(/\/$/, '')}/`)
    .filter((one) => startsWithRoot(plain, one))
    .sort((a, b) => b.length - a.length)[0]
  const path = (root === undefined ? plain : plain.slice(root.length)).replace(/^(?:\.\/)+/, '')
  const isOutside = /^(?:\/|~|[a-z]:\/|[a-z]+:\/\/)/i.test(path) || path.split('/').includes('..')
  return isOutside || path === '' || path.endsWith('/') ? null : path
}

/** Windows writes its drives either way. */
function startsWithRoot(path: string, root: string): boolean {
  return path.startsWith(root) || (/^[a-z]:/i.test(root) && path.toLowerCase().startsWith(root.toLowerCase()))
}
