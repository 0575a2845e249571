/** What stands where an answer is awaited, failed, or empty; and other small parts that every view uses. */
import type { ComponentChildren, JSX } from 'preact'
import { askAgain, type PageAsked } from './ask.ts'
import { formatRoute, type View } from './route.ts'
import { splitPath } from './say.ts'

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

export type TabRow = readonly [part: string, name: string, count: number | string]

interface TabsProps {
  label: string
  view: View
  tabs: readonly TabRow[]
  current: string
}

/** Parts of a view; each has its own address, the first one that of the view. */
export function Tabs({ label, view, tabs, current }: TabsProps): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([part, name, count], i) => (
        <a
          key={part}
          href={formatRoute(view, '', i === 0 ? {} : { part })}
          aria-current={part === current ? 'page' : undefined}
        >
          {name}
          <span class="count">{count}</span>
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

interface PaneProps<T> extends Props<T> {
  title: string
  isWide?: boolean
}

/** A view in one column: its title, then its answer. */
export function ScrollView<T>({ title, isWide = false, asked, children }: PaneProps<T>): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class="scroll-pane" tabIndex={0} aria-label={title}>
      <div class={isWide ? 'page-width is-wide' : 'page-width'}>
        <header class="view-head">
          <Title>{title}</Title>
        </header>
        <ShownChoice asked={asked}>{children}</ShownChoice>
      </div>
    </section>
  )
}

interface ActProps {
  name: string
  does: () => void
  isBad?: boolean
  /** Instead of a quiet button. */
  look?: string
}

export function Act({ name, does, isBad = false, look = isBad ? 'quiet is-bad' : 'quiet' }: ActProps): JSX.Element {
  return (
    <button type="button" class={look} onClick={does}>
      {name}
    </button>
  )
}

export function FileName({ file }: { file: string }): JSX.Element {
  const { dir, name } = splitPath(file)
  return (
    <span class="file" title={file}>
      <bdi class="file-dir">{dir}</bdi>
      <bdi class="file-name">{name}</bdi>
    </span>
  )
}

/** `of`: how many there are in all. */
export function Files({ files, of = files.length }: { files: readonly string[]; of?: number }): JSX.Element | null {
  if (files.length === 0) return null
  return (
    <p class="chips is-files">
      {files.map((file) => (
        <FileName key={file} file={file} />
      ))}
      {of > files.length ? <span class="muted">and {of - files.length} more</span> : null}
    </p>
  )
}

/** Up and down go from row to row of a list; `rows` is what is focused in each. Above the first row: `before`. */
export function walkRows(rows: string, before?: string): (event: KeyboardEvent) => void {
  return (event) => {
    const isUp = event.key === 'ArrowUp'
    if ((!isUp && event.key !== 'ArrowDown') || !(event.currentTarget instanceof HTMLElement)) return
    const row = event.currentTarget.closest('li')
    const next = (isUp ? row?.previousElementSibling : row?.nextElementSibling)?.querySelector<HTMLElement>(rows)
    const target = next ?? (isUp && before !== undefined ? document.querySelector<HTMLElement>(before) : null)
    if (target === null) return
    event.preventDefault()
    target.focus()
  }
}
