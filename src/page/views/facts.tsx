/** Facts with their filters, all of which stand in the address. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FactItem, KnowledgeView } from '../../dashboard/api.ts'
import { FactRow } from '../fact.tsx'
import { currentRoute, goQuietly, type Route, withQuery } from '../route.ts'
import { sayMany } from '../say.ts'
import { Empty, ViewChoice } from '../shown.tsx'

/** Drawn at once; more when the end comes into sight. */
const PIECE = 60

export function FactsScreen({ knowledge, route }: { knowledge: KnowledgeView; route: Route }): JSX.Element {
  const filter = filterOf(route)
  const wanted = route.query.get('fact')
  const names = useMemo(() => new Map(knowledge.concepts.map(({ id, name }) => [id, name])), [knowledge])
  const found = useMemo(
    () => sorted(knowledge.facts.filter((fact) => fact.id === wanted || matches(fact, filter))),
    [knowledge, filter.key, wanted],
  )
  const [shown, setShown] = useState(PIECE)
  const end = useRef<HTMLParagraphElement>(null)
  useEnd(end, () => setShown((n) => n + PIECE))
  const least = wanted === null ? 0 : found.findIndex(({ id }) => id === wanted) + 1

  if (knowledge.facts.length === 0) {
    return (
      <Empty title="No fact yet">
        Decisions, patterns and issues are found when a session ends, each with the sentence that proves it. Your own
        come with <code>memory-keeper facts add</code>.
      </Empty>
    )
  }
  return (
    <>
      <Filters filter={filter} concepts={knowledge.concepts} />
      <p class="muted found" role="status">
        {found.length === knowledge.facts.length
          ? sayMany(found.length, 'fact')
          : `${found.length} of ${sayMany(knowledge.facts.length, 'fact')}`}
      </p>
      <ul class="facts">
        {found.slice(0, Math.max(shown, least)).map((fact) => (
          <FactRow
            key={fact.id}
            fact={fact}
            concept={names.get(fact.concept ?? '') ?? fact.concept}
            isWanted={fact.id === wanted}
          />
        ))}
      </ul>
      {found.length > shown ? (
        <p ref={end} class="muted">
          More…
        </p>
      ) : null}
    </>
  )
}

const TYPES = [
  ['', 'all'],
  ['decision', 'decisions'],
  ['pattern', 'patterns'],
  ['issue', 'issues'],
  ['open', 'open issues'],
] as const
const STATES = [
  ['', 'holding'],
  ['all', 'all'],
  ['pinned', 'pinned'],
  ['stale', 'stale'],
  ['superseded', 'superseded'],
  ['rejected', 'rejected'],
] as const

interface Filter {
  key: string
  type: (typeof TYPES)[number][0]
  state: (typeof STATES)[number][0]
  concept: string
  words: string
}

function filterOf({ query }: Route): Filter {
  const pick = <T extends string>(of: readonly (readonly [T, string])[], value: string | null): T | undefined =>
    of.find(([key]) => key === value)?.[0]
  const filter = {
    type: pick(TYPES, query.get('type')) ?? '',
    state: pick(STATES, query.get('state')) ?? '',
    concept: query.get('concept') ?? '',
    words: query.get('q') ?? '',
  }
  return { ...filter, key: JSON.stringify(filter) }
}

function matches(fact: FactItem, { type, state, concept, words }: Filter): boolean {
  if (type === 'open' ? fact.type !== 'issue' || fact.status === 'resolved' : type !== '' && fact.type !== type)
    return false
  if (concept !== '' && fact.concept !== concept) return false
  if (
    words !== '' &&
    !`${fact.id} ${fact.text} ${fact.reason ?? ''} ${fact.files.join(' ')}`.toLowerCase().includes(words.toLowerCase())
  )
    return false
  switch (state) {
    case 'all':
      return true
    case 'pinned':
      return fact.isPinned
    case '':
      return fact.state === 'fresh' || fact.state === 'stale'
    default:
      return fact.state === state
  }
}

/** Pinned ones first, then the newest. */
function sorted(facts: readonly FactItem[]): FactItem[] {
  return [...facts].sort(
    (a, b) => Number(b.isPinned) - Number(a.isPinned) || (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0),
  )
}

interface FiltersProps {
  filter: Filter
  concepts: KnowledgeView['concepts']
}

function Filters({ filter, concepts }: FiltersProps): JSX.Element {
  const set = (change: Record<string, string>): void => goQuietly(withQuery(currentRoute(), { fact: '', ...change }))
  return (
    <search class="filters">
      <label class="field is-wide">
        <span>Words</span>
        <input
          type="search"
          value={filter.words}
          dir="auto"
          placeholder="in text, reason, files"
          onInput={({ currentTarget }) => set({ q: currentTarget.value })}
        />
      </label>
      <ViewChoice label="Type" value={filter.type} of={TYPES} onChoose={(type) => set({ type })} />
      <ViewChoice label="State" value={filter.state} of={STATES} onChoose={(state) => set({ state })} />
      {concepts.length === 0 ? null : (
        <ViewChoice
          label="Concept"
          value={filter.concept}
          of={[['', 'all'], ...concepts.map(({ id, name }) => [id, name] as const)]}
          onChoose={(concept) => set({ concept })}
        />
      )}
    </search>
  )
}

function useEnd(end: { current: HTMLElement | null }, reached: () => void): void {
  useEffect(() => {
    if (end.current === null) return
    const observer = new IntersectionObserver(
      (seen) => seen.some(({ isIntersecting }) => isIntersecting) && reached(),
      { rootMargin: '600px' },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  })
}
