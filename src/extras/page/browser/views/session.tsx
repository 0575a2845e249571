/** One session: its goal, its notes and facts, and all its entries. */
import type { JSX, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { EntryItem, SessionItem, SessionPage } from '../../server/api.ts'
import { ask, queryOf, useAsked } from '../ask.ts'
import { askForget } from '../confirm.tsx'
import { formatRoute, go } from '../route.ts'
import { sayDuration, sayMany, sayMoment } from '../say.ts'
import { Act, Badge, Files, Icon, PlaceView, ShownChoice, showInFolds } from '../shown.tsx'
import { useMayChange } from '../source.ts'
import { Entries, NoteCard } from './session-entries.tsx'

const LIMIT = 400
/** Entries shown before a linked entry, for its context. */
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
  const { session, total, notes, facts } = page
  const [more, setMore] = useState<{ before: EntryItem[]; after: EntryItem[] }>({ before: [], after: [] })
  const entries = useMemo(() => joined(joined(more.before, page.entries), more.after), [more, page])
  const first = entries[0]?.n ?? 0
  const next = (entries.at(-1)?.n ?? -1) + 1
  useScrollTo(wanted, entries)

  const fetchMore = async (from: number, limit: number, where: 'before' | 'after'): Promise<void> => {
    const answer = await ask<SessionPage>(`session/${encodeURIComponent(session.id)}${queryOf({ from, limit })}`)
    if (answer.is !== 'here') return
    const got = answer.value.entries
    setMore((now) =>
      where === 'before' ? { ...now, before: joined(got, now.before) } : { ...now, after: joined(now.after, got) },
    )
  }
  const end = useGrowth(session.isRunning, total, next, () => void fetchMore(Math.max(0, next - OPEN), LIMIT, 'after'))
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
      {next < total ? (
        <button type="button" class="more" onClick={() => fetchMore(next, LIMIT, 'after')}>
          Show what follows ({sayMany(total - next, 'entry', 'entries')})
        </button>
      ) : null}
      <div ref={end} />
    </>
  )
}

/** Entries at the end of a running session that may still change: tool uses without a result. */
const OPEN = 20

/** In order; where both have an entry, the one of `later` counts. */
function joined(earlier: readonly EntryItem[], later: readonly EntryItem[]): EntryItem[] {
  const from = later[0]?.n ?? Number.POSITIVE_INFINITY
  return [...earlier.filter(({ n }) => n < from), ...later]
}

/** If the end of a running session is visible, its new entries are fetched, and the view stays at the end. */
function useGrowth(
  isRunning: boolean,
  total: number,
  next: number,
  fetchNew: () => void,
): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null)
  const wasSeen = useRef(false)
  const pane = end.current?.closest('.detail-pane')
  // Before it is drawn: afterwards the end is further below.
  const isAtEnd = pane instanceof HTMLElement && pane.scrollTop + pane.clientHeight > pane.scrollHeight - NEAR_PX
  useEffect(() => {
    if (wasSeen.current && next < total) fetchNew()
    else wasSeen.current = next >= total
  }, [next, total])
  useLayoutEffect(() => {
    if (isRunning && isAtEnd) end.current?.scrollIntoView({ block: 'end' })
  }, [next])
  return end
}

const NEAR_PX = 60

function SessionHead({ session }: { session: SessionItem }): JSX.Element {
  const mayChange = useMayChange()
  const forget = (): void => askForget(session.id, session.goal, () => go(formatRoute('timeline')))
  return (
    <header class="session-head">
      <h2 dir="auto">{session.goal}</h2>
      <p class="meta">
        <code>{session.id}</code>
        {session.isRunning ? <Badge tone="good">running</Badge> : null}
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
        <a href={formatRoute('injected', session.id)}>What was injected</a>
        {mayChange ? <Act name="Forget this session…" isBad does={forget} /> : null}
      </p>
    </header>
  )
}

/** Once, when the entry is first drawn: later changes must not move the text that somebody reads. */
function useScrollTo(wanted: number | null, entries: readonly EntryItem[]): void {
  const isThere = entries.some(({ n }) => n === wanted)
  useEffect(() => {
    if (!isThere) return
    const target = document.getElementById(`entry-${wanted}`)
    showInFolds(target)
    target?.focus({ preventScroll: true })
  }, [wanted, isThere])
}
