/** The current place of the page: a view, the open item, and filters; all of it is in the address behind the #. */
import { createSource, useSource } from './source.ts'

export const VIEWS = ['overview', 'timeline', 'memory', 'knowledge', 'search', 'injected', 'health'] as const
export type View = (typeof VIEWS)[number]

export interface Route {
  view: View
  /** The open item: a session, an archive, the id of a hit. */
  id: string
  query: URLSearchParams
}

export type Query = Readonly<Record<string, string | number | undefined>>

export function parseRoute(hash: string): Route {
  const path = hash.replace(/^#\/?/, '')
  const cut = path.indexOf('?')
  const [name, id = ''] = (cut < 0 ? path : path.slice(0, cut)).split('/')
  return {
    view: VIEWS.find((view) => view === name) ?? 'overview',
    id: decoded(id),
    query: new URLSearchParams(cut < 0 ? '' : path.slice(cut + 1)),
  }
}

/** Empty values are left out of the address. */
export function formatRoute(view: View, id = '', query: Query | URLSearchParams = {}): string {
  const pairs = query instanceof URLSearchParams ? [...query] : Object.entries(query)
  const search = new URLSearchParams()
  for (const [key, value] of pairs) if (value !== undefined && value !== '') search.set(key, String(value))
  const tail = search.size === 0 ? '' : `?${search}`
  return `#/${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}${tail}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Typed by hand, with a stray percent sign: used unchanged.
    return text
  }
}

let shown = globalThis.location?.hash ?? ''
const route = createSource<Route>(parseRoute(shown))
globalThis.addEventListener?.('hashchange', follow)

/** The same address twice is one step. */
function follow(): void {
  if (location.hash === shown) return
  shown = location.hash
  route.set(parseRoute(shown))
}

export function useRoute(): Route {
  return useSource(route)
}

export function currentRoute(): Route {
  return route.get()
}

/** Applied at once, not with the browser's own event: the next typed key must reach the new view. */
export function go(href: string): void {
  location.hash = href.slice(1)
  follow()
}

/** Without a step in the history: for a filter that is being typed. */
export function goQuietly(href: string): void {
  history.replaceState(null, '', href)
  follow()
}

/** The same place with other filters. */
export function withQuery(at: Route, change: Query): string {
  const query = new URLSearchParams(at.query)
  for (const [key, value] of Object.entries(change)) query.set(key, value === undefined ? '' : String(value))
  return formatRoute(at.view, at.id, query)
}
