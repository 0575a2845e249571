/** What a request asks for: of which project (the one that the page was started in, with `--all` every other one that is trusted), and which view. */
import type { Store } from '../../../../kernel/memory/disk/store.ts'
import { KeeperError } from '../../../../kernel/platform/error.ts'
import type { ProjectItem } from '../api.ts'
import { type Memory, type MemoryWorld, openMemory } from './memory.ts'

export interface Asked {
  /** What stands behind the view's name in the path, decoded; empty: nothing. */
  name: string
  query: URLSearchParams
}

/** `session/1a2b3c4d` is the view `session` of that one; null: no path of ours. */
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

/** Never more than `most`, whatever is asked for. */
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

/** Undefined: it is not asked for. */
export function textIn(query: URLSearchParams, name: string): string | undefined {
  return query.get(name)?.trim() || undefined
}

export interface Others {
  list(): Store[]
  open(root: string): Pick<MemoryWorld, 'openStore' | 'examine'>
}

export interface Memories {
  /** By its key; empty: the one it was started in. */
  of(key: string): Memory
  list(): ProjectItem[]
  close(): void
}

/** Looking at every project takes some milliseconds each. */
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
  /** Only what is listed can be named: no path leads elsewhere. */
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
      // Looked at again with every request: a pull may have brought files into it since.
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
