/** What is told at a file: an edit of it that the user refused with words, and that git reverts it again and again. By structure; no wording is read. */
import { commitsOf } from '../../core/notes/story-git.ts'
import { EDITS } from '../../core/notes/structure-text.ts'
import { beginsTurn, type Entry, type Numbered, type Tombstone } from '../../kernel/transcript/session.ts'
import { writesIn } from '../../kernel/transcript/shell.ts'
import { revertsIn, stagedBy } from './git-files.ts'

export interface SessionRead {
  id8: string
  entries: readonly Numbered[]
  /** The path in the checkout of a file as the session names it; null: it is elsewhere. */
  placeOf: (named: string) => string | null
}

export interface Trap {
  /** In the checkout, with slashes. */
  path: string
  /** `refused`: the words are the user's. `reverted`: they are the last command. */
  is: 'refused' | 'reverted'
  words: string
  /** The tool that was refused; empty: none. */
  tool: string
  /** In how many sessions. */
  sessions: number
  at: string
  session: string
  n: number
}

/** Once may have any reason. */
const REVERTED_IN = 2

/** `sessions`: oldest first. The newest telling comes first. */
export function trapsIn(sessions: readonly SessionRead[]): Trap[] {
  const all = [...refusedEdits(sessions), ...revertedFiles(sessions)]
  return all.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.path < b.path ? -1 : 1))
}

/** The newest refusal of each file, until the file was changed in a turn that nobody but a program began otherwise. */
function refusedEdits(sessions: readonly SessionRead[]): Trap[] {
  const standing = new Map<string, Trap>()
  for (const { id8: session, entries, placeOf } of sessions) {
    let isOrdered = false
    for (const [i, { n, entry }] of entries.entries()) {
      if (entry.role === 'user' && beginsTurn(entry)) isOrdered = entry.sent !== true
      if (isOrdered) for (const named of changedBy(entry)) standing.delete(placeOf(named) ?? '')
      if (entry.role !== 'tool' || entry.refused !== true || !EDITS.has(entry.name)) continue
      const words = commentOf(entry.name, entries[i + 1]?.entry)
      const path = words === '' ? null : placeOf(entry.cmd)
      if (path === null) continue
      standing.set(path, { path, is: 'refused', words, tool: entry.name, sessions: 1, at: entry.ts, session, n })
    }
  }
  return [...standing.values()]
}

/** What the user typed with the refusal, by the host's mark. Empty: nothing, or a program typed it. */
function commentOf(tool: string, next: Entry | Tombstone | undefined): string {
  const isUsers = next?.role === 'user' && next.via === tool && next.by === 'user' && next.sent !== true
  return isUsers ? next.text.trim() : ''
}

/** Of files that none of these sessions had changed before, until one is committed. */
function revertedFiles(sessions: readonly SessionRead[]): Trap[] {
  const found = new Map<string, { ids: Set<string>; last: Trap }>()
  for (const { id8: session, entries, placeOf } of sessions) {
    const changed = new Set<string | null>([null])
    const staged = new Set<string>()
    let isAllStaged = false
    for (const { n, entry } of entries) {
      for (const named of changedBy(entry)) changed.add(placeOf(named))
      if (entry.role !== 'tool' || entry.name !== 'Bash' || entry.ok !== true) continue
      for (const named of revertsIn(entry.cmd)) {
        const path = placeOf(named)
        if (path === null || changed.has(path)) continue
        const ids = new Set([...(found.get(path)?.ids ?? []), session])
        const last: Trap = {
          path,
          is: 'reverted',
          words: '',
          tool: '',
          sessions: ids.size,
          at: entry.ts,
          session,
          n,
        }
        found.set(path, { ids, last: { ...last, words: entry.cmd } })
      }
      const { all, files } = stagedBy(entry.cmd)
      isAllStaged ||= all
      for (const named of files) staged.add(placeOf(named) ?? '')
      if (commitsOf(entry).length === 0) continue
      const isCommitted = (path: string): boolean =>
        isAllStaged || [...staged].some((one) => one === path || path.startsWith(`${one}/`))
      for (const path of [...found.keys()].filter(isCommitted)) found.delete(path)
      isAllStaged = false
      staged.clear()
    }
  }
  return [...found.values()].filter(({ ids }) => ids.size >= REVERTED_IN).map(({ last }) => last)
}

/** The files that a tool use changed, as it names them. */
function changedBy(entry: Entry | Tombstone): string[] {
  if (!('name' in entry) || entry.ok !== true) return []
  if (EDITS.has(entry.name)) return [entry.cmd]
  return entry.name === 'Bash' ? writesIn(entry.cmd).map(({ path }) => path) : []
}
