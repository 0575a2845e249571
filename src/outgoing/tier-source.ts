/** The lines of a session's summary on their way into a tier: each with its day and the entry that it comes from. */

import { type TierBlock, type TierLine, tierLabel } from '../notes/tier.ts'
import { memoryWords, shareOf } from '../text/memory-words.ts'
import { handLines, markOf } from '../text/own-lines.ts'
import { splitSentences } from '../text/sentences.ts'
import { type Entry, entryId, type Tombstone } from '../transcript/session.ts'

export interface SummarySource {
  id8: string
  /** When the session began. */
  at: string
  /** How many entries the summary tells of. */
  entries: number
  text: string
}

/** Labels whose line is a list: it is told as a whole. */
const LISTS: ReadonlySet<string | null> = new Set(['Changed', 'Committed', 'Looked at'])
const COUNTS = /^\d\d:\d\d–(?:\d{4}-\d\d-\d\d )?\d\d:\d\d UTC, \d+ prompts?, /
/** Of a sentence's words in one entry: it tells of that entry. */
const SAME_SHARE = 0.5
/** Sentences in a model's own words are looked for in so many entries. */
const MOST_COMPARED = 2_000

/** All that the summary says; `entries`: of the session, as they are numbered. */
export function blockOf(source: SummarySource, entries: readonly (Entry | Tombstone)[]): TierBlock {
  const { id8, at, text } = source
  const hand = handLines(text)
  const isHand = new Set(hand.map(markOf))
  const plain = text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:#|<!--)/.test(line) && !isHand.has(markOf(line)))
  const told = plain.filter((line) => !COUNTS.test(line)).flatMap(statementsIn)
  // A session that has nothing else to say is remembered by how much happened.
  const statements = told.length > 0 ? told : plain.length > 0 ? plain : ['Nothing is known of it but its entries.']
  const find = createFinder(entries.slice(0, source.entries))
  const lines = [...new Set(statements)].map((statement): TierLine => {
    const n = find(statement)
    const entry = n === null ? undefined : entries[n]
    const ts = entry === undefined || entry.role === 'tombstone' ? '' : entry.ts
    return {
      day: /^\d{4}-\d\d-\d\d/.exec(ts)?.[0] ?? at.slice(0, 10),
      text: harmless(statement),
      link: n === null ? `L1:${id8}` : entryId(id8, n),
    }
  })
  return { id8, at, entries: source.entries, lines, hand }
}

/** `Asked: One. Two.` are two statements, each with its label. */
function statementsIn(line: string): string[] {
  const label = tierLabel(line)
  if (label === null) return splitSentences(line.replace(/^[-*] /, ''))
  if (LISTS.has(label)) return [line]
  const said = line.slice(label.length + 2)
  if (label === 'Ran') return said.split(/(?<=\)); (?=`)/).map((one) => `${label}: ${one}`)
  const [first = '', ...later] = label === 'Asked' ? said.split(/ (?=Then: )/) : [said]
  return [...splitSentences(first).map((one) => `${label}: ${one}`), ...later.flatMap(statementsIn)]
}

/** A statement stands on one line and begins no comment. */
function harmless(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/<!--/g, '<! --').replace(/-->/g, '-- >').trim()
}

/** The number of the entry in which something was said or done; null: it is told of none by itself. */
function createFinder(entries: readonly (Entry | Tombstone)[]): (statement: string) => number | null {
  const texts = entries.map((entry) => (entry.role === 'tombstone' ? '' : plain(textOf(entry))))
  let words: ReadonlySet<string>[] | null = null
  return (statement) => {
    const label = tierLabel(statement)
    const probe = plain(probeIn(statement, label))
    // A prompt is where something was asked first, everything else where it stood at last.
    const isAsked = label === 'Asked' || label === 'Then' || label === 'Went on'
    const holds = (text: string, n: number): boolean =>
      text.includes(probe) && (!isAsked || entries[n]?.role === 'user')
    const found = probe.length < 3 ? -1 : isAsked ? texts.findIndex(holds) : texts.findLastIndex(holds)
    if (found >= 0) return found
    if (label !== null || entries.length > MOST_COMPARED) return null
    words ??= texts.map(memoryWords)
    return mostAlike(memoryWords(statement), words)
  }
}

function mostAlike(said: ReadonlySet<string>, words: readonly ReadonlySet<string>[]): number | null {
  let best: number | null = null
  let most = SAME_SHARE
  for (const [n, of] of words.entries()) {
    const share = shareOf(said, of)
    if (share > most) [best, most] = [n, share]
  }
  return best
}

/** What of a statement stands word for word in an entry: the command, the first file, the message, or all of it. */
function probeIn(statement: string, label: string | null): string {
  const said = label === null ? statement : statement.slice(label.length + 2)
  if (label === 'Ran') return /^`+ ?(.+?) ?`+ \(/.exec(said)?.[1] ?? said
  if (label === 'Committed') return /^"(.+?)"(?:, "|$)/.exec(said)?.[1] ?? said
  if (label !== 'Changed') return said.replace(/\s*[.…]+$/, '')
  return (said.replace(/^in \S+: /, '').split(/, | and \d+ more|; /, 1)[0] ?? '').replace(/ \((?:new|removed)\)$/, '')
}

function textOf(entry: Entry): string {
  return 'text' in entry ? entry.text : `${entry.cmd} ${entry.output ?? ''}`
}

/** Letters and digits only: quotes, dashes and line breaks may differ. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
