/** Changes of rules.md and of the page lessons by hand, decided. */

import path from 'node:path'
import { nextPermanentId } from '../../knowledge/permanent.ts'
import { addPermanent } from '../../knowledge/permanent-change.ts'
import { knownAs } from '../../knowledge/reflection.ts'
import { addLessonTo } from '../../pages/lesson.ts'
import { MAX_PAGE_BYTES } from '../../pages/page.ts'
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
} from '../../pages/rule.ts'
import type { Config } from '../../platform/config.ts'
import { KeeperError } from '../../platform/error.ts'
import { RULES_FILE } from '../../platform/layout.ts'
import { redactorFor } from '../../redact/redact.ts'
import { count } from '../../text/figures.ts'
import { cutMarked } from '../../text/shorten.ts'
import { shown } from '../../text/shown.ts'
import { type Decided, dimLine, type Hand, type HandLine, type HandMemory } from './hand-memory.ts'

/** What is typed is checked here, and secrets are taken out. */
export type RuleChange =
  | { do: 'add-rule' | 'propose-rule'; text: string }
  /** By its number, counted from 1, or by its words. */
  | { do: 'remove-rule'; which: string }
  /** Copies the built-in rules into rules.md. */
  | { do: 'init-rules' }
  /** `isRule`: added to rules.md at once, instead of being proposed as a rule. */
  | { do: 'add-lesson'; text: string; isRule?: boolean }

/** `lessons`: the name of their page, as it is spelled there. */
export interface HandPlaces {
  config: Config
  dir: string
  lessons: string
}

export function decideRule(memory: HandMemory, change: RuleChange, hand: Hand, places: HandPlaces): Decided {
  switch (change.do) {
    case 'add-rule':
      return addRule(memory, change.text, hand, places)
    case 'remove-rule':
      return removeRule(memory, change.which, hand, places)
    case 'add-lesson':
      return addLesson(memory, change, hand, places)
    case 'propose-rule':
      return proposeRule(memory, change.text, hand, places)
    case 'init-rules':
      return initRules(memory, hand, places)
  }
}

function rulesIn({ files }: HandMemory): readonly string[] {
  const text = files[RULES_FILE] ?? null
  return text === null ? BUILT_IN_RULES : parseRules(text)
}

function initRules(memory: HandMemory, hand: Hand, places: HandPlaces): Decided {
  const file = path.join(places.dir, RULES_FILE)
  if (wholeRules(memory, places) !== null)
    throw new KeeperError('exists', `${file} exists already. memory-keeper rules lists what it contains.`)
  return {
    memory: { ...memory, files: { ...memory.files, [RULES_FILE]: formatRules(BUILT_IN_RULES) } },
    what: 'rules init',
    lines: [
      { text: `${count(BUILT_IN_RULES.length, 'built-in rule')} ${hand.isDryRun ? 'would be' : 'are'} in ${file}` },
      dimLine('They are yours now: edit the file, or use memory-keeper rules add and remove.'),
    ],
    json: { rules: BUILT_IN_RULES, file, claudeMd: null, dryRun: hand.isDryRun === true },
  }
}

function addRule(memory: HandMemory, given: string, hand: Hand, places: HandPlaces): Decided {
  const before = wholeRules(memory, places)
  const redacted = redactorFor(places.config)(given)
  const rule = checkedRule(redacted.text)
  if (rulesIn(memory).some((known) => known.toLowerCase() === rule.toLowerCase()))
    return rulesChanged(memory, before, rule, [{ text: 'It is a rule already.' }], hand, places)
  const beside =
    before === null ? [{ text: `The ${count(BUILT_IN_RULES.length, 'built-in rule')} stay beside it.` }] : []
  const hidden = redacted.count > 0 ? [{ text: `${count(redacted.count, 'secret')} redacted.` }] : []
  const added = { text: `${hand.isDryRun ? 'Would add' : 'Added'}: ${rule}` }
  return rulesChanged(memory, addRuleTo(before, rule), rule, [added, ...beside, ...hidden], hand, places)
}

function removeRule(memory: HandMemory, given: string, hand: Hand, places: HandPlaces): Decided {
  const which = /^\d+$/.test(given.trim()) ? Number(given) - 1 : given
  const text = wholeRules(memory, places) ?? formatRules(BUILT_IN_RULES)
  const rules = parseRules(text)
  const after = removeRuleFrom(text, which)
  const rule = rules[matchRules(rules, which)[0] ?? -1]
  if (after === null || rule === undefined) throw notOne(rules, which, given)
  return rulesChanged(
    memory,
    after,
    rule,
    [{ text: `${hand.isDryRun ? 'Would remove' : 'Removed'}: ${rule}` }],
    hand,
    places,
  )
}

function rulesChanged(
  memory: HandMemory,
  after: string | null,
  rule: string,
  said: HandLine[],
  { isDryRun }: Hand,
  { dir }: HandPlaces,
): Decided {
  const file = path.join(dir, RULES_FILE)
  const rules = after === null ? BUILT_IN_RULES : parseRules(after)
  const isIn = rules.some((one) => one.toLowerCase() === rule.toLowerCase())
  return {
    memory: after === null ? memory : { ...memory, files: { ...memory.files, [RULES_FILE]: after } },
    what: `rule ${isIn ? 'added' : 'removed'}: ${rule}`,
    lines: [...said, dimLine(`${count(rules.length, 'rule')} ${isDryRun ? 'would be in' : 'in'} ${file}`)],
    json: { rule, rules, file, claudeMd: null, dryRun: isDryRun === true },
  }
}

function checkedRule(text: string): string {
  const rule = cleanRule(text)
  if (!isRule(rule))
    throw new KeeperError('usage', 'A rule needs words: memory-keeper rules add "Run the tests first."')
  if (text.trim().length <= MAX_RULE_CHARS) return rule
  throw new KeeperError(
    'usage',
    `A rule has at most ${MAX_RULE_CHARS} characters, this one ${text.trim().length}: it is told with every prompt. Longer texts belong on a page: memory-keeper page set conventions --append --text "…"`,
  )
}

/** Adding a line must not change the others: a file that is cut or not UTF-8 would come back different. */
function wholeRules({ files }: HandMemory, { dir }: HandPlaces): string | null {
  const text = files[RULES_FILE] ?? null
  if (!text?.includes('\ufffd')) return text
  throw new KeeperError(
    'not-text',
    `${path.join(dir, RULES_FILE)} is not plain UTF-8 text of at most 64 KB. Mend it in an editor, then try again.`,
  )
}

function notOne(rules: readonly string[], which: number | string, given: string): KeeperError {
  const matches = matchRules(rules, which)
  const listed = (matches.length > 0 ? matches : rules.map((_, i) => i)).map(
    (i) => `  ${i + 1}  ${shortly(rules[i] ?? '')}`,
  )
  const problem =
    matches.length > 1
      ? `${matches.length} rules contain ${shown(given)}. Name one by its number: memory-keeper rules remove ${(matches[0] ?? 0) + 1}`
      : `There is no rule ${shown(given)}. memory-keeper rules list shows them all.`
  return new KeeperError(matches.length > 1 ? 'ambiguous' : 'no-rule', [problem, ...listed].join('\n'))
}

const LISTED_CHARS = 90

function shortly(text: string): string {
  return cutMarked(shown(text).replace(/\s+/g, ' ').trim(), LISTED_CHARS)
}

function addLesson(
  memory: HandMemory,
  { text, isRule: isRuleToo }: Extract<RuleChange, { do: 'add-lesson' }>,
  hand: Hand,
  places: HandPlaces,
): Decided {
  const lesson = checkedLesson(redactorFor(places.config)(text).text.trim())
  const page = memory.files[places.lessons] ?? null
  const isKnown = parseRules(page ?? '').some((one) => one.toLowerCase() === lesson.toLowerCase())
  const after = isKnown ? memory : withPage(memory, addLessonTo(page, lesson), places)
  const said = isKnown ? 'It is a lesson already' : hand.isDryRun ? 'Would add' : 'Added'
  const file = path.join(places.dir, places.lessons)
  const lines: HandLine[] = [{ text: `${said}: ${lesson}` }, dimLine(`${hand.isDryRun ? 'would be in' : 'in'} ${file}`)]
  // The rule's answer is the one for programs.
  if (isRuleToo) {
    const both = addRule(after, lesson, hand, places)
    return { ...both, what: `add lesson: ${lesson}`, lines: [...lines, ...both.lines] }
  }
  const proposed = propose(after, lesson, hand)
  return {
    memory: proposed.memory,
    what: `add lesson: ${lesson}`,
    lines: [...lines, ...proposed.lines],
    json: { lesson, isNew: !isKnown, file, rule: proposed.id, dryRun: hand.isDryRun === true },
  }
}

function proposeRule(memory: HandMemory, text: string, hand: Hand, places: HandPlaces): Decided {
  const rule = checkedRule(redactorFor(places.config)(text).text)
  const { id, lines, ...proposed } = propose(memory, rule, hand)
  return {
    memory: proposed.memory,
    what: `propose ${id}`,
    lines: lines.length > 0 ? lines : [{ text: `${id} says so already.` }],
    json: { rule, id, dryRun: hand.isDryRun === true },
  }
}

/** A rule that waits for the user's yes, unless one says the same. */
function propose(memory: HandMemory, text: string, hand: Hand): { memory: HandMemory; id: string; lines: HandLine[] } {
  const { facts } = memory
  const known = knownAs(facts.permanent, { text, facts: [] })
  if (known !== null) return { memory, id: known.id, lines: [] }
  const id = nextPermanentId(facts.permanent)
  const { by, now: at } = hand
  const added = addPermanent(facts, 'rules', {
    ...{ text, at, status: 'proposed', by, facts: [], evidence: [], concept: null, usedAt: at },
    ...(by === 'user' ? { askedAt: at } : {}),
  })
  const line = dimLine(`Proposed as a rule. To have it told to every session: memory-keeper rules accept ${id}`)
  return { memory: { ...memory, facts: added }, id, lines: [line] }
}

function withPage(memory: HandMemory, text: string, { lessons, config }: HandPlaces): HandMemory {
  const redacted = redactorFor(config)(text).text
  const ended = redacted.endsWith('\n') ? redacted : `${redacted}\n`
  const bytes = Buffer.byteLength(ended)
  if (bytes <= MAX_PAGE_BYTES) return { ...memory, files: { ...memory.files, [lessons]: ended } }
  throw new KeeperError(
    'too-large',
    `${lessons} would have ${bytes} bytes; a page has at most ${MAX_PAGE_BYTES}. Shorten it, or split it into several pages.`,
  )
}

function checkedLesson(text: string): string {
  if (!isRule(cleanRule(text)))
    throw new KeeperError(
      'usage',
      'A lesson needs words: memory-keeper lesson add "Run the migrations before the tests."',
    )
  if (text.length <= MAX_RULE_CHARS) return cleanRule(text)
  throw new KeeperError(
    'usage',
    `A lesson has at most ${MAX_RULE_CHARS} characters, this one ${text.length}. Longer texts belong on a page: memory-keeper page set lessons --append --text "…"`,
  )
}
