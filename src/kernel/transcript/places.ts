/** Where a session works: the git branch, the plan at hand and the working tree. An entry names them only where they change. */
import { isSameJson, type RawJson, readableString } from './raw-json.ts'
import type { Entry } from './session.ts'
import type { TranscriptLine } from './transcript.ts'

type Place = 'branch' | 'slug' | 'cwd'

/** The places as the line before named them. */
export type SeenPlace = Record<Place, RawJson | undefined>

interface Marked {
  entries: Entry[]
  seen: SeenPlace
  state: Where
}

/** The part of the state that is about places. */
interface Where {
  base: string
  branch: string
  slug: string
  tree: string
}

/** The first entry on a new branch, under a new plan or in another working tree names it. */
export function markPlace(run: Marked, from: number, line: TranscriptLine, redact: (text: string) => string): void {
  if (run.entries[from] === undefined) return
  const { branch, slug, cwd, agent } = line
  const { entries, seen, state } = run
  const nameFirst = (place: 'branch' | 'slug', raw: string): void => {
    const name = redact(raw)
    const first = entries[from]
    if (first === undefined || name === '' || name === state[place]) return
    state[place] = name
    entries[from] = place === 'branch' ? { ...first, branch: name } : { ...first, slug: name }
  }
  const onBranch = newPlace(seen, 'branch', branch)
  // A detached HEAD has no name, and while git rebases a branch it is the branch of before.
  if (onBranch !== '' && onBranch !== 'HEAD') nameFirst('branch', onBranch)
  const plan = newPlace(seen, 'slug', slug)
  if (plan !== '') nameFirst('slug', plan)
  // A subagent may have a working tree of its own.
  const directory = agent === null ? newPlace(seen, 'cwd', cwd) : ''
  if (directory === '') return
  const tree = treeOf(state, directory)
  if (tree === state.tree) return
  state.tree = tree
  const name = redact(lastPart(tree || state.base))
  const first = entries[from]
  if (first !== undefined && name !== '') entries[from] = { ...first, tree: name }
}

/** Empty: the line names none, or the same one as the line before, as nearly every line does. */
function newPlace(seen: SeenPlace, place: Place, raw: RawJson | undefined): string {
  const before = seen[place]
  if (raw === undefined || (before !== undefined && isSameJson(raw, before))) return ''
  seen[place] = raw
  return readableString(raw)
}

/** The directory in which the session left its launch directory; empty: it is there, below it, or on the way to it. */
function treeOf({ base, tree }: Where, cwd: string): string {
  if (base === '' || isWithin(base, cwd) || isWithin(cwd, base)) return ''
  return tree !== '' && isWithin(tree, cwd) ? tree : cwd
}

function isWithin(parent: string, directory: string): boolean {
  if (!directory.startsWith(parent)) return false
  const next = directory[parent.length]
  return next === undefined || next === '/' || next === '\\' || /[/\\]$/.test(parent)
}

function lastPart(directory: string): string {
  return directory.split(/[/\\]/).findLast((part) => part !== '') ?? ''
}
