/** Search while typing through all layers; filters are in the address, and a hit opens beside the list, in its context. */
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { SearchView } from '../../server/api.ts'
import { queryOf, useFollowed } from '../ask.ts'
import { ItemPage } from '../item.tsx'
import { walkRows } from '../keys.tsx'
import { currentRoute, formatRoute, goQuietly, type Route, withQuery } from '../route.ts'
import { sayDate, sayMany } from '../say.ts'
import { Badge, Empty, ShownChoice, StateBadge, ViewChoice } from '../shown.tsx'
import { Marked, markWords } from '../text/prose.tsx'

/** Shorter than the pause between two words, longer than that between two letters. */
const PAUSE_MS = 140
const LIMIT = 40

export function SearchScreen({ route }: { route: Route }): JSX.Element {
  const path = pathOf(route.query)
  const asked = useFollowed<SearchView>(path)
  const typed = route.query.get('q') ?? ''
  const hit = asked.is === 'here' ? asked.value.hits.find(({ id }) => id === route.id) : undefined
  const words = useMemo(() => markWords(hit, typed), [hit, typed])
  return (
    <div class="split is-search" data-open={route.id !== ''}>
      <section class="list-pane" aria-label="Hits">
        <header class="search-head">
          <Words route={route} />
          <SearchFilters route={route} />
        </header>
        {path === null ? (
          <Empty title="All that was said, done and learned">
            Type a few words. Sessions, notes, summaries, facts and pages are searched together; typing errors are
            forgiven when nothing else fits.
          </Empty>
        ) : (
          <ShownChoice asked={asked}>
            {(found) => <Hits found={found} isOld={asked.is === 'here' && asked.isOld} route={route} />}
          </ShownChoice>
        )}
      </section>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="detail-pane" tabIndex={0} aria-label="In context" key={route.id}>
        {route.id === '' ? (
          path === null ? null : (
            <Empty title="Open a hit to see it in its context">
              Arrow keys walk through the hits, Enter opens one.
            </Empty>
          )
        ) : (
          <ItemPage id={route.id} back={formatRoute('search', '', route.query)} words={words} />
        )}
      </section>
    </div>
  )
}

function pathOf(query: URLSearchParams): string | null {
  const filters = Object.fromEntries(['q', 'layer', ...MORE].map((key) => [key, query.get(key)?.trim() ?? '']))
  if (filters.q === '') return null
  return `search${queryOf({ ...filters, layer: filters.layer || 'L1,L2,L3', limit: LIMIT })}`
}

/** Typed text is shown at once and requested after a pause. */
function Words({ route }: { route: Route }): JSX.Element {
  const inAddress = route.query.get('q') ?? ''
  const [typed, setTyped] = useState(inAddress)
  const field = useRef<HTMLInputElement>(null)
  const latest = useRef(route)
  latest.current = route
  // Before anything else is typed.
  useLayoutEffect(() => field.current?.focus(), [])
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(inAddress)
  }, [inAddress])
  useEffect(() => {
    if (typed === (latest.current.query.get('q') ?? '')) return
    const timer = setTimeout(() => goQuietly(withQuery({ ...latest.current, id: '' }, { q: typed })), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const down = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    document.querySelector<HTMLElement>('.hit')?.focus()
  }
  return (
    <input
      id="search-words"
      ref={field}
      class="search-words"
      type="search"
      dir="auto"
      value={typed}
      placeholder="Search all layers"
      aria-label="Search"
      spellcheck={false}
      autocomplete="off"
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onKeyDown={down}
    />
  )
}

function Hits({ found, isOld, route }: { found: SearchView; isOld: boolean; route: Route }): JSX.Element {
  return (
    <>
      <p class="found muted" role="status">
        {found.hits.length === 0
          ? 'Nothing found'
          : `${found.hits.length === LIMIT ? 'The best ' : ''}${sayMany(found.hits.length, 'hit')}`}
        {isOld ? ' …' : ` in ${Math.max(1, Math.round(found.ms))} ms`}
        {found.corrected.map(({ typed, taken }) => (
          <span key={typed}>
            {' '}
            · <bdi>{typed}</bdi> read as <bdi>{taken}</bdi>
          </span>
        ))}
        {found.missing.length === 0 ? null : (
          <span>
            {' '}
            · nowhere: <bdi>{found.missing.join(', ')}</bdi>
          </span>
        )}
      </p>
      {found.hits.length === 0 ? (
        <Empty title="Nothing fits">
          Try fewer or other words, or take a filter away. Words are found by their stems and parts.
        </Empty>
      ) : null}
      <ul class={isOld ? 'hits is-old' : 'hits'}>
        {found.hits.map((hit) => (
          <HitRow
            key={hit.id}
            hit={hit}
            href={formatRoute('search', hit.id, route.query)}
            isOpen={hit.id === route.id}
          />
        ))}
      </ul>
    </>
  )
}

const LAYERS = [
  ['', 'everything'],
  ['L2,L3', 'notes and knowledge'],
  ['L1', 'sessions'],
  ['L2', 'notes'],
  ['L3', 'facts and summaries'],
] as const

const KINDS = [
  'prompt',
  'answer',
  'tool',
  'note',
  'decision',
  'pattern',
  'issue',
  'rule',
  'summary',
  'session',
  'page',
  'concept',
]
const TYPES = [['', 'any'], ...KINDS.map((kind) => [kind, kind] as const)] as const

const MORE = ['type', 'since', 'until', 'file', 'session'] as const

function SearchFilters({ route }: { route: Route }): JSX.Element {
  const value = (key: string): string => route.query.get(key) ?? ''
  const inUse = MORE.filter((key) => value(key) !== '').length
  const [isOpen, setOpen] = useState(inUse > 0)
  const set = (key: string, next: string): void => goQuietly(withQuery({ ...currentRoute(), id: '' }, { [key]: next }))
  return (
    <search class="search-filters">
      <div class="filters">
        <ViewChoice label="In" value={value('layer')} of={LAYERS} onChoose={(next) => set('layer', next)} />
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters{inUse > 0 ? ` (${inUse})` : ''}
        </button>
      </div>
      {isOpen ? (
        <div class="filters">
          <ViewChoice label="Type" value={value('type')} of={TYPES} onChoose={(next) => set('type', next)} />
          <Field label="Since" type="date" value={value('since')} onSet={(next) => set('since', next)} />
          <Field label="Until" type="date" value={value('until')} onSet={(next) => set('until', next)} />
          <Field label="File" type="text" value={value('file')} onSet={(next) => set('file', next)} />
          <Field label="Session" type="text" value={value('session')} onSet={(next) => set('session', next)} />
        </div>
      ) : null}
    </search>
  )
}

interface FieldProps {
  label: string
  type: 'date' | 'text'
  value: string
  onSet: (value: string) => void
}

/** Applied on blur or Enter: an incomplete date finds nothing. */
function Field({ label, type, value, onSet }: FieldProps): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type={type as 'text'}
        value={value}
        dir="auto"
        onChange={({ currentTarget }) => onSet(currentTarget.value.trim())}
      />
    </label>
  )
}

/** One search hit: its source, its date, and the matching words. */

interface Props {
  hit: SearchView['hits'][number]
  href: string
  isOpen: boolean
}

function HitRow({ hit, href, isOpen }: Props): JSX.Element {
  const layer = layerOf(hit)
  return (
    <li>
      <a class="hit" href={href} aria-current={isOpen ? 'true' : undefined} onKeyDown={walk}>
        <span class="hit-head">
          {layer === '' ? null : <span class="layer">{layer}</span>}
          <b>{hit.kind === 'tier' ? 'week or month' : hit.kind}</b>
          <time dateTime={hit.date}>{sayDate(hit.date)}</time>
          {hit.owner === null ? null : <Badge tone="accent">of {hit.owner}</Badge>}
          {hit.state === `of ${hit.owner}` ? null : <StateBadge state={hit.state} />}
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

/** The group of its kind, in a word; empty if the kind says it. */
function layerOf({ layer, kind }: Props['hit']): string {
  if (layer === 'L1') return kind === 'session' ? '' : 'session'
  return FACTS.has(kind) ? 'fact' : ''
}

const walk = walkRows('.hit', '#search-words')
