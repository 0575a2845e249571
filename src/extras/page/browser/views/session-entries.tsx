/** The entries of a session in order: tool uses in runs, subagents folded, notes beside the entries they cover. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { EntryItem, NoteItem } from '../../server/api.ts'
import { askEditNote, askForget } from '../confirm.tsx'
import { sayClock, sayMany, sayMoment } from '../say.ts'
import { Act, hrefOf } from '../shown.tsx'
import { useMayChange } from '../source.ts'
import { Prose, useHasWord, WithWords } from '../text/prose.tsx'

type Run =
  | { is: 'said'; entry: EntryItem }
  | { is: 'tools'; entries: EntryItem[] }
  | { is: 'agent'; agent: string; entries: EntryItem[] }

interface Props {
  entries: readonly EntryItem[]
  notes: readonly NoteItem[]
  wanted: number | null
}

export function Entries({ entries, notes, wanted }: Props): JSX.Element {
  const runs = useMemo(() => runsOf(entries), [entries])
  return (
    <ol class="entries">
      {runs.map((run) => {
        const first = run.is === 'said' ? run.entry : run.entries[0]
        const last = run.is === 'said' ? run.entry : run.entries.at(-1)
        return (
          <li key={first?.n} class={`run is-${run.is}`}>
            <RunBody run={run} wanted={wanted} />
            <NoteMarks notes={notes} from={first?.n ?? 0} to={last?.n ?? 0} />
          </li>
        )
      })}
    </ol>
  )
}

function RunBody({ run, wanted }: { run: Run; wanted: number | null }): JSX.Element {
  switch (run.is) {
    case 'said':
      return <EntryRow entry={run.entry} isWanted={run.entry.n === wanted} />
    case 'tools':
      return (
        <ul class="tools">
          {run.entries.map((entry) => (
            <ToolLine key={entry.n} entry={entry} isWanted={entry.n === wanted} />
          ))}
        </ul>
      )
    case 'agent':
      return (
        <details class="fold agent">
          <summary>
            Subagent {run.agent} <span class="muted">{sayMany(run.entries.length, 'entry', 'entries')}</span>
          </summary>
          {run.entries.map((entry) => (
            <EntryRow key={entry.n} entry={entry} isWanted={entry.n === wanted} />
          ))}
        </details>
      )
  }
}

/** A note is marked at its last entry, with links in both directions. */
function NoteMarks({ notes, from, to }: { notes: readonly NoteItem[]; from: number; to: number }): JSX.Element | null {
  const here = notes.filter(({ source }) => source !== null && source.to - 1 >= from && source.to - 1 <= to)
  if (here.length === 0) return null
  return (
    <p class="note-marks">
      {here.map(({ id, source }) => (
        <a key={id} href={hrefOf(id)}>
          in a note: entries {source?.from} to {(source?.to ?? 1) - 1}
        </a>
      ))}
    </p>
  )
}

function runsOf(entries: readonly EntryItem[]): Run[] {
  const runs: Run[] = []
  for (const entry of entries) {
    const last = runs.at(-1)
    if (entry.agent !== undefined || entry.role === 'subagent') {
      const agent = entry.agent ?? ''
      if (last?.is === 'agent' && last.agent === agent) last.entries.push(entry)
      else runs.push({ is: 'agent', agent, entries: [entry] })
    } else if (entry.tool !== undefined) {
      if (last?.is === 'tools') last.entries.push(entry)
      else runs.push({ is: 'tools', entries: [entry] })
    } else runs.push({ is: 'said', entry })
  }
  return runs
}

/** One entry of a session: a prompt, an answer, or a tool use. */

interface EntryProps {
  entry: EntryItem
  isWanted: boolean
}

const WHO: Record<EntryItem['role'], string> = {
  user: 'You',
  assistant: 'Claude',
  tool: 'Tool',
  subagent: 'Subagent',
  teammate: 'Message',
  summary: 'Compaction',
  tombstone: 'Forgotten',
}

function EntryRow({ entry, isWanted }: EntryProps): JSX.Element {
  if (entry.tool !== undefined) {
    return (
      <ul class="tools">
        <ToolLine entry={entry} isWanted={isWanted} />
      </ul>
    )
  }
  return (
    <div id={`entry-${entry.n}`} tabIndex={-1} class={`entry is-${entry.role}${isWanted ? ' is-wanted' : ''}`}>
      <p class="entry-head">
        <b>{whoSaid(entry)}</b>
        <time dateTime={entry.at} title={sayMoment(entry.at)}>
          {sayClock(entry.at)}
        </time>
        <code>#{entry.n}</code>
        <ForgetEntry entry={entry} />
      </p>
      {entry.role === 'tombstone' ? (
        <p class="muted">This entry was forgotten; only its number is left.</p>
      ) : (
        <Long text={entry.text} isWanted={isWanted} />
      )}
    </div>
  )
}

/** A sender may call itself anything, even "You". */
function whoSaid({ role, from, notUsers }: EntryItem): string {
  if (role === 'teammate') return `Message from ${from}`
  return notUsers === undefined ? WHO[role] : `Prompt (${notUsers})`
}

function ForgetEntry({ entry }: { entry: EntryItem }): JSX.Element | null {
  const mayChange = useMayChange()
  if (!mayChange || entry.role === 'tombstone') return null
  const subject = entry.text || `${entry.tool?.name} ${entry.tool?.cmd}`
  return <Act name="Forget…" look="quiet is-bad on-hover" does={() => askForget(entry.id, subject)} />
}

/** More than a screen: only the beginning is shown, the rest is folded. */
const LONG_CHARS = 2400

function Long({ text, isWanted }: { text: string; isWanted: boolean }): JSX.Element {
  const hasWord = useHasWord()
  if (text.length <= LONG_CHARS) return <Prose text={text} />
  const cut = text.lastIndexOf('\n', LONG_CHARS)
  const at = cut > LONG_CHARS / 2 ? cut : LONG_CHARS
  return (
    <>
      <Prose text={text.slice(0, at)} />
      <details class="fold" open={isWanted && hasWord(text.slice(at))}>
        <summary>{`The rest: ${(text.length - at).toLocaleString('en-GB')} characters`}</summary>
        <Prose text={text.slice(at)} />
      </details>
    </>
  )
}

const VERDICTS = {
  'no result': { look: 'is-open', sign: '…', word: 'no result' },
  ok: { look: 'is-ok', sign: '✓', word: 'done' },
  refused: { look: 'is-failed', sign: '⊘', word: 'refused' },
  failed: { look: 'is-failed', sign: '✗', word: 'failed' },
} as const

function ToolLine({ entry, isWanted }: EntryProps): JSX.Element {
  const { name = '', cmd = '', outcome = 'no result', output = '' } = entry.tool ?? {}
  const hasWord = useHasWord()
  const line = (
    <>
      <span class={`verdict ${VERDICTS[outcome].look}`}>{VERDICTS[outcome].sign}</span>
      <span class={outcome === 'refused' ? '' : 'hidden'}>{VERDICTS[outcome].word} </span>
      <b>{name}</b>{' '}
      <span class="cmd">
        <WithWords text={cmd} />
      </span>
    </>
  )
  return (
    <li
      id={`entry-${entry.n}`}
      tabIndex={-1}
      class={`tool${isWanted ? ' is-wanted' : ''}`}
      title={`#${entry.n} · ${sayMoment(entry.at)}`}
    >
      {output === '' && cmd.length < 200 ? (
        <p dir="ltr">{line}</p>
      ) : (
        <details open={isWanted && hasWord(cmd.length < 200 ? output : `${cmd}\n${output}`)}>
          <summary dir="ltr">{line}</summary>
          {cmd.length < 200 ? null : (
            <pre dir="ltr">
              <WithWords text={cmd} />
            </pre>
          )}
          {output === '' ? null : (
            <pre dir="auto">
              <WithWords text={output} />
            </pre>
          )}
        </details>
      )}
    </li>
  )
}

/** A note: its time, author and text, and a link to the entries it covers. */

const BY: Record<NoteItem['author'], string> = {
  headless: 'written in the background',
  agent: 'written by Claude',
  extractive: 'found by code',
  user: 'written by you',
  unknown: 'by an unknown author',
}

interface NoteProps {
  note: NoteItem
  /** Shown beside its own entries: the link is short. */
  isInSession?: boolean
  isWanted?: boolean
}

export function NoteCard({ note, isInSession = false, isWanted = false }: NoteProps): JSX.Element {
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
    <a href={hrefOf(`L1:${source.session}#${source.from}`)}>
      {isInSession ? '' : `${source.session} `}entries {source.from} to {last}
    </a>
  )
}
