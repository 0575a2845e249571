/** Our section in a project's CLAUDE.md, edited as bytes: nothing outside its markers is changed, and it can be removed without a trace. */
import { fenceAfter } from './page.ts'
import { cleanRule, isRule } from './rule.ts'

export type Edited =
  /** Null: the file was created for the section alone and should be deleted. */
  | { is: 'fine'; bytes: Buffer | null }
  /** The markers are not as we wrote them, or there is no place for them: the file is not changed. */
  | { is: 'damaged'; reason: string }

const BEGIN = '<!-- memory-keeper:begin'
const END = '<!-- memory-keeper:end -->'
const ANY_END = '<!-- memory-keeper:end'
const HINT = 'rules of Memory Keeper (claudeMdSync): changes between these lines are overwritten'
/** Enough to check whether the text before the section is still there. */
const TAIL_BYTES = 8

/** Appends the section to the file, or replaces the existing one. */
export function withSection(before: Buffer | null, rules: readonly string[]): Edited {
  const text = before?.toString('latin1') ?? ''
  const found = findSection(text)
  if ('reason' in found) return { is: 'damaged', reason: found.reason }
  if (found.section === null) {
    const reason = whyNotBehind(text)
    if (reason !== null) return { is: 'damaged', reason }
    const eol = eolOf(text)
    const gap = text === '' || /[\r\n]$/.test(text) ? '' : eol
    const origin = { isNew: before === null, tail: gap === '' ? '' : text.slice(-TAIL_BYTES), gap }
    return fine(text + gap + formatSection(rules, origin, eol) + eol)
  }
  // Keeps the section's line breaks: an editor that converts those of the file converts these too.
  const { from, to, origin, eol } = found.section
  return fine(text.slice(0, from) + formatSection(rules, origin, eol) + text.slice(to))
}

/** Removes the section and the line breaks that were added with it. */
export function withoutSection(before: Buffer): Edited {
  const text = before.toString('latin1')
  const found = findSection(text)
  if ('reason' in found) return { is: 'damaged', reason: found.reason }
  if (found.section === null) return { is: 'fine', bytes: before }
  const { from, to, origin, eol } = found.section
  // A line break of the user that differs from ours stays.
  const rest = text.slice(text.startsWith(eol, to) ? to + eol.length : to)
  let head = text.slice(0, from)
  // The line break before the section is ours only if it still ends the text it was added to, and nothing follows.
  if (origin.gap !== '' && rest === '' && head.endsWith(origin.tail + origin.gap)) {
    head = head.slice(0, head.length - origin.gap.length)
  }
  return origin.isNew && head + rest === '' ? { is: 'fine', bytes: null } : fine(head + rest)
}

/** Whether there is a section, intact or not. */
export function hasSection(bytes: Buffer): boolean {
  return bytes.includes(BEGIN)
}

/** The end of the file when the section was added: recorded in the section's first line, so that it can be removed exactly. */
interface Origin {
  /** The file did not exist. */
  isNew: boolean
  /** The last bytes of a text without a final line break, and the line break we added. Otherwise both are empty. */
  tail: string
  gap: string
}

interface Section {
  from: number
  /** Behind the end marker, before its line break. */
  to: number
  origin: Origin
  /** Its line break. */
  eol: string
}

function findSection(text: string): { section: Section | null } | { reason: string } {
  const begins = allOf(text, BEGIN)
  const ends = allOf(text, ANY_END)
  if (begins.length === 0 && ends.length === 0) return { section: null }
  const [from, secondBegin] = begins
  const [end, secondEnd] = ends
  if (from === undefined) return { reason: 'the begin marker is missing' }
  if (end === undefined) return { reason: 'the end marker is missing' }
  if (secondBegin !== undefined || secondEnd !== undefined) return { reason: 'there is more than one marker of a kind' }
  if (end < from) return { reason: 'the end marker comes before the begin marker' }
  if (isInCode(text.slice(0, from))) return { reason: 'the markers are inside a code block' }
  const first = parseBegin(text.slice(from, end))
  if (first === null || !text.startsWith(END, end)) return { reason: 'a marker was changed' }
  return { section: { from, to: end + END.length, ...first } }
}

function whyNotBehind(text: string): string | null {
  if (/^(?:\xff\xfe|\xfe\xff)/.test(text)) return 'it is not written in UTF-8'
  return isInCode(text) ? 'it ends inside a code block that is not closed' : null
}

function formatSection(rules: readonly string[], origin: Origin, eol: string): string {
  const record = [
    ...(origin.isNew ? ['new'] : []),
    ...(origin.gap === '' ? [] : [`after=${hex(origin.tail)}`, `gap=${hex(origin.gap)}`]),
  ]
  const words = rules.map(cleanRule).filter(isRule)
  return [
    `${[BEGIN, ...record].join(' ')}: ${HINT} -->`,
    '## Rules',
    '',
    // As bytes, like the rest of the file.
    ...words.map((rule) => `- ${Buffer.from(rule).toString('latin1')}`),
    END,
  ].join(eol)
}

const FIRST_LINE = /^<!-- memory-keeper:begin( new)?(?: after=([0-9a-f]+) gap=(0a|0d|0d0a))?: [^\r\n]*?-->(\r\n|\n|\r)/

function parseBegin(text: string): { origin: Origin; eol: string } | null {
  const match = FIRST_LINE.exec(text)
  if (match === null) return null
  const [, isNew, tail = '', gap = '', eol = ''] = match
  return { origin: { isNew: isNew !== undefined, tail: unhex(tail), gap: unhex(gap) }, eol }
}

/** Whether the end of this text is inside a fenced code block. */
function isInCode(text: string): boolean {
  let fence: string | null = null
  for (const line of text.split(/\r\n|\n|\r/)) fence = fenceAfter(line, fence)
  return fence !== null
}

/** The most frequent line break of the text. */
function eolOf(text: string): string {
  const all = text.match(/\r\n|\n|\r/g) ?? []
  const count = (eol: string): number => all.filter((one) => one === eol).length
  return ['\n', '\r\n', '\r'].reduce((best, eol) => (count(eol) > count(best) ? eol : best))
}

function allOf(text: string, mark: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) found.push(at)
  return found
}

function fine(text: string): Edited {
  return { is: 'fine', bytes: Buffer.from(text, 'latin1') }
}

function hex(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex')
}

function unhex(text: string): string {
  return Buffer.from(text, 'hex').toString('latin1')
}
