/** A value that components watch, and the overview: the state shared by the whole page. */
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Overview } from '../server/api.ts'

export interface SourceView<T> {
  get(): T
  set(next: T): void
  watch(changed: () => void): () => void
}

export function createSource<T>(first: T): SourceView<T> {
  let value = first
  const watchers = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const changed of [...watchers]) changed()
    },
    watch: (changed) => {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
  }
}

export function useSource<T>(source: SourceView<T>): T {
  const [value, setValue] = useState(() => source.get())
  useEffect(() => {
    const take = (): void => setValue(() => source.get())
    // It may have changed between rendering and now.
    take()
    return source.watch(take)
  }, [source])
  return value
}

/** The overview of the project, for every view. */
export const OverviewContext = createContext<Overview | null>(null)

/** Buttons for changes are shown only if changes are allowed. */
export function useMayChange(): boolean {
  const overview = useContext(OverviewContext)
  return overview !== null && !overview.isReadOnly
}
