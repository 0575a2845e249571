/** What the files of an earlier memory say about all of it: its version, its zone, and how far it goes. No time of a file is used: a copy has others. */

import { allFacts, NO_ITEMS } from '../../core/knowledge/items.ts'
import { mondayOf, weekOf } from '../../core/notes/tier-period.ts'
import { parseMemory } from '../../kernel/memory/note.ts'
import { isObject, parseObject } from '../../kernel/platform/json.ts'
import { archiveStamp } from '../../kernel/platform/layout.ts'
import { instantOf, NO_TIME, offsetIn, offsetZone, parseInstant } from '../../kernel/platform/time.ts'
import { compareText } from '../../kernel/text/memory-words.ts'
import { arrivingName } from './kinds.ts'
import { parseLegacyFacts } from './legacy-facts.ts'
import { hasVersionRow, writtenWhen } from './legacy-sections.ts'
import { datedAt, datesNamedIn, instantsIn, type LegacyWhen, sessionNamed } from './legacy-session.ts'

export interface EarlierMemory {
  version: 'v3' | 'v4'
  /** Of times without a zone. */
  timezone: string
  /** The newest time that a note, a session or a fact has; empty: none has one. */
  newest: string
}

interface File {
  path: string
  text: string
}

export function earlierMemoryOf(files: readonly File[], asked: string): EarlierMemory {
  const timezone = asked === '' ? zoneIn(files) : asked
  const newest = latestOf(files.flatMap((file) => timesIn(file, timezone)))
  return { version: files.some(isOfV4) ? 'v4' : 'v3', timezone, newest }
}

/** Empty: there is none. */
function latestOf(times: readonly string[]): string {
  return times.toSorted(compareText).at(-1) ?? ''
}

/** Version 3 had memory.md, its counter and sessions in Markdown, and nothing else. */
function isOfV4({ path, text }: File): boolean {
  const kind = arrivingName(path)
  if (kind === 'memory') return hasVersionRow(text)
  // Without `_meta`: ours has it, too.
  if (kind === 'facts') return !isObject(parseObject(text)?._meta)
  const isSession = kind === 'prose' && !path.endsWith('.raw.md') && weekIn(path) === null
  return !isSession && kind !== 'marker' && kind !== 'config' && kind !== 'own' && kind !== 'unknown'
}

/**
 * The system's. Where the oldest heading with both times shows another one, the memory was written elsewhere: the headings without a zone
 * are older than it, and its offset is the nearest to theirs.
 */
function zoneIn(files: readonly File[]): string {
  const shown = headingsIn(files, '')
    .flatMap(({ at, zone }) => (zone === undefined ? [] : [{ at, zone }]))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
  const [oldest] = shown
  if (oldest === undefined) return ''
  const ms = Date.parse(oldest.at)
  return offsetZone(offsetIn('')(ms) / 60_000) === oldest.zone ? '' : oldest.zone
}

function headingsIn(files: readonly File[], timezone: string): { at: string; zone?: string }[] {
  return files
    .filter(({ path }) => ['memory', 'archive'].includes(arrivingName(path)))
    .flatMap(({ text }) => parseMemory(text))
    .flatMap(({ raw, note }) => {
      const line = raw.startsWith('## ') ? raw.slice('## '.length).split('\n', 1)[0] : undefined
      return note ?? (line === undefined ? [] : (datedAt(line.trim(), timezone) ?? []))
    })
}

function timesIn(file: File, timezone: string): string[] {
  const { path, text } = file
  const named = (): string[] => [sessionNamed(stemOf(path), timezone).at ?? ''].filter((at) => at !== '')
  switch (arrivingName(path)) {
    case 'memory':
      return [...headingsIn([file], timezone).map(({ at }) => at), ...writtenWhen(text, timezone)]
    case 'archive':
      return [...headingsIn([file], timezone).map(({ at }) => at), archiveStamp(path) ?? ''].filter((at) => at !== '')
    case 'facts':
      return allFacts(parseLegacyFacts(text, { id8Of: String, at: '' }) ?? NO_ITEMS).flatMap(
        ({ at }) => datedAt(at, timezone)?.at ?? [],
      )
    case 'state':
      return [parseInstant(parseObject(text)?.lastMemoryUpdateTs) ?? ''].filter((at) => at !== '')
    case 'session':
    case 'lines':
    case 'raw':
      return [...named(), ...instantsIn(text)]
    case 'prose':
    case 'earlier-session-facts':
      return weekIn(path) === null ? named() : daysOfWeek(path, text, timezone)
    default:
      return []
  }
}

/** The number in `week-NN.md`; null: no such file. */
function weekIn(path: string): number | null {
  const [name, number = ''] = stemOf(path).split('-')
  return name === 'week' && number !== '' && number.length <= 2 ? Number(number) : null
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '')
}

/** The days in its text that lie in a week of this number; without one, all days in its text. */
function daysOfWeek(path: string, text: string, timezone: string): string[] {
  const week = weekIn(path) ?? 0
  const days = datesNamedIn(text, timezone)
  const inside = days.filter((at) => isWeek(at, week))
  return inside.length > 0 ? inside : days
}

/** Of a text that nothing dates: before everything else. */
const UNDATED: LegacyWhen = { at: NO_TIME, isDay: true }

/**
 * When a text of an earlier version was written: by its name, by its words, or by what else its memory has. A week without a year and
 * without a day in its text is the newest one of its number that does not lie behind everything else.
 */
export function writtenAt({ path, text }: File, { newest, timezone }: EarlierMemory): LegacyWhen {
  const named = sessionNamed(stemOf(path), timezone).at
  if (named !== null) return { at: named, isDay: false }
  const waited = arrivingName(path) === 'delta' ? latestOf(timesOfDelta(text, { newest, timezone })) : ''
  if (waited !== '') return { at: waited, isDay: false }
  const week = weekIn(path)
  const [first = ''] = text.split('\n').filter((line) => line.trim() !== '')
  const days = week === null ? datesNamedIn(first, timezone) : daysOfWeek(path, text, timezone)
  if (days.length > 0) return { at: latestOf(days), isDay: true }
  return week === null || newest === '' ? UNDATED : newestWeek(week, newest, timezone)
}

/** It waited for a note when the last one was written. Of its own times those count with which a line begins: others are only mentioned. */
function timesOfDelta(text: string, { newest, timezone }: Pick<EarlierMemory, 'newest' | 'timezone'>): string[] {
  const own = text.split('\n').flatMap((line) => datedAt(line, timezone)?.at ?? [])
  return [...own, ...(newest === '' ? [] : [new Date(Date.parse(newest) + 1000).toISOString()])]
}

function newestWeek(week: number, newest: string, timezone: string): LegacyWhen {
  const year = Number(newest.slice(0, 4))
  const mondays = [year + 1, year, year - 1].map((one) => mondayOf({ year: one, week }))
  const monday = mondays.find((one) => one <= newest && isWeek(one, week))
  return monday === undefined ? UNDATED : { at: instantOf(`${monday.slice(0, 10)} 12:00:00`, timezone), isDay: true }
}

function isWeek(at: string, week: number): boolean {
  return weekOf(at)?.file.endsWith(`-${String(week).padStart(2, '0')}.md`) === true
}
