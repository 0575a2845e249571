/** `facts add|edit|resolve|…`: facts by hand, and `concepts`: what facts are about. What a person says needs no proof. */

import { upcomingConcepts, updateConcepts } from '../../knowledge/disk/fact-care.ts'
import { readBoth } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Fact } from '../../knowledge/fact.ts'
import { FACT_TYPES } from '../../knowledge/fact-draft.ts'
import { isLive } from '../../knowledge/fact-list.ts'
import { type Command, inProject, type Option } from '../../memory/commands/command.ts'
import { type Context, limitOf, underLock } from '../../memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine, table } from '../../memory/commands/output.ts'
import { COMMAND_WAIT_MS } from '../../memory/disk/store.ts'
import { KeeperError } from '../../platform/error.ts'
import { conceptOf, STATUSES } from '../disk/hand-facts.ts'
import { changeOfId, listed, perform } from './by-hand.ts'
import { runFactsList, STATE_WORDS, stateMark } from './facts.ts'

interface FieldOptions {
  text?: string
  reason?: string
  file?: readonly string[]
  concept?: string
}

interface AddOptions extends FieldOptions {
  status?: string
  resolution?: string
  anyway?: boolean
}

function runFactsSupersede(context: Context, id: string, { by, why }: { by?: string; why?: string }): number {
  if (by !== undefined) return perform(context, { do: 'supersede', id, other: by, why })
  throw new KeeperError(
    'usage',
    `Name the fact that replaces it: memory-keeper facts supersede ${harmless(id)} --by ID (memory-keeper facts list shows them). If nothing replaces it: memory-keeper facts reject ${harmless(id)}`,
  )
}

const REASON: Option = { flags: '--reason <text>', about: 'why' }
const FILE: Option = {
  flags: '--file <file>',
  about: 'a file it is about; may be given several times',
  isRepeatable: true,
}
const CONCEPT: Option = {
  flags: '--concept <id-or-name>',
  about: 'what it belongs to; a new name begins a new concept',
}
const ANYWAY: Option = { flags: '--anyway', about: 'also when another fact seems to say the same' }
const WHY: Option = { flags: '--why <text>', about: 'kept with it' }
const ISSUE: readonly Option[] = [
  { flags: '--status <status>', about: 'of an issue: open (without this) or resolved', values: STATUSES },
  { flags: '--resolution <text>', about: 'how an issue was resolved' },
]

export const FACT_COMMANDS: readonly Command[] = [
  {
    usage: 'facts list',
    about: 'decisions, patterns and issues that hold, newest first',
    options: [
      {
        flags: '--type <types>',
        about: 'decision, pattern, issue; several with commas',
        values: FACT_TYPES,
      },
      { flags: '--concept <id-or-name>', about: 'of this concept' },
      {
        flags: '--state <states>',
        about: 'fresh, stale, superseded, rejected; several with commas, or all',
        values: STATE_WORDS,
      },
      { flags: '--status <status>', about: 'of issues: open, resolved', values: STATUSES },
      { flags: '--file <part>', about: 'about a file whose path holds this' },
      { flags: '--session <id>', about: 'said in this session' },
      { flags: '--limit <n>', about: 'at most so many; 50 without this, all of them with --json' },
    ],
    example: 'memory-keeper facts list --type issue --status open',
    run: inProject(runFactsList),
  },
  {
    usage: 'facts add <type> <text...>',
    about: 'a decision, pattern or issue in your own words',
    options: [REASON, FILE, CONCEPT, ...ISSUE, ANYWAY],
    writes: true,
    example: 'memory-keeper facts add pattern "Prices are kept in cents." --file src/price.ts',
    run: inProject(
      (context, { file, anyway, reason, concept, status, resolution }: AddOptions, [type = '', ...words]) =>
        perform(context, {
          ...{ do: 'add-fact', type, text: words.join(' '), files: file, isAnyway: anyway },
          ...{ reason, concept, status, resolution },
        }),
    ),
  },
  {
    usage: 'facts edit <id>',
    about: 'change a fact; the words it was taken from stay as its proof',
    options: [
      { flags: '--text <text>', about: 'what it says' },
      { flags: '--reason <text>', about: 'why; "" for none' },
      { flags: '--file <file>', about: 'the files it is about, all of them; "" for none', isRepeatable: true },
      CONCEPT,
    ],
    writes: true,
    example: 'memory-keeper facts edit d001 --text "We deploy on Tuesdays and Thursdays."',
    run: inProject((context, { file, text, reason, concept }: FieldOptions, [id = '']) =>
      perform(context, { do: 'edit-fact', id, text, reason, concept, files: file }),
    ),
  },
  {
    usage: 'facts resolve <id> [resolution...]',
    about: 'an issue is solved',
    writes: true,
    example: 'memory-keeper facts resolve i001 "The import reads in batches now."',
    run: inProject((context, _, [id = '', ...words]) =>
      perform(context, { do: 'resolve', id, resolution: words.join(' ') }),
    ),
  },
  changeOfId('facts reopen', 'reopen', 'an issue is not solved after all', 'i001'),
  {
    usage: 'facts reject <id>',
    about: 'a fact is wrong: it is no longer injected, and never comes back by itself',
    options: [WHY],
    writes: true,
    example: 'memory-keeper facts reject d001 --why "it was only an idea"',
    run: inProject((context, { why }: { why?: string }, [id = '']) => perform(context, { do: 'reject', id, why })),
  },
  {
    usage: 'facts supersede <id>',
    about: 'another fact replaces it',
    options: [{ flags: '--by <id>', about: 'the fact that replaces it' }, WHY],
    writes: true,
    example: 'memory-keeper facts supersede d001 --by d004',
    run: inProject((context, options, [id = '']) => runFactsSupersede(context, id, options)),
  },
  changeOfId('facts restore', 'restore', 'a rejected, superseded or stale fact is valid again', 'd001'),
]

const MAX_NAME = 32
const LEAST_WORDS = 20
const MANY = 12

function runConceptsList({ store, out, world }: Context, { limit }: { limit?: string }): number {
  const { concepts, facts } = readBoth(store)
  const most = limitOf(limit)
  const live = allFacts(facts).filter(isLive)
  const all = concepts.concepts
    .map((concept) => {
      const own = live.filter((fact) => fact.concept === concept.id)
      return { ...concept, facts: own.length, open: own.filter(({ status }) => status === 'open').length }
    })
    .sort((a, b) => b.facts - a.facts || (a.id < b.id ? -1 : 1))
  const without = live.filter(({ concept }) => concept === null).length
  const shown = all.slice(0, most)
  out.json({ concepts: shown, without })
  if (all.length === 0) {
    out.say(
      'No concepts yet. Claude names them with the facts it saves; you do with memory-keeper facts edit <id> --concept <name>.',
    )
    return 0
  }
  const rows = shown.map(({ id, name, facts: own, open, summary }) => ({
    cells: [bold(id), oneLine(name, MAX_NAME), count(own, 'fact'), open === 0 ? '' : `${open} open`],
    text: summary,
  }))
  out.say(
    ...listed(rows, world.columns),
    dim(
      `${count(all.length, 'concept')}; ${count(without, 'fact')} without one. memory-keeper concepts show ${shown[0]?.id}`,
    ),
  )
  return 0
}

export function runConceptsShow({ store, out, world }: Context, given: string): number {
  const { concepts, facts } = readBoth(store)
  const concept = conceptOf(store, { concepts }, given)
  const own = allFacts(facts).filter((fact) => fact.concept === concept.id && fact.state !== 'rejected')
  const open = own.filter((fact) => isLive(fact) && fact.status === 'open')
  out.json({ ...concept, facts: own, openIssues: open.map(({ id }) => id) })
  out.say(`${bold(concept.id)} ${harmless(concept.name)}`)
  if (concept.aliases.length > 0) out.say(dim(`also called ${concept.aliases.map(harmless).join(', ')}`))
  if (concept.summary !== '') out.say(harmless(concept.summary))
  if (concept.keywords.length > 0) out.say(dim(`keywords: ${concept.keywords.map(harmless).join(', ')}`))
  if (concept.files.length > 0) out.say(dim(`files: ${concept.files.slice(0, MANY).map(harmless).join(', ')}`))
  const rest = own.filter((fact) => !open.includes(fact))
  for (const [title, some] of [
    ['Open issues', open],
    ['Holds', rest.filter(({ state }) => state === 'fresh')],
    ['Stale: a file it is about changed since', rest.filter(({ state }) => state === 'stale')],
    ['Superseded', rest.filter(({ state }) => state === 'superseded')],
  ] as const) {
    if (some.length > 0) out.say('', bold(title), ...factLines(some, world.columns))
  }
  if (own.length === 0) out.say('', 'No facts belong to it.')
  else out.say('', dim(`memory-keeper show ${own[0]?.id} shows the words that prove it.`))
  return 0
}

/** `file`: earlier versions named a file of facts here. Such files come in with `migrate`. */
function runUpdateConcepts({ store, out, world, isDryRun }: Context, file: string): number {
  const { changed } = isDryRun
    ? upcomingConcepts(store)
    : underLock(store, COMMAND_WAIT_MS, () => updateConcepts(store, world.now()))
  out.json({ changed, dryRun: isDryRun })
  out.say(
    `${isDryRun ? 'Would refresh' : 'Refreshed'} ${count(changed.length, 'concept')}${changed.length === 0 ? '' : `: ${changed.slice(0, MANY).map(harmless).join(', ')}${changed.length > MANY ? ', …' : ''}`}`,
    ...(file === ''
      ? []
      : [`${harmless(file)} was not read: memory-keeper migrate brings in files of earlier versions.`]),
  )
  return 0
}

function factLines(facts: readonly Fact[], columns: number): string[] {
  return table(
    facts
      .toSorted((a, b) => ((b.lastAt ?? b.at) < (a.lastAt ?? a.at) ? -1 : 1))
      .map((fact) => [harmless(fact.id), stateMark(fact), oneLine(fact.text, Math.max(LEAST_WORDS, columns - 22))]),
  )
}

export const CONCEPT_COMMANDS: readonly Command[] = [
  {
    usage: 'concepts list',
    about: 'what facts are about, the largest first',
    options: [{ flags: '--limit <n>', about: 'at most so many' }],
    example: 'memory-keeper concepts list',
    run: inProject(runConceptsList),
  },
  {
    usage: 'concepts show <id-or-name>',
    about: 'a concept with its facts, open issues and files',
    example: 'memory-keeper concepts show payments',
    run: inProject((context, _, [given = '']) => runConceptsShow(context, given)),
  },
  {
    usage: 'concepts merge <from> <into>',
    about: 'all facts of one concept belong to another; its name still finds them',
    writes: true,
    example: 'memory-keeper concepts merge c007 c002',
    run: inProject((context, _, [from = '', into = '']) => perform(context, { do: 'merge-concepts', from, into })),
  },
  {
    usage: 'concepts rename <id> <name...>',
    about: 'rename a concept; the old name still finds it',
    writes: true,
    example: 'memory-keeper concepts rename c002 Payments',
    run: inProject((context, _, [id = '', ...words]) =>
      perform(context, { do: 'rename-concept', id, name: words.join(' ') }),
    ),
  },
  {
    usage: 'update-concepts [l2-file]',
    about: 'rebuild what concepts say of their facts; facts of earlier versions come in with migrate',
    writes: true,
    example: 'memory-keeper update-concepts',
    run: inProject((context, _, [file]) => runUpdateConcepts(context, file ?? '')),
  },
]
