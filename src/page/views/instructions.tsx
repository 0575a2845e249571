/** Standing instructions that you stated ("always …", "never …"), and the rules told with every prompt. */
import type { JSX } from 'preact'
import type { KnowledgeView } from '../../dashboard/api.ts'
import { askStanding } from '../acts.ts'
import { useMayChange } from '../overview.ts'
import { PlaceView } from '../place.tsx'
import { sayDate } from '../say.ts'
import { Badge, Empty, StateBadge } from '../shown.tsx'

/** Nobody has to judge them: what you said is told to sessions as yours. */
const STATUSES: Readonly<Record<string, string>> = {
  candidate: '',
  accepted: 'accepted',
  superseded: 'taken back later',
}

export function Instructions({ knowledge, wanted }: { knowledge: KnowledgeView; wanted: string | null }): JSX.Element {
  const { standing, rules } = knowledge
  const mayChange = useMayChange()
  return (
    <>
      <section class="group">
        <h2>You said</h2>
        {standing.length === 0 ? (
          <Empty title="Nothing yet">
            Sentences like “always …”, “never …”, “I prefer …” that you type are kept here with their place.
          </Empty>
        ) : null}
        {standing.map(({ id, text, kind, at, place, times, status }) => (
          <article key={id} class={id === wanted ? 'rule is-wanted' : 'rule'} aria-label={id}>
            <p class="rule-text" dir="auto">
              {text}
            </p>
            <p class="meta">
              <code>{id}</code>
              <Badge>{kind}</Badge>
              <StateBadge state={STATUSES[status] ?? status} />
              <time dateTime={at}>{sayDate(at)}</time>
              {times > 1 ? <span>{times} times</span> : null}
              <PlaceView id={place} />
            </p>
            {mayChange ? <Verdicts id={id} text={text} status={status} /> : null}
          </article>
        ))}
      </section>
      <section class="group">
        <h2>Told with every prompt</h2>
        {rules.length === 0 ? <p class="muted">No rule is told; see the setting “rules”.</p> : null}
        {rules.map(({ text, isBuiltIn }, i) => (
          <article key={i} class="rule">
            <p class="rule-text" dir="auto">
              {text}
            </p>
            {isBuiltIn ? <p class="meta">built in</p> : null}
          </article>
        ))}
      </section>
    </>
  )
}

interface VerdictsProps {
  id: string
  text: string
  status: string
}

/** Accepted, it is a rule that is told with every prompt; declined, it is told no more. */
function Verdicts({ id, text, status }: VerdictsProps): JSX.Element {
  return (
    <p class="actions">
      {status === 'accepted' ? null : (
        <button type="button" class="quiet" onClick={() => askStanding('accept', { id, text })}>
          Make it a rule…
        </button>
      )}
      {status === 'declined' || status === 'accepted' ? null : (
        <button type="button" class="quiet" onClick={() => askStanding('decline', { id, text })}>
          Decline…
        </button>
      )}
    </p>
  )
}
