/** What holds for good: rules, solutions and core logic; proposed ones wait for a yes. */
import type { JSX } from 'preact'
import type { PermanentRow } from '../../dashboard/api.ts'
import { askRule } from '../acts.ts'
import { useMayChange } from '../overview.ts'
import { PlaceView } from '../place.tsx'
import { sayDate } from '../say.ts'
import { Badge, Empty } from '../shown.tsx'

const GROUPS: readonly (readonly [PermanentRow['status'], string])[] = [
  ['proposed', 'Waiting for your yes'],
  ['active', 'In force'],
  ['declined', 'Declined'],
  ['superseded', 'No longer in force'],
]

const KINDS: Record<PermanentRow['kind'], string> = { rule: 'rule', solution: 'solution', core_logic: 'core logic' }

export function Rules({
  permanent,
  wanted,
}: {
  permanent: readonly PermanentRow[]
  wanted: string | null
}): JSX.Element {
  if (permanent.length === 0) {
    return (
      <Empty title="Nothing holds for good yet">
        What you say in three sessions is proposed here as a rule; it holds only after your yes. Your own come with{' '}
        <code>memory-keeper rules add</code>.
      </Empty>
    )
  }
  return (
    <>
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
    </>
  )
}

function Rule({ row, isWanted }: { row: PermanentRow; isWanted: boolean }): JSX.Element {
  const mayChange = useMayChange()
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
            <button
              type="button"
              class={row.status === 'proposed' ? 'primary' : 'quiet'}
              onClick={() => askRule('accept', row)}
            >
              Accept…
            </button>
          )}
          {row.status === 'declined' ? null : (
            <button
              type="button"
              class={row.status === 'proposed' ? '' : 'quiet'}
              onClick={() => askRule('decline', row)}
            >
              Decline…
            </button>
          )}
        </p>
      ) : null}
    </article>
  )
}
