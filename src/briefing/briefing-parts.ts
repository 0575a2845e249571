/** The parts of a briefing: which remembered lines there are, the most important first. */

import { allFacts, type Facts, isTold } from '../knowledge/fact.ts'
import { type FactTally, isLive } from '../knowledge/fact-list.ts'
import {
  compareText,
  dayOf,
  harmlessText,
  inLists,
  joinWithin,
  piecesOf,
  shortenTo,
  textOnOneLine,
} from '../text/memory-words.ts'
import type { Told } from './briefing-facts.ts'
import type { BriefingInput } from './briefing-input.ts'
import { endLines } from './briefing-notes.ts'
import type { RoomLine, RoomPart } from './briefing-room.ts'

/** Tools that exist; a briefing must not send anybody to one that does not. */
const TOOLS = { search: 'search_memory', get: 'get_memory' } as const

const MAX_SHARED_CHARS = 200
const MAX_PAGE_LINE_CHARS = 400
const MAX_ARCHIVE_CHARS = 260
/** With fewer facts a list of topics says less than the facts themselves. */
const LEAST_FACTS = 30
const MAX_TOPICS = 6
const MAX_TOPIC_CHARS = 60
/** One fact alone is told itself. */
const MIN_TOPIC = 2
/** So much of the host's MEMORY.md reaches the model by itself. */
const HOST_LOADS_LINES = 200

/** The project, then where the newest sessions stand. */
export function stateLines(input: BriefingInput): RoomLine[] {
  const known = (label: string, value: string | null | undefined): string[] =>
    value ? [label + textOnOneLine(value)] : []
  const where = [...known('', input.project), ...known('version ', input.version), ...known('branch ', input.branch)]
  const project = { text: `- ${where.join(', ')}`, reason: 'project, version, branch' }
  return [...(where.length === 0 ? [] : [project]), ...endLines(input)]
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

/** What most facts are about, by name, once there are many: whoever reads them knows what to ask for. */
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
    text: `- ${textOnOneLine(id)} ${shortenTo(textOnOneLine(name), MAX_TOPIC_CHARS) ?? ''}: ${countsOf(own)}`,
    reason: `concept ${id}, ${all} facts`,
  }))
}

function tallyOf(facts: Facts): Map<string, FactTally> {
  const tally = new Map<string, FactTally>()
  for (const fact of allFacts(facts)) {
    const { concept, type, status } = fact
    if (concept === null || !isLive(fact) || !isTold(fact) || status === 'resolved') continue
    const own = tally.get(concept) ?? { decision: 0, pattern: 0, issue: 0 }
    tally.set(concept, { ...own, [type]: own[type] + 1 })
  }
  return tally
}

function countsOf(own: FactTally): string {
  const kinds = [
    ['decision', 'decision'],
    ['pattern', 'pattern'],
    ['issue', 'open issue'],
  ] as const
  return kinds
    .flatMap(([type, name]) => (own[type] === 0 ? [] : [`${own[type]} ${name}${own[type] === 1 ? '' : 's'}`]))
    .join(', ')
}

export function archiveLines(input: BriefingInput): RoomLine[] {
  return input.archives.map(({ file, summary }, i) => {
    const head = `- ${textOnOneLine(file)}: `
    const words =
      summary === null ? null : joinWithin(piecesOf(summary.overallSummary), MAX_ARCHIVE_CHARS - head.length)
    return {
      text: head + (words || 'no summary yet'),
      reason: `archive ${i + 1} of ${input.archives.length}, newest first`,
    }
  })
}

/** The host loads MEMORY.md itself: only what it does not name there is news. */
export function ownNoteLines(input: BriefingInput): RoomLine[] {
  const loaded = hostLines(input).join('\n')
  const topics = (input.autoMemory?.topics ?? []).filter((topic) => !loaded.includes(topic)).sort(compareText)
  return inLists(topics.map(textOnOneLine)).map((names) => ({
    text: `- Not loaded by the host, beside its MEMORY.md: ${names}`,
    reason: "topic files of the host's own memory",
  }))
}

/** What the host puts before the model from MEMORY.md. */
export function hostLines(input: BriefingInput): readonly string[] {
  return (input.autoMemory?.lines ?? []).slice(0, HOST_LOADS_LINES)
}

/** Behind their names: whoever reads it must not take it for the user's word. */
export function teammateLines({ teammates }: BriefingInput, told: Told): RoomLine[] {
  return teammates.flatMap(({ who, id, at, text }) => {
    const words = shortenTo(textOnOneLine(text), MAX_SHARED_CHARS)
    if (words === null || words === '' || told(words)) return []
    const head = [`${textOnOneLine(who)}:${textOnOneLine(id)}`, dayOf(at)].filter((word) => word !== '').join(' ')
    return [{ text: `- ${head}: ${words}`, reason: `a decision that ${textOnOneLine(who)} shared` }]
  })
}

/** The second one where there are pages. */
export const MORE_LINES: readonly string[] = [
  `- MCP tools: ${TOOLS.search} finds more; ${TOOLS.get} opens a fact (d123), a session (1a2b3c4d), an entry (L1:1a2b3c4d#5) or a note, word for word.`,
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

/** Whole lines, always more than fit: the rest of a long page is not worth the time. */
function beginning(text: string, maxChars: number): string {
  const end = text.indexOf('\n', 2 * maxChars)
  return end < 0 ? text : text.slice(0, end)
}

/** Indented, so that no line of a page passes for a line of ours. A first heading that repeats the name says nothing. */
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
    const words = shortenTo(line.replace(/\s+/g, ' ').trim(), MAX_PAGE_LINE_CHARS)
    return words === null ? [] : [' '.repeat(2 + depth) + words]
  })
}
