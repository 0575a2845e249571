/** What somebody wants remembered: a decision, a pattern or an issue where their words say so, else a note. */

import { extractFacts } from '../outgoing/fact-extract.ts'
import { recognise } from '../outgoing/standing.ts'
import type { FactType } from './fact.ts'

export interface ToRemember {
  kind: FactType | 'note'
  /** Without the word that names the kind. */
  text: string
}

/** `decision: …`, in front of everything. */
const NAMED: readonly (readonly [FactType | 'note', RegExp])[] = [
  ['decision', /^(?:decision|decided|we decided|결정|決定|Entscheidung)\s*[:：]\s*/iu],
  ['pattern', /^(?:pattern|패턴|パターン|Muster)\s*[:：]\s*/iu],
  ['issue', /^(?:issue|bug|problem|문제|이슈|課題|問題|问题|Fehler)\s*[:：]\s*/iu],
  ['note', /^(?:note|메모|노트|メモ|笔记|Notiz)\s*[:：]\s*/iu],
]
/** A fact is a sentence or two. */
const MAX_FACT_CHARS = 400

export function toRemember(given: string): ToRemember {
  const text = given.trim()
  for (const [kind, pattern] of NAMED) {
    const rest = text.replace(pattern, '')
    if (rest !== text && rest !== '') return { kind, text: rest }
  }
  return { kind: text.length > MAX_FACT_CHARS || text.includes('\n') ? 'note' : kindOf(text), text }
}

/** As code would take it out of a session in which they had said it. */
function kindOf(text: string): ToRemember['kind'] {
  if (recognise(text) !== null) return 'decision'
  const entry = { role: 'user', by: 'user', ts: '', text } as const
  const found = extractFacts('', [{ n: 0, entry }], 1)[0]
  return found !== undefined && found.status !== 'resolved' ? found.type : 'note'
}
