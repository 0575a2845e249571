/** A note: its time, author and text, and a link to the entries it covers. */
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { NoteItem } from '../dashboard/api.ts'
import { askEditNote, askForget } from './confirm.tsx'
import { sayMoment } from './say.ts'
import { Act, entryHref } from './shown.tsx'
import { useMayChange } from './source.ts'
import { Prose } from './text/prose.tsx'

const BY: Record<NoteItem['author'], string> = {
  headless: 'written in the background',
  agent: 'written by Claude',
  extractive: 'found by code',
  user: 'written by you',
}

interface Props {
  note: NoteItem
  /** Shown beside its own entries: the link is short. */
  isInSession?: boolean
  isWanted?: boolean
}

export function NoteCard({ note, isInSession = false, isWanted = false }: Props): JSX.Element {
  const mayChange = useMayChange()
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isWanted) return
    element.current?.scrollIntoView({ block: 'center' })
    element.current?.focus({ preventScroll: true })
  }, [isWanted])
  return (
    <article
      ref={element}
      tabIndex={-1}
      class={isWanted ? 'note is-wanted' : 'note'}
      aria-label={`Note of ${sayMoment(note.at)}`}
    >
      <p class="note-head">
        <time dateTime={note.at}>{sayMoment(note.at)}</time>
        <span class="muted">{BY[note.author]}</span>
        <Source note={note} isInSession={isInSession} />
        <span class="actions on-hover">
          <code>{note.id}</code>
          {mayChange ? (
            <>
              {note.file === 'memory.md' ? <Act name="Edit…" does={() => askEditNote(note)} /> : null}
              <Act name="Forget…" isBad does={() => askForget(note.id, note.text)} />
            </>
          ) : null}
        </span>
      </p>
      <Prose text={note.text} />
    </article>
  )
}

function Source({ note, isInSession }: { note: NoteItem; isInSession: boolean }): JSX.Element | null {
  const { source } = note
  if (source === null) return <span class="muted">about no session</span>
  const last = Math.max(source.from, source.to - 1)
  return (
    <a href={entryHref(source.session, source.from)}>
      {isInSession ? '' : `${source.session} `}entries {source.from} to {last}
    </a>
  )
}
