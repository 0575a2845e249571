/**
 * A tier (`sessions/week-….md`, `sessions/archive/….md`): one block per session of a week or month, made from the sessions and their notes.
 * And what all renders have in common: they are replaced only while nothing else is in them.
 */

import { nameIn } from '../../kernel/memory/file-kind.ts'
import { toTell } from '../../kernel/sessions/delta.ts'
import { byHand, handLines, markOf } from '../../kernel/text/fingerprint.ts'
import { dayOf } from '../../kernel/text/memory-words.ts'
import { select } from '../../kernel/text/select.ts'
import { splitSentences } from '../../kernel/text/sentences.ts'
import { escapedComments } from '../../kernel/text/shorten.ts'
import { estimateTokens } from '../../kernel/text/tokens.ts'
import { type Entry, entryId, type Tombstone } from '../../kernel/transcript/session.ts'
import { type StructureSource, structureLines } from './structure.ts'
import { type Period, periodOf, SESSION_SUMMARY } from './tier-period.ts'

/** One line about a session. */
export interface TierLine {
  day: string
  /** With its label, if it has one: `Decided: …`. */
  text: string
  /** The id for `show`: `L1:1a2b3c4d#12`, or `L1:1a2b3c4d` for the whole session. */
  link: string
  /** What it is made from. `goal`: the first prompt. */
  from: StructureSource | 'goal' | 'note'
}

/** The lowest rank is the most important. */
const RANKS: Readonly<Record<TierLine['from'], number>> = {
  goal: 0,
  end: 1,
  note: 2,
  reports: 2,
  dialogs: 3,
  commits: 4,
  branch: 5,
  tasks: 5,
  files: 5,
  commands: 6,
  turns: 6,
}

export interface TierBlock {
  id8: string
  /** The start of the session. */
  at: string
  /** How many of its entries are covered. */
  entries: number
  lines: readonly TierLine[]
}

/** As 0.6 wrote it, which takes any other line for a person's. What a person writes here becomes a note. */
const INTRO = '<!-- Made by code from the summaries of these sessions. What you write here stays. -->'
const RECORD = /^<!-- session ([0-9a-z]{8}) at=(\d{4}-\d\d-\d\dT[\d:.]+Z) entries=(\d{1,9})(?: ours=([0-9a-f,]*))? -->$/
/** The share of a summary's room that a session gets in a week or month. */
const WEEK_SHARE = 0.4
const MONTH_SHARE = 0.16
const LEAST_TOKENS = 30

/** `room`: the tokens of a session's summary. The blocks are in the order in which the sessions began. */
export function renderTier(period: Period, blocks: readonly TierBlock[], room: number): string {
  const parts = [`# ${period.title}`, INTRO]
  for (const block of blocks) parts.push('', ...renderBlock(shortened(block, period.is, room)))
  return `${parts.join('\n')}\n`
}

function renderBlock({ id8, at, entries, lines }: TierBlock): string[] {
  const rendered = lines.map(formatLine)
  return [
    blockTitle(id8, at),
    `<!-- session ${id8} at=${at} entries=${entries} ours=${rendered.map(markOf).join(',')} -->`,
    ...rendered,
  ]
}

function formatLine({ day, text, link }: TierLine): string {
  return `- ${day} ${text} [${link}]`
}

function blockTitle(id8: string, at: string): string {
  return `## ${at.slice(0, 10)} ${at.slice(11, 16)} UTC, session ${id8}`
}

/** A block for a month is first shortened as for a week, so that a month tells no other lines than its weeks did. */
function shortened(block: TierBlock, is: Period['is'], room: number): TierBlock {
  const within = (one: TierBlock, share: number): TierBlock =>
    shortenBlock(one, Math.max(LEAST_TOKENS, Math.floor(room * share)))
  const weekly = within(block, WEEK_SHARE)
  return is === 'week' ? weekly : within(weekly, MONTH_SHARE)
}

/** The part of a tier about one session, for readers. */
export interface TierPart {
  id8: string
  at: string
  entries: number
  text: string
}

/** `loose`: what stands before the first block; of another origin, all of it. */
export function partsOf(text: string): { loose: string; parts: TierPart[] } {
  const loose: string[] = []
  const parts: (Omit<TierPart, 'text'> & { lines: string[] })[] = []
  for (const line of linesOf(text)) {
    const [, id8, at = '', entries] = RECORD.exec(line.trim()) ?? []
    if (id8 !== undefined) parts.push({ id8, at, entries: Number(entries), lines: [] })
    else (parts.at(-1)?.lines ?? loose).push(line)
  }
  // The title of a block stands before its record.
  const titles = new Set(parts.map(({ id8, at }) => blockTitle(id8, at)))
  const plain = (lines: readonly string[]): string =>
    lines
      .filter((line) => line !== INTRO && !titles.has(line.trim()))
      .join('\n')
      .trim()
  return { loose: plain(loose), parts: parts.map(({ lines, ...one }) => ({ ...one, text: plain(lines) })) }
}

/** The lines that a person wrote into a summary, a week or a month. `name`: below `sessions/`. */
export function handIn(name: string, text: string): string[] {
  const period = periodOf(name)
  return period === null ? handLines(text) : handInTier(period, text)
}

/** A file with nothing but a person's lines. */
export function formatHand(name: string, hand: readonly string[]): string {
  // Without marks, no line of a summary counts as a person's.
  const marks = periodOf(name) === null ? ['', '<!-- ours: -->'] : []
  return [...hand, ...marks, ''].join('\n')
}

/** The sessions (id8) that it tells of. */
export function sessionsIn(name: string, text: string): string[] {
  const own = SESSION_SUMMARY.exec(nameIn(name))?.[7]
  return own === undefined ? partsOf(text).parts.map(({ id8 }) => id8) : [own]
}

/** Whether its sessions are here, so that it can be made again. One without its sessions may be all that is left of them. */
export function hasItsSessions(name: string, text: string, isHere: (id8: string) => boolean): boolean {
  const sessions = sessionsIn(name, text)
  return sessions.length > 0 && sessions.every(isHere)
}

/** Whether every line is ours, and its sessions are here. */
export function isRender(name: string, text: string, isHere: (id8: string) => boolean): boolean {
  return handIn(name, text).length === 0 && hasItsSessions(name, text, isHere)
}

function handInTier({ title }: Period, text: string): string[] {
  const lines = linesOf(text)
  const ours = new Set([`# ${title}`, INTRO])
  const marks = new Set<string>()
  for (const line of lines) {
    const [record, id8 = '', at = '', , own = ''] = RECORD.exec(line.trim()) ?? []
    if (record === undefined) continue
    ours.add(record).add(blockTitle(id8, at))
    for (const mark of own.split(',')) marks.add(mark)
  }
  return byHand(lines, (line) => ours.has(line.trim()) || marks.has(markOf(line)))
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
}

export interface ToldSession {
  id8: string
  /** The start of the session. */
  at: string
  entries: readonly (Entry | Tombstone)[]
  /** What models wrote about it. */
  notes: readonly string[]
}

const MOST_CHARS = 2_500

/** What models wrote about the session, then its digest by structure. Null: everything in it was forgotten. */
export function blockOf({ id8, at, entries, notes }: ToldSession): TierBlock | null {
  if (entries.length > 0 && entries.every(({ role }) => role === 'tombstone')) return null
  const day = at.slice(0, 10)
  const ofSession = (text: string): TierLine => ({ day, text: harmless(text), link: `L1:${id8}`, from: 'note' })
  const said = notes.flatMap((note) => note.split('\n').flatMap(splitSentences)).map(ofSession)
  const numbered = entries.map((entry, n) => ({ n, entry }))
  const found = structureLines(toTell(numbered), MOST_CHARS)
  const goal = found.find(({ source, n }) => source === 'turns' && entries[n]?.role === 'user')
  const told = found.map((line): TierLine => {
    const entry = entries[line.n]
    const own = entry !== undefined && 'ts' in entry ? dayOf(entry.ts) : ''
    const from = line === goal ? 'goal' : line.source
    return { day: own || day, text: harmless(line.text), link: entryId(id8, line.n), from }
  })
  const lines = [...said, ...told].filter(({ text }) => text !== '')
  const all = lines.length > 0 ? lines : [ofSession('Nothing is known of it but its entries.')]
  const isFirst = (line: TierLine, i: number): boolean => all.findIndex(({ text }) => text === line.text) === i
  return { id8, at, entries: entries.length, lines: all.filter(isFirst) }
}

/** Shortens the block of a session. Its goal, or its first line, always stays, so that every session can be found. */
export function shortenBlock(block: TierBlock, maxTokens: number): TierBlock {
  const goal = block.lines.find(({ from }) => from === 'goal') ?? block.lines[0]
  if (goal === undefined) return block
  const others = block.lines.flatMap((line) => (line === goal ? [] : [{ line, text: formatLine(line) }]))
  const room = maxTokens - estimateTokens(formatLine(goal))
  const kept = select(others, room, { cost: estimateTokens, rank: ({ line }) => RANKS[line.from] })
  const isKept = new Set([goal, ...kept.map(({ line }) => line)])
  return { ...block, lines: block.lines.filter((line) => isKept.has(line)) }
}

/** Puts a statement on one line and prevents it from opening a comment. */
function harmless(text: string): string {
  return escapedComments(text.replace(/\s+/g, ' ')).trim()
}
