/** Knowledge: decisions, patterns, issues, rules and concepts; each with the words that prove it. */

import type { JSX } from 'preact'
import type { KnowledgeView } from '../../dashboard/api.ts'
import { useAsked } from '../ask.ts'
import { formatRoute, type Route } from '../route.ts'
import { sayMany } from '../say.ts'
import { Empty, Files, ScrollView, type TabRow, Tabs } from '../shown.tsx'
import { FactsScreen } from './facts.tsx'
import { Rules } from './permanent.tsx'

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

function tabsOf({ facts, concepts, permanent }: KnowledgeView): TabRow[] {
  const proposed = permanent.filter(({ status }) => status === 'proposed').length
  return [
    ['facts', 'Facts', facts.length],
    ['rules', 'Rules', proposed > 0 ? `${permanent.length}, ${proposed} new` : permanent.length],
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
