/** `rules`: what Claude is told with every prompt. */
import path from 'node:path'
import { KeeperError } from '../core/error.ts'
import { RULES_FILE } from '../core/layout.ts'
import { redactorFor } from '../core/redact.ts'
import {
  addRuleTo,
  BUILT_IN_RULES,
  cleanRule,
  formatRules,
  isRule,
  MAX_RULE_CHARS,
  matchRules,
  parseRules,
  removeRuleFrom,
} from '../core/rule.ts'
import { type Synced, syncClaudeMd, whyNotSynced } from '../store/claude-md.ts'
import { readFacts } from '../store/knowledge.ts'
import { readRules, readRulesFile } from '../store/rules.ts'
import { COMMAND_WAIT_MS, type Store } from '../store/store.ts'
import { type Context, underLock } from './context.ts'
import { count, dim, harmless, oneLine, warning } from './output.ts'
import { needTyped } from './users-yes.ts'

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
  needTyped(context, redactorFor(context.store.config)(given).text, 'rule')
  return addRule(context, given)
}

/** For what the user has said yes to. */
export function addRule(context: Context, given: string): number {
  const redacted = redactorFor(context.store.config)(given)
  const rule = checked(redacted.text)
  return change(context, (before) => {
    const rules = before === null ? BUILT_IN_RULES : parseRules(before)
    if (rules.some((known) => known.toLowerCase() === rule.toLowerCase())) {
      return { after: before, rule, said: ['It is a rule already.'] }
    }
    const beside = before === null ? [`The ${count(BUILT_IN_RULES.length, 'built-in rule')} stay beside it.`] : []
    const hidden = redacted.count > 0 ? [`${count(redacted.count, 'secret')} redacted.`] : []
    return {
      after: addRuleTo(before, rule),
      rule,
      said: [`${context.isDryRun ? 'Would add' : 'Added'}: ${harmless(rule)}`, ...beside, ...hidden],
    }
  })
}

export function runRulesRemove(context: Context, given: string): number {
  const which = /^\d+$/.test(given.trim()) ? Number(given) - 1 : given
  return change(context, (before) => {
    const text = before ?? formatRules(BUILT_IN_RULES)
    const rules = parseRules(text)
    const after = removeRuleFrom(text, which)
    const rule = rules[matchRules(rules, which)[0] ?? -1]
    if (after === null || rule === undefined) throw notOne(rules, which, given)
    return { after, rule, said: [`${context.isDryRun ? 'Would remove' : 'Removed'}: ${harmless(rule)}`] }
  })
}

interface Change {
  /** The same as before: nothing to do. */
  after: string | null
  rule: string
  said: string[]
}

function change(context: Context, decide: (before: string | null) => Change): number {
  const { store, out, isDryRun } = context
  const work = (): { done: Change; synced: Synced | null } => {
    const before = readWhole(store)
    const done = decide(before)
    if (isDryRun || done.after === null || done.after === before) return { done, synced: null }
    store.perform([{ do: 'write', path: RULES_FILE, text: done.after }])
    return { done, synced: syncClaudeMd(store, parseRules(done.after)) }
  }
  const { done, synced } = isDryRun ? work() : underLock(store, COMMAND_WAIT_MS, work)
  const rules = done.after === null ? BUILT_IN_RULES : parseRules(done.after)
  out.json({ rule: done.rule, rules, file: fileOf(store), claudeMd: synced, dryRun: isDryRun })
  out.say(...done.said, dim(`${count(rules.length, 'rule')} ${isDryRun ? 'would be in' : 'in'} ${fileOf(store)}`))
  if (synced === 'written' || synced === 'removed') out.say(dim(`CLAUDE.md: rules ${synced}.`))
  if (synced === 'damaged' || synced === 'refused') out.warn(warning(whyNotSynced(store)))
  return 0
}

function checked(text: string): string {
  const rule = cleanRule(text)
  if (!isRule(rule))
    throw new KeeperError('usage', 'A rule needs words: memory-keeper rules add "Run the tests first."')
  if (text.trim().length > MAX_RULE_CHARS) {
    throw new KeeperError(
      'usage',
      `A rule has at most ${MAX_RULE_CHARS} characters, this one ${text.trim().length}: it is told with every prompt. Longer texts belong on a page: memory-keeper page set conventions --append --text "…"`,
    )
  }
  return rule
}

/** Adding a line must not change the others: a file that is cut or not UTF-8 would come back different. */
function readWhole(store: Store): string | null {
  const text = readRulesFile(store)
  if (text?.includes('\ufffd')) {
    throw new KeeperError(
      'not-text',
      `${fileOf(store)} is not plain UTF-8 text of at most 64 KB. Mend it in an editor, then try again.`,
    )
  }
  return text
}

function notOne(rules: readonly string[], which: number | string, given: string): KeeperError {
  const matches = matchRules(rules, which)
  const shown = (matches.length > 0 ? matches : rules.map((_, i) => i)).map(
    (i) => `  ${i + 1}  ${oneLine(rules[i] ?? '', 90)}`,
  )
  const problem =
    matches.length > 1
      ? `${matches.length} rules contain ${harmless(given)}. Name one by its number: memory-keeper rules remove ${(matches[0] ?? 0) + 1}`
      : `There is no rule ${harmless(given)}. memory-keeper rules list shows them all.`
  return new KeeperError(matches.length > 1 ? 'ambiguous' : 'no-rule', [problem, ...shown].join('\n'))
}

function fileOf(store: Store): string {
  return path.join(store.dir, RULES_FILE)
}
