/** What the last sessions were told, side by side. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { InjectedRow } from '../../dashboard/api.ts'
import { PAGE, type Paged } from '../paged.ts'
import { PARTS, totalOf } from '../parts.tsx'
import { formatRoute, go } from '../route.ts'
import { dayText, sayBrief, sayCount, sayMany, sayMoment, sayShortDay } from '../say.ts'
import { Chart } from './chart.tsx'
import type { ChartSpec } from './chart-spec.ts'

/** As many as can be told apart. */
const MOST = 60

export function InjectedCharts({ list, total }: { list: Paged<InjectedRow>; total: number }): JSX.Element | null {
  const shown = Math.min(total, MOST, PAGE)
  const rows = Array.from({ length: shown }, (_, i) => list.at(shown - 1 - i)).filter((row) => row !== undefined)
  const key = rows.map((row) => `${row.id} ${totalOf(row)}`).join()
  // The rows are new with every drawing, but the same as long as their key is.
  const spec = useMemo(() => specOf(rows), [key])
  if (rows.length === 0) return null
  const all = rows.reduce((sum, row) => sum + totalOf(row), 0)
  return (
    <div class="page-width">
      <header class="detail-head">
        <h2>The last {sayMany(rows.length, 'session')}</h2>
      </header>
      <p class="totals">
        {sayCount(Math.round(all / rows.length))} tokens a session on average. Open one to read every line it was told,
        with its tokens and the reason it was chosen.
      </p>
      <Chart spec={spec} onPick={(index) => go(formatRoute('injected', rows[index]?.id ?? ''))} />
    </div>
  )
}

function specOf(rows: readonly InjectedRow[]): ChartSpec {
  return {
    title: 'Tokens told per session',
    unit: 'tokens, oldest to newest',
    kind: 'bars',
    isStacked: true,
    x: { is: 'classes', names: rows.map(({ id }) => id) },
    series: PARTS.map(({ key, name, colour }) => ({ label: name, values: rows.map((row) => row[key]), colour })),
    sayY: sayBrief,
    sayX: (index) => `${sayMoment(rows[index]?.at ?? '')} ${(rows[index]?.goal ?? '').slice(0, 60)}`,
    sayTick: (index) => sayShortDay(dayText(rows[index]?.at ?? '')),
    height: 260,
  }
}
