/** The charts of the health view: time of hooks, tokens per day, growth of memory.md, calls of a model. */
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ChartsView, HealthView } from '../../dashboard/api.ts'
import { useAsked } from '../ask.ts'
import { sayBrief, sayDate, sayMoment, sayMs, sayUsd } from '../say.ts'
import { ViewChoice } from '../shown.tsx'
import { Chart } from './chart.tsx'
import { bucketsOf, bucketsOfDays, type ChartSpec, dayAxis } from './chart-spec.ts'
import { PARTS } from './hbars.tsx'

export function HealthCharts({ health, children }: { health: HealthView; children: JSX.Element }): JSX.Element {
  const charts = useAsked<ChartsView>('charts')
  const points = charts.is === 'here' ? charts.value.memory : null
  const spread = useMemo(() => spreadSpec(health), [health])
  const tokens = useMemo(() => tokensSpec(health), [health])
  const growth = useMemo(() => (points === null ? null : growthSpec(points, 0)), [points])
  const model = useMemo(() => modelSpec(health), [health])
  return (
    <section class="group">
      <h2>Over time</h2>
      <div class="chart-grid">
        <HookTimes health={health} />
        <Chart spec={spread} />
        <Chart spec={tokens} />
        {growth === null ? null : <Chart spec={growth} />}
        {health.modelPerDay.length === 0 ? null : <Chart spec={model} />}
        {children}
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

/** The event that runs most often first. */
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

const EVENT_COLOURS = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6']

function spreadSpec({ distribution: { bounds, events } }: HealthView): ChartSpec {
  const classes = Math.max(bounds.length, ...events.map(({ counts }) => counts.length))
  const names = Array.from({ length: events.length === 0 ? 0 : classes }, (_, i) => nameOfClass(bounds, i))
  return {
    title: 'How long hooks take',
    unit: 'calls per class of ms',
    kind: 'bars',
    isStacked: true,
    x: 'classes',
    length: names.length,
    series: events.map(({ event, counts }, i) => ({
      label: event,
      values: names.map((_, n) => counts[n] ?? 0),
      colour: EVENT_COLOURS[i] ?? '--c7',
    })),
    sayY: sayBrief,
    sayX: (index) => names[index] ?? '',
    sayTick: (index) => (index < bounds.length ? `≤ ${bounds[index]}` : '>'),
  }
}

function nameOfClass(bounds: readonly number[], index: number): string {
  const upper = bounds[index]
  if (upper === undefined) return `more than ${bounds.at(-1) ?? 0} ms`
  return index === 0 ? `up to ${upper} ms` : `${bounds[index - 1]} to ${upper} ms`
}

function tokensSpec({ tokensPerDay }: HealthView): ChartSpec {
  const rows = new Map(tokensPerDay.map((row) => [row.day, row]))
  const days = bucketsOfDays(rows.keys())
  const buckets = bucketsOf(days)
  return {
    title: `Tokens told per ${buckets.per}`,
    unit: 'tokens',
    kind: 'bars',
    isStacked: true,
    ...buckets.axis,
    series: PARTS.map(({ key, name, colour }) => ({
      label: name,
      values: buckets.sum(days.map((day) => rows.get(day)?.[key] ?? 0)),
      colour,
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

/** Tokens of memory.md after each note, with the rotations that emptied it. `rotatesAt` 0: no line is drawn. */
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
    // Far away it would only flatten what there is to see.
    ...(rotatesAt > 0 && most * 3 > rotatesAt ? { line: { y: rotatesAt, label: 'rotates here' } } : {}),
    sayY: sayBrief,
    sayX: (index) => sayMoment(points[index]?.at ?? ''),
    sayTick: (seconds) => sayDate(new Date(seconds * 1000).toISOString()),
    height: 150,
  }
}
