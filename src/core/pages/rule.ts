/** Rules: instructions for this project. Built-in ones apply by the setting `builtinRules`; `rules.md` holds only the user's own. */
import { cutMarked, escapedComments } from '../../kernel/text/shorten.ts'

/** Injected in full at the start of a session and after a compaction. */
export const BUILT_IN_RULES: readonly string[] = [
  'Never delete files without permission.',
  'Verify; do not just agree or assume.',
  'Understand first; ask when unclear.',
  'Explain instead of apologising.',
  'Look things up rather than guess.',
  'Cut no corners.',
  'Take time to think; run `date` for the time.',
  'After a restart or compaction, recover context from memory first.',
]

/** Earlier texts of them: another machine that still runs an earlier version has and sends copies of these. */
const EARLIER_RULES: readonly string[] = [
  'Understand first; ask when something is unclear.',
  'Explain your reasoning instead of apologising.',
  'Take time to think; run `date` for the time, never guess it.',
  'After a restart or compaction, recover context from memory first: its briefing, then its tools.',
]

/** Injected with every prompt, at most 30 tokens. */
export const BUILT_IN_LINE = 'Memory Keeper rules: verify, ask, delete nothing unasked.'

export const MAX_RULE_CHARS = 500
/** The host replaces more than 10,000 characters by a preview. */
const MAX_INJECTED_CHARS = 9500
const HEADER = 'Memory Keeper rules for this project:'
/** The comment at the beginning of a rules.md that we made. */
export const RULES_COMMENT =
  '<!-- Your rules, injected with every prompt, one per list item. Edit them here, or with: memory-keeper rules add, remove.\n' +
  '     The built-in rules are not in this file: the setting builtinRules decides about them. -->'
/** Replaces every character of a comment, including line breaks: a comment over several lines is part of one line. */
const HIDDEN = '\u0000'
const MARKER = /^(?:[-*+•]|\d{1,9}[.)])(?:\s+|$)/

/** Returns list items (with their indented lines) and plain lines; headings and comments are skipped. */
export function parseRules(text: string): string[] {
  return findRules(text).map(({ rule }) => rule)
}

/** Formats a complete rules.md. */
export function formatRules(rules: readonly string[]): string {
  return ['# Rules', '', RULES_COMMENT, '', ...rules.map(cleanRule).filter(isRule).map(formatRule), ''].join('\n')
}

/** Whether it is a built-in rule, of this or an earlier version. */
export function isBuiltIn(rule: string): boolean {
  const same = rule.toLowerCase()
  return [...BUILT_IN_RULES, ...EARLIER_RULES].some((one) => one.toLowerCase() === same)
}

/** Null: there is no rules.md yet. Existing text is not changed. */
export function addRuleTo(text: string | null, rule: string): string {
  if (text === null) return formatRules([rule])
  const clean = cleanRule(rule)
  if (!isRule(clean)) return text
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
  const isAtLineStart = text === '' || text === '\ufeff' || /[\r\n]$/.test(text)
  return `${text}${isAtLineStart ? '' : eol}${formatRule(clean)}${eol}`
}

/** Removes the lines of one rule, by its number (from 0) or by words that only it contains. Null: no such rule, or several. */
export function removeRuleFrom(text: string, which: number | string): string | null {
  return replaceLines(text, which, '')
}

/** Puts a rule into the place of another. Null: no such rule, or several. */
export function replaceRuleIn(text: string, which: number | string, rule: string): string | null {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
  return replaceLines(text, which, `${formatRule(cleanRule(rule))}${eol}`)
}

function replaceLines(text: string, which: number | string, instead: string): string | null {
  const found = findRules(text)
  const [index, ...others] = matchRules(
    found.map(({ rule }) => rule),
    which,
  )
  const lines = index === undefined ? [] : (found[index]?.lines ?? [])
  return lines.length === 0 || others.length > 0 ? null : withoutLines(text, lines, instead)
}

/** `instead`: in the place of the first one. */
function withoutLines(text: string, lines: readonly Line[], instead = ''): string {
  let kept = ''
  let from = 0
  for (const [i, line] of lines.entries()) {
    kept += text.slice(from, line.from) + (i === 0 ? instead : '')
    from = line.to
  }
  return kept + text.slice(from)
}

/** The numbers of the matching rules: those equal to the text, else all that contain every word. */
export function matchRules(rules: readonly string[], which: number | string): number[] {
  if (typeof which === 'number') return rules[which] === undefined ? [] : [which]
  const wanted = cleanRule(which).toLowerCase()
  if (wanted === '') return []
  const all = rules.map((rule, i) => ({ rule: rule.toLowerCase(), i }))
  const same = all.filter(({ rule }) => rule === wanted)
  if (same.length > 0) return same.map(({ i }) => i)
  const words = wanted.split(' ')
  return all.filter(({ rule }) => words.every((word) => rule.includes(word))).map(({ i }) => i)
}

/** The text injected with a prompt: the same bytes for the same rules. If there are too many, whole rules are left out. */
export function renderRules(rules: readonly string[], maxChars = MAX_INJECTED_CHARS): string {
  const lines = rules.map(cleanRule).filter(isRule).map(formatRule)
  if (lines.length === 0) return ''
  const whole = [HEADER, ...lines].join('\n')
  if (whole.length <= maxChars) return whole
  let fitting = lines.length
  const render = (): string => [HEADER, ...lines.slice(0, fitting), renderRest(lines.length - fitting)].join('\n')
  while (fitting > 0 && render().length > maxChars) fitting--
  return render()
}

function renderRest(count: number): string {
  return `(${count} more in rules.md, too long to tell: memory-keeper rules list)`
}

/** One line without control characters, comment marks and list markers. */
export function cleanRule(text: string): string {
  const plain = text
    .replace(/[\s\u0085]+/g, ' ')
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
  let line = escapedComments(plain).replace(/ +/g, ' ').trim()
  while (MARKER.test(line)) line = line.replace(MARKER, '')
  return cutMarked(line, MAX_RULE_CHARS)
}

/** Lines of dashes, code fences and the like are not rules. */
export function isRule(clean: string): boolean {
  return /[\p{L}\p{N}]/u.test(clean)
}

function formatRule(clean: string): string {
  return `- ${clean}`
}

interface Line {
  from: number
  /** The position behind its line break. */
  to: number
  /** The text without comments. */
  shown: string
  isIndented: boolean
}

interface FoundRule {
  rule: string
  /** Only the lines of the rule itself: blank lines and comments between them stay when it is removed. */
  lines: Line[]
}

function findRules(text: string): FoundRule[] {
  const items: Line[][] = []
  let current: Line[] | null = null
  for (const line of linesOf(text)) {
    const words = line.shown.trim()
    if (words === '') continue
    if (/^ {0,3}#{1,6}(?:\s|$)|^\s*(?:```|~~~)/.test(line.shown)) current = null
    else if (current !== null && line.isIndented && !MARKER.test(words)) current.push(line)
    else if (MARKER.test(words) || isRule(words)) {
      current = [line]
      items.push(current)
    } else current = null
  }
  return items
    .map((lines) => ({ rule: cleanRule(lines.map(({ shown }) => shown).join(' ')), lines }))
    .filter(({ rule }) => isRule(rule))
}

function linesOf(text: string): Line[] {
  const start = text.startsWith('\ufeff') ? 1 : 0
  const hidden = hideComments(text)
  const lines: Line[] = []
  for (const match of hidden.slice(start).matchAll(/[^\r\n]*(?:\r\n|\n|\r|$)/g)) {
    if (match[0] === '') continue
    const from = start + match.index
    // A byte order mark is inside the text if files were joined.
    const line = match[0].replace(/^\ufeff+/, '')
    const shown = line.replaceAll(HIDDEN, '')
    lines.push({ from, to: from + match[0].length, shown, isIndented: /^[ \t]/.test(line) })
  }
  return lines
}

/** Returns a text of the same length. A comment that is never closed hides only its line: a typo must not disable all rules below. */
function hideComments(text: string): string {
  const lastEnd = text.lastIndexOf('-->')
  let hidden = ''
  let from = 0
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', from)) {
    const to = at + 4 <= lastEnd ? text.indexOf('-->', at + 4) + 3 : endOfLine(text, at)
    hidden += text.slice(from, at) + HIDDEN.repeat(to - at)
    from = to
  }
  return hidden + text.slice(from)
}

function endOfLine(text: string, from: number): number {
  const length = text.slice(from).search(/[\r\n]/)
  return length < 0 ? text.length : from + length
}

/** Not line by line: a rule may have several lines, and comments hide their content. Built-in rules, which 0.6 copied into the file, are left out. */
export function joinRules(ours: string, theirs: string): string {
  const known = new Set(parseRules(ours).map((rule) => rule.toLowerCase()))
  const isNew = (rule: string): boolean => !known.has(rule.toLowerCase()) && !isBuiltIn(rule)
  return parseRules(theirs).filter(isNew).reduce(addRuleTo, ours)
}
