/** How files of the journal change when something is forgotten. */

import { type ChangedFile, type KindChanges, nameIn } from '../../kernel/memory/file-kind.ts'
import { type Forgetting, type Outcome, stringsIn, unchanged, withoutLines } from '../../kernel/memory/forgetting.ts'
import { parseObject } from '../../kernel/platform/json.ts'
import { BRIEFINGS_DIR } from '../../kernel/platform/layout.ts'

export const RECEIPT_CHANGES: readonly KindChanges[] = [{ name: 'journal', without: inJournal }]

/** Receipts, undo records and hook times: a record with a trace is dropped; a file with a single text is deleted. */
function inJournal(text: string, { path, textOf }: ChangedFile, about: Forgetting): Outcome {
  const name = nameIn(path)
  const dropped = { text: null, gone: [{ id: path, kind: 'receipt', text: '' }] }
  const id8 = name.replace(/-/g, '').slice(0, 8).toLowerCase()
  if (path.includes(`/${BRIEFINGS_DIR}/`) && about.whole.has(id8)) return dropped
  if (name.endsWith('.jsonl')) return withoutLines(path, text, about.tracesOrCopies)
  const words = name.endsWith('.why.json') ? textOf(path.replace(/\.why\.json$/, '.txt')) : text
  const value = words === text && name.endsWith('.json') ? parseObject(text) : null
  const parts = value === null ? linesWithoutHeadings(words ?? '') : stringsIn(value)
  return words === null || about.repeats(words) || parts.some(about.tracesOrCopies) ? dropped : unchanged(text)
}

/** Without headings, which are ours. */
function linesWithoutHeadings(text: string): string[] {
  return text.split('\n').filter((line) => !line.startsWith('## '))
}
