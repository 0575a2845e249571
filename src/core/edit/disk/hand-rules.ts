/** Changes of rules by hand: rules.md, lessons proposed as rules, and verdicts on learned rules and other permanent items. */

import path from 'node:path'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { CONFIG_FILE, RULES_FILE } from '../../../kernel/platform/layout.ts'
import { count } from '../../../kernel/text/figures.ts'
import { shown } from '../../../kernel/text/shorten.ts'
import {
  type Fact,
  ITEM_KINDS,
  isLive,
  isOfEarlierVersion,
  type Judged,
  kindOfItem,
  PERMANENT_KINDS,
  type PermanentItem,
  type PermanentKind,
} from '../../knowledge/item.ts'
import { filed } from '../../knowledge/item-fields.ts'
import { findFact, findPermanent, type Items } from '../../knowledge/items.ts'
import { addPermanent, changePermanent, useAgain } from '../../knowledge/permanent.ts'
import { candidateOf, knownAs, type Recurring, withProposed } from '../../knowledge/reflection.ts'
import { builtInRules, soundRules, withBuiltInOff } from '../../pages/disk/rules.ts'
import { addLessonTo, LESSONS_PAGE } from '../../pages/page.ts'
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
  replaceRuleIn,
} from '../../pages/rule.ts'
import { acceptEarlier } from './hand-facts.ts'
import { type Decided, type Edit, fileOfPage, withPage } from './hand-memory.ts'

export const RULE_CHANGES = {
  'add-rule': (edit: Edit, { text }: { text: string }): Decided => {
    const rule = checked(edit.redacted(text), 'rule')
    const before = wholeRules(edit)
    const what = `rule added: ${rule}`
    if (hasRule(builtInRules(edit.store), rule))
      return rulesDecided(edit, before, rule, what, ['It is a built-in rule already.'])
    if (hasRule(parseRules(before ?? ''), rule))
      return rulesDecided(edit, before, rule, what, ['It is a rule already.'])
    return rulesDecided(edit, addRuleTo(before, rule), rule, what, [`Added: ${rule}`])
  },
  /** By its number, from 1, or by its words. */
  'remove-rule': (edit: Edit, given: { which: string }): Decided => {
    const which = /^\d+$/.test(given.which.trim()) ? Number(given.which) - 1 : given.which
    const text = wholeRules(edit) ?? ''
    const rules = parseRules(text)
    const after = removeRuleFrom(text, which)
    const rule = rules[matchRules(rules, which)[0] ?? -1]
    if (after === null || rule === undefined) throw notOne(edit, rules, which, given.which)
    return rulesDecided(edit, after, rule, `rule removed: ${rule}`, [`Removed: ${rule}`])
  },
  /** One rule in other words, at its place. `rule`: as it is, word for word. */
  'edit-rule': (edit: Edit, given: { rule: string; text: string }): Decided => {
    const rule = checked(edit.redacted(given.text), 'rule')
    const before = wholeRules(edit) ?? ''
    const after = replaceRuleIn(before, given.rule, rule)
    if (after === null) throw notOne(edit, parseRules(before), given.rule, given.rule)
    return rulesDecided(edit, after, rule, `rule edited: ${rule}`, [`Changed: ${rule}`])
  },
  /** Copies the built-in rules into rules.md, and switches them off: otherwise they would be injected twice. */
  'init-rules': (edit: Edit, _: object): Decided => {
    const before = wholeRules(edit)
    const own = parseRules(before ?? '')
    const missing = BUILT_IN_RULES.filter((rule) => !hasRule(own, rule))
    if (missing.length === 0 && edit.store.config.builtinRules === 'off')
      throw new KeeperError('exists', `${path.join(edit.store.dir, RULES_FILE)} has all built-in rules already.`)
    const after = before === null ? formatRules(missing) : missing.reduce(addRuleTo, before)
    const decided = rulesDecided(edit, after, undefined, 'rules init', [])
    const files = { ...decided.after?.files, [CONFIG_FILE]: withBuiltInOff(edit.store) }
    const more = [
      'The built-in rules are yours now: edit the file, or use memory-keeper rules add and remove.',
      'builtinRules = "off" in this project, so that none is injected twice.',
    ]
    return { ...decided, after: { files }, said: [...decided.said, ...more] }
  },
  'add-lesson': (edit: Edit, given: { text: string }): Decided => {
    const lesson = checked(edit.redacted(given.text), 'lesson')
    const name = fileOfPage(edit.store, LESSONS_PAGE)
    const page = edit.memory.files[name] ?? null
    const isKnown = hasRule(parseRules(page ?? ''), lesson)
    const changed = isKnown ? {} : withPage(edit.memory, name, edit.redacted(addLessonTo(page, lesson)))
    const file = path.join(edit.store.dir, name)
    const { id, ...next } = propose(edit, lesson)
    return {
      after: { ...changed, ...next.after },
      what: `add lesson: ${lesson}`,
      said: [`${isKnown ? 'It is a lesson already' : 'Added'}: ${lesson}`, `in ${file}`, ...next.said],
      json: { lesson, isNew: !isKnown, file, rule: id },
    }
  },
  'propose-rule': (edit: Edit, { text }: { text: string }): Decided => {
    const { id, said, ...proposed } = propose(edit, checked(edit.redacted(text), 'rule'))
    return { ...proposed, said: said.length > 0 ? said : [`${id} already says so.`] }
  },
  /**
   * Makes a proposed item (r001) active, or a fact (d001) permanent: the user's command is the approval. A fact of v3 or v4 becomes the
   * user's own first, unless a kind or a text says that more is meant.
   */
  accept: (edit: Edit, given: { id: string; kind?: string | undefined; text?: string | undefined }): Decided => {
    const earlier = findFact(edit.memory.facts, given.id)
    const isToOwn = earlier !== null && isLive(earlier) && isOfEarlierVersion(earlier)
    if (isToOwn && (given.kind ?? given.text) === undefined) return acceptEarlier(edit, earlier)
    const to = {
      ...kindOf(given.kind),
      ...(given.text === undefined ? {} : { text: checked(edit.redacted(given.text), 'rule') }),
    }
    const { facts, id } = accepted(edit, given.id.trim().toLowerCase(), to)
    const isSame = findPermanent(edit.memory.facts, id)?.state === 'active'
    const done = isSame ? 'Still active; it counts as used now' : 'Active from now on'
    const decided = verdict('accept', facts, id, done)
    return { ...decided, said: [...decided.said, whenInjected(edit.store, findItem(facts, id).kind)] }
  },
  /** In the user's own words; its state stays. */
  'edit-learned': (edit: Edit, given: { id: string; text: string }): Decided => {
    const { id } = findItem(edit.memory.facts, given.id)
    const facts = changePermanent(edit.memory.facts, id, { text: checked(edit.redacted(given.text), 'rule') })
    return verdict('edit', facts, id, 'Changed')
  },
  decline: (edit: Edit, given: { id: string }): Decided => {
    const { id } = findItem(edit.memory.facts, given.id)
    const facts = changePermanent(edit.memory.facts, id, { state: 'declined', judged: byUser(edit) })
    return verdict('decline', facts, id, 'Declined')
  },
  demote: (edit: Edit, given: { id: string; why?: string | undefined }): Decided => {
    const { state, id } = findItem(edit.memory.facts, given.id)
    if (state !== 'active') throw new KeeperError('not-active', `${id} is ${state}, not active.`)
    const why = given.why === undefined ? null : edit.redacted(given.why)
    const judged = { ...byUser(edit), why }
    const facts = changePermanent(edit.memory.facts, id, { state: 'superseded', judged })
    return verdict('demote', facts, id, 'Retired')
  },
}

/** `after`: the text of rules.md; null: it still does not exist. */
function rulesDecided(
  { store, memory }: Edit,
  after: string | null,
  rule: string | undefined,
  what: string,
  said: readonly string[],
): Decided {
  const file = path.join(store.dir, RULES_FILE)
  const rules = parseRules(after ?? '')
  return {
    after: after === null ? {} : { files: { ...memory.files, [RULES_FILE]: after } },
    what,
    said: [...said, `${count(rules.length, 'rule')} of yours in ${file}`],
    json: { rule, rules, file, claudeMd: null },
  }
}

/** Rules are read with every prompt, everything else when a session starts. */
function whenInjected({ config }: Store, kind: PermanentKind): string {
  if (kind !== 'rules') return 'It is injected when a session starts, from the next one on.'
  if (!config.rules) return 'Rules are switched off. To inject them: memory-keeper config set rules true'
  const n = config.rulesInjectionFrequency
  const how = n === 1 ? 'every prompt, from the next one on' : `one of ${n} prompts, also in running sessions`
  return `It is injected with ${how}, and when a session starts.`
}

function hasRule(rules: readonly string[], rule: string): boolean {
  return rules.some((one) => one.toLowerCase() === rule.toLowerCase())
}

function checked(given: string, what: 'rule' | 'lesson'): string {
  const text = cleanRule(given)
  if (!isRule(text))
    throw new KeeperError(
      'usage',
      `A ${what} needs words: memory-keeper ${what === 'rule' ? 'rules' : what} add "Run the tests first."`,
    )
  const { length } = given.trim()
  if (length <= MAX_RULE_CHARS) return text
  throw new KeeperError(
    'usage',
    `A ${what} has at most ${MAX_RULE_CHARS} characters, this one ${length}: it is injected with every prompt. Longer texts belong on a page: memory-keeper page set conventions --append --text "…"`,
  )
}

function wholeRules({ memory, store }: Edit): string | null {
  return soundRules(store, memory.files[RULES_FILE] ?? null)
}

function notOne({ store }: Edit, rules: readonly string[], which: number | string, given: string): KeeperError {
  const matches = matchRules(rules, which)
  if (matches.length === 0 && typeof which === 'string' && matchRules(builtInRules(store), which).length > 0)
    return new KeeperError(
      'built-in',
      'That is a built-in rule. To switch all of them off: memory-keeper config set builtinRules off. To make them yours, and edit them: memory-keeper rules init',
    )
  const numbers = matches.map((i) => i + 1).join(', ')
  return matches.length > 1
    ? new KeeperError(
        'ambiguous',
        `The rules ${numbers} contain ${shown(given)}. Name one by its number: memory-keeper rules remove ${(matches[0] ?? 0) + 1}`,
      )
    : new KeeperError('no-rule', `There is no rule ${shown(given)}. memory-keeper rules list shows them all.`)
}

/** Proposes a rule for the user's approval, unless an existing one says the same. */
function propose({ memory, hand }: Edit, text: string): Decided & { id: string } {
  const { facts, id, isNew } = withProposed(memory.facts, text, hand)
  const decided = { what: `propose ${id}`, id, json: { rule: text, id } }
  if (!isNew) return { ...decided, said: [] }
  const line = `Proposed as a rule. To inject it into every session: memory-keeper rules accept ${id}`
  return { ...decided, after: { facts }, said: [line] }
}

function verdict(act: string, facts: Items, id: string, done: string): Decided {
  const item = findItem(facts, id)
  return {
    after: { facts },
    what: `${act} ${id}`,
    said: [`${done}: ${id} ${ITEM_KINDS[item.kind].name}: ${item.text}`],
    json: filed(item),
  }
}

function kindOf(given: string | undefined): { kind?: PermanentKind } {
  const kind = kindOfItem(PERMANENT_KINDS, given)
  if (given !== undefined && kind === undefined)
    throw new KeeperError('usage', `--kind takes ${Object.keys(PERMANENT_KINDS).join(', ')}, not ${shown(given)}.`)
  return kind === undefined ? {} : { kind }
}

function findItem(facts: Items, given: string): PermanentItem {
  const item = findPermanent(facts, given.trim().toLowerCase())
  if (item !== null) return item
  throw new KeeperError('not-found', `There is no rule ${shown(given.trim())}. memory-keeper rules lists them all.`)
}

function accepted(edit: Edit, id: string, to: { kind?: PermanentKind; text?: string }): { facts: Items; id: string } {
  const { facts } = edit.memory
  const { now } = edit.hand
  const saidYes = (before: Items, item: string): { facts: Items; id: string } => {
    const said = { ...to, state: 'active', judged: byUser(edit), usedAt: now } as const
    return { facts: changePermanent(before, item, said), id: item }
  }
  if (findPermanent(facts, id) !== null) return saidYes(facts, id)
  const candidate = sourceOf(facts, id, to.text)
  const evidence = candidate.places.slice(0, 1)
  const same = knownAs(facts, candidate)
  if (same !== null)
    return saidYes(changePermanent(facts, same.id, useAgain(same, now, evidence, candidate.facts)), same.id)
  const { items, item } = addPermanent(facts, {
    kind: to.kind ?? candidate.kind,
    text: to.text ?? candidate.text,
    at: now,
    state: 'active',
    by: 'user',
    facts: candidate.facts,
    evidence,
    concept: candidate.concept,
    usedAt: now,
    judged: byUser(edit),
  })
  return { facts: items, id: item.id }
}

/** For an issue: the problem and its solution. */
function sourceOf(facts: Items, id: string, text: string | undefined): Recurring {
  const fact = findFact(facts, id)
  if (fact === null)
    throw new KeeperError(
      'not-found',
      `There is no fact or rule ${shown(id)}. memory-keeper facts lists the facts, memory-keeper rules the rules.`,
    )
  if (!isLive(fact))
    throw new KeeperError('not-live', `${id} is ${fact.state}. To restore it first: memory-keeper restore ${id}`)
  const candidate = candidateOf([fact])
  return fact.status === null ? candidate : { ...candidate, kind: 'solutions', text: solutionOf(fact, text) }
}

function solutionOf({ id, text, status, resolution }: Fact, given: string | undefined): string {
  if (status === 'open' || (resolution === null && given === undefined))
    throw new KeeperError(
      'no-solution',
      `${id} is ${status === 'open' ? 'open' : 'resolved, but without a resolution'}. Add the resolution first: memory-keeper resolve ${id} "how"`,
    )
  return resolution === null || resolution === text ? text : `${text.replace(/[.!。]+$/, '')}: ${resolution}`
}

function byUser({ hand }: Edit): Judged {
  return { by: 'user', at: hand.now, why: null, other: null }
}
