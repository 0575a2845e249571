/** Requests to the server: every request of the page goes through here, to its own origin only; and the hooks for components. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Acted, Action, Failed, Overview, Pulse } from '../server/api.ts'
import { createSource, useSource } from './source.ts'

export type AskedAnswer<T> =
  | { is: 'here'; value: T }
  | { is: 'failed'; status: number; message: string }
  /** A newer request replaced it. */
  | { is: 'dropped' }

/** Whether the server answers: `gone` when it has ended, `locked` when this browser has no cookie. */
export const server = createSource<'there' | 'gone' | 'locked'>('there')

/** Increases with every change of the memory: everything shown is then requested again. */
export const revision = createSource(0)

export function askAgain(): void {
  revision.set(revision.get() + 1)
}

/** Which project the page shows: it stands in the address, before the #. */
export const project = new URLSearchParams(globalThis.location?.search ?? '').get('project') ?? ''

export function ask<T>(path: string, signal?: AbortSignal): Promise<AskedAnswer<T>> {
  return request<T>(path, signal === undefined ? {} : { signal })
}

export function askToAct(action: Action): Promise<AskedAnswer<Acted>> {
  return request<Acted>('act', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-memory-keeper': '1' },
    body: JSON.stringify(action),
  })
}

async function request<T>(path: string, init: RequestInit): Promise<AskedAnswer<T>> {
  try {
    const named = project === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ project })}`
    const response = await fetch(`/api/${named}`, { ...init, credentials: 'same-origin', cache: 'no-store' })
    server.set(response.status === 401 ? 'locked' : 'there')
    if (response.ok) return { is: 'here', value: (await response.json()) as T }
    return { is: 'failed', status: response.status, message: await messageOf(response) }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return { is: 'dropped' }
    server.set('gone')
    return { is: 'failed', status: 0, message: 'The dashboard does not answer.' }
  }
}

async function messageOf(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as Failed
    return error.message
  } catch {
    return `The dashboard answered with status ${response.status}.`
  }
}

export function queryOf(values: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== '')
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([key, value]) => [key, String(value)]))}`
}

export type PageAsked<T> =
  | { is: 'waiting' }
  /** `isOld`: it answers an earlier request; the newer answer is on its way. */
  | { is: 'here'; value: T; isOld: boolean }
  | { is: 'failed'; message: string; status: number }

/** Cached, so that going back shows the previous content at once. */
const KEPT = 60
const kept = new Map<string, unknown>()

interface State<T> {
  path: string
  asked: PageAsked<T>
}

/** Requests when the path or the memory changes; null requests nothing. */
export function useAsked<T>(path: string | null): PageAsked<T> {
  const version = useSource(revision)
  const [state, setState] = useState<State<T>>({ path: '', asked: { is: 'waiting' } })

  // A new revision triggers a new request.
  useEffect(() => {
    if (path === null) return
    const dropper = new AbortController()
    const take = (answer: AskedAnswer<T>): void => {
      if (answer.is === 'dropped' || dropper.signal.aborted) return
      if (answer.is === 'here') keep(path, answer.value)
      setState({ path, asked: seenAs(path, answer) })
    }
    ask<T>(path, dropper.signal).then(take, () => undefined)
    return () => dropper.abort()
  }, [path, version])

  if (path === null) return { is: 'waiting' }
  if (state.path === path) return state.asked
  if (kept.has(path)) return { is: 'here', value: kept.get(path) as T, isOld: true }
  return { is: 'waiting' }
}

/** As useAsked, but the last answer stays while a new path is requested: for lists that are being filtered. */
export function useFollowed<T>(path: string | null): PageAsked<T> {
  const asked = useAsked<T>(path)
  const [last, setLast] = useState<PageAsked<T>>(asked)
  useEffect(() => {
    if (asked.is !== 'waiting') setLast(asked)
    else if (path === null) setLast({ is: 'waiting' })
  }, [asked, path])
  if (path === null || asked.is !== 'waiting') return asked
  return last.is === 'here' ? { ...last, isOld: true } : asked
}

/** If the server is gone, its last answer stays. */
function seenAs<T>(path: string, answer: Exclude<AskedAnswer<T>, { is: 'dropped' }>): PageAsked<T> {
  if (answer.is === 'here') return { is: 'here', value: answer.value, isOld: false }
  if (answer.status === 0 && kept.has(path)) return { is: 'here', value: kept.get(path) as T, isOld: true }
  return { is: 'failed', message: answer.message, status: answer.status }
}

function keep(path: string, value: unknown): void {
  kept.delete(path)
  kept.set(path, value)
  const oldest = kept.keys().next().value
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
}

/** Checks every few seconds whether the memory has changed, while somebody uses the page; after a change everything shown is requested again. */

/** Often enough to see a running session grow; each check costs the server a few file stats. */
const EVERY_MS = 3_000
/** A window that becomes visible again fires two events. */
const BACK_MS = 2_000
/** After this time without use the tab stops checking, so that the server can end by itself. */
const AT_WORK_MS = 5 * 60_000

export function useWatch(overview: Overview | null): void {
  const known = useRef(overview)
  known.current = overview
  useEffect(() => {
    let lastTouch = Date.now()
    let lastBack = Date.now()
    const touch = (): void => {
      lastTouch = Date.now()
    }
    const look = async (): Promise<void> => {
      if (document.visibilityState !== 'visible' || Date.now() - lastTouch > AT_WORK_MS) return
      const wasGone = server.get() !== 'there'
      const answer = await ask<Pulse>('pulse')
      if (answer.is !== 'here') return
      const isNews = answer.value.mark !== known.current?.mark
      // While the memory changes, somebody may watch it without touching anything.
      if (isNews) touch()
      if (isNews || wasGone) askAgain()
    }
    const timer = setInterval(() => void look(), EVERY_MS)
    // The user may have changed something in a terminal: everything shown is requested again.
    const back = (): void => {
      if (document.visibilityState !== 'visible' || Date.now() - lastBack < BACK_MS) return
      lastBack = Date.now()
      touch()
      askAgain()
    }
    const end = new AbortController()
    const { signal } = end
    for (const event of ['pointerdown', 'keydown', 'wheel']) addEventListener(event, touch, { passive: true, signal })
    document.addEventListener('visibilitychange', back, { signal })
    addEventListener('focus', back, { signal })
    return () => {
      clearInterval(timer)
      end.abort()
    }
  }, [])
}

/** A long list on the server, loaded in pages where it is visible, and kept while newer pages are loading. */

export interface Paged<T> {
  /** Null until the first answer. */
  total: number | null
  failure: string | null
  at(index: number): T | undefined
  /** The rows that are visible now. */
  need(from: number, to: number): void
}

interface Known<T> {
  total: number | null
  failure: string | null
  pages: Map<number, { rows: readonly T[]; version: number }>
}

export const PAGE = 100
/** A page is small, but ten thousand rows need not stay in memory. */
const MOST_PAGES = 40

export function usePaged<T>(view: 'sessions' | 'injected'): Paged<T> {
  const version = useSource(revision)
  const known = useRef<Known<T>>({ total: null, failure: null, pages: new Map() })
  const asking = useRef(new Map<number, AbortController>())
  const looked = useRef({ from: 0, to: 1 })
  const [, redraw] = useState(0)

  const fetchPage = useCallback(
    async (page: number) => {
      const dropper = new AbortController()
      asking.current.get(page)?.abort()
      asking.current.set(page, dropper)
      const path = `${view}${queryOf({ offset: page * PAGE, limit: PAGE })}`
      const answer = await ask<{ total: number; sessions: readonly T[] }>(path, dropper.signal)
      if (answer.is === 'dropped') return
      asking.current.delete(page)
      const now = known.current
      if (answer.is === 'failed') now.failure = answer.message
      else {
        const { total, sessions: rows } = answer.value
        known.current = { total, failure: null, pages: withPage(now.pages, page, { rows, version: revision.get() }) }
      }
      redraw((n) => n + 1)
    },
    [view],
  )

  const need = useCallback(
    (from: number, to: number) => {
      looked.current = { from, to }
      const { pages } = known.current
      const last = Math.floor(Math.max(from, to - 1) / PAGE)
      for (let page = Math.floor(from / PAGE); page <= last; page++) {
        const isKnown = pages.get(page)?.version === revision.get()
        if (!isKnown && !asking.current.has(page)) fetchPage(page).catch(() => undefined)
      }
      for (const [page, dropper] of asking.current) {
        // Scrolled past: no longer visible.
        if (page < from / PAGE - 2 || page > to / PAGE + 2) {
          dropper.abort()
          asking.current.delete(page)
        }
      }
    },
    [fetchPage],
  )

  // A new revision triggers a new request.
  useEffect(() => need(looked.current.from, looked.current.to), [need, version])

  const { total, failure, pages } = known.current
  return { total, failure, at: (index) => pages.get(Math.floor(index / PAGE))?.rows[index % PAGE], need }
}

function withPage<P>(pages: ReadonlyMap<number, P>, page: number, value: P): Map<number, P> {
  const next = new Map(pages)
  next.delete(page)
  next.set(page, value)
  const oldest = next.keys().next().value
  if (next.size > MOST_PAGES && oldest !== undefined) next.delete(oldest)
  return next
}
