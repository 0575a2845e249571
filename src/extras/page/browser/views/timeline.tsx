/** Timeline: all sessions, newest first, grouped by day; beside them the activity charts, or the open session. */
import type { JSX } from 'preact'
import { useCallback, useMemo, useRef, useState } from 'preact/hooks'
import type { ChartsView, SessionItem } from '../../server/api.ts'
import { useAsked, usePaged } from '../ask.ts'
import { indexOfDay } from '../charts/chart-spec.ts'
import { TimelineCharts } from '../charts/charts.tsx'
import { formatRoute, type Route } from '../route.ts'
import { dayText, sayDay, sayDuration, sayMany, sayMonth, sayTime, sayWeekday, splitPath } from '../say.ts'
import { Badge, Empty, Title } from '../shown.tsx'
import { PagedSessions, type WindowListHandle } from '../text/window-list.tsx'
import { Session } from './session.tsx'

const ROW_HEIGHT = 74

export function TimelineScreen({ route }: { route: Route }): JSX.Element {
  const list = usePaged<SessionItem>('sessions')
  const charts = useAsked<ChartsView>('charts')
  const handle = useRef<WindowListHandle>(null)
  const days = useMemo(() => (charts.is === 'here' ? charts.value.days : []), [charts])
  const [top, setTop] = useState(0)
  const first = list.at(top)
  const day = first === undefined ? '' : dayText(first.startedAt)
  const jump = useCallback((day: string) => handle.current?.scrollTo(indexOfDay(days, day)), [days])
  const isOpen = route.id !== '' || route.query.has('charts')

  return (
    <div class="split" data-open={isOpen}>
      <section class="list-pane" aria-label="Sessions">
        <Head total={list.total} days={days} day={day} onJump={jump} />
        <PagedSessions
          list={list}
          head={<DayHead day={day} days={days} />}
          empty={<NoSessions />}
          rowHeight={ROW_HEIGHT}
          handle={handle}
          onTop={setTop}
          row={(index, tabIndex) => {
            const item = list.at(index)
            const before = index === 0 ? undefined : list.at(index - 1)
            const isFirst =
              item !== undefined && (before === undefined || dayText(before.startedAt) !== dayText(item.startedAt))
            return <TimelineRow item={item} isFirstOfDay={isFirst} isOpen={item?.id === route.id} tabIndex={tabIndex} />
          }}
        />
      </section>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="detail-pane" tabIndex={0} aria-label={route.id === '' ? 'Activity' : 'Session'} key={route.id}>
        {route.id === '' ? (
          <TimelineCharts asked={charts} onDay={jump} />
        ) : (
          <Session id={route.id} query={route.query} />
        )}
      </section>
    </div>
  )
}

function NoSessions(): JSX.Element {
  return (
    <Empty title="No session yet">
      Every session of Claude Code in this project appears here as soon as its first turn ends. Earlier ones come with{' '}
      <code>memory-keeper import</code>.
    </Empty>
  )
}

/** The day of the first visible row, above the list. */
function DayHead({ day, days }: { day: string; days: ChartsView['days'] }): JSX.Element {
  const count = days.find((one) => one.day === day)?.sessions
  return (
    <p class="day-head">
      <span>{day === '' ? ' ' : sayDay(day)}</span>
      <span class="muted">{count === undefined ? '' : sayMany(count, 'session')}</span>
    </p>
  )
}

interface HeadProps {
  total: number | null
  days: ChartsView['days']
  day: string
  onJump: (day: string) => void
}

function Head({ total, days, day, onJump }: HeadProps): JSX.Element {
  return (
    <header class="pane-head">
      <Title>Timeline</Title>
      <span class="muted">{total === null ? '' : sayMany(total, 'session')}</span>
      <a class="only-narrow" href={formatRoute('timeline', '', { charts: 1 })}>
        Charts
      </a>
      {days.length === 0 ? null : (
        <label class="jump">
          <span class="hidden">Jump to a day</span>
          <input
            type="date"
            value={day}
            min={days[0]?.day}
            max={days.at(-1)?.day}
            onChange={({ currentTarget }) => currentTarget.value !== '' && onJump(currentTarget.value)}
          />
        </label>
      )}
    </header>
  )
}

interface Props {
  item: SessionItem | undefined
  isFirstOfDay: boolean
  isOpen: boolean
  tabIndex: number
}

function TimelineRow({ item, isFirstOfDay, isOpen, tabIndex }: Props): JSX.Element {
  if (item === undefined) return <span class="row is-awaited" />
  return (
    <a
      class={isFirstOfDay ? 'row is-first' : 'row'}
      href={formatRoute('timeline', item.id)}
      tabIndex={tabIndex}
      aria-current={isOpen ? 'true' : undefined}
    >
      <span class="row-day">{isFirstOfDay ? <DayMark day={dayText(item.startedAt)} /> : null}</span>
      <span class="row-body">
        <span class="row-title" dir="auto">
          {item.goal}
        </span>
        <span class="row-meta">
          <b>{sayTime(item.startedAt)}</b>
          {item.isRunning ? <Badge tone="good">running</Badge> : null}
          <span>{sayDuration(item.startedAt, item.endedAt)}</span>
          <span>{sayMany(item.prompts, 'prompt')}</span>
          {item.tools > 0 ? <span>{sayMany(item.tools, 'tool')}</span> : null}
          {item.subagents > 0 ? <span>{sayMany(item.subagents, 'subagent')}</span> : null}
          {item.isSent ? <span>by a program</span> : null}
        </span>
        <span class="row-files">{filesLine(item)}</span>
      </span>
    </a>
  )
}

function DayMark({ day }: { day: string }): JSX.Element {
  return (
    <>
      <b>{Number(day.slice(8))}</b>
      <span>{sayWeekday(day)}</span>
      <span>{sayMonth(day).slice(0, 3)}</span>
    </>
  )
}

/** Only names: the row has no room for paths, unless two files have the same name. */
function filesLine({ files, fileCount, toolCounts }: SessionItem): string {
  if (fileCount === 0)
    return toolCounts
      .map(([name, uses]) => `${name} ${uses}`)
      .slice(0, 4)
      .join(' · ')
  const shown = namesOf(files.slice(0, 3))
  const rest = fileCount - shown.length
  return `${shown.join(', ')}${rest > 0 ? ` +${rest}` : ''}`
}

function namesOf(files: readonly string[]): string[] {
  const split = files.map(splitPath)
  return split.map(({ dir, name }) => {
    const isAlone = split.filter((one) => one.name === name).length === 1
    const parent = splitPath(dir.replace(/[\\/]$/, '')).name
    return isAlone || parent === '' ? name : `${parent}/${name}`
  })
}
