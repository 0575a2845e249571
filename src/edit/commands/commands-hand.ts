/** The commands about what people changed by hand: taking it back, and what is told first. */
import { type Command, inProject } from '../../memory/commands/command.ts'
import { runPin, runUnpin } from './pin.ts'
import { runUndo } from './undo.ts'

export const HAND_COMMANDS: readonly Command[] = [
  {
    usage: 'undo',
    about:
      'take back the last change of facts, concepts, notes, rules, lessons or pages by hand; again: the one before',
    options: [
      { flags: '--list', about: 'what could be taken back, newest first' },
      { flags: '--limit <n>', about: 'with --list: at most so many' },
      { flags: '--skip', about: 'leave the last change as it is, and go on with the one before' },
    ],
    more: [
      'What code, a model or a session changed since is never overwritten: then nothing is taken back.',
      'An undo is not undone itself, and forget cannot be undone. The last 50 changes are kept.',
      'Not covered: settings, what sessions and models wrote by themselves, and what was edited in the files.',
    ],
    writes: true,
    example: 'memory-keeper undo --dry-run',
    run: inProject((context, options) => runUndo(context, options)),
  },
  {
    usage: 'pin <id>',
    about: 'have a fact told first in every briefing, however old it is',
    writes: true,
    example: 'memory-keeper pin d001',
    run: inProject((context, _, [id = '']) => runPin(context, id)),
  },
  {
    usage: 'unpin <id>',
    about: 'take the pin off a fact',
    writes: true,
    example: 'memory-keeper unpin d001',
    run: inProject((context, _, [id = '']) => runUnpin(context, id)),
  },
]
