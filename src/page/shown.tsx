/** What stands where an answer is awaited, failed, or empty; and other small parts that every view uses. */
import type { ComponentChildren, JSX } from 'preact'
import { askAgain } from './ask.ts'
import type { PageAsked } from './asked.ts'

interface Props<T> {
  asked: PageAsked<T>
  children: (value: T) => ComponentChildren
}

export function ShownChoice<T>({ asked, children }: Props<T>): JSX.Element {
  switch (asked.is) {
    case 'waiting':
      return <WaitingView />
    case 'failed':
      return <Failure message={asked.message} isGone={asked.status === 404} />
    case 'here':
      return <>{children(asked.value)}</>
  }
}

/** Drawn after a moment only: what answers at once does not flicker. */
export function WaitingView(): JSX.Element {
  return (
    <p class="waiting" role="status">
      Loading…
    </p>
  )
}

/** What is not there is not there at the second try either. */
export function Failure({ message, isGone = false }: { message: string; isGone?: boolean }): JSX.Element {
  return (
    <div class="failure" role="alert">
      <p>{message}</p>
      {isGone ? null : (
        <button type="button" onClick={askAgain}>
          Try again
        </button>
      )}
    </div>
  )
}

interface EmptyProps {
  title: string
  children: ComponentChildren
}

/** Says what will appear here, and when. */
export function Empty({ title, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p>{children}</p>
    </div>
  )
}

type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent'

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }): JSX.Element {
  return <span class={`badge is-${tone}`}>{children}</span>
}

const TONES: Readonly<Record<string, Tone>> = {
  open: 'warn',
  resolved: 'good',
  stale: 'warn',
  rejected: 'bad',
  accepted: 'good',
  pinned: 'accent',
}

/** The same state has the same colour in every view; what holds needs no word. */
export function StateBadge({ state }: { state: string }): JSX.Element | null {
  if (state === '' || state === 'fresh') return null
  return <Badge tone={TONES[state] ?? (state.startsWith('of ') ? 'accent' : 'plain')}>{state}</Badge>
}

interface TabsProps {
  label: string
  tabs: readonly { key: string; name: string; count?: number | string; href: string }[]
  current: string
}

/** Parts of a view; each has its own address. */
export function Tabs({ label, tabs, current }: TabsProps): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ key, name, count, href }) => (
        <a key={key} href={href} aria-current={key === current ? 'page' : undefined}>
          {name}
          {count === undefined ? null : <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  )
}

interface ChoiceProps<T extends string> {
  label: string
  value: T
  of: readonly (readonly [T, string])[]
  onChoose: (value: T) => void
}

export function ViewChoice<T extends string>({ label, value, of, onChoose }: ChoiceProps<T>): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value as T)}>
        {of.map(([key, name]) => (
          <option key={key} value={key} selected={key === value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** What is seen of a view's heading: the heading itself stands in the frame, where it stays when a narrow screen hides the list. */
export function Title({ children }: { children: string }): JSX.Element {
  return (
    <p class="title" aria-hidden="true">
      {children}
    </p>
  )
}
