/** What components know of an answer: waiting, here, or failed; the last answer stays while a newer one is fetched. */
import { useEffect, useState } from 'preact/hooks'
import { type AskedAnswer, ask, revision } from './ask.ts'
import { useSource } from './source.ts'

export type PageAsked<T> =
  | { is: 'waiting' }
  /** `isOld`: it answers an earlier question, the newer answer is on its way. */
  | { is: 'here'; value: T; isOld: boolean }
  | { is: 'failed'; message: string; status: number }

/** So that going back shows at once what was there. */
const KEPT = 60
const kept = new Map<string, unknown>()

interface State<T> {
  path: string
  asked: PageAsked<T>
}

/** Asks when the path changes and when the memory changes; null asks nothing. */
export function useAsked<T>(path: string | null): PageAsked<T> {
  const version = useSource(revision)
  const [state, setState] = useState<State<T>>({ path: '', asked: { is: 'waiting' } })

  // A new revision is a reason to ask again.
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

/** As useAsked, and while a new path is asked the answer to the last one stays: for lists that are being filtered. */
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

/** Where the server is gone, its last answer stays. */
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
