/** Parses a request: its project (the one in which the page was started; with `--all` any trusted one), and its view. */
import type { Store } from '../../../../kernel/memory/disk/store.ts'
import { KeeperError } from '../../../../kernel/platform/error.ts'
import type { ProjectItem } from '../api.ts'
import { type Memory, type MemoryWorld, openMemory } from './memory.ts'

export interface Asked {
  /** The part of the path after the view's name, decoded; empty: none. */
  name: string
  query: URLSearchParams
}

/** `session/1a2b3c4d` is the view `session` of the item `1a2b3c4d`; null: this is no path of the page. */
export function parseAsked(path: string, query: string): { view: string; asked: Asked } | null {
  const [view = '', ...rest] = path.split('/')
  try {
    const name = rest.map(decodeURIComponent).join('/')
    return { view: rest.length === 0 ? view : `${view}/`, asked: { name, query: new URLSearchParams(query) } }
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
}

/** Limits the number in the request to `most`. */
export function numberIn(
  query: URLSearchParams,
  name: string,
  { usual, most }: { usual: number; most: number },
): number {
  const given = query.get(name)
  if (given === null || given === '') return usual
  if (!/^\d{1,15}$/.test(given)) throw new KeeperError('usage', `${name} takes a whole number.`)
  return Math.min(Number(given), most)
}

/** Undefined: the request does not have it. */
export function textIn(query: URLSearchParams, name: string): string | undefined {
  return query.get(name)?.trim() || undefined
}

export interface Others {
  list(): Store[]
  open(root: string): Pick<MemoryWorld, 'openStore' | 'examine'>
}

export interface Memories {
  /** The project with this key; empty: the one in which the page was started. */
  of(key: string): Memory
  list(): ProjectItem[]
  close(): void
}

/** Checking a project takes some milliseconds, so that the list is kept for this long. */
const LIST_MS = 30_000

export function openMemories(world: MemoryWorld, others: Others | undefined): Memories {
  const main = openMemory(world)
  const opened = new Map<string, Memory>([['', main]])
  let known: { at: number; stores: Store[] } | null = null
  const stores = (): Store[] => {
    const at = Date.parse(world.now())
    if (known === null || at - known.at > LIST_MS || at < known.at) known = { at, stores: others?.list() ?? [] }
    return known.stores
  }
  /** Accepts only keys of listed projects: a request cannot name a path. */
  const open = (key: string): Memory => {
    const root = stores().find(({ places }) => places.project.key === key)?.places.project.root
    if (root === undefined || others === undefined)
      throw new KeeperError('not-found', 'This project is not shown here. memory-keeper dashboard --all shows all.')
    const memory = openMemory({ ...world, ...others.open(root) })
    opened.set(key, memory)
    return memory
  }
  return {
    of: (key) => {
      const memory = opened.get(key) ?? open(key)
      // Checked with every request: a git pull may have brought files into the memory since.
      if (key !== '' && memory.store().ownership === 'foreign')
        throw new KeeperError(
          'outside',
          'This project is not trusted: nothing of it is read. Look at it first with memory-keeper trust.',
        )
      return memory
    },
    list: () => [
      { key: '', root: main.store().places.project.root, isOpen: true },
      ...stores()
        .map(({ places: { project }, ownership }) => ({ ...project, isOpen: ownership !== 'foreign' }))
        .sort((a, b) => (a.root < b.root ? -1 : 1)),
    ],
    close: () => {
      for (const memory of opened.values()) memory.close()
    },
  }
}
