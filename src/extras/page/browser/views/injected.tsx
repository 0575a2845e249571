/** Injected: what was injected into each session, how many tokens that was, and why. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { InjectedRow } from '../../server/api.ts'
import { PAGE, type Paged, usePaged } from '../ask.ts'
import { niceTop } from '../charts/chart-draw.ts'
import { Legend, PARTS, PartsBar, totalOf } from '../charts/parts.tsx'
import { formatRoute, type Route } from '../route.ts'
import { sayBrief, sayCount, sayDate, sayMany, sayTime } from '../say.ts'
import { Empty, Title } from '../shown.tsx'
import { PagedSessions } from '../text/window-list.tsx'
import { InjectedDetail } from './injected-detail.tsx'

const ROW_HEIGHT = 66

export function Injected({ route }: { route: Route }): JSX.Element {
  const list = usePaged<InjectedRow>('injected')
  const most = useScale(list)
  return (
    <div class="split" data-open={route.id !== ''}>
      <section class="list-pane" aria-label="Sessions with injected text">
        <header class="pane-head">
          <Title>Injected</Title>
          <span class="muted">tokens per session, by part</span>
        </header>
        <PagedSessions
          list={list}
          head={<PartsHead most={most} isKnown={list.at(0) !== undefined} />}
          empty={
            <Empty title="Nothing was injected yet">
              The next session in this project begins with a briefing; it appears here word for word, with the rules and
              recalls that follow.
            </Empty>
          }
          rowHeight={ROW_HEIGHT}
          row={(index, tabIndex) => (
            <Row item={list.at(index)} most={most} isOpen={list.at(index)?.id === route.id} tabIndex={tabIndex} />
          )}
        />
      </section>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="detail-pane" tabIndex={0} aria-label="What was injected" key={route.id}>
        {route.id === '' ? (
          list.total === null || list.total === 0 ? null : (
            <Average list={list} total={list.total} />
          )
        ) : (
          <InjectedDetail id={route.id} />
        )}
      </section>
    </div>
  )
}

function PartsHead({ most, isKnown }: { most: number; isKnown: boolean }): JSX.Element {
  return (
    <div class="parts-head">
      <Legend of={PARTS} />
      <p class="parts-axis" aria-hidden="true">
        {isKnown ? [0, most / 2, most].map((n) => <i key={n}>{sayBrief(n)}</i>) : null}
      </p>
    </div>
  )
}

/** The longest bar so far: the scale only grows, so that bars do not change while scrolling. */
function useScale(list: Paged<InjectedRow>): number {
  const most = useRef(0)
  for (let i = 0; i < Math.min(list.total ?? 0, PAGE); i++) {
    const row = list.at(i)
    if (row !== undefined) most.current = Math.max(most.current, totalOf(row))
  }
  return niceTop(most.current)
}

interface RowProps {
  item: InjectedRow | undefined
  most: number
  isOpen: boolean
  tabIndex: number
}

function Row({ item, most, isOpen, tabIndex }: RowProps): JSX.Element {
  if (item === undefined) return <span class="row is-awaited" />
  return (
    <a
      class="row is-told"
      href={formatRoute('injected', item.id)}
      tabIndex={tabIndex}
      aria-current={isOpen ? 'true' : undefined}
    >
      <span class="row-body">
        <span class="row-title" dir="auto">
          {item.goal === '' ? item.id : item.goal}
        </span>
        <span class="row-meta">
          <b>{sayDate(item.at)}</b>
          <span>{sayTime(item.at)}</span>
          <span>{sayCount(totalOf(item))} tokens</span>
        </span>
        <PartsBar parts={item} most={most} />
      </span>
    </a>
  )
}

/** What a session costs, over the newest ones. */
function Average({ list, total }: { list: Paged<InjectedRow>; total: number }): JSX.Element | null {
  const newest = Array.from({ length: Math.min(total, PAGE) }, (_, i) => list.at(i)).filter((row) => row !== undefined)
  if (newest.length === 0) return null
  const all = newest.reduce((sum, row) => sum + totalOf(row), 0)
  return (
    <div class="page-width">
      <header class="detail-head">
        <h2>The last {sayMany(newest.length, 'session')}</h2>
      </header>
      <p class="totals">
        {sayCount(Math.round(all / newest.length))} tokens a session on average. Open one to read every injected line,
        with its tokens and the reason it was chosen.
      </p>
    </div>
  )
}
