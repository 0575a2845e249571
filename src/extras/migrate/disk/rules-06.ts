/**
 * Reads the rules.md of 0.6 once. There the file stood in the place of the built-in rules, and adding a rule copied all of them into it.
 * Now it holds only the user's rules: the copies go, and a file without any of them switches the built-in rules off, as it did before.
 */
import path from 'node:path'
import { withBuiltInOff } from '../../../core/pages/disk/rules.ts'
import { isBuiltIn, parseRules, RULES_COMMENT, removeRuleFrom } from '../../../core/pages/rule.ts'
import { backUp } from '../../../kernel/memory/disk/migrate-backup.ts'
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { keptCopy } from '../../../kernel/memory/disk/vault-copy.ts'
import { isGarbled } from '../../../kernel/memory/loss.ts'
import type { EarlierRules } from '../../../kernel/memory/state.ts'
import { disk, readOwnText, statOf } from '../../../kernel/platform/disk/files.ts'
import { CONFIG_FILE, RULES_FILE } from '../../../kernel/platform/layout.ts'
import { EARLIER_COMMENTS, isToRead } from './due.ts'

/**
 * What is to be done is written into the state first, so that a second run after a kill does not decide anew: a file whose copies are
 * gone looks like one that never had any. Call it under the lock.
 */
export function readEarlierRules(store: Store, now: string): void {
  const state = store.readState()
  if (store.ownership === 'foreign' || !store.isPrepared() || !isToRead(store, state)) return
  const text = readOwnText(path.join(store.dir, RULES_FILE))
  const plan = planFor(state.earlierRules, text, store.config.builtinRules === 'off')
  // An unreadable config cannot be changed: nothing is, and the next start tries again.
  const config = plan === 'switch' ? withBuiltInOff(store) : ''
  if (plan !== state.earlierRules) mark(store, plan)
  if (plan === 'drop') dropCopies(store, text ?? '', now)
  if (plan === 'switch') switchOff(store, config, now)
  if (plan !== 'kept') mark(store, plan === 'drop' ? 'dropped' : 'switched')
}

/** As 0.6 read it: without a file, or with one that is empty or garbled, the built-in rules applied. */
function planFor(earlier: EarlierRules | null, text: string | null, areOff: boolean): EarlierRules {
  if (earlier === 'drop' || earlier === 'switch') return earlier
  if (text === null || text.trim() === '' || isGarbled(text)) return 'kept'
  if (parseRules(text).some(isBuiltIn)) return text.includes('\ufffd') ? 'kept' : 'drop'
  return areOff ? 'kept' : 'switch'
}

/** The text without the lines of built-in rules, and with a comment that is true; every other byte stays. */
function withoutBuiltIn(text: string): string {
  const kept = parseRules(text).reduceRight(
    (left, rule, at) => (isBuiltIn(rule) ? (removeRuleFrom(left, at) ?? left) : left),
    text,
  )
  return EARLIER_COMMENTS.reduce((all, comment) => all.replace(comment, () => RULES_COMMENT), kept)
}

function dropCopies(store: Store, before: string, now: string): void {
  const text = withoutBuiltIn(before)
  if (text !== before) {
    backUp(store, [RULES_FILE], [], now)
    store.perform([{ do: 'write', path: RULES_FILE, text }])
  }
  // Otherwise the lines would be reported as lost.
  const { vault, inProject } = store.places
  const copy = path.join(vault, RULES_FILE)
  if (store.dir !== inProject || statOf(copy)?.kind !== 'file') return
  disk.replace(copy, text)
  disk.remove(keptCopy(vault, RULES_FILE))
}

function switchOff(store: Store, text: string, now: string): void {
  if (readOwnText(path.join(store.dir, CONFIG_FILE)) === text) return
  backUp(store, [CONFIG_FILE], [CONFIG_FILE], now)
  store.perform([{ do: 'write', path: CONFIG_FILE, text }])
}

function mark(store: Store, earlierRules: EarlierRules): void {
  store.perform([stateEffect({ ...store.readState(), earlierRules })])
}
