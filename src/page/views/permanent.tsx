/** Rules: learned ones with their state (solutions and core logic beside them), then those that are injected with every prompt. */
import type { JSX } from 'preact'
import type { KnowledgeView, PermanentRow } from '../../dashboard/api.ts'
import { askAct } from '../acts.ts'
import { PlaceView } from '../place.tsx'
import { sayDate } from '../say.ts'
import { Act, Badge, Empty } from '../shown.tsx'
import { useMayChange } from '../source.ts'

const GROUPS: readonly (readonly [PermanentRow['status'], string])[] = [
  ['proposed', 'Waiting for your yes'],
  ['active', 'Active'],
  ['declined', 'Declined'],
  ['superseded', 'Retired'],
]

const KINDS: Record<PermanentRow['kind'], string> = { rule: 'rule', solution: 'solution', core_logic: 'core logic' }

export function Rules({
  knowledge: { permanent, rules },
  wanted,
}: {
  knowledge: Pick<KnowledgeView, 'permanent' | 'rules'>
  wanted: string | null
}): JSX.Element {
  return (
    <>
      {permanent.length === 0 ? (
        <Empty title="No learned rule yet">
          What recurs in three sessions is proposed here; it is active only after your yes. Your own rules come with{' '}
          <code>memory-keeper rules add</code>.
        </Empty>
      ) : null}
      {GROUPS.map(([status, name]) => {
        const rows = permanent.filter((row) => row.status === status)
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
        <h2>With every prompt</h2>
        {rules.length === 0 ? <p class="muted">No rule is injected; see the setting “rules”.</p> : null}
        {rules.map(({ text, isBuiltIn }, i) => (
          <article key={i} class="rule">
            <p class="rule-text" dir="auto">
              {text}
            </p>
            <p class="meta">{isBuiltIn ? 'built in' : 'yours'}</p>
          </article>
        ))}
      </section>
    </>
  )
}

function Rule({ row, isWanted }: { row: PermanentRow; isWanted: boolean }): JSX.Element {
  const mayChange = useMayChange()
  const isNew = row.status === 'proposed'
  return (
    <article class={`rule is-${row.status}${isWanted ? ' is-wanted' : ''}`} aria-label={row.id}>
      <p class="rule-text" dir="auto">
        {row.text}
      </p>
      <p class="meta">
        <code>{row.id}</code>
        <Badge>{KINDS[row.kind]}</Badge>
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
      {mayChange && row.status !== 'superseded' ? (
        <p class="actions">
          {row.status === 'active' ? null : (
            <Act name="Accept…" look={isNew ? 'primary' : 'quiet'} does={() => askAct('accept', row)} />
          )}
          {row.status === 'declined' ? null : (
            <Act name="Decline…" look={isNew ? '' : 'quiet'} does={() => askAct('decline', row)} />
          )}
        </p>
      ) : null}
    </article>
  )
}
