/** `rules`: what Claude is told with every prompt. */
import path from 'node:path'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import type { Context } from '../../memory/commands/context.ts'
import { dim, harmless, warning } from '../../memory/commands/output.ts'
import type { Store } from '../../memory/disk/store.ts'
import { readRules, readRulesFile } from '../../pages/disk/rules.ts'
import { RULES_FILE } from '../../platform/layout.ts'
import { perform } from './by-hand.ts'

export function runRulesList({ store, out }: Context): number {
  const rules = readRules(store)
  const isBuiltIn = readRulesFile(store) === null
  const isTold = store.config.rules === true
  const permanent = readFacts(store).permanent.rules.filter(({ status }) => status === 'active')
  out.json({ rules, from: isBuiltIn ? 'built-in' : fileOf(store), told: isTold, permanent })
  out.say(
    ...rules.map((rule, i) => `${String(i + 1).padStart(2)}  ${harmless(rule)}`),
    ...(rules.length === 0 ? [`No rules: ${fileOf(store)} has none.`] : []),
    dim(isBuiltIn ? 'Built in. Your own: memory-keeper rules add "…"' : fileOf(store)),
  )
  if (!isTold) out.say(warning('Rules are switched off. To tell them: memory-keeper config set rules true'))
  if (permanent.length === 0) return 0
  out.say(
    '',
    ...permanent.map(({ id, text }) => `${harmless(id)}  ${harmless(text)}`),
    dim(
      `${permanent.length === 1 ? 'It holds' : 'They hold'} for good, told when a session begins: memory-keeper reflect shows why, demote ${harmless(permanent[0]?.id ?? '')} takes one back.`,
    ),
  )
  return 0
}

export function runRulesAdd(context: Context, given: string): number {
  return perform(context, { do: 'add-rule', text: given })
}

export function runRulesRemove(context: Context, which: string): number {
  return perform(context, { do: 'remove-rule', which })
}

function fileOf(store: Store): string {
  return path.join(store.dir, RULES_FILE)
}
