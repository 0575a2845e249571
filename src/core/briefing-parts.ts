/** The parts of a briefing: which remembered lines there are, the most important first. */
import { openIssues, type Told } from './briefing-facts.ts'
import type { BriefingInput } from './briefing-input.ts'
import type { Line, Part } from './briefing-room.ts'
import { compareText, dayOf, harmless, inLists, joinWithin, oneLine, piecesOf, shortenTo } from './memory-words.ts'
import type { Note } from './note.ts'

/** Tools that exist; a briefing must not send anybody to one that does not. */
const TOOLS = { status: 'memory_status', get: 'get_memory' } as const

const MAX_OPEN_CHARS = 320
/** More never fit. */
const MAX_NOTES = 60
/** One measure for every note: a new one must not make the others longer or shorter. */
const MAX_NOTE_CHARS = 1_200
/** A last note that is cut shorter than this says too little. */
const MIN_NOTE_CHARS = 120
const MAX_PAGE_LINE_CHARS = 400
const MAX_ARCHIVE_CHARS = 260
/** So much of the host's MEMORY.md reaches the model by itself. */
const HOST_LOADS_LINES = 200

export function stateLines(input: BriefingInput): Line[] {
  const newest = input.notes.at(-1)
  const known = (label: string, value: string | null | undefined): string[] => (value ? [label + oneLine(value)] : [])
  const where = [
    ...known('', input.project),
    ...known('version ', input.version),
    ...known('branch ', input.branch),
    ...known('last note ', newest && dayOf(newest.at)),
  ]
  const reason = 'project, version, branch, day of the newest note'
  return [...(where.length === 0 ? [] : [{ text: `- ${where.join(', ')}`, reason }]), ...openWork(input, newest)]
}

/** In one line: the issues themselves have a section. Without any, what the newest note left. */
function openWork(input: BriefingInput, newest: Note | undefined): Line[] {
  const issues = openIssues(input.facts)
  const [first] = issues
  if (first !== undefined) {
    const text = `- Open work: ${issues.length === 1 ? '1 known issue' : `${issues.length} known issues`}, first ${oneLine(first.id)}`
    return [{ text, reason: 'open issues, told below' }]
  }
  const open = newest === undefined ? null : labelled(newest, 'Open')
  return open === null ? [] : [{ text: `- Open work: ${open}`, reason: `left open by the newest note ${newest?.id}` }]
}

/** Newest first; after a compaction those of the running session before all others. */
export function noteLines(input: BriefingInput, told: Told): Line[] {
  const newest = input.notes.toReversed()
  const own = (note: Note): boolean =>
    input.compacted !== null && input.session !== null && note.session === input.session
  const ranked = [...newest.filter(own), ...newest.filter((note) => !own(note))].slice(0, MAX_NOTES)
  return ranked.flatMap((note, i) => {
    const pieces = noteWords(note, told)
    const head = `- ${dayOf(note.at)} [${oneLine(note.id)}] `
    const atMost = (room: number): string | null => {
      const text = joinWithin(pieces, Math.min(room, MAX_NOTE_CHARS) - head.length)
      return text === null || (room < MAX_NOTE_CHARS && text.length < MIN_NOTE_CHARS) ? null : head + text
    }
    const text = atMost(MAX_NOTE_CHARS) ?? `${head}(cannot be shortened: open its session)`
    const reason = `note ${note.id}, ${own(note) ? 'of this session, ' : ''}${i + 1} of ${newest.length}, by ${note.author}`
    return pieces.length === 0 ? [] : [{ text, reason, shorten: atMost }]
  })
}

export function pageParts(input: BriefingInput, share: number): Part[] {
  const pages = input.pages
    .map(({ name, text }) => ({ name: oneLine(name), lines: pageLines(name, beginning(text, input.maxChars)) }))
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

export function archiveLines(input: BriefingInput): Line[] {
  return input.archives.map(({ file, summary }, i) => {
    const head = `- ${oneLine(file)}: `
    const words =
      summary === null ? null : joinWithin(piecesOf(summary.overallSummary), MAX_ARCHIVE_CHARS - head.length)
    return {
      text: head + (words || 'no summary yet'),
      reason: `archive ${i + 1} of ${input.archives.length}, newest first`,
    }
  })
}

/** The host loads MEMORY.md itself: only what it does not name there is news. */
export function ownNoteLines(input: BriefingInput): Line[] {
  const loaded = hostLines(input).join('\n')
  const topics = (input.autoMemory?.topics ?? []).filter((topic) => !loaded.includes(topic)).sort(compareText)
  return inLists(topics.map(oneLine)).map((names) => ({
    text: `- Not loaded by the host, beside its MEMORY.md: ${names}`,
    reason: "topic files of the host's own memory",
  }))
}

/** What the host puts before the model from MEMORY.md. */
export function hostLines(input: BriefingInput): readonly string[] {
  return (input.autoMemory?.lines ?? []).slice(0, HOST_LOADS_LINES)
}

export function moreLines(input: BriefingInput): Line[] {
  const reason = 'how to get more'
  const lines = [
    `- MCP tool ${TOOLS.status} lists the remembered sessions; ${TOOLS.get} opens a session (1a2b3c4d) or an entry (L1:1a2b3c4d#5), word for word. A note [n-1a2b3c4d-12-57] tells entries 12 to 56 of session 1a2b3c4d.`,
    ...(input.pages.length > 0 ? ['- Whole pages: memory-keeper page get <name>'] : []),
  ]
  return lines.map((text) => ({ text, reason }))
}

/** Labels of an extractive note, the one that tells most first; what has none of them stands in its own order. */
const TELLING = ['Asked', 'Result', 'Open', 'Decided', 'Fixed', 'Committed', 'Changed', 'Ran', 'Looked at']

/** The pieces of a note: what other sections tell is left out, and of a long one the telling lines come first. */
function noteWords(note: Note, told: Told): string[] {
  if (note.author !== 'extractive') return piecesOf(note.text)
  const lines = note.text.split('\n').filter((line) => {
    const label = labelOf(line)
    return (label !== 'Decided' && label !== 'Open') || !told(line.slice(label.length + 1))
  })
  const isLong = lines.join(' ').length > MAX_NOTE_CHARS
  return piecesOf((isLong ? lines.toSorted((a, b) => rankOf(a) - rankOf(b)) : lines).join('\n'))
}

function labelOf(line: string): string | null {
  return /^([A-Z][a-z]+(?: at)?): /.exec(line)?.[1] ?? null
}

function rankOf(line: string): number {
  const rank = TELLING.indexOf(labelOf(line) ?? '')
  return rank < 0 ? TELLING.length : rank
}

/** What an extractive note says behind this label. */
function labelled(note: Note, label: string): string | null {
  if (note.author !== 'extractive') return null
  const line = note.text.split('\n').find((one) => labelOf(one) === label)
  return line === undefined ? null : shortenTo(oneLine(line.slice(label.length + 1)), MAX_OPEN_CHARS)
}

const FIRST_PAGES = ['project', 'architecture', 'conventions']

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
  const lines = harmless(text)
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
