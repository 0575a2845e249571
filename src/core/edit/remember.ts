/** Text that a person typed for the memory: whether it is a note, a rule, or a fact, by its first word. */
import type { FactKind } from '../knowledge/item.ts'

interface ToRemember {
  kind: FactKind | 'note' | 'rule'
  /** Without the word that names the kind. */
  text: string
}

/** `decision: …` at the beginning of the text. */
const NAMED: readonly (readonly [ToRemember['kind'], RegExp])[] = [
  ['rule', /^(?:rule|규칙|規則|规则|ルール|Regel)\s*[:：]\s*/iu],
  ['decision', /^(?:decision|decided|we decided|결정|決定|决定|Entscheidung)\s*[:：]\s*/iu],
  ['pattern', /^(?:pattern|패턴|パターン|Muster)\s*[:：]\s*/iu],
  ['issue', /^(?:issue|bug|problem|문제|이슈|課題|問題|问题|Fehler)\s*[:：]\s*/iu],
  ['note', /^(?:note|메모|노트|メモ|ノート|笔记|筆記|Notiz)\s*[:：]\s*/iu],
]

/** Parses text that a person typed for the memory. Without such a word it is a note. */
export function toRemember(given: string): ToRemember {
  const text = given.trim()
  const found = NAMED.map(([kind, pattern]) => ({ kind, text: text.replace(pattern, '') }))
  return found.find((one) => one.text !== text && one.text !== '') ?? { kind: 'note', text }
}
