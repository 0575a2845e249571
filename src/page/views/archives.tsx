/** Archives: what memory.md held before it rotated, each with its summary; open, its notes. */
import type { JSX } from 'preact'
import type { ArchiveItem, ArchivePage } from '../../dashboard/api.ts'
import { useAsked } from '../ask.ts'
import { NoteCard } from '../note.tsx'
import { formatRoute } from '../route.ts'
import { sayCount, sayMany, sayMoment } from '../say.ts'
import { Empty, ShownChoice } from '../shown.tsx'

interface Props {
  archives: readonly ArchiveItem[]
  open: string
  wanted: string | null
}

export function Archives({ archives, open, wanted }: Props): JSX.Element {
  if (archives.length === 0) {
    return (
      <Empty title="No archive yet">When memory.md is full, its older notes move into an archive with a summary.</Empty>
    )
  }
  return (
    <>
      {archives.map((archive) => (
        <section class="card" key={archive.file}>
          <h2>
            <a
              href={formatRoute('memory', open === archive.file ? '' : archive.file, { part: 'archives' })}
              aria-expanded={open === archive.file}
            >
              {sayMoment(archive.at)}
            </a>
          </h2>
          <p class="meta">
            <code>{archive.file}</code>
            <span>{sayMany(archive.notes, 'note')}</span>
            <span>{sayCount(archive.tokens)} tokens</span>
          </p>
          <Summary summary={archive.summary} />
          {open === archive.file ? <ArchiveNotes file={archive.file} wanted={wanted} /> : null}
        </section>
      ))}
    </>
  )
}

function Summary({ summary }: { summary: ArchiveItem['summary'] }): JSX.Element {
  if (summary === null) return <p class="muted">Its summary is written with the next session.</p>
  const lists: [string, readonly string[]][] = [
    ['Themes', summary.themes],
    ['Decisions', summary.keyDecisions],
    ['Issues', summary.issues],
  ]
  return (
    <div class="summary">
      <p dir="auto">{summary.overall}</p>
      <dl>
        {lists
          .filter(([, lines]) => lines.length > 0)
          .map(([name, lines]) => (
            <div key={name}>
              <dt>{name}</dt>
              {lines.map((line, i) => (
                <dd key={i} dir="auto">
                  {line}
                </dd>
              ))}
            </div>
          ))}
      </dl>
      <p class="muted">{summary.madeBy === 'model' ? 'Summary written by Claude.' : 'Summary found by code.'}</p>
    </div>
  )
}

function ArchiveNotes({ file, wanted }: { file: string; wanted: string | null }): JSX.Element {
  const asked = useAsked<ArchivePage>(`archive/${encodeURIComponent(file)}`)
  return (
    <ShownChoice asked={asked}>
      {({ notes }) => notes.map((note) => <NoteCard key={note.id} note={note} isWanted={note.id === wanted} />)}
    </ShownChoice>
  )
}
