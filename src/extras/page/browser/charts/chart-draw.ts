/** Draws a chart with uPlot: scales, axes, bars and lines in the colours of the style sheet. */
import uPlot from 'uplot'
import { type ChartSpec, stacked } from './chart-spec.ts'

export type Colour = (name: string) => string

/** A colour of the style sheet for the canvas: variables are resolved by an element that uses them. */
export function coloursOf(element: HTMLElement): Colour {
  const probe = element.appendChild(document.createElement('span'))
  const names = ['--muted', '--line', '--paper', '--c1', '--c2', '--c3', '--c4', '--c5', '--c6', '--c7']
  const known = new Map(
    names.map((name) => {
      probe.style.color = `var(${name})`
      return [name, getComputedStyle(probe).color]
    }),
  )
  probe.remove()
  return (name) => known.get(name) ?? ''
}

/** Of a day below the axis, in pixels. */
const LABEL_ROOM = 58
const FONT = '11px system-ui, sans-serif'

export function optionsOf(
  spec: ChartSpec,
  width: number,
  colour: Colour,
  onCursor: (index: number | null) => void,
): uPlot.Options {
  const isSideBySide = spec.x !== 'instants'
  return {
    width,
    height: spec.height ?? 168,
    padding: [10, 20, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: spec.kind !== 'bars', size: 7 },
      drag: { x: false, y: false, setScale: false },
    },
    scales: {
      x: isSideBySide
        ? { time: false, range: () => [-0.6, spec.length - 0.4] }
        : { time: true, range: (_, min, max) => padded(min, max) },
      y: { range: (_, __, max) => [0, niceTop(Math.max(max ?? 0, spec.line?.y ?? 0))] },
    },
    axes: [xAxis(spec, colour), yAxis(spec, colour)],
    series: [{}, ...seriesOf(spec, colour)],
    hooks: {
      setCursor: [(chart) => onCursor(chart.cursor.idx ?? null)],
      draw: [(chart) => drawMarks(chart, spec, colour)],
    },
  }
}

/** In drawing order: the highest stack first, so that the lower ones are in front of it. */
export function dataOf(spec: ChartSpec): uPlot.AlignedData {
  const x = spec.at === undefined ? Array.from({ length: spec.length }, (_, i) => i) : [...spec.at]
  // A bar of height zero would still draw its edge across the axis.
  const drawn = (value: number | null): number | null => (value === 0 && spec.kind === 'bars' ? null : value)
  const columns = spec.isStacked ? stacked(spec.series).reverse() : spec.series.map(({ values }) => [...values])
  return [x, ...columns.map((values) => values.map(drawn))]
}

function seriesOf(spec: ChartSpec, colour: Colour): uPlot.Series[] {
  const drawn = spec.isStacked ? [...spec.series].reverse() : spec.series
  return drawn.map((series) => {
    const stroke = colour(series.colour)
    if (spec.kind === 'bars') {
      const paths = uPlot.paths.bars?.({ size: [0.78, 26], align: 0 })
      return {
        label: series.label,
        stroke: colour('--paper'),
        width: 1,
        fill: stroke,
        points: { show: false },
        ...(paths && { paths }),
      }
    }
    const paths = spec.kind === 'steps' ? uPlot.paths.stepped?.({ align: 1 }) : uPlot.paths.linear?.()
    return {
      label: series.label,
      stroke,
      width: 1.75,
      points: { show: spec.length < 3 },
      ...(spec.kind === 'steps' ? { fill: withAlpha(stroke, 0.12) } : {}),
      ...(series.isDashed ? { dash: [5, 4] } : {}),
      ...(paths && { paths }),
      spanGaps: true,
    }
  })
}

function xAxis(spec: ChartSpec, colour: Colour): uPlot.Axis {
  const shared: uPlot.Axis = {
    stroke: colour('--muted'),
    font: FONT,
    grid: { show: false },
    ticks: { stroke: colour('--line'), width: 1, size: 4 },
    size: 26,
    gap: 3,
  }
  const values: uPlot.Axis.Values = (_, splits) => splits.map((at) => spec.sayTick(at))
  if (spec.x === 'instants')
    return { ...shared, values, space: 90, splits: (_, __, min, max) => evenly(min, max, spec.length) }
  return { ...shared, values, splits: (chart) => steps(spec.length, chart.bbox.width / devicePixelRatio) }
}

function yAxis(spec: ChartSpec, colour: Colour): uPlot.Axis {
  return {
    stroke: colour('--muted'),
    font: FONT,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    border: { show: false },
    size: 52,
    gap: 6,
    splits: (_, __, ___, max) => linesBelow(max),
    values: (_, splits) => splits.map((n) => spec.sayY(n)),
  }
}

/** Four steps to the top; whole numbers if there are only a few. */
function linesBelow(max: number): number[] {
  const steps = Number.isInteger(max) && max < 4 ? max : 4
  return Array.from({ length: steps + 1 }, (_, i) => (max * i) / steps)
}

/** So that the first and the last point are not on the edge. */
function padded(min: number, max: number): [number, number] {
  const room = Math.max(1800, (max - min) * 0.015)
  return [min - room, max + room]
}

/** A round number at the top that four lines divide well. */
export function niceTop(max: number): number {
  if (max <= 4) return max <= 0 ? 4 : Math.max(1, Math.ceil(max))
  const size = max <= 100 ? 1 : 10 ** (Math.floor(Math.log10(max)) - 1)
  const step = [4, 8, 12, 16, 20, 24, 32, 40, 48, 60, 80, 100].find((one) => one * size >= max) ?? 120
  return step * size
}

function steps(n: number, width: number): number[] {
  const most = Math.max(2, Math.floor(width / LABEL_ROOM))
  const step = [1, 2, 3, 4, 7, 14, 28, 56, 112, 224].find((one) => n / one <= most) ?? Math.ceil(n / most)
  // From the end, so that the newest day is labelled.
  const found: number[] = []
  for (let index = n - 1; index >= 0; index -= step) found.unshift(index)
  return found
}

function evenly(min: number, max: number, points: number): number[] {
  if (points < 2 || max <= min) return [min]
  return [0.08, 0.5, 0.92].map((share) => min + (max - min) * share)
}

function drawMarks(chart: uPlot, spec: ChartSpec, colour: Colour): void {
  const { ctx, bbox } = chart
  ctx.save()
  ctx.textAlign = 'left'
  ctx.textBaseline = 'alphabetic'
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio])
  if (spec.line !== undefined) {
    const y = Math.round(chart.valToPos(spec.line.y, 'y', true))
    ctx.strokeStyle = colour('--muted')
    stroke(ctx, bbox.left, y, bbox.left + bbox.width, y)
    ctx.fillStyle = colour('--muted')
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`
    ctx.fillText(spec.line.label, bbox.left + 4 * devicePixelRatio, y - 5 * devicePixelRatio)
  }
  ctx.strokeStyle = colour('--c2')
  ctx.fillStyle = colour('--c2')
  for (const { index } of spec.marks ?? []) {
    const x = Math.round(chart.valToPos(chart.data[0][index] ?? 0, 'x', true))
    stroke(ctx, x, bbox.top, x, bbox.top + bbox.height)
    triangle(ctx, x, bbox.top, 4 * devicePixelRatio)
  }
  ctx.restore()
}

function stroke(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  ctx.beginPath()
  ctx.moveTo(x1, y1)
  ctx.lineTo(x2, y2)
  ctx.stroke()
}

function triangle(ctx: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  ctx.beginPath()
  ctx.moveTo(x - size, y)
  ctx.lineTo(x + size, y)
  ctx.lineTo(x, y + size * 1.6)
  ctx.fill()
}

function withAlpha(rgb: string, alpha: number): string {
  return rgb.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`)
}
