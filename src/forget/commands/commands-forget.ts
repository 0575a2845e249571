/** The command that takes something out for good. */
import { type Command, inProject } from '../../memory/commands/command.ts'
import { runForget } from './forget.ts'

export const FORGET_COMMANDS: readonly Command[] = [
  {
    usage: 'forget [id...]',
    about: 'take something out of every layer, every copy and the index, for good',
    options: [
      { flags: '--session <id>', about: 'a whole session and all that was made of it' },
      { flags: '--query <words>', about: 'whatever holds these words: in a row, or all of them in one sentence' },
      { flags: '--before <day>', about: 'all sessions that ended before this day' },
      { flags: '--with-source', about: 'of a fact, rule or note: the entries that it was taken from as well' },
      { flags: '--yes', about: 'do it; without it, only what would go is shown' },
    ],
    more: [
      'Ids are those that search, show and facts print: d001, r001, t001, c001 (a concept with its facts), n-…, L1:1a2b3c4d#5, L1:1a2b3c4d#5-9, a page.',
      'Of a query, case does not matter, and it is found inside of other words, too: afterwards no file of ours holds it. In quotes, the words count only in a row.',
      'What was made of something that goes is made anew by code from what stays, or goes with it. Entries keep their numbers.',
      'It does not come back with an import, a restore or the session that goes on. Claude Code keeps its own transcript, which is never written by us.',
    ],
    writes: true,
    isLong: true,
    example: 'memory-keeper forget --query "project nightjar" --dry-run',
    also: ['memory-keeper forget d001 --yes', 'memory-keeper forget --before 2026-01-01'],
    run: inProject((context, options, words) => runForget(context, words, options)),
  },
]
