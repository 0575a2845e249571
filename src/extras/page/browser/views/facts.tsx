/** Facts with their filters, all of which are in the address. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FactItem, KnowledgeView } from '../../server/api.ts'
import { askAct, askEditFact, askForget } from '../confirm.tsx'
import { walkRows } from '../keys.tsx'
import { currentRoute, formatRoute, goQuietly, type Route, withQuery } from '../route.ts'
import { sayDate, sayMany, sayMoment } from '../say.ts'
import { Act, Badge, Empty, Files, Icon, PlaceView, StateBadge, ViewChoice } from '../shown.tsx'
import { useMayChange } from '../source.ts'

/** The number drawn at once; more when the end becomes visible. */
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
  ['', 'valid'],
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
  if (type === 'open' ? !fact.isOpen : type !== '' && fact.kind !== type) return false
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

/** One fact: its text, the words that prove it, its state, and its actions. */

interface Props {
  fact: FactItem
  concept: string | null
  isWanted: boolean
}

function FactRow({ fact, concept, isWanted }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(isWanted)
  const element = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (!isWanted) return
    setOpen(true)
    element.current?.scrollIntoView({ block: 'center' })
  }, [isWanted])
  const isOver = fact.state === 'superseded' || fact.state === 'rejected'
  return (
    <li ref={element} class={`fact is-${fact.kind}${isOver ? ' is-over' : ''}${isWanted ? ' is-wanted' : ''}`}>
      <button type="button" class="fact-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} onKeyDown={walk}>
        <span class="fact-type">{fact.kind}</span>
        <span class="fact-text" dir="auto">
          {fact.text}
        </span>
        <span class="fact-meta">
          {fact.isPinned ? (
            <Badge tone="accent">
              <Icon name="pin" /> pinned
            </Badge>
          ) : null}
          <State fact={fact} />
          <time dateTime={fact.lastAt}>{sayDate(fact.lastAt)}</time>
        </span>
      </button>
      {isOpen ? <FactBody fact={fact} concept={concept} /> : null}
    </li>
  )
}

function State({ fact }: { fact: FactItem }): JSX.Element | null {
  if (fact.state !== 'fresh') return <StateBadge state={fact.state} />
  return fact.status !== null ? (
    <StateBadge state={fact.isOpen ? 'open' : fact.status === 'resolved' ? 'resolved' : 'unresolved'} />
  ) : null
}

const WHOSE = { user: 'Your words', assistant: "Claude's words", tool: "A tool's output" } as const

function FactBody({ fact, concept }: { fact: FactItem; concept: string | null }): JSX.Element {
  return (
    <div class="fact-body">
      {fact.reason === null ? null : <Line name="Because">{fact.reason}</Line>}
      {fact.resolution === null ? null : <Line name="Resolved by">{fact.resolution}</Line>}
      {fact.why === '' ? null : <Line name={fact.state === 'fresh' ? 'Note' : `Why ${fact.state}`}>{fact.why}</Line>}
      {fact.quote === '' ? null : (
        <figure class="quote">
          <blockquote dir="auto">{fact.quote}</blockquote>
          <figcaption>
            {fact.by === null ? 'Evidence' : WHOSE[fact.by]}, {sayMoment(fact.at)} <PlaceView id={fact.place} />
          </figcaption>
        </figure>
      )}
      <p class="meta">
        <code>{fact.id}</code>
        {concept === null ? null : (
          <a href={formatRoute('knowledge', '', { concept: fact.concept ?? '' })}>{concept}</a>
        )}
        {fact.also.length === 0 ? null : (
          <span>
            also{' '}
            {fact.also.map((id) => (
              <PlaceView key={id} id={id} />
            ))}
          </span>
        )}
        {fact.quote === '' && fact.place !== '' ? <PlaceView id={fact.place} /> : null}
      </p>
      <Files files={fact.files} />
      <FactActions fact={fact} />
    </div>
  )
}

function Line({ name, children }: { name: string; children: string }): JSX.Element {
  return (
    <p class="fact-line">
      <span class="muted">{name}</span> <bdi>{children}</bdi>
    </p>
  )
}

function FactActions({ fact }: { fact: FactItem }): JSX.Element | null {
  const mayChange = useMayChange()
  if (!mayChange) return null
  const does = (what: Parameters<typeof askAct>[0]) => () => askAct(what, fact)
  const isOver = fact.state === 'rejected' || fact.state === 'superseded'
  const isResolved = fact.status === 'resolved'
  return (
    <p class="actions">
      {isOver ? (
        <Act name="Restore…" does={does('restore')} />
      ) : (
        <>
          <Act name="Edit…" does={() => askEditFact(fact)} />
          {fact.isPinned ? <Act name="Unpin…" does={does('unpin')} /> : <Act name="Pin…" does={does('pin')} />}
          {fact.status !== null && isResolved ? <Act name="Reopen…" does={does('reopen')} /> : null}
          {fact.status !== null && !isResolved ? <Act name="Resolve…" does={does('resolve')} /> : null}
          <Act name="Reject…" does={does('reject')} />
        </>
      )}
      <Act name="Forget…" isBad does={() => askForget(fact.id, fact.text)} />
    </p>
  )
}

const walk = walkRows('.fact-head')
