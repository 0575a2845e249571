/** What was said and done in a session, in order: tool uses in runs, subagents folded, notes beside the turns they tell of. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { EntryItem, NoteItem } from '../../dashboard/api.ts'
import { EntryRow, ToolLine } from '../entry.tsx'
import { hrefOf } from '../place.tsx'
import { sayMany } from '../say.ts'

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

/** A note ends where its last entry stands: from there one goes to it, and from it one comes back. */
function NoteMarks({ notes, from, to }: { notes: readonly NoteItem[]; from: number; to: number }): JSX.Element | null {
  const here = notes.filter(({ source }) => source !== null && source.to - 1 >= from && source.to - 1 <= to)
  if (here.length === 0) return null
  return (
    <p class="note-marks">
      {here.map(({ id, source }) => (
        <a key={id} href={hrefOf(id)}>
          told in a note: entries {source?.from} to {(source?.to ?? 1) - 1}
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
