/** `rules`: lists all rules with their source and state, and other permanent items; also `lesson`. */

import path from 'node:path'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import type { Context } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine, warning } from '../../../kernel/memory/commands/output.ts'
import { RULES_FILE } from '../../../kernel/platform/layout.ts'
import { entryId } from '../../../kernel/transcript/session.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { ITEM_KINDS, isLive, type PermanentItem, type Proof } from '../../knowledge/item.ts'
import { filed } from '../../knowledge/item-fields.ts'
import { allPermanent } from '../../knowledge/items.ts'
import { proposedIn, sessionsOf } from '../../knowledge/permanent.ts'
import { unusedIn } from '../../knowledge/reflection.ts'
import { builtInRules, ownRules, readRulesFile } from '../../pages/disk/rules.ts'
import { parseRules } from '../../pages/rule.ts'
import { handCommand } from './by-hand.ts'

const MAX_QUOTES = 3

function runRulesList(context: Context): number {
  const { store, out, world } = context
  const counted = ownRules(store)
  // By their numbers in the file, which `rules remove` takes.
  const own = counted.length === 0 ? [] : parseRules(readRulesFile(store) ?? '')
  const builtIn = builtInRules(store)
  const setting = store.config.builtinRules
  const isInjected = store.config.rules
  const facts = readFacts(store)
  const all = allPermanent(facts)
  const active = all.filter(isLive)
  const retired = all.filter(({ state }) => state === 'declined' || state === 'superseded')
  const proposed = proposedIn(facts)
  const unused = unusedIn(facts, world.now(), store.config.permanentUnusedDays)
  const file = path.join(store.dir, RULES_FILE)
  const lists = { permanent: active, proposed, retired, unused }
  const json = Object.entries(lists).map(([name, some]) => [name, some.map(filed)])
  out.json({ rules: counted, builtIn, file, told: isInjected, ...Object.fromEntries(json) })
  out.say(
    bold('Built in'),
    ...builtIn.map((rule) => `      ${rule}`),
    dim(
      `      builtinRules is ${setting}; to change it: memory-keeper config set builtinRules ${setting === 'off' ? 'prompt' : 'off'}`,
    ),
    '',
    bold('Yours'),
    ...own.map((rule, i) => {
      const mark = counted.includes(rule) ? '' : dim(' (built in)')
      return `${String(i + 1).padStart(4)}  ${harmless(rule)}${mark}`
    }),
    dim(own.length === 0 ? '      None yet. To add one: memory-keeper rules add "…"' : file),
  )
  if (!isInjected) out.say(warning('Rules are switched off. To inject them: memory-keeper config set rules true'))
  const lines = (item: PermanentItem): string[] => itemLines(context, item)
  const line = ({ id, text }: PermanentItem, note: string): string[] => [
    dim(`  ${id}  ${note}: ${oneLine(text, world.columns - 24)}`),
  ]
  out.say(
    ...section('Learned, active', active, lines),
    ...section('Learned, proposed: they wait for your approval', proposed, lines),
    ...section(
      `Unused for ${store.config.permanentUnusedDays} days: accept keeps one, remove retires it`,
      unused,
      (item) => line(item, context.clock.day(item.usedAt) || 'never used'),
    ),
    ...section('Retired', retired, (item) => line(item, item.state)),
    ...(proposed.length === 0 ? ['', dim('No rule is proposed: none waits for your approval.')] : []),
    ...nextSteps(proposed[0]?.id, active[0]?.id),
  )
  return 0
}

function section<T>(title: string, items: readonly T[], render: (item: T) => string[]): string[] {
  return items.length === 0 ? [] : ['', bold(title), ...items.flatMap(render)]
}

function itemLines({ world }: Context, { id, kind, text, evidence, judged, facts }: PermanentItem): string[] {
  const sessions = sessionsOf(evidence.filter(({ session }) => session !== ''))
  const said = sessions === 0 ? '' : `; said in ${count(sessions, 'session')}`
  const grown = facts.length === 0 ? '' : ` (from ${facts.join(', ')}${said})`
  const verdict = judged === undefined ? [] : [`judged by ${judged.by}${judged.why ? `: ${judged.why}` : ''}`]
  return [
    `  ${id}  ${ITEM_KINDS[kind].name}: ${oneLine(text, world.columns - 24)}${dim(harmless(grown))}`,
    ...evidence
      .slice(-MAX_QUOTES)
      .map((proof) => dim(`        ${placeOf(proof)}"${oneLine(proof.quote, world.columns - 32)}"`)),
    ...verdict.map((line) => dim(`        ${oneLine(line, world.columns - 8)}`)),
  ]
}

/** Memories of earlier versions have no entry numbers. */
function placeOf({ session, entry }: Proof): string {
  return session === '' || entry < 0 ? '' : `${entryId(session, entry)}  `
}

function nextSteps(waiting: string | undefined, holds: string | undefined): string[] {
  if (waiting !== undefined)
    return [dim(`memory-keeper rules accept ${waiting}   (or: memory-keeper reject ${waiting})`)]
  return holds === undefined ? [] : [dim(`To retire one: memory-keeper reject ${holds} --why "…"`)]
}

/** The id of a learned rule, as opposed to the number or the words of one of the user's rules. */
const LEARNED = /^\s*r\d+\s*$/i

export const RULES_COMMANDS: readonly Command[] = [
  {
    usage: 'rules list',
    about: 'all rules: built-in ones, yours, learned ones and other permanent memory with state and evidence',
    example: 'memory-keeper rules',
    run: inProject(runRulesList),
  },
  handCommand(
    {
      usage: 'rules add <rule...>',
      stdin: 'words',
      about: 'add a rule of your own',
      example: 'memory-keeper rules add "Run the tests before you say that something works."',
    },
    (words) => ({ do: 'add-rule', text: words.join(' ') }),
  ),
  handCommand(
    {
      usage: 'rules remove <number-or-words...>',
      stdin: 'words',
      about: 'remove a rule of yours, by its number or by words that only it contains; by its id, retire a learned one',
      options: [{ flags: '--why <text>', about: 'of a learned one: the reason' }],
      example: 'memory-keeper rules remove 3',
      also: ['memory-keeper rules remove r001 --why "we moved to bun"'],
    },
    (words, { why }) => {
      const which = words.join(' ')
      return LEARNED.test(which) ? { do: 'demote', id: which, why } : { do: 'remove-rule', which }
    },
  ),
  handCommand(
    {
      usage: 'rules accept <id>',
      stdin: '--text',
      about: 'make a proposed rule active, a fact permanent, or a fact of v3 or v4 your own',
      options: [
        { flags: '--kind <kind>', about: 'rules, solutions or core_logic' },
        { flags: '--text <text>', about: 'in these words' },
      ],
      example: 'memory-keeper rules accept r001',
      also: ['memory-keeper rules accept d012 --kind rules'],
    },
    ([id = ''], { kind, text }) => ({ do: 'accept', id, kind, text }),
  ),
  handCommand(
    {
      usage: 'rules init',
      about: 'copy the built-in rules into rules.md, where you can edit them, and switch the built-in ones off',
      example: 'memory-keeper rules init',
    },
    () => ({ do: 'init-rules' }),
  ),
  handCommand(
    {
      usage: 'lesson add <text...>',
      stdin: 'words',
      about: 'add a line to the page lessons, and propose it as a rule',
      example: 'memory-keeper lesson add "Run the migrations before the tests."',
    },
    (words) => ({ do: 'add-lesson', text: words.join(' ') }),
  ),
]
