/** One fact: what it says, the words that prove it, whether it still holds, and what you can do about it. */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { FactItem } from '../dashboard/api.ts'
import { askAct, askForget } from './acts.ts'
import { Icon } from './icons.tsx'
import { PlaceView } from './place.tsx'
import { formatRoute } from './route.ts'
import { sayDate, sayMoment } from './say.ts'
import { Act, Badge, Files, StateBadge, walkRows } from './shown.tsx'
import { useMayChange } from './source.ts'

interface Props {
  fact: FactItem
  concept: string | null
  isWanted: boolean
}

export function FactRow({ fact, concept, isWanted }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(isWanted)
  const element = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (!isWanted) return
    setOpen(true)
    element.current?.scrollIntoView({ block: 'center' })
  }, [isWanted])
  const isOver = fact.state === 'superseded' || fact.state === 'rejected'
  return (
    <li ref={element} class={`fact is-${fact.type}${isOver ? ' is-over' : ''}${isWanted ? ' is-wanted' : ''}`}>
      <button type="button" class="fact-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} onKeyDown={walk}>
        <span class="fact-type">{fact.type}</span>
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
  return fact.type === 'issue' ? <StateBadge state={fact.status ?? 'open'} /> : null
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
          {fact.isPinned ? <Act name="Unpin…" does={does('unpin')} /> : <Act name="Pin…" does={does('pin')} />}
          {fact.type === 'issue' && isResolved ? <Act name="Reopen…" does={does('reopen')} /> : null}
          {fact.type === 'issue' && !isResolved ? <Act name="Resolve…" does={does('resolve')} /> : null}
          <Act name="Reject…" does={does('reject')} />
        </>
      )}
      <Act name="Forget…" isBad does={() => askForget(fact.id, fact.text)} />
    </p>
  )
}

const walk = walkRows('.fact-head')
