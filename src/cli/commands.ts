/** The table of all commands: name, what it does, its arguments and options, an example. */

import { runBriefing } from '../briefing/commands/briefing.ts'
import { BUNDLE_COMMANDS } from '../copies/commands/bundle.ts'
import { type RestoreOptions, runRestore } from '../copies/commands/restore.ts'
import { runSessions } from '../copies/commands/sessions.ts'
import { TRUST_COMMANDS } from '../copies/commands/share.ts'
import { RECALL_COMMANDS, STANDING_COMMANDS } from '../edit/commands/commands-recall.ts'
import { CONCEPT_COMMANDS } from '../edit/commands/concepts.ts'
import { FACT_COMMANDS } from '../edit/commands/facts-change.ts'
import { AUTHORS, runNote } from '../edit/commands/note.ts'
import { runNotesEdit, runNotesList, runNotesRemove, runNotesReplace, runNotesShow } from '../edit/commands/notes.ts'
import { runPageGet, runPageList, runPageSet } from '../edit/commands/page.ts'
import { REFLECT_COMMANDS } from '../edit/commands/reflect.ts'
import { runRulesAdd, runRulesList, runRulesRemove } from '../edit/commands/rules.ts'
import { runShow } from '../edit/commands/show.ts'
import { HAND_COMMANDS } from '../edit/commands/undo.ts'
import { runDedupe, runScrub } from '../forget/commands/care.ts'
import { FORGET_COMMANDS } from '../forget/commands/forget.ts'
import { runCompress } from '../health/commands/compress.ts'
import { runConfigGet, runConfigList, runConfigSet } from '../health/commands/config.ts'
import { runCheck, runFinal, runReset } from '../health/commands/counter.ts'
import { PEOPLE_COMMANDS } from '../health/commands/doctor.ts'
import { type Command, inProject, type Option } from '../memory/commands/command.ts'
import { runImport } from '../migrate/commands/import.ts'
import { MIGRATE_COMMANDS, NEIGHBOUR_OPTIONS } from '../migrate/commands/migrate.ts'
import { runDelta } from '../notes/commands/delta.ts'
import { runSummary } from '../notes/commands/summary.ts'
import { SEARCH_COMMANDS } from '../search/commands/timeline.ts'
import { runVerify } from '../sessions/commands/verify.ts'
import { DASHBOARD_COMMANDS } from './dashboard.ts'
import { runDemo } from './demo.ts'
import { SKILL_COMMANDS } from './skill.ts'

const TRANSCRIPT: Option = {
  flags: '--transcript <file>',
  about: 'this transcript; may be given several times',
  isRepeatable: true,
}

const NOTE_TEXT: Option = { flags: '--text <text>', about: 'the text; without this it is read from stdin' }
const AUTHOR: Option = { flags: '--author <who>', about: 'user or agent', values: { of: AUTHORS } }

const PAGE_TEXT: readonly Option[] = [
  { flags: '--text <text>', about: 'the text; without this and --file it is read from stdin' },
  { flags: '--file <file>', about: 'a file with the text' },
  { flags: '--append', about: 'add it to the end of the page' },
]

export const COMMANDS: readonly Command[] = [
  {
    usage: 'import',
    alias: 'refine-all',
    about: "capture this project's transcripts that are still on the machine",
    options: [
      TRANSCRIPT,
      { flags: '--all', about: 'all projects; those other than this one go to home storage' },
      ...NEIGHBOUR_OPTIONS,
    ],
    writes: true,
    example: 'memory-keeper import --all',
    run: inProject(runImport),
  },
  {
    usage: 'verify',
    about: 'compare transcripts with what is captured; exit 1 when anything is missing',
    options: [TRANSCRIPT],
    example: 'memory-keeper verify',
    run: inProject(runVerify),
  },
  {
    usage: 'sessions',
    about: 'list the sessions, newest first',
    options: [{ flags: '--limit <n>', about: 'at most so many' }],
    example: 'memory-keeper sessions --limit 10',
    run: inProject(runSessions),
  },
  {
    usage: 'show <id>',
    about:
      'show whatever has an id: a session (1a2b3c4d), entries (L1:1a2b3c4d#5-9), a note, a fact (d001), a concept (c001), a page',
    options: [{ flags: '--context <n>', about: 'with so many entries before and after' }],
    example: 'memory-keeper show L1:1a2b3c4d#5 --context 2',
    run: inProject((context, options, [id = '']) => runShow(context, id, options)),
  },
  ...SEARCH_COMMANDS,
  ...RECALL_COMMANDS,
  ...SKILL_COMMANDS,
  {
    usage: 'note',
    about: 'save the note about a delta, checked against it; without a delta a note of your own',
    options: [
      NOTE_TEXT,
      { flags: '--delta <id>', about: 'the delta it is about, as memory-keeper delta names it' },
      AUTHOR,
    ],
    writes: true,
    example: 'memory-keeper note --text "We deploy on Tuesdays only."',
    run: inProject(runNote),
  },
  {
    usage: 'notes list',
    about: 'the notes, also those in archives, newest first',
    options: [{ flags: '--limit <n>', about: 'at most so many' }],
    example: 'memory-keeper notes list --limit 10',
    run: inProject(runNotesList),
  },
  {
    usage: 'notes show <id>',
    about: 'a note, and where it comes from',
    example: 'memory-keeper notes show n-1a2b3c4d-0-57',
    run: inProject((context, _, [id = '']) => runNotesShow(context, id)),
  },
  {
    usage: 'notes edit <id>',
    about: 'put your own text in the place of a note; it is not checked',
    options: [NOTE_TEXT],
    writes: true,
    example: 'memory-keeper notes edit n-1a2b3c4d-0-57 --text "Prices are kept in cents."',
    run: inProject((context, options, [id = '']) => runNotesEdit(context, id, options)),
  },
  {
    usage: 'notes replace <id>',
    about: 'put a better text in the place of a note that code wrote, checked against its delta',
    options: [NOTE_TEXT, AUTHOR],
    writes: true,
    example: 'memory-keeper notes replace n-1a2b3c4d-0-57 < note.txt',
    run: inProject((context, options, [id = '']) => runNotesReplace(context, id, options)),
  },
  {
    usage: 'notes remove <id>',
    about: 'take a note out of memory.md; what it is about is not noted again',
    writes: true,
    example: 'memory-keeper notes remove n-1a2b3c4d-0-57',
    run: inProject((context, _, [id = '']) => runNotesRemove(context, id)),
  },
  ...FACT_COMMANDS,
  ...CONCEPT_COMMANDS,
  ...HAND_COMMANDS,
  ...BUNDLE_COMMANDS,
  {
    usage: 'delta',
    about: 'what waits for a note, and who will write it',
    options: [{ flags: '--text', about: 'with all it holds' }],
    example: 'memory-keeper delta --text',
    run: inProject(runDelta),
  },
  {
    usage: 'summary [archive]',
    alias: 'generate-l3',
    about: 'list the archives, show the summary of one, or save the one given as JSON on stdin, checked against it',
    options: [
      { flags: '--file <file>', about: 'a file with the JSON' },
      { flags: '--extractive', about: 'make it anew by code' },
    ],
    writes: true,
    example: 'memory-keeper summary memory_20260113_120000.md',
    run: inProject((context, options, [archive]) => runSummary(context, archive, options)),
  },
  {
    usage: 'briefing',
    about: 'exactly what a new session would be told',
    options: [
      { flags: '--why', about: 'with the reason and the tokens of each line' },
      { flags: '--after-compaction <session>', about: 'what this session would be told after a compaction' },
      { flags: '--session <id>', about: 'what this session was told' },
    ],
    example: 'memory-keeper briefing --why',
    run: inProject(runBriefing),
  },
  {
    usage: 'compress',
    about:
      'without a model: rotate memory.md if it is full, write missing summaries, combine old ones, weigh what recurs',
    writes: true,
    example: 'memory-keeper compress --dry-run',
    run: inProject(runCompress),
  },
  ...PEOPLE_COMMANDS,
  ...DASHBOARD_COMMANDS,
  {
    usage: 'config list',
    about: 'all settings and what they mean',
    example: 'memory-keeper config list',
    run: inProject(runConfigList),
  },
  {
    usage: 'config get <name>',
    isVerbatim: true,
    about: 'one setting',
    example: 'memory-keeper config get saveInterval',
    run: inProject((context, _, [name = '']) => runConfigGet(context, name)),
  },
  {
    usage: 'config set <name> <value>',
    about: "change a setting in the project's config, or at home",
    options: [{ flags: '--home', about: 'for all projects' }],
    writes: true,
    example: 'memory-keeper config set toolOutputChars 500',
    run: inProject((context, options, [name = '', value = '']) => runConfigSet(context, name, value, options)),
  },
  {
    usage: 'check',
    about: "capture the session of a hook's JSON on stdin, or count one tool use; cuts the delta when a note is due",
    writes: true,
    example: 'memory-keeper check',
    run: inProject(runCheck),
  },
  {
    usage: 'final',
    about: 'as at session end: capture everything, note by code what waits, fill the vault',
    writes: true,
    example: 'memory-keeper final',
    run: inProject(runFinal),
  },
  {
    usage: 'reset',
    about: 'set the tool counter to 0',
    writes: true,
    example: 'memory-keeper reset',
    run: inProject(runReset),
  },
  ...FORGET_COMMANDS,
  {
    usage: 'scrub',
    about: 'redact secrets in files written earlier',
    writes: true,
    example: 'memory-keeper scrub --dry-run',
    run: inProject(runScrub),
  },
  {
    usage: 'dedupe',
    alias: 'dedupe-l1',
    about: 'remove sessions that are wholly contained in another one',
    writes: true,
    example: 'memory-keeper dedupe --dry-run',
    run: inProject(runDedupe),
  },
  ...TRUST_COMMANDS,
  {
    usage: 'restore [file]',
    about: 'bring back from the vault what is missing or was lost from a file',
    options: [{ flags: '--accept', about: 'do not bring it back: it is meant to be gone, and the vault drops it' }],
    writes: true,
    example: 'memory-keeper restore --dry-run',
    also: ['memory-keeper restore rules.md --accept'],
    run: inProject((context, options: RestoreOptions, [file]) => runRestore(context, options, file)),
  },
  ...MIGRATE_COMMANDS,
  {
    usage: 'demo',
    about: 'the whole memory cycle on sample sessions, in seconds, without Claude',
    options: [
      { flags: '--dashboard', about: 'end with the page on the project of the demo, until Ctrl+C' },
      { flags: '--open', about: 'with --dashboard: open it in the browser' },
    ],
    example: 'memory-keeper demo',
    also: ['memory-keeper demo --dashboard --open'],
    isLive: true,
    needsTerminal: true,
    run: (world, options) => runDemo(world, options),
  },
  {
    usage: 'rules list',
    about: 'what Claude is told with every prompt',
    example: 'memory-keeper rules list',
    run: inProject(runRulesList),
  },
  {
    usage: 'rules add <rule...>',
    about: 'add a rule of your own',
    writes: true,
    example: 'memory-keeper rules add "Run the tests before you say that something works."',
    run: inProject((context, _, words) => runRulesAdd(context, words.join(' '))),
  },
  {
    usage: 'rules remove <number-or-words...>',
    about: 'remove a rule, by its number or by words that only it contains',
    writes: true,
    example: 'memory-keeper rules remove 3',
    run: inProject((context, _, words) => runRulesRemove(context, words.join(' '))),
  },
  ...STANDING_COMMANDS,
  ...REFLECT_COMMANDS,
  {
    usage: 'page set <name>',
    about: 'write a page: a text about the project that is told when a session starts',
    options: PAGE_TEXT,
    writes: true,
    example: 'memory-keeper page set project --text "A web shop for bicycle parts."',
    run: inProject((context, options, [name = '']) => runPageSet(context, name, options)),
  },
  {
    usage: 'page get <name>',
    isVerbatim: true,
    about: 'print a page',
    example: 'memory-keeper page get architecture',
    run: inProject((context, _, [name = '']) => runPageGet(context, name)),
  },
  {
    usage: 'page list',
    about: 'the pages, and which of them say something',
    example: 'memory-keeper page list',
    run: inProject(runPageList),
  },
  {
    usage: 'memory-set <name>',
    about: 'the same as page set',
    options: PAGE_TEXT,
    writes: true,
    example: 'memory-keeper memory-set project --file notes.md',
    run: inProject((context, options, [name = '']) => runPageSet(context, name, options)),
  },
  {
    usage: 'memory-get <name>',
    isVerbatim: true,
    about: 'the same as page get',
    example: 'memory-keeper memory-get project',
    run: inProject((context, _, [name = '']) => runPageGet(context, name)),
  },
  {
    usage: 'memory-list',
    about: 'the same as page list',
    example: 'memory-keeper memory-list',
    run: inProject(runPageList),
  },
]
