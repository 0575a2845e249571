/** All rules over one text: the words that one pass looks for, and the few rules that look by themselves. */

import { findBasic, findInCall } from './redact-calls.ts'
import { commandWords } from './redact-commands.ts'
import { jarWords } from './redact-cookies.ts'
import { findHashFiles, hashWords } from './redact-hashes.ts'
import { keyWords } from './redact-keys.ts'
import { findNamed } from './redact-names.ts'
import { findPair } from './redact-prose.ts'
import { indexWords, onceBehind, type Search, scanWords, type Visit, type WordIndex } from './redact-scan.ts'
import type { Span } from './redact-spans.ts'
import { fileWords, findColumns } from './redact-tables.ts'
import { findDiscordTokens, tokenWords } from './redact-tokens.ts'
import { findUrlPasswords, urlWords } from './redact-urls.ts'
import { matchEnd } from './redact-values.ts'
import { type NameWord, nameWords } from './redact-words.ts'

let index: WordIndex | undefined

export function findSecrets(text: string): Span[] {
  index ??= indexWords([
    ...tokenWords(),
    ...keyWords(),
    ...jarWords(),
    ...fileWords(),
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
  return search.beside.length === 0 ? search.spans : [...search.spans, ...search.beside]
}

function visitName(name: NameWord): Visit {
  if (name.kind === 'login')
    return ({ text, beside }, start) => {
      findInCall(text, start, start + name.length, beside)
      if (/^s?:/.test(text.slice(start + name.length, start + name.length + 2)))
        findPair(text, matchEnd(/s?:[ \t]{0,4}/y, text, start + name.length), beside)
    }
  if (name.kind === 'basic') return ({ text, beside }, start) => findBasic(text, start + name.length, beside)
  return (search, start) => {
    if (start < search.nameEnd) return
    const { text, beside } = search
    const end = start + name.length
    if (isCell(text, end)) onceBehind(search, 'columns', start, () => findColumns(text, end, beside))
    search.nameEnd = Math.max(search.nameEnd, findNamed(text, name, start, end, beside))
  }
}

/** The word ends a cell of a table. */
function isCell(text: string, end: number): boolean {
  let at = end
  while (at < end + 4 && /[ "'*`]/.test(text.charAt(at))) at++
  return /[,;\t|\r\n]/.test(text.charAt(at))
}
