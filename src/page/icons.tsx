/** The few signs of the page, drawn by us. */
import type { JSX } from 'preact'

const PATHS = {
  timeline: 'M3 4h10M3 8h7M3 12h9',
  memory: 'M4 2.5h6.5L13 5v8.5H4zM6.5 7h4M6.5 10h4',
  knowledge: 'M8 2.5a4 4 0 0 1 2.2 7.3V12H5.8V9.8A4 4 0 0 1 8 2.5zM6.3 14h3.4',
  search: 'M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4zM10.2 10.2 13.5 13.5',
  injected: 'M8 2v7.5M4.8 6.5 8 9.8l3.2-3.3M2.8 11v2.5h10.4V11',
  health: 'M1.8 8.5h3l1.7-4.6 2.6 8.2 1.8-3.6h3.3',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  fold: 'M5.5 3.5 10 8l-4.5 4.5',
  pin: 'M6 2.5h4M6.8 2.5v4L4.5 9h7L9.2 6.5v-4M8 9v4.5',
} as const

export function Icon({ name }: { name: keyof typeof PATHS }): JSX.Element {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}
