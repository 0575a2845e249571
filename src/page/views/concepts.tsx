/** Concepts: what the facts are about. */
import type { JSX } from 'preact'
import type { KnowledgeView } from '../../dashboard/api.ts'
import { FileName } from '../charts/timeline-charts.tsx'
import { formatRoute } from '../route.ts'
import { sayMany } from '../say.ts'
import { Empty } from '../shown.tsx'

export function ConceptsScreen({ concepts }: { concepts: KnowledgeView['concepts'] }): JSX.Element {
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
