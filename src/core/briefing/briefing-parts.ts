/** The parts of a briefing: their lines, most important first. */

import {
  compareText,
  dayOf,
  harmlessText,
  inLists,
  joinWithin,
  piecesOf,
  quotedWords,
  shortenTo,
  textOnOneLine,
} from '../../kernel/text/memory-words.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { FACT_KINDS, type FactKind, isLive, isTold } from '../knowledge/item.ts'
import { allFacts, type Items } from '../knowledge/items.ts'
import { type StructureSource, structureLines } from '../notes/structure.ts'
import type { Teammate } from '../others/others.ts'
import { listedLine } from '../receipts/authored-line.ts'
import { type InContext, knownAsFact } from './briefing-facts.ts'
import type { BriefingInput, RoomLine, RoomPart } from './briefing-input.ts'
import type { FactTally } from './newest-facts.ts'

/** Tools that exist: a briefing must not name others. */
const TOOLS = { search: 'search_memory', get: 'get_memory' } as const

/** A note tells of a whole session. */
const SHARED_CHARS = { note: 600, stands: 300, other: 200 }
const MAX_PAGE_LINE_CHARS = 400
const MAX_ARCHIVE_CHARS = 260
const MOST_OF_ARCHIVES = 8
/** With fewer facts, a list of topics is less informative than the facts themselves. */
const LEAST_FACTS = 30
const MAX_TOPICS = 6
const MAX_TOPIC_CHARS = 60
/** A single fact is listed itself. */
const MIN_TOPIC = 2

/** A digest by structure of what a session did, in `room` characters. */
export function compactedLines(entries: readonly Numbered[], room: number): RoomLine[] {
  return structureLines(entries, room, 'now').map(({ text, n, source }) => ({
    text: `- ${structureLine(source, text)}`,
    reason: `entry ${n}, ${source}`,
  }))
}

/** From whom the lines of a digest are; in those of the turns it stands first. */
const FROM: Readonly<Record<Exclude<StructureSource, 'turns'>, string>> = {
  branch: 'git',
  end: 'Claude',
  dialogs: 'a dialog with the user',
  tasks: "Claude's list",
  commits: 'git',
  files: 'tools',
  reports: 'an agent',
  commands: 'tools',
}

function structureLine(source: StructureSource, text: string): string {
  if (source !== 'turns') return `(${FROM[source]}) ${textOnOneLine(text)}`
  const [, mark = '', words = text] = /^(User|Prompt|Claude|Approved plan): (.*)$/s.exec(text) ?? []
  return `${mark}: ${textOnOneLine(words)}`
}

export function pageParts(input: BriefingInput, share: number): RoomPart[] {
  const pages = input.pages
    .map(({ name, text }) => ({ name: textOnOneLine(name), lines: pageLines(name, beginning(text, input.maxChars)) }))
    .filter(({ lines }) => lines.length > 0)
    .sort((a, b) => pageRank(a.name) - pageRank(b.name) || compareText(a.name, b.name))
  return pages.map(({ name, lines }) => ({
    title: `## Page: ${name}`,
    share: share / pages.length,
    isRunning: true,
    more: ' …',
    lines: lines.map((text, i) => ({ text, reason: `page ${name}, line ${i + 1}` })),
  }))
}

/** The topics of most facts, if there are many: the reader then knows what to search for. */
export function topicLines({ facts, concepts, tally }: BriefingInput): RoomLine[] {
  const counted = tally ?? tallyOf(facts)
  const many = [...counted.values()].reduce((sum, { decision, pattern, issue }) => sum + decision + pattern + issue, 0)
  if (many < LEAST_FACTS) return []
  const topics = concepts
    .flatMap(({ id, name }) => {
      const own = counted.get(id)
      return own === undefined ? [] : [{ id, name, own, all: own.decision + own.pattern + own.issue }]
    })
    .filter(({ all }) => all >= MIN_TOPIC)
    .sort((a, b) => b.all - a.all || compareText(a.id, b.id))
    .slice(0, MAX_TOPICS)
  return topics.map(({ id, name, own, all }) => ({
    text: `- ${textOnOneLine(id)} ${quotedWords(shortenTo(textOnOneLine(name), MAX_TOPIC_CHARS) ?? '')}: ${countsOf(own)}`,
    reason: `concept ${id}, ${all} facts`,
  }))
}

function tallyOf(facts: Items): Map<string, FactTally> {
  const tally = new Map<string, FactTally>()
  for (const fact of allFacts(facts)) {
    const { concept, kind, status } = fact
    if (concept === null || !isLive(fact) || !isTold(fact) || status === 'resolved') continue
    const own = tally.get(concept) ?? { decision: 0, pattern: 0, issue: 0 }
    tally.set(concept, { ...own, [kind]: own[kind] + 1 })
  }
  return tally
}

function countsOf(own: FactTally): string {
  const kinds = Object.entries(FACT_KINDS).map(([kind, { name }]) => ({ n: own[kind as FactKind], name }))
  return kinds.flatMap(({ n, name }) => (n === 0 ? [] : [`${n} ${name}${n === 1 ? '' : 's'}`])).join(', ')
}

/** Each archive in a line; then, while there is room, what was decided and left open in them. What is known as a fact is told or refuted there. */
export function archiveLines(input: BriefingInput): RoomLine[] {
  const { archives } = input
  const isKnown = knownAsFact(input)
  const archived = archives.flatMap(({ file, summary }, i) =>
    summary === null ? [] : [{ file, summary, reason: `archive ${i + 1} of ${archives.length}, newest first` }],
  )
  const line = (file: string, reason: string, about: string, pieces: readonly string[]): RoomLine[] => {
    const words = joinWithin(pieces, MAX_ARCHIVE_CHARS - file.length - about.length)
    return words ? [{ text: listedLine(file, 'Claude', `${about}${words}`), reason }] : []
  }
  const decided = archived.flatMap(({ file, summary, reason }) =>
    summary.keyDecisions
      .filter(({ decision }) => !isKnown(decision))
      .flatMap((one) => line(file, reason, 'decided then: ', [...piecesOf(one.decision), ...piecesOf(one.reason)])),
  )
  const open = archived.flatMap(({ file, summary, reason }) =>
    summary.issues
      .filter(({ issue, status }) => status === 'open' && !isKnown(issue))
      .flatMap(({ issue }) => line(file, reason, 'open then: ', piecesOf(issue))),
  )
  return [
    ...archived.flatMap(({ file, summary, reason }) => line(file, reason, '', piecesOf(summary.overallSummary))),
    ...decided.slice(0, MOST_OF_ARCHIVES),
    ...open.slice(0, MOST_OF_ARCHIVES),
  ]
}

/** The host loads MEMORY.md itself: only topic files that it does not name are news. */
export function ownNoteLines(input: BriefingInput): RoomLine[] {
  const { lines = [], topics: all = [] } = input.autoMemory ?? {}
  const loaded = lines.join('\n')
  const topics = all.filter((topic) => !loaded.includes(topic)).sort(compareText)
  return inLists(topics).map((names) => ({
    text: `- Not loaded by the host, beside its MEMORY.md: ${textOnOneLine(names)}`,
    reason: "topic files of the host's own memory",
  }))
}

/** From whom it is comes before the words, in our own: a teammate may have any name. */
export function otherLines(others: readonly Teammate[], inContext: InContext): RoomLine[] {
  return others.flatMap(({ who, id, at, text, type }) => {
    const most = type === 'note' || type === 'stands' ? SHARED_CHARS[type] : SHARED_CHARS.other
    const words = shortenTo(textOnOneLine(text), most)
    if (words === null || words === '' || inContext(words)) return []
    const what = type === 'issue' ? 'open issue' : ''
    const name = [`${who}:${id}`, dayOf(at), what].filter((word) => word !== '').join(' ')
    return [
      {
        text: listedLine(name, `from ${quotedWords(who)}`, quotedWords(words)),
        reason: `remembered by ${textOnOneLine(who)}`,
      },
    ]
  })
}

/** The second line only if there are pages. */
export const MORE_LINES: readonly string[] = [
  `- ${TOOLS.search} finds more; ${TOOLS.get} opens what has an id (d123, 1a2b3c4d, L1:1a2b3c4d#5) word for word.`,
  '- Whole pages: memory-keeper page get <name>',
]

export function moreLines(input: BriefingInput): RoomLine[] {
  const reason = 'how to get more'
  return MORE_LINES.slice(0, input.pages.length > 0 ? 2 : 1).map((text) => ({ text, reason }))
}

const FIRST_PAGES = ['project', 'architecture', 'conventions', 'lessons', 'workflow']

function pageRank(name: string): number {
  const rank = FIRST_PAGES.indexOf(name.replace(/\.md$/, ''))
  return rank < 0 ? FIRST_PAGES.length : rank
}

/** Whole lines, always more than fit: processing the rest of a long page is not worth the time. */
function beginning(text: string, maxChars: number): string {
  const end = text.indexOf('\n', 2 * maxChars)
  return end < 0 ? text : text.slice(0, end)
}

/** Indented, so that a line of a page does not look like one of ours. A first heading that repeats the name is dropped. */
function pageLines(name: string, text: string): string[] {
  const lines = harmlessText(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const isTitled =
    lines[0]
      ?.replace(/^#+\s+/, '')
      .trim()
      .toLowerCase() === name.toLowerCase()
  return lines.slice(isTitled ? 1 : 0).flatMap((line) => {
    const depth = Math.min(8, line.search(/\S/))
    const words = shortenTo(textOnOneLine(line), MAX_PAGE_LINE_CHARS)
    return words === null ? [] : [' '.repeat(2 + depth) + words]
  })
}
