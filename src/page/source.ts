/** A value that components watch: what the whole page shares (where it is, the server, the theme). */
import { useEffect, useState } from 'preact/hooks'

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
    // It may have changed between the drawing and now.
    take()
    return source.watch(take)
  }, [source])
  return value
}
