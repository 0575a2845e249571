/** What a search finds in the files of notes: notes, summaries of archives and sessions, weeks and months. Of a broken file, the readable part. */

import { aboutEntries, joinedText, type NewUnit, numbered, place, UNAUDITED } from '../../kernel/memory/document.ts'
import { earlierSectionsIn } from '../../kernel/memory/earlier-sections.ts'
import { nameIn } from '../../kernel/memory/file-kind.ts'
import { BY_CLAUDE, isClaudesOwn, isToldNote, parseMemory } from '../../kernel/memory/note.ts'
import { asText, objects, parseObject } from '../../kernel/platform/json.ts'
import { archiveStamp, SESSIONS_DIR } from '../../kernel/platform/layout.ts'
import { pageText } from '../pages/page.ts'
import { prosePieces } from '../pages/prose-pieces.ts'
import { authorNamed } from '../receipts/authored-line.ts'
import { COUNTS_LINE, entriesInSummary } from './summary.ts'
import { partsOf, type TierPart } from './tier.ts'
import { mondayOf, periodOf, SESSION_SUMMARY } from './tier-period.ts'

/** The form with a W is of an earlier version. */
export const WEEK = /^week-(\d{4})-W?(\d\d)\.md$/

/** Includes text that a person wrote between the notes, named by its position in the file, and what Claude wrote there with v3 or v4. */
export function noteUnits(text: string, path: string): NewUnit[] {
  let byHand = 0
  const blocks = parseMemory(text.replace(/\r\n?/g, '\n'))
  const sections = earlierSectionsIn(blocks)
  return blocks.flatMap((block): NewUnit[] => {
    const { raw, note } = block
    if (note !== null) {
      const about = aboutEntries(note.session, note.from, note.to - 1)
      const state = isToldNote(note) ? (isClaudesOwn(note) ? BY_CLAUDE : '') : UNAUDITED
      const by = authorNamed(note.author)
      return [{ id: note.id, kind: 'note', at: note.at, text: note.text, state, by, about }]
    }
    const at = dateIn(raw) || (archiveStamp(path) ?? '')
    const by = sections.has(block) ? 'Claude' : 'the user'
    return prosePieces(raw).map((piece) => ({ id: place(path, byHand++), kind: 'note', at, text: piece, by }))
  })
}

/** `## 2026-01-13 12:00:00 UTC …`: the beginning of a note in every version. */
function dateIn(raw: string): string {
  const match = /^## (\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?)?/.exec(raw)
  return match === null ? '' : `${match[1]}T${match[2] ?? '00:00'}${match[3] ?? ':00'}.000Z`
}

/** Without the heading, which only repeats the file name, and the counts, which say nothing of what the session was about. */
export function summaryWords(text: string): string {
  return pageText(text)
    .replace(/^# Session .*\n+/, '')
    .replace(COUNTS_LINE, '')
    .trim()
}

export function readSessionSummary(text: string, path: string): NewUnit[] {
  const [, year, month, day, hour, minute, second, id8 = ''] = SESSION_SUMMARY.exec(nameIn(path)) ?? []
  const words = summaryWords(text)
  const about = aboutEntries(id8, 0, (entriesInSummary(text) ?? 0) - 1)
  const at = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  return words === '' ? [] : [{ id: `S:${id8}`, kind: 'session', at, text: words, about }]
}

export function readTier(text: string, path: string): NewUnit[] {
  const name = nameIn(path)
  const period = periodOf(path.slice(SESSIONS_DIR.length + 1))
  const { loose, parts } = partsOf(text)
  const plain = period === null ? loose : loose.replace(`# ${period.title}`, '')
  const at = period?.from ?? beginOf(name)
  return [
    ...numbered(name, 'tier', prosePieces(plain)).map((unit) => ({ ...unit, at })),
    ...parts.map((part) => partUnit(name, part)).filter(({ text: words }) => words !== ''),
  ]
}

/** Named after its session, not its position, since other blocks come and go before it. */
function partUnit(name: string, { id8, at, entries, text }: TierPart): NewUnit {
  return { id: `${name}#${id8}`, kind: 'tier', at, text, about: aboutEntries(id8, 0, entries - 1) }
}

/** For a week or month with the name format of earlier versions. */
function beginOf(name: string): string {
  const [, year, week] = WEEK.exec(name) ?? []
  return year === undefined
    ? `${name.slice(0, 7)}-01T00:00:00.000Z`
    : mondayOf({ year: Number(year), week: Number(week) })
}

export function readArchiveSummary(text: string, path: string): NewUnit[] {
  const raw = parseObject(text) ?? {}
  const at = asText(raw.generatedAt)
  const units = [
    { text: asText(raw.overallSummary) },
    ...objects(raw.themes).map((theme) => ({ text: joinedText([asText(theme.name), asText(theme.summary)]) })),
    ...objects(raw.keyDecisions).map((one) => ({
      text: joinedText([asText(one.decision), asText(one.reason)]),
    })),
    ...objects(raw.issues).map((one) => ({
      text: asText(one.issue),
      state: one.status === 'resolved' ? 'resolved' : '',
    })),
  ]
  return units.filter((one) => one.text !== '').map((one, k) => ({ ...one, id: place(path, k), kind: 'summary', at }))
}
