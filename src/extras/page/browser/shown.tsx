/** The display of pending, failed and empty answers; and other small parts that every view uses. */
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

/** Drawn only after a moment, so that a fast answer does not flicker. */
export function WaitingView(): JSX.Element {
  return (
    <p class="waiting" role="status">
      Loading…
    </p>
  )
}

/** A missing item will not appear at the second try. */
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

/** Says what will appear here, and when. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
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

/** The same state has the same colour in every view; a current item needs no badge. */
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

/** Parts of a view; each has its own address, and the first one that of the view. */
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

/** The visible heading of a view; the real heading is in the frame, where it stays if a narrow screen hides the list. */
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

interface Tile {
  name: string
  figure: string
  more: string
  /** The view that it leads to. */
  view?: View
  look?: string
}

export function Tiles({ tiles }: { tiles: readonly Tile[] }): JSX.Element {
  return (
    <dl class="tiles">
      {tiles.map(({ name, figure, more, view, look }) => (
        <div key={name}>
          <dt>{view === undefined ? name : <a href={formatRoute(view)}>{name}</a>}</dt>
          <dd>
            <b class={look}>{figure}</b>
            <span class="muted">{more}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface ActProps {
  name: string
  does: () => void
  isBad?: boolean
  /** The class, instead of a quiet button. */
  look?: string
}

export function Act({ name, does, isBad = false, look = isBad ? 'quiet is-bad' : 'quiet' }: ActProps): JSX.Element {
  return (
    <button type="button" class={look} onClick={does}>
      {name}
    </button>
  )
}

function FileName({ file }: { file: string }): JSX.Element {
  const { dir, name } = splitPath(file)
  return (
    <span class="file" title={file}>
      <bdi class="file-dir">{dir}</bdi>
      <bdi class="file-name">{name}</bdi>
    </span>
  )
}

/** `of`: the total number. */
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

/** A target inside folds is seen only if all of them are open. */
export function showInFolds(target: Element | null | undefined, within = target): void {
  for (let fold = within?.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null)
    fold.open = true
  target?.scrollIntoView({ block: 'center' })
}

const PATHS = {
  overview: 'M2.5 7.5 8 3l5.5 4.5M4 7v6h3V9.5h2V13h3V7',
  timeline: 'M3 4h10M3 8h7M3 12h9',
  memory: 'M4 2.5h6.5L13 5v8.5H4zM6.5 7h4M6.5 10h4',
  knowledge: 'M8 2.5a4 4 0 0 1 2.2 7.3V12H5.8V9.8A4 4 0 0 1 8 2.5zM6.3 14h3.4',
  search: 'M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4zM10.2 10.2 13.5 13.5',
  injected: 'M8 2v7.5M4.8 6.5 8 9.8l3.2-3.3M2.8 11v2.5h10.4V11',
  health: 'M1.8 8.5h3l1.7-4.6 2.6 8.2 1.8-3.6h3.3',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  fold: 'M5.5 3.5 10 8l-4.5 4.5',
  pin: 'M6 2.5h4M6.8 2.5v4L4.5 9h7L9.2 6.5v-4M8 9v4.5',
} as const

export function Icon({ name }: { name: keyof typeof PATHS }): JSX.Element {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}

const ENTRY = /^L1:([0-9a-z]{8})(?:#(\d+))?$/

/** The address that shows an id; an item without a view of its own opens in the search. */
export function hrefOf(id: string): string {
  const entry = ENTRY.exec(id)
  if (entry !== null) return formatRoute('timeline', entry[1], { e: entry[2] })
  if (/^n-/.test(id)) return formatRoute('memory', '', { note: id })
  if (/^[dpi]\d+$/.test(id)) return formatRoute('knowledge', '', { fact: id })
  if (/^r\d+$/.test(id)) return formatRoute('knowledge', '', { part: 'rules', fact: id })
  return formatRoute('search', id)
}

export function PlaceView({ id }: { id: string }): JSX.Element | null {
  if (id === '') return null
  return (
    <a class="place" href={hrefOf(id)}>
      {id}
    </a>
  )
}

const IDS = /(L1:[0-9a-z]{8}#\d+|\bn-[0-9a-z]{8}-\d+-\d+\b|\b[dpirt]\d{3,}\b)/

/** The text unchanged, with ids as links. */
export function Linked({ text }: { text: string }): JSX.Element {
  return (
    <>
      {text.split(IDS).map((part, i) =>
        i % 2 === 0 ? (
          part
        ) : (
          <a key={i} href={hrefOf(part)}>
            {part}
          </a>
        ),
      )}
    </>
  )
}
