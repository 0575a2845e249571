/** Converts notes of earlier versions (v13 and before): the same words, times in UTC, a record below the date. */

import { plainBlock } from '../../core/notes/file-changes.ts'
import { earlierSectionsIn, earlierTitle } from '../../kernel/memory/earlier-sections.ts'
import { changeRecords, type NoteBlock, parseMemory } from '../../kernel/memory/note.ts'
import { formatBothTimes, formatStamp, NO_TIME } from '../../kernel/platform/time.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import { datedAt, type LegacyWhen } from './legacy-session.ts'

/**
 * Converts the notes of a memory or archive. Notes that already have our record, and undated text, stay byte for byte;
 * a second run changes nothing.
 */
export function convertNotes(text: string, timezone: string): string {
  return parseMemory(withLineBreaks(text))
    .map((block) => convertBlock(block, timezone))
    .join('')
}

/** From a directory that anyone may have filled: no note counts as the user's own. */
export function withoutUser(text: string): string {
  return changeRecords(text, (one) => (one.author === 'user' ? { ...one, author: 'agent' } : one))
}

/** A note with its record; no byte of its body changes. */
export function renderLegacyNote(when: LegacyWhen, body: string, timezone: string): string {
  const id = `n-${formatStamp(when.at)}-${fingerprint(body.trim()).slice(0, 6)}`
  const comment = `<!-- note ${id} author=agent at=${when.at} -->`
  return `## ${shownHeading(when, when.zone ?? timezone)}\n${comment}\n${body}${body.endsWith('\n') ? '' : '\n\n'}`
}

/** Repairs escapes that some shells left in the text, together with echo's -e option. */
function withLineBreaks(text: string): string {
  return text.replace(/(^|\n|\\n)(?:-e )?\\n(## \d{4}-\d\d-\d\d[^\\\n]*)\\n/g, '$1\n$2\n')
}

function convertBlock({ raw, note }: NoteBlock, timezone: string): string {
  const [, line, body = ''] = /^## ([^\n]*)\n?([\s\S]*)$/.exec(raw) ?? []
  const dated = note !== null || line === undefined ? null : datedAt(line.trim(), timezone)
  if (dated === null) return raw
  return renderLegacyNote(dated, dated.rest === '' ? body : `${dated.rest}\n\n${body}`, timezone)
}

/** If only the day is known, only the day is shown. */
export function shownHeading({ at, isDay }: LegacyWhen, timezone: string): string {
  if (at === NO_TIME) return 'Undated'
  const both = formatBothTimes(at, timezone)
  return isDay ? (/\((\d{4}-\d\d-\d\d)/.exec(both)?.[1] ?? at.slice(0, 10)) : both
}

/** Parts the dated notes from the rest, which counts as written at that time; without text that is in `known`. */
export function withoutUndated(
  text: string,
  known: readonly string[],
  when: LegacyWhen,
  timezone: string,
): { dated: string; rest: string } {
  const there = new Set(['', ...known.flatMap(parseMemory).map(({ raw }) => plainBlock(raw))])
  const blocks = parseMemory(text)
  const undated = blocks.filter(({ raw, note }) => note === null && !there.has(plainBlock(raw)))
  const sections = earlierSectionsIn(blocks)
  // By the title the sections are known in the archive, too.
  const title = undated.some((block) => sections.has(block)) ? blocks.map(({ raw }) => earlierTitle(raw)).join('') : ''
  const rest = undated.map((block) => (sections.has(block) ? block.raw : asClaudesNote(block.raw, when, timezone)))
  const dated = blocks.filter(({ note }) => note !== null).map(({ raw }) => raw)
  return { dated: joinBlocks(dated), rest: title + joinBlocks(rest) }
}

function joinBlocks(raws: readonly string[]): string {
  return raws.map((raw) => (raw.endsWith('\n') ? raw : `${raw}\n`)).join('')
}

/** From a directory that anyone may have filled: a note of Claude's. Its words stay, with those of its heading. */
function asClaudesNote(raw: string, when: LegacyWhen, timezone: string): string {
  const title = earlierTitle(raw).trim()
  const body = raw.replace(title, '').replace(/^## /, '### ').trim()
  const id = `n-earlier-${fingerprint(plainBlock(raw)).slice(0, 8)}`
  return `## ${shownHeading(when, timezone)}\n<!-- note ${id} author=agent at=${when.at} -->\n${body}\n\n`
}
