/** All rules over one text: the words that one pass looks for, and the few rules that look by themselves. */

import { findBasic, findInCall } from './redact-calls.ts'
import { commandWords } from './redact-commands.ts'
import { jarWords } from './redact-cookies.ts'
import { keyWords } from './redact-keys.ts'
import { findNamed } from './redact-names.ts'
import { indexWords, once, type Search, scanWords, type Visit, type WordIndex } from './redact-scan.ts'
import type { Span } from './redact-spans.ts'
import { fileWords, findColumns, findHashFiles } from './redact-tables.ts'
import { tokenWords } from './redact-tokens.ts'
import { findUrlPasswords, urlWords } from './redact-urls.ts'
import { type NameWord, nameWords } from './redact-words.ts'

let index: WordIndex | undefined

export function findSecrets(text: string): Span[] {
  index ??= indexWords([
    ...tokenWords(),
    ...keyWords(),
    ...jarWords(),
    ...fileWords(),
    ...urlWords(),
    ...commandWords(),
    ...nameWords().map(([word, name]) => [word, visitName(name)] as const),
  ])
  const search: Search = { text, spans: [], beside: [], tokenEnd: 0, nameEnd: 0 }
  scanWords(search, index)
  if (text.includes('@') || search.ends?.has('link') === true) findUrlPasswords(text, search.beside)
  findHashFiles(text, search.beside)
  return search.beside.length === 0 ? search.spans : [...search.spans, ...search.beside]
}

function visitName(name: NameWord): Visit {
  if (name.kind === 'login') return ({ text, beside }, start) => findInCall(text, start, start + name.length, beside)
  if (name.kind === 'basic') return ({ text, beside }, start) => findBasic(text, start + name.length, beside)
  return (search, start) => {
    if (start < search.nameEnd) return
    const { text, beside } = search
    const end = start + name.length
    if (isCell(text, end)) once(search, 'columns', start, () => findColumns(text, end, beside))
    search.nameEnd = Math.max(search.nameEnd, findNamed(text, name, start, end, beside))
  }
}

/** The word ends a cell of a table. */
function isCell(text: string, end: number): boolean {
  let at = end
  while (at < end + 4 && /[ "'*`]/.test(text.charAt(at))) at++
  return /[,;\t|\r\n]/.test(text.charAt(at))
}
