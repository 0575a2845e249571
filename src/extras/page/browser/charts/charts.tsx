/** The charts of the views: what was done when; time of hooks, tokens per day, calls of a model; the growth of memory.md. */
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ChartsView, HealthView } from '../../server/api.ts'
import type { PageAsked } from '../ask.ts'
import { formatRoute } from '../route.ts'
import { sayBrief, sayDate, sayMany, sayMoment, sayMs, sayUsd } from '../say.ts'
import { Empty, Icon, ShownChoice, ViewChoice } from '../shown.tsx'
import { Chart } from './chart.tsx'
import { type Buckets, bucketsOf, bucketsOfDays, type ChartSpec, dayAxis } from './chart-spec.ts'
import { PARTS } from './parts.tsx'

interface Props {
  asked: PageAsked<ChartsView>
  onDay: (day: string) => void
}

export function TimelineCharts({ asked, onDay }: Props): JSX.Element {
  return (
    <div class="page-width">
      <header class="detail-head">
        <a class="back only-narrow" href={formatRoute('timeline')}>
          <Icon name="back" /> Sessions
        </a>
        <h2>Activity</h2>
      </header>
      <ShownChoice asked={asked}>{(charts) => <Drawn charts={charts} onDay={onDay} />}</ShownChoice>
    </div>
  )
}

function Drawn({ charts, onDay }: { charts: ChartsView; onDay: (day: string) => void }): JSX.Element {
  const buckets = useMemo(() => bucketsOf(charts.days.map(({ day }) => day)), [charts])
  const sessions = useMemo(() => sessionsSpec(charts, buckets), [charts, buckets])
  const tools = useMemo(() => toolsSpec(charts), [charts])
  if (charts.days.length === 0) {
    return (
      <Empty title="Nothing to draw yet">
        Sessions and tool uses per day are drawn here from the first session on.
      </Empty>
    )
  }
  const pick = (index: number): void => onDay(lastDayOf(charts, buckets.days, index))
  return (
    <>
      <Totals charts={charts} />
      <Chart spec={sessions} onPick={pick} />
      <Chart spec={tools} onPick={pick} />
    </>
  )
}

function Totals({ charts: { days } }: { charts: ChartsView }): JSX.Element {
  const sum = (of: 'sessions' | 'prompts' | 'tools'): number => days.reduce((all, day) => all + day[of], 0)
  const active = days.filter(({ sessions }) => sessions > 0).length
  return (
    <p class="totals">
      {sayMany(sum('sessions'), 'session')} on {sayMany(active, 'day')}, {sayMany(sum('prompts'), 'prompt')},{' '}
      {sayMany(sum('tools'), 'tool use')}.
    </p>
  )
}

function sessionsSpec(charts: ChartsView, buckets: Buckets): ChartSpec {
  return {
    title: `Sessions per ${buckets.per}`,
    unit: 'sessions',
    kind: 'bars',
    ...buckets.axis,
    series: [{ label: 'sessions', values: buckets.sum(charts.days.map(({ sessions }) => sessions)), colour: '--c1' }],
    sayY: sayBrief,
    height: 132,
  }
}

/** The most used tools have a colour each; the last one, `other`, is grey. */
const TOOL_COLOURS = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6']

function toolsSpec({ toolNames, toolsPerDay }: ChartsView): ChartSpec {
  const buckets = bucketsOf(toolsPerDay.map(({ day }) => day))
  return {
    title: `Tool uses per ${buckets.per}`,
    unit: 'uses',
    kind: 'bars',
    isStacked: true,
    ...buckets.axis,
    series: toolNames.map((label, i) => ({
      label,
      values: buckets.sum(toolsPerDay.map(({ counts }) => counts[i] ?? 0)),
      colour: label === 'other' ? '--c7' : (TOOL_COLOURS[i] ?? '--c7'),
    })),
    sayY: sayBrief,
    height: 180,
  }
}

/** The newest day of a bucket: the list, newest first, begins its rows there. */
function lastDayOf(charts: ChartsView, starts: readonly string[], index: number): string {
  const next = starts[index + 1]
  const days = charts.days.filter(({ day }) => next === undefined || day < next)
  return days.at(-1)?.day ?? ''
}

export function HealthCharts({ health }: { health: HealthView }): JSX.Element {
  const tokens = useMemo(() => tokensSpec(health), [health])
  const model = useMemo(() => modelSpec(health), [health])
  return (
    <section class="group">
      <h2>Over time</h2>
      <div class="chart-grid">
        <HookTimes health={health} />
        <Chart spec={tokens} />
        {health.modelPerDay.length === 0 ? null : <Chart spec={model} />}
      </div>
    </section>
  )
}

function HookTimes({ health }: { health: HealthView }): JSX.Element {
  const events = useMemo(() => byCalls(health), [health])
  const [chosen, choose] = useState('')
  const event = events.includes(chosen) ? chosen : (events[0] ?? '')
  const spec = useMemo(() => hooksSpec(health, event), [health, event])
  return (
    <Chart spec={spec}>
      {events.length < 2 ? null : (
        <ViewChoice label="Event" value={event} of={events.map((name) => [name, name] as const)} onChoose={choose} />
      )}
    </Chart>
  )
}

/** The most frequent event first. */
function byCalls({ hooks }: HealthView): string[] {
  const calls = new Map<string, number>()
  for (const row of hooks) calls.set(row.event, (calls.get(row.event) ?? 0) + row.calls)
  return [...calls].sort(([, a], [, b]) => b - a).map(([event]) => event)
}

function hooksSpec({ hooks }: HealthView, event: string): ChartSpec {
  const rows = new Map(hooks.filter((row) => row.event === event).map((row) => [row.day, row]))
  const days = bucketsOfDays(rows.keys())
  return {
    title: 'Time of hooks per day',
    unit: 'ms',
    kind: 'lines',
    ...dayAxis(days, (day) => `, ${rows.get(day)?.calls ?? 0} calls`),
    series: [
      { label: 'p50', values: days.map((day) => rows.get(day)?.p50 ?? null), colour: '--c1' },
      { label: 'p95', values: days.map((day) => rows.get(day)?.p95 ?? null), colour: '--c2', isDashed: true },
    ],
    sayY: sayMs,
  }
}

function tokensSpec({ tokensPerDay }: HealthView): ChartSpec {
  const rows = new Map(tokensPerDay.map((row) => [row.day, row]))
  const days = bucketsOfDays(rows.keys())
  const buckets = bucketsOf(days)
  return {
    title: `Tokens injected per ${buckets.per}`,
    unit: 'tokens',
    kind: 'bars',
    isStacked: true,
    ...buckets.axis,
    series: PARTS.map(({ key, ...part }) => ({
      ...part,
      values: buckets.sum(days.map((day) => rows.get(day)?.[key] ?? 0)),
    })),
    sayY: sayBrief,
  }
}

function modelSpec({ modelPerDay }: HealthView): ChartSpec {
  const rows = new Map(modelPerDay.map((row) => [row.day, row]))
  const days = bucketsOfDays(rows.keys())
  const cost = modelPerDay.reduce((sum, { costUsd }) => sum + costUsd, 0)
  return {
    title: 'Tokens used in the background per day',
    unit: cost > 0 ? `tokens, ${sayUsd(cost)} in all` : 'tokens',
    kind: 'bars',
    ...dayAxis(days, (day) => `, ${rows.get(day)?.calls ?? 0} calls`),
    series: [{ label: 'tokens', values: days.map((day) => rows.get(day)?.tokens ?? 0), colour: '--c5' }],
    sayY: sayBrief,
  }
}

/** Tokens of memory.md after each note, with the rotations that emptied it. */
export function growthSpec(points: ChartsView['memory'], rotatesAt: number): ChartSpec {
  const at = points.map((point) => Date.parse(point.at) / 1000)
  const most = Math.max(0, ...points.map(({ tokens }) => tokens))
  return {
    title: 'Tokens of memory.md after each note',
    unit: 'tokens',
    kind: 'steps',
    x: 'instants',
    length: at.length,
    at,
    series: [{ label: 'tokens', values: points.map(({ tokens }) => tokens), colour: '--c1' }],
    marks: points.flatMap(({ isRotation }, index) => (isRotation ? [{ index, label: 'Rotated into an archive' }] : [])),
    // If the limit is far away, its line would only flatten the chart.
    ...(most * 3 > rotatesAt ? { line: { y: rotatesAt, label: 'rotates here' } } : {}),
    sayY: sayBrief,
    sayX: (index) => sayMoment(points[index]?.at ?? ''),
    sayTick: (seconds) => sayDate(new Date(seconds * 1000).toISOString()),
    height: 150,
  }
}
