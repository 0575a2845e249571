/** Asking the server: every request of the page goes through here, to its own origin only; and what components know of an answer. */
import { useEffect, useState } from 'preact/hooks'
import type { Acted, Action, Failed } from '../dashboard/api.ts'
import { createSource, useSource } from './source.ts'

export type AskedAnswer<T> =
  | { is: 'here'; value: T }
  | { is: 'failed'; status: number; message: string }
  /** Somebody asked for something newer meanwhile. */
  | { is: 'dropped' }

/** Whether the server answers: `gone` when it has ended, `locked` when this browser has no key to it. */
export const server = createSource<'there' | 'gone' | 'locked'>('there')

/** Rises with every change of the memory: whatever is shown is asked for again. */
export const revision = createSource(0)

export function askAgain(): void {
  revision.set(revision.get() + 1)
}

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
    const response = await fetch(`/api/${path}`, { ...init, credentials: 'same-origin', cache: 'no-store' })
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
