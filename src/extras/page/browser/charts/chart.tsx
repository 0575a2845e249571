/** A chart with its title, legend, tooltip and keys, and the same figures as an accessible table. */
import type { JSX, RefObject } from 'preact'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { stepOf } from '../keys.tsx'
import { useSource } from '../source.ts'
import { isDark } from '../theme.ts'
import { coloursOf, dataOf, optionsOf } from './chart-draw.ts'
import { type ChartSpec, rowsOf } from './chart-spec.ts'
import { Legend, Swatch } from './parts.tsx'

interface Props {
  spec: ChartSpec
  /** A point was clicked, or chosen with Enter. */
  onPick?: (index: number) => void
  children?: JSX.Element | null
}

export function Chart({ spec, onPick, children }: Props): JSX.Element {
  const [isTable, setTable] = useState(false)
  const [index, setIndex] = useState<number | null>(null)
  const plot = useRef<uPlot | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const title = useId()
  const isEmpty = spec.length === 0
  usePlot(isTable || isEmpty ? null : spec, box, plot, setIndex)

  const walk = (event: KeyboardEvent): void => {
    // The first key reads the first point, or the last.
    const at = index ?? (event.key === 'ArrowLeft' ? spec.length : -1)
    const next = stepOf(event.key, at, spec.length, { ArrowRight: 1, ArrowLeft: -1 })
    if (event.key === 'Enter' && index !== null) onPick?.(index)
    if (event.key === 'Escape') place(plot.current, null, setIndex)
    if (next === null) return
    event.preventDefault()
    place(plot.current, next, setIndex)
  }

  return (
    <figure class="chart" aria-labelledby={title}>
      <figcaption>
        <h3 id={title}>{spec.title}</h3>
        <span class="unit">{unitOf(spec)}</span>
        {children}
        {isEmpty ? null : (
          <button type="button" class="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? 'Chart' : 'Table'}
          </button>
        )}
      </figcaption>
      {isEmpty ? <p class="nothing">Nothing to draw yet.</p> : null}
      {isTable ? <FigureTable spec={spec} /> : null}
      {isTable || isEmpty ? null : (
        <div class="plot-box">
          <div
            class="plot"
            ref={box}
            role="img"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move through its points
            tabIndex={0}
            aria-label={`${spec.title}: ${spec.series.map(({ label }) => label).join(', ')}; ${spec.length} points. Left and right read them.`}
            onKeyDown={walk}
            onBlur={() => place(plot.current, null, setIndex)}
            onClick={() => index !== null && onPick?.(index)}
            data-picks={onPick !== undefined}
          />
          <Tip spec={spec} index={index} plot={plot.current} />
          {spec.series.length < 2 && !spec.marks?.length ? null : (
            <Legend of={spec.series} hasMarks={(spec.marks ?? []).length > 0} />
          )}
        </div>
      )}
    </figure>
  )
}

/** Empty if the title already contains the unit. */
function unitOf({ title, unit }: ChartSpec): string {
  return title.toLowerCase().includes(unit) ? '' : unit
}

/** The figures of one point; read aloud when the keys move to it. */
function Tip({ spec, index, plot }: { spec: ChartSpec; index: number | null; plot: uPlot | null }): JSX.Element {
  const mark = spec.marks?.find((one) => one.index === index)
  return (
    <div class="tip" role="status" hidden={index === null} style={tipPlace(plot, index)}>
      {index === null ? null : (
        <>
          <p>{spec.sayX(index)}</p>
          <dl>
            {[...spec.series].reverse().map(({ label, colour, values, isDashed }) => {
              const value = values[index]
              return value === null || value === undefined ? null : (
                <div key={label}>
                  <dt>
                    <Swatch colour={colour} isDashed={isDashed} />
                    {label}
                  </dt>
                  <dd>{spec.sayY(value)}</dd>
                </div>
              )
            })}
          </dl>
          {mark === undefined ? null : <p class="tip-mark">{mark.label}</p>}
        </>
      )}
    </div>
  )
}

/** Beside the point, on the side with room. */
function tipPlace(plot: uPlot | null, index: number | null): Record<string, string> {
  const x = index === null ? undefined : plot?.data[0][index]
  if (plot === null || x === undefined) return {}
  const left = plot.valToPos(x, 'x') + plot.over.offsetLeft
  return left > plot.width / 2
    ? { left: 'auto', right: `${Math.round(plot.width - left + 10)}px` }
    : { left: `${Math.round(left + 10)}px`, right: 'auto' }
}

function FigureTable({ spec }: { spec: ChartSpec }): JSX.Element {
  const rows = useMemo(() => rowsOf(spec), [spec])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class="table-box" tabIndex={0} aria-label={`${spec.title} as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            {spec.series.map(({ label }) => (
              <th scope="col" key={label}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ x, cells }, i) => (
            <tr key={i}>
              <th scope="row">{x}</th>
              {cells.map((cell, n) => (
                <td key={n}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function usePlot(
  spec: ChartSpec | null,
  box: RefObject<HTMLDivElement | null>,
  plot: RefObject<uPlot | null>,
  setIndex: (index: number | null) => void,
): void {
  const dark = useSource(isDark)
  // A change of the theme's colours redraws the chart.
  useEffect(() => {
    const element = box.current
    if (spec === null || element === null) return
    const made = new uPlot(optionsOf(spec, element.clientWidth, coloursOf(element), setIndex), dataOf(spec), element)
    plot.current = made
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== made.width) made.setSize({ width: element.clientWidth, height: made.height })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = null
    }
  }, [spec, dark, box, plot, setIndex])
}

function place(plot: uPlot | null, index: number | null, setIndex: (index: number | null) => void): void {
  if (plot === null) return
  const x = index === null ? undefined : plot.data[0][index]
  plot.setCursor({ left: x === undefined ? -10 : plot.valToPos(x, 'x'), top: x === undefined ? -10 : 10 })
  setIndex(index)
}
