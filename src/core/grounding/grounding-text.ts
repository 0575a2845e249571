/** Finds names, paths, phrases and command lines in a text, each as leniently as possible. */

const JOINING = /[-.]/
/** A command is not longer; a log may have a single line. */
const MAX_LINE = 2000
/** Names with more parts are looked up by fewer of their suffixes. */
const MAX_PARTS = 20
/** For a longer name only the first occurrence is checked. */
const MAX_NAME = 200
/** The maximum gap between two words of a quotation. */
const MAX_GAP = 100

/** Converts full-width characters to plain ones; all positions stay the same. */
export function foldWidth(text: string): string {
  return text.replace(/[\uff01-\uff5e]/g, (char) => String.fromCharCode(char.charCodeAt(0) - 0xfee0))
}

/** Matches the whole name only: neither `jwt.ts` in `my-jwt.ts` nor `--dry` in `--dry-run`. */
export function hasName(text: string, name: string): boolean {
  return findName(text, name, () => true) !== null
}

/** Nothing before it makes it part of a path or a member: matches `jwt.ts`, but not in `core/jwt.ts`. */
function occursBare(text: string, name: string): boolean {
  return findName(text, name, (at) => !/[/.:>]/.test(text.charAt(at - 1))) !== null
}

/** A commit may be named by its first digits. */
export function hasBeginning(text: string, beginning: string): boolean {
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, at + 1))
    if (!isWordChar(text, at - 1) || isEscape(text, at - 1)) return true
  return false
}

/** The same words in the same order, with any non-word characters between them: quotations, dates. */
export function hasLoosely(text: string, phrase: string): boolean {
  const words = phrase.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const [first] = words
  if (first === undefined) return true
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
    if (isCut(text, at, first)) continue
    const end = endOfWords(text, at, words)
    if (end !== null && !isCutAfter(text, end)) return true
  }
  return false
}

/** All words on one line in this order, with others between them: a command may be quoted without all its arguments. */
export function hasInOneLine(text: string, code: string): boolean {
  const words = code.match(/[\p{L}\p{N}_@$./\\:+*~-]*[\p{L}\p{N}_*]/gu) ?? []
  const [first, ...rest] = words
  if (first === undefined) return true
  const found = findName(text, first, (at) => {
    const line = text.slice(at + first.length, at + MAX_LINE)
    return inOrder(line.slice(0, /\n|$/.exec(line)?.index), rest)
  })
  return found !== null
}

/** A path matches by its end, or under another root whose parts also occur. */
export function hasPath(slashed: string, path: string): boolean {
  const name = path.replace(/^(?:\.{1,3}|…|~)?\/+/, '').replace(/\/+$/, '')
  if (name === '' || hasName(slashed, name)) return true
  if (name.includes('*')) return name.split(/[*/]+/).every((piece) => slashed.includes(piece))
  return hasUnderOtherRoot(slashed, name.split('/'), '/')
}

/** Matches `Journal.append` if `append` and `Journal` occur separately. */
export function hasMember(text: string, name: string): boolean {
  return hasName(text, name) || hasUnderOtherRoot(text, name.split(/\.|::|->|#/), '.')
}

function hasUnderOtherRoot(text: string, parts: readonly string[], separator: string): boolean {
  return parts.slice(0, MAX_PARTS).some((_, cut) => {
    if (cut === 0) return false
    const above = parts.slice(0, cut)
    return occursBare(text, parts.slice(cut).join(separator)) && above.every((part) => hasName(text, part))
  })
}

function inOrder(line: string, words: readonly string[]): boolean {
  let rest = line
  return words.every((word) => {
    const at = findName(rest, word, () => true)
    if (at === null) return false
    rest = rest.slice(at + word.length)
    return true
  })
}

/** The first acceptable position at which the whole name occurs. */
export function findName(text: string, name: string, accept: (at: number) => boolean): number | null {
  for (let at = text.indexOf(name); at >= 0; at = name.length > MAX_NAME ? -1 : text.indexOf(name, at + 1))
    if (standsAlone(text, at, name) && accept(at)) return at
  return null
}

function standsAlone(text: string, at: number, name: string): boolean {
  const end = at + name.length
  const startsAsWord = isWordChar(name, 0)
  if (startsAsWord && isWordChar(text, at - 1) && !isEscape(text, at - 1)) return false
  if (isWordChar(name, name.length - 1) && isWordChar(text, end)) return false
  if (startsAsWord && JOINING.test(name) && JOINING.test(text.charAt(at - 1)) && isWordChar(text, at - 2)) return false
  return !(name.includes('-') && text.charAt(end) === '-' && isWordChar(text, end + 1))
}

/** The `n` of a line break that is written as backslash and letter. */
function isEscape(text: string, at: number): boolean {
  return /[nrt]/.test(text.charAt(at)) && text.charAt(at - 1) === '\\'
}

/** Latin letters and digits; other scripts attach particles and neighbouring words without a space. */
function isWordChar(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95
  return code >= 0xc0 && code <= 0x24f
}

function isCut(text: string, at: number, word: string): boolean {
  return isWordChar(word, 0) && isWordChar(text, at - 1) && !isEscape(text, at - 1) && text.charAt(at - 1) !== '_'
}

function isCutAfter(text: string, end: number): boolean {
  return isWordChar(text, end - 1) && isWordChar(text, end) && text.charAt(end) !== '_'
}

/** Null: the words do not follow each other from here. */
function endOfWords(text: string, at: number, words: readonly string[]): number | null {
  let end = at
  for (const [i, word] of words.entries()) {
    if (i > 0) end += /^[^\p{L}\p{M}\p{N}]*/u.exec(text.slice(end, end + MAX_GAP))?.[0].length ?? 0
    if (!text.startsWith(word, end)) return null
    end += word.length
  }
  return end
}
