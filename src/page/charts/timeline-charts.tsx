/** What was done when: sessions and tools per day. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ChartsView } from '../../dashboard/api.ts'
import type { PageAsked } from '../ask.ts'
import { formatRoute } from '../route.ts'
import { sayBrief, sayMany } from '../say.ts'
import { Empty, Icon, ShownChoice } from '../shown.tsx'
import { Chart } from './chart.tsx'
import { type Buckets, bucketsOf, type ChartSpec } from './chart-spec.ts'

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
