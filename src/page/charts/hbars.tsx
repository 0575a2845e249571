/** A table whose figures are also bars: files by use, bytes by place. */
import type { ComponentChildren, JSX } from 'preact'
import { sayBrief, sayCount } from '../say.ts'
import { niceTop } from './chart-draw.ts'

interface Row {
  key: string
  name: ComponentChildren
  value: number
  said: string
  more?: string
}

interface Props {
  title: string
  unit: string
  nameOf: string
  moreOf?: string
  rows: readonly Row[]
  sayAxis?: (n: number) => string
}

export function HBars({ title, unit, nameOf, moreOf, rows, sayAxis = sayBrief }: Props): JSX.Element {
  const top = niceTop(Math.max(0, ...rows.map(({ value }) => value)))
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <span class="unit">{unit}</span>
      </figcaption>
      {rows.length === 0 ? (
        <p class="nothing">Nothing to draw yet.</p>
      ) : (
        <table class="hbars">
          <thead>
            <tr>
              <th scope="col">{nameOf}</th>
              <th scope="col">
                <span class="hidden">{unit}</span>
                <span class="hbars-axis" aria-hidden="true">
                  <i>0</i>
                  <i>{sayAxis(top / 2)}</i>
                  <i>{sayAxis(top)}</i>
                </span>
              </th>
              {moreOf === undefined ? null : <th scope="col">{moreOf}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, name, value, said, more }) => (
              <tr key={key} title={`${said} ${unit}`}>
                <th scope="row">{name}</th>
                <td>
                  <span class="hbar" style={{ '--share': `${(value / top) * 100}%` }} />
                  <span class="hbar-figure">{said}</span>
                </td>
                {moreOf === undefined ? null : <td class="figure">{more}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </figure>
  )
}

/** Tokens by part: briefing, rules, recall, request; the same colours wherever they are drawn. */

export const PARTS = [
  { key: 'briefing', name: 'briefing', colour: '--c1' },
  { key: 'rules', name: 'rules', colour: '--c2' },
  { key: 'recall', name: 'recalls', colour: '--c3' },
  { key: 'request', name: 'requests', colour: '--c4' },
] as const

export type Parts = Readonly<Record<(typeof PARTS)[number]['key'], number>>

export function totalOf(parts: Parts): number {
  return PARTS.reduce((sum, { key }) => sum + parts[key], 0)
}

/** One bar, its length in proportion to the longest. */
export function PartsBar({ parts, most }: { parts: Parts; most: number }): JSX.Element {
  const said = PARTS.filter(({ key }) => parts[key] > 0).map(({ key, name }) => `${name} ${sayCount(parts[key])}`)
  return (
    <span class="parts-bar" role="img" aria-label={`Tokens: ${said.join(', ') || 'none'}`} title={said.join(' · ')}>
      {PARTS.map(({ key, colour }) =>
        parts[key] === 0 ? null : (
          <i
            key={key}
            style={{ '--swatch': `var(${colour})`, '--share': `${(parts[key] / Math.max(1, most)) * 100}%` }}
          />
        ),
      )}
    </span>
  )
}

export function PartsLegend(): JSX.Element {
  return (
    <ul class="legend">
      {PARTS.map(({ key, name, colour }) => (
        <li key={key}>
          <i class="swatch" style={{ '--swatch': `var(${colour})` }} />
          {name}
        </li>
      ))}
    </ul>
  )
}
