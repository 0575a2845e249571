/** The question that asks the user about a proposed item. */

import { shortenTo, visibleLine } from '../../kernel/text/memory-words.ts'
import type { PermanentItem, PermanentKind } from './item.ts'
import { sessionsOf } from './permanent.ts'

const MAX_CHARS = 160
const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const ASKED: Record<PermanentKind, string> = {
  rules: 'Make it a rule?',
  solutions: 'Keep it as a solution?',
  core_logic: 'Make it permanent?',
}

/** The proposer, the text, and the command that answers it; without our name. */
export function renderQuestion(item: PermanentItem): string {
  const text = shortenTo(visibleLine(item.text).replace(/[.!]+$/, ''), MAX_CHARS) ?? ''
  const sessions = sessionsOf(item.evidence)
  const agreed = `${NUMBERS[sessions] ?? sessions} sessions agree on`
  const who = item.by === 'code' && sessions > 1 ? agreed : 'Claude proposes'
  return `${who} "${text}". ${ASKED[item.kind]} To answer, type: /memory-keeper:run rules accept ${item.id} (or /memory-keeper:run reject ${item.id})`
}
