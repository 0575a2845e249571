/** `edit`, `resolve`, `reject`, `restore`, `pin`, `unpin`: verbs that take any id. For each kind of thing a row says which change a verb makes. */

import { type Command, inProject, type Option } from '../../../kernel/memory/commands/command.ts'
import type { Context } from '../../../kernel/memory/commands/context.ts'
import { harmless } from '../../../kernel/memory/commands/output.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { findPermanent } from '../../knowledge/items.ts'
import { readRulesFile } from '../../pages/disk/rules.ts'
import { parseRules } from '../../pages/rule.ts'
import { type Thing, type ThingKind, thingNamed } from '../../search/thing.ts'
import type { Change } from '../disk/by-hand.ts'
import { CONCEPT, FILE, perform, REASON } from './by-hand.ts'

/** The options of all verbs, and the words behind the id. */
interface Given {
  words: string
  text?: string | undefined
  reason?: string | undefined
  file?: readonly string[] | undefined
  concept?: string | undefined
  why?: string | undefined
  by?: string | undefined
}

type Way = (id: string, given: Given, context: Context) => Change

const VERBS = {
  edit: {
    fact: (id, { text, reason, concept, file: files }) => ({ do: 'edit-fact', id, text, reason, concept, files }),
    'learned rule': (id, given) => ({ do: 'edit-learned', id, text: needed(id, given) }),
    rule: (id, given, { store }) => ({ do: 'edit-rule', rule: ruleAt(store, id), text: needed(id, given) }),
    concept: (id, given) => ({ do: 'rename-concept', id, name: given.text ?? '' }),
    note: (id, given, context) => ({ do: 'edit-note', id, text: read(id, given, context) }),
    page: (name, given, context) => ({ do: 'set-page', name, text: read(name, given, context), how: 'replace' }),
  },
  resolve: {
    fact: (id, { words, text }) => ({ do: 'resolve', id, resolution: text ?? words }),
  },
  reject: {
    fact: (id, { why, by: other }) => ({ do: 'reject', id, why, other }),
    'learned rule': (id, { why }, { store }) =>
      findPermanent(readFacts(store), id.toLowerCase())?.state === 'active'
        ? { do: 'demote', id, why }
        : { do: 'decline', id },
    rule: (which) => ({ do: 'remove-rule', which }),
    note: (id) => ({ do: 'remove-note', id }),
  },
  restore: {
    fact: (id) => ({ do: 'restore', id }),
    'learned rule': (id) => ({ do: 'accept', id }),
  },
  pin: { fact: (id) => ({ do: 'pin', id }) },
  unpin: { fact: (id) => ({ do: 'unpin', id }) },
} as const satisfies Readonly<Record<string, Partial<Record<ThingKind, Way>>>>

type Verb = keyof typeof VERBS

const KIND_NAMES: Readonly<Record<ThingKind, string>> = {
  fact: 'a fact',
  'learned rule': 'a learned rule',
  rule: 'a rule of yours',
  concept: 'a concept',
  note: 'a note',
  page: 'a page',
  session: 'a part of a session, which is as it happened',
}

/** Ids of facts of earlier versions have no form of ours. */
export function runVerb(context: Context, verb: Verb, given: string, options: Given): number {
  const thing: Thing = thingNamed(given) ?? { kind: 'fact', id: given.trim() }
  const way = waysOf(thing.kind)[verb]
  if (way === undefined) throw cannot(verb, thing, given)
  return perform(context, way(thing.id, options, context))
}

function waysOf(kind: ThingKind): Partial<Record<Verb, Way>> {
  const verbs = Object.entries(VERBS) as [Verb, Partial<Record<ThingKind, Way>>][]
  return Object.fromEntries(verbs.flatMap(([verb, ways]) => (ways[kind] === undefined ? [] : [[verb, ways[kind]]])))
}

function cannot(verb: Verb, { kind }: Thing, given: string): KeeperError {
  const id = harmless(given.trim())
  const others = [...Object.keys(waysOf(kind)), 'forget', 'show'].map((one) => `memory-keeper ${one} ${id}`)
  return new KeeperError(
    'usage',
    `${id} is ${KIND_NAMES[kind]}, and ${verb} does nothing with it. What does: ${others.join(', ')}`,
  )
}

function needed(id: string, { text }: Given): string {
  if (text !== undefined) return text
  throw new KeeperError('usage', `Say what changes: memory-keeper edit ${harmless(id)} --text "…"`)
}

/** From standard input without an option. */
function read(id: string, given: Given, { world }: Context): string {
  return given.text === undefined && !world.isStdinTerminal ? world.readStdin() : needed(id, given)
}

function ruleAt(store: Store, number: string): string {
  const rule = parseRules(readRulesFile(store) ?? '')[Number(number) - 1]
  if (rule !== undefined) return rule
  throw new KeeperError('no-rule', `There is no rule ${number}. memory-keeper rules list shows them all.`)
}

const TEXT: Option = { flags: '--text <text>', about: 'what it says' }
const WHY: Option = { flags: '--why <text>', about: 'kept with it' }

function verbCommand(verb: Verb, row: Pick<Command, 'about' | 'example'> & Partial<Command>): Command {
  return {
    usage: `${verb} <id>`,
    ...row,
    writes: true,
    run: inProject((context, { text, ...options }: Omit<Given, 'words'>, [id = '', ...rest]) => {
      const words = rest.join(' ')
      return runVerb(context, verb, id, { ...options, words, text: text ?? (words === '' ? undefined : words) })
    }),
  }
}

export const VERB_COMMANDS: readonly Command[] = [
  verbCommand('edit', {
    usage: 'edit <id> [text...]',
    stdin: '--text',
    about: 'change a fact, rule, note, page or concept',
    options: [TEXT, REASON, FILE, CONCEPT],
    more: [
      'Ids are those that search, show and the lists print: d001, r001, rules.md#2, n-…, c001 (its name), page:project.',
      'Reason, file and concept belong to facts; the words that a fact was taken from stay as its proof.',
    ],
    example: 'memory-keeper edit d001 "We deploy on Tuesdays and Thursdays."',
    also: ['memory-keeper edit d001 --reason "the bank asked for it"', 'memory-keeper edit c002 Payments'],
  }),
  verbCommand('resolve', {
    usage: 'resolve <id> [resolution...]',
    stdin: 'words',
    about: 'an issue is solved',
    example: 'memory-keeper resolve i001 "The import reads in batches now."',
  }),
  verbCommand('reject', {
    stdin: '--why',
    about: 'it is wrong, or holds no more: it is told no longer',
    options: [WHY, { flags: '--by <id>', about: 'of a fact: the one that replaces it' }],
    more: [
      'A rejected fact never comes back by itself; a learned rule is declined or retired; a rule of yours leaves rules.md; a note leaves',
      'memory.md, and its entries get no other one. undo takes it back. To delete something for ever: forget.',
    ],
    example: 'memory-keeper reject d001 --why "it was only an idea"',
    also: ['memory-keeper reject d001 --by d004', 'memory-keeper reject r001'],
  }),
  verbCommand('pin', { about: 'tell a fact first, however old it is', example: 'memory-keeper pin d001' }),
  verbCommand('unpin', { about: 'remove the pin of a fact', example: 'memory-keeper unpin d001' }),
]
