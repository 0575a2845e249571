/** Tokens by part: briefing, rules, recall, request; the same colours wherever they are drawn. */
import type { JSX } from 'preact'
import { sayCount } from '../say.ts'

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
