/** Weeks and months: the summaries of old sessions, combined. */
import type { JSX } from 'preact'
import type { MemoryView, TierPage } from '../../dashboard/api.ts'
import { useAsked } from '../asked.ts'
import { formatRoute } from '../route.ts'
import { sayMany } from '../say.ts'
import { Badge, Empty, ShownChoice } from '../shown.tsx'
import { Prose } from '../text/prose.tsx'

interface Props {
  tiers: MemoryView['tiers']
  open: string
}

export function Tiers({ tiers, open }: Props): JSX.Element {
  if (tiers.length === 0) {
    return (
      <Empty title="No week or month yet">
        Sessions older than a week are told together by week, those older than a month by month. Their entries stay.
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
