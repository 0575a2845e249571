/** The commands about permanent memory and about lessons. */
import { PERMANENT_KINDS } from '../../knowledge/permanent.ts'
import { type Command, inProject } from '../../memory/commands/command.ts'
import { runLessonAdd, runLessonList, runLessonRemove } from './lesson.ts'
import { runDemote, runPromote, runReflect } from './reflect.ts'

export const REFLECT_COMMANDS: readonly Command[] = [
  {
    usage: 'reflect',
    about: 'look for what recurs; show what holds for good, what waits for your yes, and why',
    writes: true,
    example: 'memory-keeper reflect',
    run: inProject(runReflect),
  },
  {
    usage: 'promote <id>',
    about: 'make a fact, an instruction or a candidate hold for good',
    options: [
      { flags: '--kind <kind>', about: 'rules, solutions or core_logic', values: { of: PERMANENT_KINDS } },
      { flags: '--text <text>', about: 'in these words' },
    ],
    writes: true,
    example: 'memory-keeper promote d012 --kind rules',
    run: inProject((context, options, [id = '']) => runPromote(context, id, options)),
  },
  {
    usage: 'demote <id>',
    about: 'take back what holds for good; it is kept as superseded',
    options: [{ flags: '--why <text>', about: 'the reason' }],
    writes: true,
    example: 'memory-keeper demote r001 --why "we moved to bun"',
    run: inProject((context, options, [id = '']) => runDemote(context, id, options)),
  },
  {
    usage: 'lesson add <text...>',
    about: 'keep a lesson, told when a session starts',
    options: [{ flags: '--rule', about: 'make it a rule, too: told with every prompt' }],
    writes: true,
    example: 'memory-keeper lesson add "Run the migrations before the tests."',
    run: inProject((context, options, words) => runLessonAdd(context, words.join(' '), options)),
  },
  {
    usage: 'lesson list',
    about: 'the lessons with their numbers',
    example: 'memory-keeper lesson list',
    run: inProject(runLessonList),
  },
  {
    usage: 'lesson remove <number>',
    about: 'take a lesson out',
    writes: true,
    example: 'memory-keeper lesson remove 2',
    run: inProject((context, _, [number = '']) => runLessonRemove(context, number)),
  },
]
