/** What a request asks for, behind the name of its view. */
import { KeeperError } from '../../platform/error.ts'

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
