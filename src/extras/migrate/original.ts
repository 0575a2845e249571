/** What the original plugin (13.9) left in a project for Claude to read: its section in CLAUDE.md, its workflow and its lessons. */
import { fenceAfter, pageText } from '../../core/pages/page.ts'
import { cleanRule, isBuiltIn, isRule, MAX_RULE_CHARS } from '../../core/pages/rule.ts'

const BEGIN = '## CRITICAL RULES'
const END = '---Add your project-specific rules below this line---'
const OWN_MARKER = '<!-- memory-keeper:'
const BOM = Buffer.from('\ufeff').toString('latin1')
const LINE = /([^\r\n]*)(?:\r\n|\n|\r|$)/g

export interface OriginalSection {
  /** Bytes of the file; `to` is behind the line break of its last line. */
  from: number
  to: number
  /** The numbers of its first and last line, from 1. */
  lines: readonly [number, number]
  text: string
  /** It has its last line. */
  isWhole: boolean
  /** Why it cannot be taken out; null: it can. */
  whyKept: string | null
}

interface MarkLine {
  from: number
  to: number
  is: 'begin' | 'end' | 'heading' | 'text'
}

/** The sections outside of code blocks. One without its last line is shown up to the next heading of its rank. */
export function findOriginalSections(bytes: Buffer): OriginalSection[] {
  // Nearly every CLAUDE.md has none: it is not parsed.
  if (!bytes.includes(BEGIN)) return []
  // As bytes, so that what stays is not changed.
  const text = bytes.toString('latin1')
  const lines = markLines(text)
  const begins = lines.flatMap(({ is }, i) => (is === 'begin' ? [i] : []))
  return begins.map((first, i) => {
    const next = begins[i + 1] ?? lines.length
    const end = lines.findIndex(({ is }, at) => at > first && at < next && is === 'end')
    const heading = lines.findIndex(({ is }, at) => at > first && is !== 'text')
    return sectionOf(text, lines, first, end < 0 ? (heading < 0 ? lines.length : heading) - 1 : end)
  })
}

function sectionOf(text: string, lines: readonly MarkLine[], first: number, last: number): OriginalSection {
  const from = lines[first]?.from ?? 0
  const to = lines[last]?.to ?? text.length
  const isWhole = lines[last]?.is === 'end'
  const own = text.slice(from, to).includes(OWN_MARKER)
  return {
    from,
    to,
    lines: [first + 1, last + 1],
    text: Buffer.from(text.slice(from, to), 'latin1').toString('utf8'),
    isWhole,
    whyKept: !isWhole
      ? `it has no last line "${END}", so that nobody knows where your own text begins`
      : own
        ? 'the section of claudeMdSync begins or ends in it'
        : null,
  }
}

/** Without the sections that can be taken out; every other byte stays. */
export function withoutOriginal(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1')
  let kept = ''
  let from = 0
  for (const section of findOriginalSections(bytes)) {
    if (section.whyKept !== null) continue
    kept += text.slice(from, section.from)
    from = section.to
  }
  return Buffer.from(kept + text.slice(from), 'latin1')
}

function markLines(text: string): MarkLine[] {
  const lines: MarkLine[] = []
  const start = text.startsWith(BOM) ? BOM.length : 0
  let fence: string | null = null
  for (const { 0: whole, 1: line = '', index } of text.slice(start).matchAll(LINE)) {
    if (whole === '') continue
    const opened: string | null = fenceAfter(line, fence)
    const isCode = fence !== null || opened !== null
    fence = opened
    const from = start + index
    lines.push({ from, to: from + whole.length, is: isCode ? 'text' : kindOfLine(line) })
  }
  return lines
}

function kindOfLine(line: string): MarkLine['is'] {
  if (line.startsWith(BEGIN)) return 'begin'
  if (line.trim() === END) return 'end'
  return line.startsWith('# ') || line.startsWith('## ') ? 'heading' : 'text'
}

export interface ItemsOfText {
  items: string[]
  /** Longer than a rule may be. */
  tooLong: string[]
}

/** The list items of a section as rules, without our built-in ones. */
export function rulesOfSection(text: string): ItemsOfText {
  return asRules(listItems(text).filter((item) => !isBuiltIn(cleanRule(item))))
}

/** Each list item is a lesson; a text without any is one, by its title. A template without content has none. */
export function lessonsOf(text: string): ItemsOfText {
  const items = listItems(text)
  if (items.length > 0) return asRules(items)
  const [title = ''] = pageText(text).split('\n')
  return asRules([withoutMarks(title)])
}

function withoutMarks(title: string): string {
  const rank = [...title].findIndex((one) => one !== '#')
  return rank < 0 ? '' : title.slice(rank)
}

function asRules(items: readonly string[]): ItemsOfText {
  const rules = items.filter((item) => isRule(cleanRule(item)))
  return {
    items: rules.filter((one) => one.length <= MAX_RULE_CHARS).map(cleanRule),
    tooLong: rules.filter((one) => one.length > MAX_RULE_CHARS),
  }
}

/** Behind these no semicolon is put. */
const ENDS = '.:;,!?'
const ITEM = /^(?:[-*+•]|\d{1,9}[.)])\s+(.*)$/

/** Outer items, each with what is indented below it in one line; code is left out. */
function listItems(text: string): string[] {
  const items: { indent: number; words: string }[] = []
  let current: (typeof items)[number] | undefined
  let fence: string | null = null
  for (const line of pageText(text).split('\n')) {
    const opened: string | null = fenceAfter(line, fence)
    const isCode = fence !== null || opened !== null
    fence = opened
    const words = line.trim()
    if (isCode || words === '') continue
    const indent = line.length - line.trimStart().length
    const item = ITEM.exec(words)?.[1] ?? null
    if (current !== undefined && indent > current.indent)
      current.words += `${item === null || ENDS.includes(current.words.at(-1) ?? '') ? '' : ';'} ${item ?? words}`
    else {
      current = item === null ? undefined : { indent, words: item }
      if (current !== undefined) items.push(current)
    }
  }
  return items.map(({ words }) => words)
}
