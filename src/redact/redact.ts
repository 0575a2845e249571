/** Redaction: takes secrets and `<private>` blocks out of a text before it is written anywhere. */

import type { Config } from '../platform/config.ts'
import { findSecrets } from './redact-finders.ts'
import { foldText, unfoldSpans } from './redact-fold.ts'
import { replaceSpans } from './redact-spans.ts'

export interface Redaction {
  text: string
  /** Replacements made, private blocks included. */
  count: number
}

interface Tally {
  count: number
}

export type Redactor = (text: string) => Redaction

/**
 * Private blocks go whether redaction is enabled or not. A user's pattern that does not compile, or that matches the
 * empty string, is returned in `badPatterns` and ignored; patterns run before the built-in rules, with no flags but `g`.
 */
export function createRedactor(options: { enabled: boolean; extraPatterns: readonly string[] }): {
  redact: Redactor
  badPatterns: string[]
} {
  const { patterns, badPatterns } = compilePatterns(options.extraPatterns)
  const redact: Redactor = (text) => {
    const tally: Tally = { count: 0 }
    let seen = removePrivate(text, tally)
    // A replacement can bring together what was apart. Repeating until nothing changes makes redaction idempotent.
    for (let round = 0; options.enabled && round < MAX_ROUNDS; round++) {
      const before = tally.count
      seen = redactOnce(seen, patterns, tally)
      if (tally.count === before) break
    }
    return { text: seen, count: tally.count }
  }
  return { redact, badPatterns }
}

/** As the settings say. What is written and what is verified against it must be redacted alike. */
export function redactorFor({ redaction, redactPatterns }: Pick<Config, 'redaction' | 'redactPatterns'>): Redactor {
  return createRedactor({ enabled: redaction === true, extraPatterns: redactPatterns as readonly string[] }).redact
}

const MAX_ROUNDS = 4

function redactOnce(text: string, patterns: readonly RegExp[], tally: Tally): string {
  let seen = text
  for (const pattern of patterns) seen = redactPattern(seen, pattern, tally)
  const folded = foldText(seen)
  const replaced = replaceSpans(seen, unfoldSpans(folded, findSecrets(folded.text)))
  tally.count += replaced.count
  return replaced.text
}

const PRIVATE_HINT = /(?:<|\\u003c)private/i
// The tag may arrive JSON-escaped. `<private/>` opens nothing; `<private-note>` is another tag.
const PRIVATE_TAG = /(?:<|\\u003c)(\/?)private(?:\s[^<>]{0,300}?)?\s{0,20}(\/?)(?:>|\\u003e)/gi

/** Blocks may nest; one that is never closed reaches to the end. */
function removePrivate(text: string, tally: Tally): string {
  if (!text.includes('<') && !text.includes('\\u003')) return text
  if (!PRIVATE_HINT.test(text)) return text
  let kept = ''
  let from = 0
  let depth = 0
  for (const tag of text.matchAll(PRIVATE_TAG)) {
    if (tag[2] === '/') continue
    const isClosing = tag[1] === '/'
    if (!isClosing && depth++ === 0) kept += `${text.slice(from, tag.index)}[private]`
    if (isClosing && depth > 0 && --depth === 0) {
      from = tag.index + tag[0].length
      tally.count++
    }
  }
  if (depth > 0) tally.count++
  return depth > 0 ? kept : kept + text.slice(from)
}

const MARKER = /(\[redacted:[\w-]{1,40}\]|\[private\])/
/** A pattern that finds nothing between these characters, `\b` or `(?=a)`, matches emptiness. */
const EMPTINESS_PROBE = 'a B1-_=:/.\n'

function compilePatterns(sources: readonly string[]): { patterns: RegExp[]; badPatterns: string[] } {
  const patterns: RegExp[] = []
  const badPatterns: string[] = []
  for (const source of sources) {
    const pattern = compile(source)
    if (pattern === null || matchesEmpty(pattern)) badPatterns.push(source)
    else patterns.push(pattern)
  }
  return { patterns, badPatterns }
}

function compile(source: string): RegExp | null {
  try {
    return new RegExp(source, 'g')
  } catch {
    return null
  }
}

function matchesEmpty(pattern: RegExp): boolean {
  if (''.match(pattern) !== null) return true
  for (const found of EMPTINESS_PROBE.matchAll(pattern)) if (found[0] === '') return true
  return false
}

/** What the pattern matches goes, except markers inside the match: they stay, or a second pass would change the text. */
function redactPattern(text: string, pattern: RegExp, tally: Tally): string {
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    if (match === '') return ''
    const at = rest.find((value) => typeof value === 'number') ?? 0
    if (isInsideMarker(text, at, at + match.length)) return match
    return match
      .split(MARKER)
      .map((part) => {
        if (part.trim() === '' || MARKER.test(part)) return part
        tally.count++
        return '[redacted:custom]'
      })
      .join('')
  })
}

function isInsideMarker(text: string, start: number, end: number): boolean {
  const around = text.slice(Math.max(0, start - 60), end + 60)
  const offset = start - Math.max(0, start - 60)
  for (const marker of around.matchAll(new RegExp(MARKER, 'g'))) {
    const from = marker.index
    const to = from + marker[0].length
    const isCut = (from < offset && to > offset) || (from < offset + end - start && to > offset + end - start)
    if (isCut) return true
  }
  return false
}
