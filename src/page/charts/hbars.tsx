/** A table whose figures are also bars: files by use, bytes by place. */
import type { ComponentChildren, JSX } from 'preact'
import { sayBrief } from '../say.ts'
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
