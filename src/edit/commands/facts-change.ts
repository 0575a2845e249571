/** `facts add`, `edit`, `resolve`, `reopen`, `reject`, `supersede`, `restore`: facts by hand. What a person says needs no proof. */

import { FACT_TYPES } from '../../knowledge/fact-draft.ts'
import { type Command, inProject, type Option } from '../../memory/commands/command.ts'
import type { Context } from '../../memory/commands/context.ts'
import { harmless } from '../../memory/commands/output.ts'
import { KeeperError } from '../../platform/error.ts'
import { STATUSES } from '../disk/hand-facts.ts'
import { changeOfId, perform } from './by-hand.ts'
import { runFactsList, STATE_WORDS } from './facts.ts'

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
