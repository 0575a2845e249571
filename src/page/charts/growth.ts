/** How memory.md grew: its tokens after each note, with the rotations that emptied it. */
import type { ChartsView } from '../../dashboard/api.ts'
import { sayBrief, sayDate, sayMoment } from '../say.ts'
import type { ChartSpec } from './chart-spec.ts'

/** `rotatesAt` 0: no line is drawn. */
export function growthSpec(points: ChartsView['memory'], rotatesAt: number): ChartSpec {
  const at = points.map((point) => Date.parse(point.at) / 1000)
  const most = Math.max(0, ...points.map(({ tokens }) => tokens))
  return {
    title: 'Tokens of memory.md after each note',
    unit: 'tokens',
    kind: 'steps',
    x: { is: 'instants', at },
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
