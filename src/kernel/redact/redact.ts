/** Redaction: removes secrets and `<private>` blocks from a text before it is written anywhere. */
import type { Config } from '../platform/config.ts'
import { findBelow } from './redact-below.ts'
import { findColumns, rowWords } from './redact-columns.ts'
import { commandWords } from './redact-commands.ts'
import { fileWords, findHashFiles, hashWords, keyWords } from './redact-files.ts'
import { findNamed } from './redact-names.ts'
import { announcementOf, headOf, isOneValue } from './redact-output.ts'
import { findRepeats } from './redact-repeats.ts'
import {
  indexWords,
  replaceSpans,
  type Search,
  type Span,
  scanWords,
  type Visit,
  type WordIndex,
} from './redact-scan.ts'
import { findPair } from './redact-sentence.ts'
import { findDiscordTokens, tokenWords } from './redact-tokens.ts'
import { findBasic, findInCall, findUrlPasswords, jarWords, urlWords } from './redact-web.ts'
import { matchEnd, type NameWord, nameWords } from './redact-words.ts'

interface Redaction {
  text: string
  /** Replacements made, private blocks included. */
  count: number
}

interface Tally {
  count: number
}

/** The command that printed a text: it may announce what the text does not show. */
export interface Printed {
  command: string
  failed: boolean
}

export type Redactor = (text: string, printed?: Printed) => Redaction

/**
 * Private blocks are removed even if redaction is disabled. A user's pattern that does not compile, or that matches the
 * empty string, is returned in `badPatterns` and ignored. Patterns run before the built-in rules, with no flags but `g`.
 */
export function createRedactor(options: { enabled: boolean; extraPatterns: readonly string[] }): {
  redact: Redactor
  badPatterns: string[]
} {
  const { patterns, badPatterns } = compilePatterns(options.extraPatterns)
  const redact: Redactor = (text, printed) => {
    if (text === '') return NOTHING
    if (printed !== undefined && options.enabled) return redactPrinted(redact, text, printed)
    const tally: Tally = { count: 0 }
    let seen = removePrivate(text, tally)
    // A replacement can join parts that were separate. Repeating until nothing changes makes redaction idempotent.
    for (let round = 0; options.enabled && round < MAX_ROUNDS; round++) {
      const before = tally.count
      seen = redactOnce(seen, patterns, tally)
      if (tally.count === before) break
    }
    return { text: seen, count: tally.count }
  }
  return { redact, badPatterns }
}

/** Redacts a command and its output as one text, and drops the output of a command that prints a secret. */
function redactPrinted(redact: Redactor, output: string, { command, failed }: Printed): Redaction {
  const announced = announcementOf(command)
  if (announced === null) return redact(output)
  if (!failed && (announced === 'whole' || isOneValue(output, command))) return DROPPED
  const head = headOf(command)
  const both = redact(`${head}\n${output}`)
  const front = [head, redact(head).text].find((one) => both.text.startsWith(`${one}\n`))
  return front === undefined ? DROPPED : { text: both.text.slice(front.length + 1), count: both.count }
}

/** The redactor for the given settings. Written text and the text it is verified against must be redacted alike. */
export function redactorFor({ redaction, redactPatterns }: Pick<Config, 'redaction' | 'redactPatterns'>): Redactor {
  return createRedactor({ enabled: redaction === true, extraPatterns: redactPatterns as readonly string[] }).redact
}

const MAX_ROUNDS = 4
const NOTHING: Redaction = { text: '', count: 0 }
const DROPPED: Redaction = { text: '[redacted:output]', count: 1 }

function redactOnce(text: string, patterns: readonly RegExp[], tally: Tally): string {
  let seen = text
  for (const pattern of patterns) seen = redactPattern(seen, pattern, tally)
  const folded = foldText(seen)
  const replaced = replaceSpans(seen, unfoldSpans(folded, findSecrets(folded.text)))
  tally.count += replaced.count
  return replaced.text
}

const PRIVATE_HINT = /(?:<|\\u003c)\s{0,20}private/i
// The tag may arrive JSON-escaped. `<private/>` opens nothing; `<private-note>` is another tag.
const PRIVATE_TAG = /(?:<|\\u003c)\s{0,20}(\/?)\s{0,20}private(?:\s[^<>]{0,300}?)?\s{0,20}(\/?)(?:>|\\u003e)/gi

/** Blocks may nest. A block that is never closed extends to the end. */
function removePrivate(text: string, tally: Tally): string {
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
/** A pattern that matches the empty string somewhere in this text, such as `\b` or `(?=a)`, is refused. */
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

/** Replaces the match except for markers inside it; otherwise a second pass would change the text. */
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

let index: WordIndex | undefined

function findSecrets(text: string): Span[] {
  index ??= indexWords([
    ...tokenWords(),
    ...keyWords(),
    ...jarWords(),
    ...fileWords(),
    ...rowWords(),
    ...hashWords(),
    ...urlWords(),
    ...commandWords(),
    ...nameWords().map(([word, name]) => [word, visitName(name)] as const),
  ])
  const search: Search = { text, spans: [], beside: [], tokenEnd: 0, nameEnd: 0 }
  scanWords(search, index)
  if (text.includes('@') || search.ends?.has('link') === true) findUrlPasswords(text, search.beside)
  findHashFiles(text, search.beside)
  findDiscordTokens(text, search.spans)
  const spans = search.beside.length === 0 ? search.spans : [...search.spans, ...search.beside]
  return spans.length === 0 ? spans : [...spans, ...findRepeats(text, spans)]
}

function visitName(name: NameWord): Visit {
  if (name.kind === 'login')
    return ({ text, beside }, start) => {
      const end = start + name.length
      findInCall(text, start, end, beside)
      if (/^login$/i.test(text.slice(start, end))) findBelow(text, { kind: 'login', start, end, isMany: false }, beside)
      if (/^s?:/.test(text.slice(end, end + 2))) findPair(text, matchEnd(/s?:[ \t]{0,4}/y, text, end), beside)
    }
  if (name.kind === 'basic') return ({ text, beside }, start) => findBasic(text, start + name.length, beside)
  return (search, start) => {
    if (start < search.nameEnd) return
    const { text, beside } = search
    const end = start + name.length
    findColumns(search, start, end)
    search.nameEnd = Math.max(search.nameEnd, findNamed(text, name, start, end, beside))
  }
}

interface FoldedText {
  text: string
  /** For each removed part: its position in the folded text, and the number of characters removed up to there. */
  cuts: readonly { at: number; removed: number }[]
}

/** A cheap check: most texts need no folding. */
const MAY_HIDE = /[\x1b\u200b\u2060]|`(?<= `)[\r\n]|\^[\r\n]|\\(?:[\r\n]|[uU]001[bB]|[xX]1[bB]|033|[eE]\[)/

/** CSI codes, raw or escaped; a backslash, caret or backtick that continues a command on the next line. */
const FOLDED =
  /\x1b\[[0-?]{0,40}[ -/]{0,4}[@-~]|\\{1,4}(?:u001[bB]|x1[bB]|033|e)\[[\d;]{0,20}[A-Za-z]|[\u200b\u2060]|\\\r?\n|[\^`]\r?\n/g

function foldText(text: string): FoldedText {
  if (!MAY_HIDE.test(text)) return { text, cuts: [] }
  const cuts: { at: number; removed: number }[] = []
  let kept = ''
  let from = 0
  let removed = 0
  for (const part of text.matchAll(FOLDED)) {
    if (isMark(text, part.index)) continue
    kept += text.slice(from, part.index)
    from = part.index + part[0].length
    removed += part[0].length
    cuts.push({ at: kept.length, removed })
  }
  return { text: kept + text.slice(from), cuts }
}

/** True for a mark that is not a continuation: PowerShell's backtick needs a blank before it; a caret may point at text above it. */
function isMark(text: string, at: number): boolean {
  const before = text.charAt(at - 1)
  return text.charAt(at) === '`'
    ? before !== ' ' && before !== '\t'
    : text.charAt(at) === '^' && !/[\w\t "'/:=-]/.test(before)
}

/** Maps spans back to the original text. Parts removed at the edges of a span are not included. */
function unfoldSpans({ cuts }: FoldedText, spans: readonly Span[]): readonly Span[] {
  if (cuts.length === 0) return spans
  return spans.map(({ start, end, kind }) => ({
    start: start + removedBefore(cuts, start),
    end: end + removedBefore(cuts, end - 1),
    kind,
  }))
}

function removedBefore(cuts: FoldedText['cuts'], place: number): number {
  let low = 0
  let high = cuts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cuts[middle]?.at ?? 0) <= place) low = middle + 1
    else high = middle
  }
  return cuts[low - 1]?.removed ?? 0
}
