/** Identifiers with an address in a note: paths, members, URLs, packages, versions, commits, issues. */
import { hasFileEnding, isCommonName, startsLikePath, VERSIONED } from './grounding-names.ts'
import type { Numbers } from './grounding-numbers.ts'
import { findName, hasBeginning, hasMember, hasName, hasPath } from './grounding-text.ts'

export interface PlaceSource {
  /** Lower case, full-width characters narrowed. */
  text: string
  /** The same with slashes instead of backslashes. */
  slashed: string
  numbers: () => Numbers
}

export type Holds = (source: PlaceSource) => boolean

/** The context of a match in a note. */
export interface Around {
  before: string
  behind: string
  from: number
  to: number
  /** The numbers of the note. */
  numbers: () => Numbers
}

/** Null: not an identifier. */
export type Judge = (found: string, around: Around) => Holds | null

/** Up to this number “#2” may be the writer's own numbering. */
const OWN_NUMBERING = 10
/** The maximum distance of a version from its name: `"node": ">=20"`. */
const OWNER_CHARS = 24
const ISSUE_MARK = /(?:#|!|\/|\b[pm]r|issues?|pulls?|requests?|이슈|no\.?)[ /#-]{0,2}$/
const ISSUE_BEFORE =
  /(?:\b(?:issues?|prs?|mrs?|requests?|bugs?|tickets?|close[sd]?|fix(?:e[sd])?|resolve[sd]?|and)|이슈|버그) ?$/iu

export function judgeName(name: string): Holds {
  const lower = name.toLowerCase()
  const [, base = '', version = ''] = /^(.+)@(.+)$/.exec(lower) ?? []
  return ({ text }) => hasName(text, lower) || (base !== '' && hasName(text, base) && hasName(text, version))
}

export function judgeUrl(url: string): Holds {
  const place = url.toLowerCase().replace(/^https?:\/\/(?:www\.)?|\/+$/g, '')
  return ({ text }) => hasName(text, place)
}

export function judgeIssue(issue: string, { before }: Around): Holds | null {
  const number = issue.slice(1)
  if (Number(number) <= OWN_NUMBERING && !ISSUE_BEFORE.test(before)) return null
  return ({ text }) => findName(text, number, (at) => ISSUE_MARK.test(text.slice(Math.max(0, at - 12), at))) !== null
}

export function judgeFlag(flag: string, { before }: Around): Holds | null {
  // A single dash before a word is a flag only if no other reading is possible.
  if (!flag.startsWith('--') && (flag.length > 2 || !/(?:^|\s|\()$/.test(before))) return null
  const lower = flag.toLowerCase()
  return ({ text }) => hasName(text, lower)
}

/** 20 also matches 20.19.0; v2 matches 2. */
export function judgeVersion(version: string): Holds | null {
  if (/^(?:127\.0\.0\.1|0\.0\.0\.0)$/.test(version)) return null
  return ({ text }) => isVersion(text, version.toLowerCase().replace(/^v/, ''))
}

/** A version of one part needs a sign that it is one: v2, 20.19, “Node 20”. */
export function isVersion(text: string, number: string): boolean {
  for (let at = text.indexOf(number); at >= 0; at = text.indexOf(number, at + 1)) {
    const before = text.slice(Math.max(0, at - OWNER_CHARS), at)
    const behind = text.slice(at + number.length, at + number.length + OWNER_CHARS)
    if (/[\d.a-uw-z_]$/.test(before) || /^(?:\d|\.\d*[a-z])/.test(behind)) continue
    if (number.includes('.') || before.endsWith('v') || /^\.\d/.test(behind)) return true
    if (VERSIONED.test(before.replace(/[\s:|@^~"'=<>≥≤]+$/, ' '))) return true
  }
  return false
}

export function judgeHash(hash: string): Holds {
  const lower = hash.toLowerCase()
  return ({ text }) => hasBeginning(text, lower)
}

export function judgePath(path: string): Holds | null {
  const [, name = '', lines = ''] = /^(.*?)((?::\d+)*)[/\\]?$/.exec(path.toLowerCase().replace(/\\+/g, '/')) ?? []
  const parts = name.split('/').filter((part) => part !== '')
  if (parts.every((part) => /^\d+$/.test(part)) || !isPathShaped(path, parts)) return null
  return ({ slashed }) => {
    const isThere =
      hasPath(slashed, name) ||
      (parts.length > 1 && parts.every((part) => hasFileEnding(part) && hasName(slashed, part)))
    return isThere && hasLines(slashed, lines)
  }
}

/** `client/server` and `and/or` are not paths. */
function isPathShaped(path: string, parts: readonly string[]): boolean {
  if (parts.length > 2 || /^[/\\.~]|[/\\]$|[\d_.@*$-]|\\/.test(path)) return parts.some((part) => !isCommonName(part))
  return startsLikePath(path)
}

export function judgeDotted(name: string): Holds | null {
  const [, base = '', lines = ''] = /^(.*?)((?::\d+)*)$/.exec(name) ?? []
  // Skips e.g., i.e., U.S.
  if (isCommonName(base) || base.split('.').every((part) => part.length < 2)) return null
  const lower = base.toLowerCase()
  const isFile = hasFileEnding(base)
  return ({ text, slashed }) => (isFile ? hasName(slashed, lower) : hasMember(text, lower)) && hasLines(text, lines)
}

function hasLines(text: string, lines: string): boolean {
  return lines
    .split(':')
    .filter((line) => line !== '')
    .every((line) => hasName(text, line))
}

/** In scripts without spaces, only the last characters certainly belong to the name. */
export function judgeForeignFile(name: string): Holds {
  const [, stem = '', ending = ''] = /^(.*?)(\.\w+)$/.exec(name) ?? []
  const isSpaced = /^[\p{Script=Hangul}_-]+$/u.test(stem)
  return ({ text }) => text.includes((isSpaced ? stem : stem.slice(-2)) + ending)
}
