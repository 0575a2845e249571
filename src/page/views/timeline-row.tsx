/** One session in the timeline: what it was for, when, how long, with which tools and files. */
import type { JSX } from 'preact'
import type { SessionItem } from '../../dashboard/api.ts'
import { formatRoute } from '../route.ts'
import { dayText, sayDuration, sayMany, sayMonth, sayTime, sayWeekday, splitPath } from '../say.ts'

interface Props {
  item: SessionItem | undefined
  isFirstOfDay: boolean
  isOpen: boolean
  tabIndex: number
}

export function TimelineRow({ item, isFirstOfDay, isOpen, tabIndex }: Props): JSX.Element {
  if (item === undefined) return <span class="row is-awaited" />
  return (
    <a
      class={isFirstOfDay ? 'row is-first' : 'row'}
      href={formatRoute('timeline', item.id)}
      tabIndex={tabIndex}
      aria-current={isOpen ? 'true' : undefined}
    >
      <span class="row-day">{isFirstOfDay ? <DayMark day={dayText(item.startedAt)} /> : null}</span>
      <span class="row-body">
        <span class="row-title" dir="auto">
          {item.goal === '' ? <i class="muted">no prompt</i> : item.goal}
        </span>
        <span class="row-meta">
          <b>{sayTime(item.startedAt)}</b>
          <span>{sayDuration(item.startedAt, item.endedAt)}</span>
          <span>{sayMany(item.prompts, 'prompt')}</span>
          {item.tools > 0 ? <span>{sayMany(item.tools, 'tool')}</span> : null}
          {item.subagents > 0 ? <span>{sayMany(item.subagents, 'subagent')}</span> : null}
          {item.isSent ? <span>by a program</span> : null}
        </span>
        <span class="row-files">{filesLine(item)}</span>
      </span>
    </a>
  )
}

function DayMark({ day }: { day: string }): JSX.Element {
  return (
    <>
      <b>{Number(day.slice(8))}</b>
      <span>{sayWeekday(day)}</span>
      <span>{sayMonth(day).slice(0, 3)}</span>
    </>
  )
}

/** The names alone: the row has no room for paths, unless two have the same name. */
function filesLine({ files, fileCount, toolCounts }: SessionItem): string {
  if (fileCount === 0)
    return toolCounts
      .map(([name, uses]) => `${name} ${uses}`)
      .slice(0, 4)
      .join(' · ')
  const shown = namesOf(files.slice(0, 3))
  const rest = fileCount - shown.length
  return `${shown.join(', ')}${rest > 0 ? ` +${rest}` : ''}`
}

function namesOf(files: readonly string[]): string[] {
  const split = files.map(splitPath)
  return split.map(({ dir, name }) => {
    const isAlone = split.filter((one) => one.name === name).length === 1
    const parent = splitPath(dir.replace(/[\\/]$/, '')).name
    return isAlone || parent === '' ? name : `${parent}/${name}`
  })
}
