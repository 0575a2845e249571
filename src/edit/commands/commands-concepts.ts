/** The commands about concepts: what facts are about. */
import { type Command, inProject } from '../../memory/commands/command.ts'
import { runConceptsList, runConceptsMerge, runConceptsRename, runConceptsShow, runUpdateConcepts } from './concepts.ts'

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
    run: inProject((context, _, [from = '', into = '']) => runConceptsMerge(context, from, into)),
  },
  {
    usage: 'concepts rename <id> <name...>',
    about: 'call a concept otherwise; the old name still finds it',
    writes: true,
    example: 'memory-keeper concepts rename c002 Payments',
    run: inProject((context, _, [id = '', ...words]) => runConceptsRename(context, id, words.join(' '))),
  },
  {
    usage: 'update-concepts [l2-file]',
    about: 'give facts without a concept theirs; with a file of facts, as it says',
    writes: true,
    example: 'memory-keeper update-concepts',
    run: inProject((context, _, [file]) => runUpdateConcepts(context, file)),
  },
]
