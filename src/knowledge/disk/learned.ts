/** Determines which rules are injected: the user's own file and the active learned rules, else the built-in ones. */
import path from 'node:path'
import type { Store } from '../../memory/disk/store.ts'
import { ownRules } from '../../pages/disk/rules.ts'
import { BUILT_IN_LINE, BUILT_IN_RULES, renderRules } from '../../pages/rule.ts'
import { readPart, sizeOf } from '../../platform/disk/files.ts'
import { parseObject } from '../../platform/json.ts'
import { FACTS_FILE } from '../../platform/layout.ts'
import { parsePermanent } from '../permanent.ts'
import { readFacts } from './knowledge.ts'

/** The permanent items are at the end of facts.json. */
const TAIL_BYTES = 64 * 1024
const PERMANENT = '\n  "permanent": '

/** The active learned rules. Reads only the end of facts.json: this runs with every prompt. */
function learnedRules(store: Store): string[] {
  const file = path.join(store.dir, FACTS_FILE)
  const size = sizeOf(file) ?? 0
  const tail = size === 0 ? '' : (readPart(file, Math.max(0, size - TAIL_BYTES), TAIL_BYTES)?.toString('utf8') ?? '')
  if (size <= TAIL_BYTES && !tail.includes('"active"')) return []
  const at = tail.lastIndexOf(PERMANENT)
  const found = at < 0 ? null : parseObject(`{${tail.slice(at)}`)
  const { rules } = found === null ? readFacts(store).permanent : parsePermanent(found.permanent)
  return rules.filter(({ status }) => status === 'active').map(({ text }) => text)
}

/** In full, for the start of a session and after a compaction. */
export function rulesAtStart(store: Store): string[] {
  const { rules, builtinRules } = store.config
  if (!rules) return []
  const own = ownRules(store) ?? (builtinRules === 'off' ? [] : BUILT_IN_RULES)
  return [...own, ...learnedRules(store)]
}

/** With a prompt: the user's own and learned rules in full, the built-in ones as one line. */
export function rulesWithPrompt(store: Store): string {
  const { rules, builtinRules } = store.config
  if (!rules) return ''
  const own = ownRules(store)
  const line = own === null && builtinRules === 'prompt' ? BUILT_IN_LINE : ''
  return [line, renderRules([...(own ?? []), ...learnedRules(store)])].filter((part) => part !== '').join('\n')
}
