/** One session: what it was for, the notes and facts that came of it, and all that was said and done. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { EntryItem, SessionItem, SessionPage } from '../../dashboard/api.ts'
import { ask, queryOf, useAsked } from '../ask.ts'
import { askForget } from '../confirm.tsx'
import { NoteCard } from '../note.tsx'
import { formatRoute, go } from '../route.ts'
import { sayDuration, sayMany, sayMoment } from '../say.ts'
import { Act, Badge, Files, Icon, PlaceView, ShownChoice } from '../shown.tsx'
import { useMayChange } from '../source.ts'
import { Entries } from './session-entries.tsx'

const LIMIT = 400
/** So that an entry that is linked to is seen with what led to it. */
const BEFORE = 40

export function Session({ id, query }: { id: string; query: URLSearchParams }): JSX.Element {
  const wanted = wantedEntry(query)
  const from = useMemo(() => (wanted === null || wanted < LIMIT - BEFORE ? 0 : wanted - BEFORE), [wanted])
  const asked = useAsked<SessionPage>(`session/${encodeURIComponent(id)}${queryOf({ from, limit: LIMIT })}`)
  return (
    <article class="page-width session">
      <a class="back" href={formatRoute('timeline')}>
        <Icon name="back" /> <span class="only-narrow">Sessions</span>
        <span class="only-wide">Activity</span>
      </a>
      <ShownChoice asked={asked}>
        {(page) => <Opened page={page} wanted={wanted} key={`${id} ${page.from}`} />}
      </ShownChoice>
    </article>
  )
}

function wantedEntry(query: URLSearchParams): number | null {
  const typed = query.get('e')
  return typed !== null && /^\d+$/.test(typed) ? Number(typed) : null
}

function Opened({ page, wanted }: { page: SessionPage; wanted: number | null }): JSX.Element {
  const { session, notes, facts } = page
  const [more, setMore] = useState<{ before: EntryItem[]; after: EntryItem[] }>({ before: [], after: [] })
  const entries = useMemo(() => [...more.before, ...page.entries, ...more.after], [more, page])
  const first = entries[0]?.n ?? 0
  const next = (entries.at(-1)?.n ?? -1) + 1
  useScrollTo(wanted, entries)

  const fetchMore = async (from: number, limit: number, where: 'before' | 'after'): Promise<void> => {
    const answer = await ask<SessionPage>(`session/${encodeURIComponent(session.id)}${queryOf({ from, limit })}`)
    if (answer.is !== 'here') return
    const got = answer.value.entries
    setMore((now) =>
      where === 'before' ? { ...now, before: [...got, ...now.before] } : { ...now, after: [...now.after, ...got] },
    )
  }
  return (
    <>
      <SessionHead session={session} />
      {facts.length === 0 ? null : (
        <p class="facts-line">
          <span class="muted">Learned here</span>{' '}
          {facts.map((fact) => (
            <PlaceView key={fact} id={fact} />
          ))}
        </p>
      )}
      {notes.length === 0 ? null : (
        <details class="fold" open={notes.length === 1}>
          <summary>{sayMany(notes.length, 'note')} about this session</summary>
          {notes.map((note) => (
            <NoteCard key={note.id} note={note} isInSession />
          ))}
        </details>
      )}
      {first > 0 ? (
        <button
          type="button"
          class="more"
          onClick={() => fetchMore(Math.max(0, first - LIMIT), Math.min(LIMIT, first), 'before')}
        >
          Show what came before (entries 0 to {first - 1})
        </button>
      ) : null}
      <Entries entries={entries} notes={notes} wanted={wanted} />
      {next < session.entries ? (
        <button type="button" class="more" onClick={() => fetchMore(next, LIMIT, 'after')}>
          Show what follows ({sayMany(session.entries - next, 'entry', 'entries')})
        </button>
      ) : null}
    </>
  )
}

function SessionHead({ session }: { session: SessionItem }): JSX.Element {
  const mayChange = useMayChange()
  const forget = (): void => askForget(session.id, session.goal, () => go(formatRoute('timeline')))
  return (
    <header class="session-head">
      <h2 dir="auto">{session.goal === '' ? 'A session without a prompt' : session.goal}</h2>
      <p class="meta">
        <code>{session.id}</code>
        <span>{sayMoment(session.startedAt)}</span>
        <span>{sayDuration(session.startedAt, session.endedAt)}</span>
        <span>{sayMany(session.prompts, 'prompt')}</span>
        <span>{sayMany(session.entries, 'entry', 'entries')}</span>
        {session.isSent ? <Badge>sent by a program</Badge> : null}
      </p>
      {session.toolCounts.length === 0 ? null : (
        <p class="chips">
          {session.toolCounts.map(([name, uses]) => (
            <span class="chip" key={name}>
              {name} <b>{uses}</b>
            </span>
          ))}
        </p>
      )}
      <Files files={session.files} of={session.fileCount} />
      <p class="actions">
        <a href={formatRoute('injected', session.id)}>What it was told</a>
        {mayChange ? <Act name="Forget this session…" isBad does={forget} /> : null}
      </p>
    </header>
  )
}

/** Once, when the entry is first drawn: later changes must not move what somebody reads. */
function useScrollTo(wanted: number | null, entries: readonly EntryItem[]): void {
  const isThere = entries.some(({ n }) => n === wanted)
  useEffect(() => {
    if (!isThere) return
    const target = document.getElementById(`entry-${wanted}`)
    for (let fold = target?.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null)
      fold.open = true
    target?.scrollIntoView({ block: 'center' })
    target?.focus({ preventScroll: true })
  }, [wanted, isThere])
}
