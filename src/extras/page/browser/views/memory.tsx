/** Memory: the notes of memory.md, archives, weeks and months, and hand-written pages. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ArchiveItem, ArchivePage, ChartsView, MemoryView, TierPage } from '../../server/api.ts'
import { useAsked } from '../ask.ts'
import { Chart } from '../charts/chart.tsx'
import { growthSpec } from '../charts/charts.tsx'
import { formatRoute, type Route } from '../route.ts'
import { sayCount, sayMany, sayMoment } from '../say.ts'
import { Badge, Empty, ScrollView, ShownChoice, type TabRow, Tabs } from '../shown.tsx'
import { Prose } from '../text/prose.tsx'
import { NoteCard } from './session-entries.tsx'

export function MemoryScreen({ route }: { route: Route }): JSX.Element {
  const asked = useAsked<MemoryView>('memory')
  const part = route.query.get('part') ?? (route.id === '' ? 'notes' : 'archives')
  return (
    <ScrollView title="Memory" asked={asked}>
      {(memory) => (
        <>
          <Tabs label="Parts of memory" current={part} view="memory" tabs={tabsOf(memory)} />
          <Part part={part} memory={memory} route={route} />
        </>
      )}
    </ScrollView>
  )
}

function tabsOf({ notes, archives, tiers, pages }: MemoryView): TabRow[] {
  return [
    ['notes', 'Notes', notes.length],
    ['archives', 'Archives', archives.length],
    ['tiers', 'Weeks and months', tiers.length],
    ['pages', 'Pages', pages.filter(({ isTemplate }) => !isTemplate).length],
  ]
}

function Part({ part, memory, route }: { part: string; memory: MemoryView; route: Route }): JSX.Element {
  switch (part) {
    case 'archives':
      return <Archives archives={memory.archives} open={route.id} wanted={route.query.get('note')} />
    case 'tiers':
      return <Tiers tiers={memory.tiers} open={route.query.get('file') ?? ''} />
    case 'pages':
      return <Pages pages={memory.pages} />
    default:
      return <Notes memory={memory} wanted={route.query.get('note')} />
  }
}

function Notes({ memory, wanted }: { memory: MemoryView; wanted: string | null }): JSX.Element {
  const isElsewhere = wanted !== null && !memory.notes.some(({ id }) => id === wanted)
  return (
    <>
      <Growth memory={memory} />
      {isElsewhere ? (
        <p class="hint">
          This note is no longer in memory.md. <a href={formatRoute('search', wanted)}>Open it where it is now</a>
        </p>
      ) : null}
      {memory.notes.length === 0 ? (
        <Empty title="No note yet">
          A note is written when a session has done enough (25 tool uses by default) and when it ends. Your own come
          with <code>memory-keeper note</code>.
        </Empty>
      ) : null}
      {memory.notes.map((note) => (
        <NoteCard key={note.id} note={note} isWanted={note.id === wanted} />
      ))}
    </>
  )
}

/** How full memory.md is, and its growth. */
function Growth({ memory }: { memory: MemoryView }): JSX.Element {
  const charts = useAsked<ChartsView>('charts')
  const points = charts.is === 'here' ? charts.value.memory : null
  const spec = useMemo(
    () => (points === null ? null : growthSpec(points, memory.rotatesAt)),
    [points, memory.rotatesAt],
  )
  const share = Math.min(1, memory.tokens / Math.max(1, memory.rotatesAt))
  return (
    <section class="growth">
      <h2 class="hidden">Size of memory.md</h2>
      <p class="gauge-line">
        <code>memory.md</code> holds <b>{sayCount(memory.tokens)}</b> tokens; at {sayCount(memory.rotatesAt)} it becomes
        an archive.
      </p>
      <div class="gauge" aria-hidden="true">
        <i style={{ '--share': `${share * 100}%` }} />
      </div>
      {spec === null || (points ?? []).length < 2 ? null : <Chart spec={spec} />}
    </section>
  )
}

function Pages({ pages }: { pages: MemoryView['pages'] }): JSX.Element {
  if (pages.length === 0) {
    return (
      <Empty title="No page yet">
        Pages are texts you keep by hand (project, architecture, conventions). Make them with{' '}
        <code>memory-keeper init</code>.
      </Empty>
    )
  }
  return (
    <>
      {pages.map(({ name, text, isTemplate }) => (
        <section class="card" key={name}>
          <h2>
            {name} {isTemplate ? <Badge>template, not injected</Badge> : null}
          </h2>
          {isTemplate ? null : <Prose text={text} />}
        </section>
      ))}
    </>
  )
}

function Tiers({ tiers, open }: { tiers: MemoryView['tiers']; open: string }): JSX.Element {
  if (tiers.length === 0) {
    return (
      <Empty title="No week or month yet">
        Sessions older than a week are summarised by week, those older than a month by month. Their entries stay.
      </Empty>
    )
  }
  return (
    <>
      {tiers.map(({ file, kind, period, sessions }) => (
        <section class="card" key={file}>
          <h2>
            <a
              href={formatRoute('memory', '', { part: 'tiers', file: open === file ? '' : file })}
              aria-expanded={open === file}
            >
              {period}
            </a>{' '}
            <Badge>{kind}</Badge>
          </h2>
          <p class="meta">
            <code>{file}</code>
            <span>{sayMany(sessions, 'session')}</span>
          </p>
          {open === file ? <TierText file={file} /> : null}
        </section>
      ))}
    </>
  )
}

function TierText({ file }: { file: string }): JSX.Element {
  const asked = useAsked<TierPage>(`tier/${encodeURIComponent(file)}`)
  return <ShownChoice asked={asked}>{({ text }) => <Prose text={text} />}</ShownChoice>
}

/** Archives: the notes that rotations moved, each archive with its summary; opened, its notes. */

interface Props {
  archives: readonly ArchiveItem[]
  open: string
  wanted: string | null
}

function Archives({ archives, open, wanted }: Props): JSX.Element {
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
