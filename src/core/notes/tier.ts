/** A tier (`sessions/week-….md`, `sessions/archive/….md`): one block per session of a week or month, and text that people wrote. */

import { toTell } from '../../kernel/sessions/delta.ts'
import { byHand, handLines, markOf } from '../../kernel/text/fingerprint.ts'
import { compareText, dayOf } from '../../kernel/text/memory-words.ts'
import { select } from '../../kernel/text/select.ts'
import { splitSentences } from '../../kernel/text/sentences.ts'
import { escapedComments } from '../../kernel/text/shorten.ts'
import { estimateTokens } from '../../kernel/text/tokens.ts'
import { type Entry, entryId, type Tombstone } from '../../kernel/transcript/session.ts'
import { structureLines } from './structure.ts'
import { COUNTS_LINE } from './summary.ts'
import type { Period } from './tier-period.ts'

/** One line about a session. */
export interface TierLine {
  day: string
  /** With its label, if it has one: `Decided: …`. */
  text: string
  /** The id for `show`: `L1:1a2b3c4d#12`, or `L1:1a2b3c4d` for the whole session. */
  link: string
}

export interface TierBlock {
  id8: string
  /** The start of the session. */
  at: string
  /** How many of its entries are covered. */
  entries: number
  lines: readonly TierLine[]
  /** Text that a person wrote into it. */
  hand: readonly string[]
}

export interface Tier {
  /** In the order in which the sessions began. */
  blocks: readonly TierBlock[]
  /** Text that a person wrote outside the blocks. */
  hand: readonly string[]
}

export const EMPTY_TIER: Tier = { blocks: [], hand: [] }

const INTRO = '<!-- Made by code from the summaries of these sessions. What you write here stays. -->'
const RECORD = /^<!-- session ([0-9a-z]{8}) at=(\d{4}-\d\d-\d\dT[\d:.]+Z) entries=(\d{1,9})(?: ours=([0-9a-f,]*))? -->$/
const LINE = /^- (\d{4}-\d\d-\d\d) (.+) \[(L1:[0-9a-z]{8}(?:#\d+)?)\]$/
const HEADING = /^#{1,2}(?:\s|$)/

export function formatTier(period: Period, { blocks, hand }: Tier): string {
  const parts = [`# ${period.title}`, INTRO, ...(hand.length === 0 ? [] : ['', ...hand])]
  for (const block of blocks) parts.push('', ...formatBlock(block))
  return `${parts.join('\n')}\n`
}

function formatBlock({ id8, at, entries, lines, hand }: TierBlock): string[] {
  const rendered = lines.map(formatLine)
  return [
    blockTitle(id8, at),
    `<!-- session ${id8} at=${at} entries=${entries} ours=${rendered.map(markOf).join(',')} -->`,
    ...rendered,
    ...hand,
  ]
}

export function formatLine({ day, text, link }: TierLine): string {
  return `- ${day} ${text} [${link}]`
}

/** Also accepts texts that are not ours: everything in them counts as hand-written. */
export function parseTier(period: Period, text: string): Tier {
  const lines = text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
  const loose: string[] = []
  const blocks: TierBlock[] = []
  let record: RegExpExecArray | null = null
  let body: string[] = []
  const end = (): void => {
    if (record !== null) blocks.push(parseBlock(record, body))
    body = []
  }
  for (const [i, line] of lines.entries()) {
    const next = RECORD.exec(line.trim())
    if (next !== null) {
      end()
      record = next
    } else if (HEADING.test(line)) {
      end()
      record = null
      if (!isTitleAbove(lines, i)) loose.push(line)
    } else if (record !== null) body.push(line)
    else loose.push(line)
  }
  end()
  const isOurs = (line: string): boolean => line === `# ${period.title}` || line === INTRO
  return { blocks: mergeBlocks([], blocks), hand: byHand(loose, isOurs) }
}

/** The sessions in a tier, with their start; does not parse all of it. */
export function sessionsIn(text: string): Map<string, string> {
  const held = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, id8, at] = line.startsWith('<!-- session ') ? (RECORD.exec(line.trim()) ?? []) : []
    if (id8 !== undefined && at !== undefined) held.set(id8, at)
  }
  return held
}

/** The heading of a block is rewritten; a heading that somebody changed is kept. */
function isTitleAbove(lines: readonly string[], at: number): boolean {
  const record = RECORD.exec(
    lines
      .slice(at + 1)
      .find((line) => line.trim() !== '')
      ?.trim() ?? '',
  )
  return record !== null && lines[at]?.trim() === blockTitle(record[1] ?? '', record[2] ?? '')
}

function blockTitle(id8: string, at: string): string {
  return `## ${at.slice(0, 10)} ${at.slice(11, 16)} UTC, session ${id8}`
}

function parseBlock([, id8 = '', at = '', entries, ours = '']: RegExpExecArray, body: readonly string[]): TierBlock {
  const marks = new Set(ours.split(','))
  const lines = body.flatMap((line): TierLine[] => {
    const [, day, text, link] = marks.has(markOf(line)) ? (LINE.exec(line.trim()) ?? []) : []
    if (day === undefined || text === undefined || link === undefined) return []
    return text.startsWith('–') && COUNTS_LINE.test(text) ? [] : [{ day, text, link }]
  })
  const isOurs = (line: string): boolean => marks.has(markOf(line)) && LINE.test(line.trim())
  return { id8, at, entries: Number(entries), lines, hand: byHand(body, isOurs) }
}

/** A block that covers at least as many entries replaces the existing one; text that people wrote stays. */
export function mergeBlocks(blocks: readonly TierBlock[], fresh: readonly TierBlock[]): TierBlock[] {
  const merged = new Map(blocks.map((block) => [block.id8, block]))
  for (const one of fresh) {
    const block = { ...one, hand: one.hand.map(inBlock) }
    const old = merged.get(block.id8)
    if (old === undefined) merged.set(block.id8, block)
    else
      merged.set(block.id8, { ...(block.entries >= old.entries ? block : old), hand: mergeHand(old.hand, block.hand) })
  }
  return [...merged.values()].sort((a, b) => compareText(a.at, b.at) || compareText(a.id8, b.id8))
}

/** Existing text is not repeated: after a kill a piece is done twice. */
export function mergeHand(hand: readonly string[], more: readonly string[]): readonly string[] {
  if (more.length === 0 || `\n${hand.join('\n')}\n`.includes(`\n${more.join('\n')}\n`)) return hand
  return hand.length === 0 ? more : [...hand, '', ...more]
}

/** A heading would end the block, and a record would begin another one. */
function inBlock(line: string): string {
  return line.replace(/^#{1,2}(?=\s|$)/, '###').replace(/^(\s*)<!-- (?=session )/, '$1<! -- ')
}

export interface SummarySource {
  id8: string
  /** The start of the session. */
  at: string
  /** How many entries the summary covers. */
  entries: number
  text: string
}

const MOST_CHARS = 2_500

/** From the session's digest, and a model's text about it. `entries`: the session's entries, by number. */
export function blockOf(source: SummarySource, entries: readonly (Entry | Tombstone)[]): TierBlock {
  const { id8, at, text } = source
  const hand = handLines(text)
  const isHand = new Set(hand.map(markOf))
  const plain = text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:#|<!--)/.test(line) && !isHand.has(markOf(line)))
  const said = plain.filter((line) => !COUNTS_LINE.test(line))
  const numbered = entries.slice(0, source.entries).map((entry, n) => ({ n, entry }))
  const found = structureLines(toTell(numbered), MOST_CHARS)
  const kept = found.length > 0 ? said.filter((line) => !isLabelled(line)).flatMap(splitSentences) : said
  const ofSession = (one: string): TierLine => ({ day: at.slice(0, 10), text: harmless(one), link: `L1:${id8}` })
  const lines: TierLine[] = [
    ...kept.map(ofSession),
    ...found.map(({ text: words, n }) => {
      const entry = entries[n]
      const day = entry !== undefined && 'ts' in entry ? dayOf(entry.ts) : ''
      return { day: day || at.slice(0, 10), text: harmless(words), link: entryId(id8, n) }
    }),
  ]
  // If there is nothing else, only the counts of the session are kept; of a session of which everything was forgotten, nothing.
  const isForgotten = numbered.length > 0 && numbered.every(({ entry }) => entry.role === 'tombstone')
  const only = isForgotten ? [] : plain.length > 0 ? plain : ['Nothing is known of it but its entries.']
  const all = lines.length > 0 ? lines : only.map(ofSession)
  const isFirst = (line: TierLine, i: number): boolean => all.findIndex(({ text }) => text === line.text) === i
  return { id8, at, entries: source.entries, lines: all.filter(isFirst), hand }
}

/**
 * Shortens the block of a session. Its goal (the first prompt, or the first line) always stays, so that every session can be
 * found.
 */
export function shortenBlock(block: TierBlock, maxTokens: number): TierBlock {
  const goal = block.lines.find(({ text }) => text.startsWith('User: ')) ?? block.lines[0]
  if (goal === undefined) return block
  const cost = (line: TierLine): number => estimateTokens(formatLine(line))
  const others = block.lines.filter((line) => line !== goal)
  const room = maxTokens - cost(goal)
  const kept = new Set(
    select(
      others.map((line) => ({ line, text: formatLine(line) })),
      room,
      { cost: estimateTokens, rank: ({ line }) => rankOfLine(line.text) },
    ).map(({ line }) => line),
  )
  return { ...block, lines: block.lines.filter((line) => line === goal || kept.has(line)) }
}

/** Puts a statement on one line and prevents it from opening a comment. */
function harmless(text: string): string {
  return escapedComments(text.replace(/\s+/g, ' ')).trim()
}

const LABEL = /^[A-Z][a-z]+(?: [a-z]+){0,7}(?: \([^)]{0,60}\))?: /
const RANKS: readonly (readonly [begins: RegExp, rank: number])[] = [
  [/^(?:Ended|Last words|Result|Went on)\b/, 1],
  [/^(?:Answered|Not answered|Plan \w+|Refused|Decided|Asked)\b/, 3],
  [/^(?:To do|Open)\b/, 4],
  [/^(?:Committed|Fixed)\b/, 5],
  [/^(?:Branch|Changed|Tasks done)\b/, 7],
  [/^(?:User|Claude|Failed|Ran|Also ran|Then|Looked at)\b/, 8],
]
const PROSE_RANK = 2

/** Unlabelled text is prose, written by a model or a person. */
function isLabelled(line: string): boolean {
  return LABEL.test(line)
}

/** The lowest rank is the most important. */
function rankOfLine(line: string): number {
  return isLabelled(line) ? (RANKS.find(([begins]) => begins.test(line))?.[1] ?? PROSE_RANK) : PROSE_RANK
}
