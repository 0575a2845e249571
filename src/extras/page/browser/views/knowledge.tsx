/** Knowledge: decisions, patterns, issues, rules and concepts; each with the words that prove it. */
import type { JSX } from 'preact'
import type { KnowledgeView, PermanentRow } from '../../server/api.ts'
import { useAsked } from '../ask.ts'
import { askAct, askEditLearned, askEditRule } from '../confirm.tsx'
import { formatRoute, type Route } from '../route.ts'
import { sayDate, sayMany } from '../say.ts'
import { Act, Badge, Empty, Files, PlaceView, ScrollView, type TabRow, Tabs } from '../shown.tsx'
import { useMayChange } from '../source.ts'
import { FactsScreen } from './facts.tsx'

export function KnowledgeScreen({ route }: { route: Route }): JSX.Element {
  const asked = useAsked<KnowledgeView>('knowledge')
  const part = route.query.get('part') ?? 'facts'
  return (
    <ScrollView title="Knowledge" asked={asked}>
      {(knowledge) => (
        <>
          <Tabs label="Parts of knowledge" current={part} view="knowledge" tabs={tabsOf(knowledge)} />
          <Part part={part} knowledge={knowledge} route={route} />
        </>
      )}
    </ScrollView>
  )
}

function Part({ part, knowledge, route }: { part: string; knowledge: KnowledgeView; route: Route }): JSX.Element {
  switch (part) {
    case 'rules':
      return <Rules knowledge={knowledge} wanted={route.query.get('fact')} />
    case 'concepts':
      return <ConceptsScreen concepts={knowledge.concepts} />
    default:
      return <FactsScreen knowledge={knowledge} route={route} />
  }
}

function tabsOf({ facts, concepts, permanent, rules }: KnowledgeView): TabRow[] {
  const proposed = permanent.filter(({ state }) => state === 'proposed').length
  const all = permanent.length + rules.length
  return [
    ['facts', 'Facts', facts.length],
    ['rules', 'Rules', proposed > 0 ? `${all}, ${proposed} new` : all],
    ['concepts', 'Concepts', concepts.length],
  ]
}

function ConceptsScreen({ concepts }: { concepts: KnowledgeView['concepts'] }): JSX.Element {
  if (concepts.length === 0) {
    return (
      <Empty title="No concept yet">Facts about the same thing find together under a name when a session ends.</Empty>
    )
  }
  return (
    <div class="concepts">
      {concepts.map(({ id, name, summary, files, facts }) => (
        <section class="card" key={id}>
          <h2 dir="auto">
            <a href={formatRoute('knowledge', '', { concept: id, state: 'all' })}>{name}</a>
          </h2>
          <p class="meta">
            <code>{id}</code>
            <span>{sayMany(facts, 'fact')}</span>
          </p>
          <p dir="auto">{summary}</p>
          <Files files={files.slice(0, 6)} of={files.length} />
        </section>
      ))}
    </div>
  )
}

/** Rules: learned ones with their state (with solutions and core logic), then those that are injected with every prompt. */

const GROUPS: readonly (readonly [PermanentRow['state'], string])[] = [
  ['proposed', 'Waiting for your approval'],
  ['active', 'Active'],
  ['declined', 'Declined'],
  ['superseded', 'Retired'],
]

const KINDS: Record<PermanentRow['kind'], string> = { rule: 'rule', solution: 'solution', core_logic: 'core logic' }

function Rules({
  knowledge: { permanent, rules },
  wanted,
}: {
  knowledge: Pick<KnowledgeView, 'permanent' | 'rules'>
  wanted: string | null
}): JSX.Element {
  const mayChange = useMayChange()
  return (
    <>
      {GROUPS.map(([status, name]) => {
        const rows = permanent.filter((row) => row.state === status)
        return rows.length === 0 ? null : (
          <section key={status} class="group">
            <h2>
              {name} <span class="count">{rows.length}</span>
            </h2>
            {rows.map((row) => (
              <Rule key={row.id} row={row} isWanted={row.id === wanted} />
            ))}
          </section>
        )
      })}
      <section class="group">
        <h2>Built in, and yours with every prompt</h2>
        {rules.length === 0 ? <p class="muted">No rule is injected; see the setting “rules”.</p> : null}
        {rules.map(({ text, isBuiltIn }, i) => (
          <article key={i} class="rule">
            <p class="rule-text" dir="auto">
              {text}
            </p>
            <p class="meta">
              {isBuiltIn ? 'built in; see the setting “builtinRules”' : 'yours'}
              {mayChange && !isBuiltIn ? <Act name="Edit…" does={() => askEditRule(text)} /> : null}
            </p>
          </article>
        ))}
      </section>
      {permanent.length === 0 ? (
        <Empty title="No learned rule yet">
          What recurs in three sessions is proposed here; it is active only after your approval. Your own rules come
          with <code>memory-keeper rules add</code>.
        </Empty>
      ) : null}
    </>
  )
}

export function Rule({ row, isWanted = false }: { row: PermanentRow; isWanted?: boolean }): JSX.Element {
  const mayChange = useMayChange()
  const isNew = row.state === 'proposed'
  return (
    <article class={`rule is-${row.state}${isWanted ? ' is-wanted' : ''}`} aria-label={row.id}>
      <p class="rule-text" dir="auto">
        {row.text}
      </p>
      <p class="meta">
        <code>{row.id}</code>
        <Badge>{KINDS[row.kind]}</Badge>
        {row.from === '' ? null : <Badge tone="accent">from {row.from}</Badge>}
        <time dateTime={row.at}>{sayDate(row.at)}</time>
        {row.facts.map((id) => (
          <PlaceView key={id} id={id} />
        ))}
      </p>
      {row.why === '' ? null : <p class="muted">{row.why}</p>}
      {row.evidence.map(({ place, quote }, i) => (
        <figure class="quote" key={i}>
          <blockquote dir="auto">{quote}</blockquote>
          <figcaption>
            <PlaceView id={place} />
          </figcaption>
        </figure>
      ))}
      {mayChange && row.state !== 'superseded' ? (
        <p class="actions">
          {row.state === 'active' ? null : (
            <Act name="Accept…" look={isNew ? 'primary' : 'quiet'} does={() => askAct('accept', row)} />
          )}
          {row.state === 'declined' ? null : (
            <Act name="Decline…" look={isNew ? '' : 'quiet'} does={() => askAct('decline', row)} />
          )}
          <Act name="Edit…" look={isNew ? '' : 'quiet'} does={() => askEditLearned(row)} />
        </p>
      ) : null}
    </article>
  )
}
