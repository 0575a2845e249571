/** Asking the server: every request of the page goes through here, to its own origin only. */
import type { Acted, Action, Failed } from '../dashboard/api.ts'
import { createSource } from './source.ts'

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
