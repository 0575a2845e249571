/** Knowledge: decisions, patterns, issues, rules and concepts; each with the words that prove it. */

import type { JSX } from 'preact'
import type { KnowledgeView } from '../../dashboard/api.ts'
import { useAsked } from '../asked.ts'
import { FileName } from '../charts/timeline-charts.tsx'
import { formatRoute, type Route } from '../route.ts'
import { sayMany } from '../say.ts'
import { Empty, ShownChoice, Tabs, Title } from '../shown.tsx'
import { FactsScreen } from './facts.tsx'
import { Rules } from './permanent.tsx'

export function KnowledgeScreen({ route }: { route: Route }): JSX.Element {
  const asked = useAsked<KnowledgeView>('knowledge')
  const part = route.query.get('part') ?? 'facts'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class="scroll-pane" tabIndex={0} aria-label="Knowledge">
      <div class="page-width">
        <header class="view-head">
          <Title>Knowledge</Title>
        </header>
        <ShownChoice asked={asked}>
          {(knowledge) => (
            <>
              <Tabs label="Parts of knowledge" current={part} tabs={tabsOf(knowledge)} />
              <Part part={part} knowledge={knowledge} route={route} />
            </>
          )}
        </ShownChoice>
      </div>
    </section>
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

function tabsOf({
  facts,
  concepts,
  permanent,
}: KnowledgeView): { key: string; name: string; count: string; href: string }[] {
  const to = (part: string): string => formatRoute('knowledge', '', { part })
  const proposed = permanent.filter(({ status }) => status === 'proposed').length
  return [
    { key: 'facts', name: 'Facts', count: String(facts.length), href: formatRoute('knowledge') },
    {
      key: 'rules',
      name: 'Rules',
      count: proposed > 0 ? `${permanent.length}, ${proposed} new` : String(permanent.length),
      href: to('rules'),
    },
    { key: 'concepts', name: 'Concepts', count: String(concepts.length), href: to('concepts') },
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
          {files.length === 0 ? null : (
            <p class="chips is-files">
              {files.slice(0, 6).map((file) => (
                <FileName key={file} file={file} />
              ))}
              {files.length > 6 ? <span class="muted">and {files.length - 6} more</span> : null}
            </p>
          )}
        </section>
      ))}
    </div>
  )
}
