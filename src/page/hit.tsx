/** One hit of a search: where it is from, when, and the words that were looked for. */
import type { JSX } from 'preact'
import type { SearchView } from '../dashboard/api.ts'
import { sayDate } from './say.ts'
import { StateBadge, walkRows } from './shown.tsx'
import { Marked } from './text/words.tsx'

interface Props {
  hit: SearchView['hits'][number]
  href: string
  isOpen: boolean
}

export function HitRow({ hit, href, isOpen }: Props): JSX.Element {
  const layer = layerOf(hit)
  return (
    <li>
      <a class="hit" href={href} aria-current={isOpen ? 'true' : undefined} onKeyDown={walk}>
        <span class="hit-head">
          {layer === '' ? null : <span class="layer">{layer}</span>}
          <b>{hit.kind === 'tier' ? 'week or month' : hit.kind}</b>
          <time dateTime={hit.date}>{sayDate(hit.date)}</time>
          <StateBadge state={hit.state} />
          <code>{hit.id}</code>
        </span>
        <span class="hit-text" dir="auto">
          <Marked text={hit.snippet} marks={hit.marks} />
        </span>
        {hit.also.length === 0 ? null : <span class="muted">also {hit.also.slice(0, 4).join(', ')}</span>}
      </a>
    </li>
  )
}

const FACTS: ReadonlySet<string> = new Set(['decision', 'pattern', 'issue', 'rule', 'solution', 'core_logic'])

/** What its kind belongs to, in a word; empty where the kind says it. */
function layerOf({ layer, kind }: Props['hit']): string {
  if (layer === 'L1') return kind === 'session' ? '' : 'session'
  return FACTS.has(kind) ? 'fact' : ''
}

const walk = walkRows('.hit', '#search-words')
