/** The commands about recall and about standing instructions. */

import { type Command, inProject } from '../../memory/commands/command.ts'
import { runRecallExplain, runRecallList } from '../../recall/commands/recall.ts'
import { runRulesAccept, runRulesCandidates, runRulesDecline } from './rules.ts'

export const RECALL_COMMANDS: readonly Command[] = [
  {
    usage: 'recall explain <prompt...>',
    about: 'what would go with a prompt, its scores, and why or why not',
    options: [{ flags: '--session <id>', about: 'as if it were typed in this session' }],
    example: 'memory-keeper recall explain "why do we round prices in cents?"',
    run: inProject((context, options, words) => runRecallExplain(context, words.join(' '), options)),
  },
  {
    usage: 'recall list',
    about: 'what went with earlier prompts, newest first',
    options: [
      { flags: '--session <id>', about: 'of this session only' },
      { flags: '--limit <n>', about: 'at most so many' },
      { flags: '--text', about: 'with the words that were told' },
    ],
    example: 'memory-keeper recall list --limit 10 --text',
    run: inProject(runRecallList),
  },
]

export const STANDING_COMMANDS: readonly Command[] = [
  {
    usage: 'rules candidates',
    about: 'what you said for good ("always …", "never …", "I prefer …") and what recurs, found by code',
    example: 'memory-keeper rules candidates',
    run: inProject(runRulesCandidates),
  },
  {
    usage: 'rules accept <id>',
    about: 'make a candidate a rule; r001 holds for good, told when a session begins',
    options: [{ flags: '--text <text>', about: 'in these words' }],
    writes: true,
    example: 'memory-keeper rules accept t001',
    run: inProject((context, options, [id = '']) => runRulesAccept(context, id, options)),
  },
  {
    usage: 'rules decline <id>',
    about: 'do not tell a candidate any more, nor ask about it',
    writes: true,
    example: 'memory-keeper rules decline t001',
    run: inProject((context, _, [id = '']) => runRulesDecline(context, id)),
  },
]
