/** A long list on the server, known in pages: fetched where somebody looks, kept while newer pages are on their way. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ask, revision } from './ask.ts'
import { useSource } from './source.ts'

export interface Paged<T> {
  /** Null until the first answer. */
  total: number | null
  failure: string | null
  at(index: number): T | undefined
  /** Rows that are looked at now. */
  need(from: number, to: number): void
}

interface Known<T> {
  total: number | null
  failure: string | null
  pages: Map<number, { rows: readonly T[]; version: number }>
}

export interface PageAnswer<T> {
  total: number
  rows: readonly T[]
}

export const PAGE = 100
/** A page is small, but ten thousand rows need not stay. */
const MOST_PAGES = 40

export function usePaged<T, A>(
  pathOf: (offset: number, limit: number) => string,
  read: (answer: A) => PageAnswer<T>,
): Paged<T> {
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
      const answer = await ask<A>(pathOf(page * PAGE, PAGE), dropper.signal)
      if (answer.is === 'dropped') return
      asking.current.delete(page)
      const now = known.current
      if (answer.is === 'failed') now.failure = answer.message
      else {
        const { total, rows } = read(answer.value)
        known.current = { total, failure: null, pages: withPage(now.pages, page, { rows, version: revision.get() }) }
      }
      redraw((n) => n + 1)
    },
    [pathOf, read],
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
        // Flown past: nobody looks there any more.
        if (page < from / PAGE - 2 || page > to / PAGE + 2) {
          dropper.abort()
          asking.current.delete(page)
        }
      }
    },
    [fetchPage],
  )

  // A new revision is a reason to ask again.
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
