/** `timeline`: what happened around an id or on a day, one line each, the newest last. */

import { type Context, limitOf, wholeNumber } from '../../memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine, table, width } from '../../memory/commands/output.ts'
import { KeeperError } from '../../platform/error.ts'
import { type Timeline, timelineOf } from '../disk/timeline.ts'
import { nothingYet } from './search-nothing.ts'

const LIMIT = 40
const LEAST_WORDS = 20

export function runTimeline(context: Context, around: string, options: { days?: string; limit?: string }): number {
  const { store, out, world } = context
  const wanted = {
    around: around.trim(),
    limit: options.limit === undefined ? LIMIT : limitOf(options.limit),
    now: world.now(),
    ...(options.days === undefined ? {} : { days: wholeNumber('--days', options.days) }),
  }
  const found = timelineOf(store, wanted)
  if (found === null) throw noSuchTime(wanted.around)
  out.json(found)
  const isEmpty = found.rows.length === 0 && wanted.around === ''
  out.say(...render(found, world.columns), ...(isEmpty ? [nothingYet(store)] : lastLine(found)))
  return 0
}

function render({ rows }: Timeline, columns: number): string[] {
  const heads = table(rows.map(({ at, kind, id }) => [`  ${at.slice(11, 16) || '–'}`, kind, bold(harmless(id))]))
  const taken = Math.max(0, ...heads.map(width)) + 2
  let day = ''
  return rows.flatMap(({ at, text }, i) => {
    const head = heads[i] ?? ''
    const line = `${head}${' '.repeat(taken - width(head))}${oneLine(text, Math.max(LEAST_WORDS, columns - taken))}`
    const isNew = at.slice(0, 10) !== day
    day = at.slice(0, 10)
    return isNew ? [bold(day), line] : [line]
  })
}

function lastLine({ rows, left, from, to }: Timeline): string[] {
  const [first] = rows
  if (first === undefined) {
    const last = new Date(Math.max(Date.parse(from), Date.parse(to) - 1)).toISOString()
    const when =
      last.slice(0, 10) === from.slice(0, 10)
        ? `on ${from.slice(0, 10)}`
        : `from ${from.slice(0, 10)} to ${last.slice(0, 10)}`
    return [`Nothing is remembered ${when}. memory-keeper sessions shows when there was something.`]
  }
  const more = left === 0 ? '' : `${count(left, 'line')} left out: --limit shows more. `
  return [dim(`${more}To open one: memory-keeper show ${first.id}`)]
}

function noSuchTime(around: string): KeeperError {
  return new KeeperError(
    'usage',
    `"${harmless(around)}" is neither a day nor an id. Use a day (2026-01-13, yesterday, "last week") or an id that search or sessions shows.`,
  )
}
