/** How pages and rules change when something is forgotten: people wrote them, so that they only lose sentences. */

import { type ChangedFile, type KindChanges, nameIn } from '../../kernel/memory/file-kind.ts'
import { cutProse, type Forgetting, type Outcome } from '../../kernel/memory/forgetting.ts'
import { PAGE_SUFFIX, RULES_FILE } from '../../kernel/platform/layout.ts'

export const PAGE_CHANGES: readonly KindChanges[] = [
  { name: 'rules', title: 'your rules', without: inPage, arriving: 'rules', isUsersOnly: true, isSource: true },
  { name: 'page', title: 'a page', without: inPage, arriving: 'beside', isSource: true },
  { name: 'host', title: "the host's own notes" },
  { name: 'text', without: inPage },
]

/** An empty rules.md stays, since without the file the built-in rules would apply. */
function inPage(text: string, { path }: ChangedFile, about: Forgetting): Outcome {
  const name = nameIn(path)
  const id = `page:${name.slice(0, -PAGE_SUFFIX.length)}`
  if (about.ids.has(id.toLowerCase()) || about.repeats(name)) return { text: null, gone: [{ id, kind: 'page', text }] }
  const { left, gone } = cutProse(text, about.repeats)
  const isDeleted = left.trim() === '' && name !== RULES_FILE && gone.length > 0
  return { text: isDeleted ? null : left, gone: gone.map((one) => ({ id: name, kind: 'text', text: one })) }
}
