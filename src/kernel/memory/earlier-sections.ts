/**
 * The four sections of memory.md of v3 and v4, which Claude wrote: by the names of their template, or, where these are translated, by its
 * order below the title. Without patterns: a hook reads them.
 */

export type EarlierSection = 'decisions' | 'state' | 'context' | 'issues'

interface Block {
  raw: string
  note: object | null
}

const TITLE = '# Project Memory'
const NAMES: Readonly<Record<string, EarlierSection>> = {
  'core decisions': 'decisions',
  'current state': 'state',
  'recent context': 'context',
  'known issues': 'issues',
}
const ORDER = Object.values(NAMES)

/** Of the blocks of one file. */
export function earlierSectionsIn<T extends Block>(blocks: readonly T[]): ReadonlyMap<T, EarlierSection> {
  const undated = blocks.filter(({ raw, note }) => note === null && raw.startsWith('## '))
  const named = new Map(undated.flatMap((block) => sectionNamed(block)))
  const isTitled = blocks.some(({ raw }) => earlierTitle(raw) !== '')
  // One name alone may be a heading of the user's own.
  if (named.size > 0) return isTitled || new Set(named.values()).size > 1 ? named : new Map()
  const four = isTitled ? undated.slice(0, ORDER.length) : []
  return isTemplate(four) ? new Map(four.map((block, i) => [block, ORDER[i] ?? 'context'])) : new Map()
}

/** The title in the text above the first heading, as a line; empty: there is none. */
export function earlierTitle(raw: string): string {
  const line = raw.startsWith('## ') ? undefined : linesOf(raw).find((one) => one.startsWith(TITLE))
  return line === undefined ? '' : `${line}\n\n`
}

/** A memory.md whose place tells that v3 or v4 wrote it: with their title its sections are known there and wherever they go. */
export function withEarlierTitle(text: string): string {
  const [above = ''] = text.startsWith('## ') ? [''] : text.split('\n## ', 1)
  return earlierTitle(above) === '' ? `${TITLE}\n\n${text}` : text
}

function sectionNamed<T extends Block>(block: T): [T, EarlierSection][] {
  const section = NAMES[(linesOf(block.raw)[0] ?? '').slice('## '.length).trim().toLowerCase()]
  return section === undefined ? [] : [[block, section]]
}

/** Translated: the second section has rows of a name and a value, and it or the third one is dated. */
function isTemplate(four: readonly Block[]): boolean {
  const [, state, context] = four
  if (four.length < ORDER.length || state === undefined || context === undefined) return false
  const rows = stateRows(state.raw)
  const isDated = rows.some(({ value }) => isDay(value)) || bulletsIn(context.raw).some(({ text }) => isDay(text))
  return isDated && rows.length === bulletsIn(state.raw).length
}

/** `[2025-12-10]: …` as well. */
function isDay(text: string): boolean {
  const day = text.slice(text.startsWith('[') ? 1 : 0).slice(0, 10)
  const isMarked = day[4] === day[7] && (day[4] === '-' || day[4] === '/')
  return day.length === 10 && isMarked && !Number.isNaN(Date.parse(day))
}

export interface EarlierBullet {
  /** All its words on one line: by them it is known again. */
  raw: string
  /** Without its check box and what is nested below it. */
  text: string
  nested: string[]
  /** `[x]` */
  isDone: boolean
}

/** In fewer characters nobody names an issue: `N/A`, and `None` in any language. */
const LEAST_OF_ISSUE = 6

/** The bullets of a section, without what its template says where nothing is known. */
export function bulletsIn(raw: string, section?: EarlierSection): EarlierBullet[] {
  const found: { depth: number; parts: string[] }[] = []
  let isOpen = false
  for (const line of linesOf(raw).slice(1)) {
    const text = line.trim()
    const depth = line.length - line.trimStart().length
    const words = behindMark(text)
    const last = found.at(-1)
    if (words !== null && (last === undefined || depth <= last.depth + 1)) found.push({ depth, parts: [words] })
    else if (words !== null) last?.parts.push(words)
    else if (isOpen && text !== '' && !text.startsWith('#') && last !== undefined)
      last.parts.push(`${last.parts.pop() ?? ''} ${text}`)
    // A paragraph or a table behind an empty line is no part of the bullet before it.
    isOpen = (isOpen || words !== null) && text !== '' && !text.startsWith('#')
  }
  const least = section === 'issues' ? LEAST_OF_ISSUE : 1
  return found.map(bulletOf).filter(({ text }) => text.length >= least && !saysNothing(text))
}

/** Empty: its mark stands alone. Null: the line begins no bullet. */
function behindMark(line: string): string | null {
  const at = line.includes(' ') ? line.indexOf(' ') : line.length
  const mark = line.slice(0, at)
  const isNumber =
    (mark.endsWith('.') || mark.endsWith(')')) && Number.isInteger(Number(mark.slice(0, -1) || Number.NaN))
  return ['-', '*', '+', '•'].includes(mark) || isNumber ? line.slice(at).trim() : null
}

function bulletOf({ parts }: { parts: string[] }): EarlierBullet {
  const [first = '', ...below] = parts.map((part) => part.trim())
  const nested = below.filter((part) => part !== '')
  const box = first.slice(0, 4).toLowerCase()
  const text = box === '[x] ' || box === '[ ] ' ? first.slice(4).trim() : first
  return { raw: [first, ...nested].join(' '), text, nested, isDone: box === '[x] ' }
}

/** `[active issues]`, `None`, `(none.)` */
function saysNothing(given: string): boolean {
  const text = withoutStop(given)
  const isPlaceholder = text.startsWith('[') && text.indexOf(']') === text.length - 1
  const isInside = text.startsWith('(') && text.endsWith(')')
  return isPlaceholder || withoutStop(isInside ? text.slice(1, -1) : text).toLowerCase() === 'none'
}

function withoutStop(text: string): string {
  return text.endsWith('.') ? text.slice(0, -1) : text
}

/** `- Status: …`, in the section of the state. */
export function stateRows(raw: string): { name: string; value: string }[] {
  return bulletsIn(raw).flatMap(({ text }) => {
    const at = text.indexOf(':')
    const value = text.slice(at + 1).trim()
    return at < 1 ? [] : [{ name: text.slice(0, at).trim(), value }]
  })
}

/** What the section of the state says, on one line; empty: nothing but its template. */
export function stateText(raw: string): string {
  const isKnown = ({ value }: { value: string }): boolean => !saysNothing(value) && value !== 'X.X.X'
  return stateRows(raw)
    .filter(isKnown)
    .map(({ name, value }) => `${name}: ${value}`)
    .join('; ')
}

function linesOf(raw: string): string[] {
  return raw.split('\n').map((line) => line.trimEnd())
}
