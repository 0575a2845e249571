/** The kinds of files that people write: pages and rules, and what the host keeps about the project. */

import { type NewUnit, numbered } from '../../kernel/memory/document.ts'
import { type FileKind, nameIn } from '../../kernel/memory/file-kind.ts'
import { PAGE_SUFFIX, RULES_FILE } from '../../kernel/platform/layout.ts'
import { isUntouchedTemplate, pageName } from './page.ts'
import { prosePieces } from './prose-pieces.ts'
import { parseRules } from './rule.ts'

/** The prefix of a file that the host keeps about the project. */
export const HOST_PREFIX = 'host:'

/** Nearly every name in the memory itself: the rows of other kinds stand before it. */
export const PAGE_FILES: readonly FileKind[] = [
  {
    name: 'rules',
    match: (path) => nameIn(path) === RULES_FILE,
    at: '',
    units: (text, path) => numbered(path, 'rule', parseRules(text)),
  },
  {
    name: 'host',
    match: (path) => path.startsWith(HOST_PREFIX),
    units: (text, path) => numbered(path, 'host', prosePieces(text)),
  },
  {
    name: 'page',
    match: (path) => /\.md$/i.test(path) && pageName(path) !== null,
    at: '',
    units: pageUnits,
  },
]

/** Not searched; nearly every name: behind all others. */
export const PAGE_RECORDS: readonly FileKind[] = [
  {
    // No page by its name: nothing reads it, and it loses forgotten sentences like a page.
    name: 'text',
    title: 'a text',
    match: (path) => !path.includes('/') && path.endsWith(PAGE_SUFFIX),
    isSource: true,
  },
]

function pageUnits(text: string, path: string): NewUnit[] {
  const name = pageName(path)
  if (name === null || isUntouchedTemplate(name, text)) return []
  return numbered(`page:${name}`, 'page', prosePieces(text))
}
