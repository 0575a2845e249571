/** A chart as data: what stands on its axes, its series, and how its figures are spoken. */

export interface Series {
  label: string
  values: readonly (number | null)[]
  /** The name of a colour in the style sheet: `--c1`. */
  colour: string
  /** Dashed lines are told apart without colour. */
  isDashed?: boolean
}

export interface ChartSpec {
  title: string
  /** What the figures are, for axis, tooltip and table: `tokens`, `ms`. */
  unit: string
  kind: 'bars' | 'lines' | 'steps'
  /** `days` and `classes` stand side by side; `instants` are seconds on a true time axis. */
  x:
    | { is: 'days'; days: readonly string[] }
    | { is: 'classes'; names: readonly string[] }
    | { is: 'instants'; at: readonly number[] }
  series: readonly Series[]
  /** One on top of the other. */
  isStacked?: boolean
  sayY: (n: number) => string
  sayX: (index: number) => string
  /** Short, for the axis. */
  sayTick: (index: number) => string
  /** Points that stand out: rotations. */
  marks?: readonly { index: number; label: string }[]
  /** A limit worth seeing. */
  line?: { y: number; label: string }
  height?: number
}

export function lengthOf(spec: ChartSpec): number {
  switch (spec.x.is) {
    case 'days':
      return spec.x.days.length
    case 'classes':
      return spec.x.names.length
    case 'instants':
      return spec.x.at.length
  }
}

/** Bars are drawn from the top down: each is as high as all below it together. */
export function stacked(series: readonly Series[]): number[][] {
  let below: number[] = []
  return series.map(({ values }) => {
    below = values.map((value, i) => (below[i] ?? 0) + (value ?? 0))
    return below
  })
}

/** The rows of the table that says the same as the chart. */
export function rowsOf(spec: ChartSpec): { x: string; cells: string[] }[] {
  return Array.from({ length: lengthOf(spec) }, (_, i) => ({
    x: spec.sayX(i),
    cells: spec.series.map(({ values }) => {
      const value = values[i]
      return value === null || value === undefined ? '–' : spec.sayY(value)
    }),
  }))
}
