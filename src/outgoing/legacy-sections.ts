/** A memory of v3 or v4: sections for decisions, state, recent work and issues → facts and notes. */
import type { FactType, NewFact } from '../knowledge/fact.ts'
import { parseMemory } from '../memory/note.ts'
import { renderLegacyNote } from '../migrate/legacy-note.ts'
import { datedAt, type LegacyWhen } from '../migrate/legacy-time.ts'

export interface FromSections {
  /** The notes, oldest first, and behind them sections that are none of the four. */
  text: string
  facts: NewFact[]
  notes: number
}

type Section = 'decisions' | 'state' | 'recent' | 'issues'

const SECTIONS: readonly (readonly [Section, RegExp])[] = [
  ['decisions', /^(?:core|key|main) decisions?$|^(?:핵심|주요) ?결정(?:사항|들)?$/i],
  ['state', /^current (?:state|status)$|^현재 ?상태$/i],
  ['recent', /^recent (?:context|work|activity)$|^최근 ?(?:컨텍스트|맥락|작업|내용|활동)$/i],
  ['issues', /^known (?:issues?|problems?)$|^알려진 ?(?:문제|이슈)(?:점|들)?$/i],
]
const TITLE = /^# (?:Project Memory|프로젝트 메모리)\b/im
const UPDATED = /^\s*[-*+]?\s*\**(?:last updated?|마지막 업데이트)\**\s*[:：]\s*(.+)$/im
/** What a template says where nothing is known. */
const NOTHING = /^(?:\(?(?:none|nothing|n\/a|tbd|없음|해당 ?없음)(?: yet| so far| known)?\)?[.!]?|-+|\[[^\]\d]*\])$/i
const DONE =
  /^\[x\]\s|^~~.*~~|\((?:resolved|fixed|done|closed|해결(?:됨|완료)?)\)|\[(?:resolved|fixed|done|closed|해결됨?)\]/i
const REASON = /(?:^|[\s(—–,;-])(?:because|since|reason:|rationale:|why:|이유:|왜냐하면)\s*(.+?)\)?\.?$/i

/** Two of the four headings, or one below the title they had: a single one may be a person's own. */
export function isSectioned(text: string): boolean {
  const found = new Set(parseMemory(text).flatMap(({ raw, note }) => (note === null ? (sectionOf(raw) ?? []) : [])))
  return found.size >= (TITLE.test(text) ? 1 : 2)
}

/** `written`: when the file was, for what tells no time itself. */
export function convertSections(text: string, timezone: string, written: string): FromSections {
  const updated = UPDATED.exec(text)?.[1]?.trim()
  const last = (updated === undefined ? null : datedAt(updated, timezone)?.when) ?? dayOf(written)
  const facts: NewFact[] = []
  const dated: { when: LegacyWhen; body: string }[] = []
  const others: string[] = []
  for (const { raw, note } of parseMemory(text)) {
    const section = note === null ? sectionOf(raw) : null
    const body = raw.slice(raw.indexOf('\n') + 1)
    if (section === 'decisions') facts.push(...factsOf(body, 'decision', last, timezone))
    else if (section === 'issues') facts.push(...factsOf(body, 'issue', last, timezone))
    else if (section === 'recent') dated.push(...notesOf(body, last, timezone))
    else if (section === 'state') dated.push(...stateOf(body, last))
    else others.push(raw)
  }
  const notes = dated.toSorted((a, b) => (a.when.at < b.when.at ? -1 : a.when.at > b.when.at ? 1 : 0))
  const [head = '', ...rest] = others
  const isHead = !head.startsWith('## ')
  const rendered = notes.map(({ when, body }) => renderLegacyNote(when, `${body}\n\n`, timezone))
  return {
    text: [isHead ? endLine(head) : '', ...rendered, ...(isHead ? rest : others)].join(''),
    facts,
    notes: notes.length,
  }
}

function sectionOf(raw: string): Section | null {
  const title = /^## +(.+?)\s*:?\s*$/m.exec(raw.split('\n', 1)[0] ?? '')?.[1] ?? ''
  const words = title.replace(/[^\p{L}\p{N} ]/gu, '').trim()
  return SECTIONS.find(([, pattern]) => pattern.test(words))?.[0] ?? null
}

/** One per item; a paragraph that is no item says something too. */
function factsOf(
  body: string,
  type: Extract<FactType, 'decision' | 'issue'>,
  last: LegacyWhen,
  timezone: string,
): NewFact[] {
  return itemsOf(body).map((item): NewFact => {
    const dated = datedAt(item, timezone)
    const [text, below] = withoutReason(dated === null || dated.rest === '' ? item : dated.rest)
    const isDone = type === 'issue' && DONE.test(text)
    return {
      type,
      text: text.replace(/^\[[ x]\]\s+/i, '').trim(),
      reason: below ?? REASON.exec(text.replace(/\s+/g, ' '))?.[1]?.trim() ?? null,
      status: type === 'decision' ? null : isDone ? 'resolved' : 'open',
      resolution: null,
      at: (dated?.when ?? toldAtEnd(item, timezone) ?? last).at,
      session: '',
      evidence: { entry: -1, quote: item },
      files: [],
      concept: null,
      state: 'fresh',
      author: 'agent',
    }
  })
}

/** A reason on a line of its own is not told twice. */
function withoutReason(item: string): [text: string, reason: string | null] {
  const below = /\n\s*[-*+]?\s*\**(?:reason|rationale|why|이유)\**\s*[:：]\**\s*([^\n]+)/i.exec(item)
  return below === null ? [item, null] : [item.replace(below[0], '').trim(), below[1]?.trim() ?? null]
}

/** `Use cents (2026-01-10)`. */
function toldAtEnd(item: string, timezone: string): LegacyWhen | null {
  const told = /\((\d{4}-\d\d?-\d\d?[^()]{0,20})\)\.?$/.exec(item)?.[1]
  return told === undefined ? null : (datedAt(told, timezone)?.when ?? null)
}

/** One per dated item; the others together, as old as the file. */
function notesOf(body: string, last: LegacyWhen, timezone: string): { when: LegacyWhen; body: string }[] {
  const undated: string[] = []
  const notes = itemsOf(body).flatMap((item) => {
    const dated = datedAt(item, timezone)
    if (dated !== null && dated.rest !== '') return [{ when: dated.when, body: dated.rest }]
    undated.push(`- ${item}`)
    return []
  })
  return undated.length === 0 ? notes : [...notes, { when: last, body: undated.join('\n') }]
}

function stateOf(body: string, last: LegacyWhen): { when: LegacyWhen; body: string }[] {
  const items = itemsOf(body)
  if (items.length === 0) return []
  return [{ when: last, body: ['State of the project then:', ...items.map((item) => `- ${item}`)].join('\n') }]
}

/** Bullets, numbers and paragraphs; what is indented below one belongs to it. */
function itemsOf(body: string): string[] {
  const items: string[] = []
  let isNew = true
  for (const line of body.replace(/\r/g, '').split('\n')) {
    const bullet = /^ ?(?:[-*+•]|\d{1,3}[.)])\s+(.*)$/.exec(line)?.[1]
    if (line.trim() === '') isNew = true
    else if (bullet !== undefined) {
      items.push(bullet)
      isNew = false
    } else if (isNew && !/^\s/.test(line)) {
      items.push(line)
      isNew = false
    } else items.push(`${items.pop() ?? ''}\n${line.trimEnd()}`.trimStart())
  }
  return items.map((item) => item.trim()).filter((item) => item !== '' && !NOTHING.test(item))
}

function dayOf(at: string): LegacyWhen {
  return { at, is: 'day', isZoned: false }
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
