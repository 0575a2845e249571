/** Tokens by part: briefing, rules, recall, request; the same colours wherever they are drawn. */
import type { JSX } from 'preact'
import { sayCount } from '../say.ts'

export const PARTS = [
  { key: 'briefing', label: 'briefing', colour: '--c1' },
  { key: 'rules', label: 'rules', colour: '--c2' },
  { key: 'recall', label: 'recalls', colour: '--c3' },
  { key: 'request', label: 'requests', colour: '--c4' },
] as const

export type Parts = Readonly<Record<(typeof PARTS)[number]['key'], number>>

export function totalOf(parts: Parts): number {
  return PARTS.reduce((sum, { key }) => sum + parts[key], 0)
}

/** One bar, its length in proportion to the longest. */
export function PartsBar({ parts, most }: { parts: Parts; most: number }): JSX.Element {
  const said = PARTS.filter(({ key }) => parts[key] > 0).map(({ key, label }) => `${label} ${sayCount(parts[key])}`)
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

interface SwatchProps {
  colour: string
  isDashed?: boolean | undefined
}

export function Swatch({ colour, isDashed = false }: SwatchProps): JSX.Element {
  return <i class={isDashed ? 'swatch is-dashed' : 'swatch'} style={{ '--swatch': `var(${colour})` }} />
}

interface LegendProps {
  of: readonly (SwatchProps & { label: string })[]
  hasMarks?: boolean
}

export function Legend({ of, hasMarks = false }: LegendProps): JSX.Element {
  return (
    <ul class="legend">
      {of.map(({ label, colour, isDashed }) => (
        <li key={label}>
          <Swatch colour={colour} isDashed={isDashed} />
          {label}
        </li>
      ))}
      {hasMarks ? (
        <li>
          <i class="swatch is-mark" />
          rotation
        </li>
      ) : null}
    </ul>
  )
}
