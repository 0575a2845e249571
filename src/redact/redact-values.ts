/** Reads the value that stands after a telling name: quoted, bare, or a block of YAML. */

export interface SecretValue {
  start: number
  end: number
  isQuoted: boolean
}

const QUOTE = /[bru]?(\\{0,4}(?:["'`]{3}|["'`])|[“„«「『‘])/iy
const CLOSING: Readonly<Record<string, string>> = { '“': '”', '„': '“', '«': '»', '「': '」', '『': '』', '‘': '’' }
// A particle of Korean, Japanese or Chinese follows a value without a blank.
const BARE = /[^\u2e80-\uffef\s"'`,;&|<>(){}[\]\\]{1,4096}/y
const WHOLE_LINE = /[^\u2e80-\uffef\s"'`\\]{1,4096}(?=,?[ \t]{0,8}\r?$)/my
const BLOCK = /(?:![\w!]{1,20}[ \t]{1,4})?[|>][+-]?\d?[+-]?[ \t]{0,8}(?:#[^\r\n]{0,80})?(\r?\n|\\r?\\n)/y
const MOST_BLOCK_LINES = 200

const TAG = /!{1,2}\w{1,20}[ \t]{1,4}/y
const NEXT_LINE = /[ \t]{0,4}\r?\n[ \t]{1,40}(?=\S)/y

/** A value of YAML on the line below its name. */
export function readNextLine(text: string, at: number): SecretValue | null {
  const from = matchEnd(NEXT_LINE, text, at)
  const value = from === at ? null : readValue(text, from, true)
  return value === null || /^[\w.-]{1,80}:|^[-[{(]/.test(text.slice(from, from + 90)) ? null : value
}

/** `isLine`: the name begins its line, so a value without quotes may reach to the end of it. */
export function readValue(text: string, start: number, isLine: boolean): SecretValue | null {
  const at = matchEnd(TAG, text, start)
  QUOTE.lastIndex = at
  const quote = QUOTE.exec(text)
  if (quote !== null) {
    const end = endOfQuoted(text, QUOTE.lastIndex, quote[1] ?? '"')
    return end > QUOTE.lastIndex ? { start: QUOTE.lastIndex, end, isQuoted: true } : null
  }
  let end = matchEnd(isLine ? WHOLE_LINE : BARE, text, at)
  // `Password=x;Host=y` holds more than one value.
  if (end === at || /[;&]\w{1,40}=/.test(text.slice(at, end))) end = matchEnd(BARE, text, at)
  while (end > at && /[.,:;)]/.test(text.charAt(end - 1))) end--
  return end > at ? { start: at, end, isQuoted: false } : null
}

/** Up to the same quote with as many backslashes; without one, the text was cut: up to the next white space. */
function endOfQuoted(text: string, start: number, quote: string): number {
  const closing = CLOSING[quote] ?? quote
  const line = text.slice(start, start + 4096)
  const lineEnd = quote.length > 2 && !quote.startsWith('\\') ? -1 : line.search(/[\r\n]/)
  for (let end = line.indexOf(closing); end >= 0; end = line.indexOf(closing, end + 1)) {
    if (lineEnd >= 0 && end > lineEnd) break
    if (line.charAt(end - 1) !== '\\') return start + end
  }
  return matchEnd(/[^\s"'`\\]{1,4096}/y, text, start)
}

/** The lines after `name: |` or `name: >-` that are indented deeper than the name. */
export function readBlock(text: string, at: number, nameStart: number): SecretValue | null {
  BLOCK.lastIndex = at
  const head = BLOCK.exec(text)
  if (head === null) return null
  const newline = (head[1] ?? '\n').includes('\\') ? '\\n' : '\n'
  const depth = indentOf(text, lineStart(text, nameStart, newline))
  let start = -1
  let end = -1
  let from = BLOCK.lastIndex
  for (let count = 0; count < MOST_BLOCK_LINES && from < text.length; count++) {
    const next = text.indexOf(newline, from)
    const to = next < 0 ? text.length : next
    const line = text.slice(from, to)
    if (line.trim() !== '') {
      if (indentOf(text, from) <= depth) break
      if (start < 0) start = from + (line.length - line.trimStart().length)
      end = from + line.replace(/(?:\\r|["'\s])+$/, '').length
    }
    from = to + newline.length
  }
  return end > start && start >= 0 ? { start, end, isQuoted: true } : null
}

const LINE_CHARS = 200

/** Not farther back than a line is long that anybody wrote by hand. */
export function lineStart(text: string, at: number, newline = '\n'): number {
  const from = Math.max(0, at - LINE_CHARS)
  const found = text.slice(from, at).lastIndexOf(newline)
  return found < 0 ? from : from + found + newline.length
}

function indentOf(text: string, from: number): number {
  let at = from
  while (text.charAt(at) === ' ' || text.charAt(at) === '-' || text.charAt(at) === '\t') at++
  return at - from
}

/** The end of what a sticky pattern matches at a place; the place itself when it does not. */
export function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
