/** A rule of the host's for one file: the host tells its text with the first Read or change of that file. */
import { writtenLine } from '../../core/receipts/authored-line.ts'
import { fingerprint } from '../../kernel/text/fingerprint.ts'
import type { Frame } from '../../kernel/text/frame.ts'
import { textOnOneLine } from '../../kernel/text/memory-words.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import type { Trap } from './tellings.ts'

export interface FileRule {
  name: string
  text: string
  /** What the host must read in it. */
  pattern: string
}

export interface Told {
  frame: Frame
  dayOf: (at: string) => string
  /** The first line of every frame. */
  isData: string
}

const MOST_RULES = 10
/** Of a line with its day, session and author. */
const MOST_CHARS = 250
/** A longer path is named by its end. */
const PATH_CHARS = 80
/** The host reads the paths as a list with commas, and braces as choices, before it reads globs; a question mark cannot be escaped. */
const UNFIT = /[\p{C}\p{Zl}\p{Zp}'"\\,{}?]|^\s|\s$|^$/u

/** Of the newest tellings. */
export function rulesFor(tellings: readonly Trap[], told: Told): FileRule[] {
  const paths = [...new Set(tellings.map(({ path }) => path))].filter((path) => patternFor(path) !== null)
  return paths.slice(0, MOST_RULES).map((path) => {
    const lines = tellings.filter((one) => one.path === path).map((one) => lineOf(one, told.dayOf))
    const pattern = patternFor(path) ?? ''
    const text = formatRule(pattern, told.frame('memory-keeper', [told.isData, ...lines]))
    return { name: `${fingerprint(text)}${SUFFIX}`, text, pattern }
  })
}

/** Matches this file of the checkout and no other one; null: there is no such pattern. */
export function patternFor(path: string): string | null {
  return UNFIT.test(path) ? null : `/${path.replace(/[*[\]]/g, '\\$&')}`
}

const SUFFIX = '.md'
const NAME = /^[0-9a-f]{14}\.md$/

export function isRuleName(name: string): boolean {
  return NAME.test(name)
}

/** Whether the text is what its name says. */
export function isRuleText(name: string, text: string): boolean {
  return name === `${fingerprint(text)}${SUFFIX}` && patternIn(text) !== null
}

function formatRule(pattern: string, lines: readonly string[]): string {
  return `---\npaths: ['${pattern}']\n---\n${lines.join('\n')}\n`
}

/** The one path that the host reads in its head; null: there is none, or not exactly one. */
export function patternIn(text: string): string | null {
  return /^---\npaths: \['([^'\n]+)'\]\n---\n/.exec(text)?.[1] ?? null
}

function lineOf(telling: Trap, dayOf: (at: string) => string): string {
  const { at, session, n } = telling
  const lineWith = (words: string): string => `- ${dayOf(at)} [${session}#${n}] ${saidIn(telling, words)}`
  const room = MOST_CHARS - lineWith('').length - ': '.length
  return lineWith(shorten(textOnOneLine(telling.words), room))
}

function saidIn({ is, path, tool, sessions, session, n }: Trap, words: string): string {
  const source = `${session}#${n}`
  if (is === 'refused')
    return writtenLine({ by: 'user', kind: 'refused', about: `${tool} of ${endOf(path)}`, text: words, source })
  const text = `Git reverted ${endOf(path)} in ${sessions} sessions that had not changed it; last: ${words}`
  return writtenLine({ by: 'keeper', kind: 'end', text, source })
}

function endOf(path: string): string {
  return path.length <= PATH_CHARS ? path : `…${path.slice(-PATH_CHARS)}`
}
