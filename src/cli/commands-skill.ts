/** The commands behind the skills that people type in Claude Code: rows of the table of commands. */

import { runTopic } from '../briefing/commands/topic.ts'
import { runRemember } from '../edit/commands/remember.ts'
import { type Command, inProject } from '../memory/commands/command.ts'
import { runSkill } from './skill.ts'

export const SKILL_COMMANDS: readonly Command[] = [
  {
    usage: 'remember [words...]',
    about: 'keep something now, in your own words: a decision, pattern or issue where they say so, else a note',
    writes: true,
    more: [
      'What begins with "decision:", "pattern:", "issue:" or "note:" is kept as that.',
      'Without words they are read from stdin.',
    ],
    example: 'memory-keeper remember "decision: We deploy on Tuesdays only."',
    run: inProject((context, _, words) => runRemember(context, words.join(' '))),
  },
  {
    usage: 'context [topic...]',
    about: 'what is remembered about a topic or a file, in whole; without one, what a session is told first',
    example: 'memory-keeper context src/auth/jwt.ts',
    run: inProject((context, _, words) => runTopic(context, words.join(' '))),
  },
  {
    usage: 'skill <name>',
    isVerbatim: true,
    about: 'what a skill does that is typed in Claude Code, with its words on stdin',
    isHidden: true,
    example: 'echo "retry cache" | memory-keeper skill search-memory',
    run: inProject((context, _, [name = '']) => runSkill(context, name)),
  },
]
