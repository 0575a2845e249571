/** The commands that find what is remembered: rows of the table of commands. */

import { type Command, inProject } from '../../memory/commands/command.ts'
import { KINDS } from '../corpus.ts'
import { LAYERS } from '../operators.ts'
import { runReindex } from './reindex.ts'
import { runSearch } from './search.ts'
import { runTimeline } from './timeline.ts'

export const SEARCH_COMMANDS: readonly Command[] = [
  {
    usage: 'search [words...]',
    alias: 'search-memory',
    about: 'find what is remembered: notes, facts, summaries and pages; sessions where these say too little, or --deep',
    options: [
      { flags: '--deep', about: 'every entry of the sessions in any case' },
      {
        flags: '--layer <names>',
        about: 'only L1 (sessions), L2 (notes), L3 (facts, summaries, pages), with commas',
        values: { of: LAYERS, isList: true },
      },
      {
        flags: '--type <kinds>',
        about: 'only these kinds, like decision,issue or prompt',
        values: { of: KINDS, isList: true },
      },
      { flags: '--since <when>', about: 'from then on: 2026-01-03, yesterday, 3d, "last week" (days of UTC)' },
      { flags: '--until <when>', about: 'up to then, that day included' },
      { flags: '--session <id>', about: 'only this session' },
      { flags: '--file <path>', about: 'only what names this file; * stands for anything' },
      { flags: '--limit <n>', about: 'at most so many hits, 10 by default' },
      { flags: '--context <n>', about: 'entries with so many before and after them' },
      {
        flags: '--batch <file>',
        about: 'answer JSON lines {"id","query"} of this file, or - for stdin, in JSON lines; always deep',
      },
    ],
    takesMinusWords: true,
    more: [
      'In the query:',
      '  "some words"         these words, in this order',
      '  -word, -"two words"  not with this; a word of one or two letters takes the quotes',
      '  file:auth.ts         names this file; * stands for anything; -file: does not',
      '  type:decision,issue  only these kinds; -type: not these',
      '  since:3d until:2026-01-31  also yesterday, 2w, since:"last week"',
      '  session:1a2b3c4d     only this session',
      '  layer:L1             only this layer; -layer: not this one',
      'An id alone is no query: memory-keeper show opens it.',
    ],
    example: 'memory-keeper search "expired token file:auth.ts since:2w -cookie"',
    run: inProject((context, options, words) => runSearch(context, words, options)),
  },
  {
    usage: 'timeline [around...]',
    about: 'what happened around an id or on a day: sessions, prompts, notes, decisions, commits',
    options: [
      { flags: '--days <n>', about: 'so many days before and after as well' },
      { flags: '--limit <n>', about: 'at most so many lines, 40 by default' },
    ],
    example: 'memory-keeper timeline yesterday',
    run: inProject((context, options, words) => runTimeline(context, words.join(' '), options)),
  },
  {
    usage: 'reindex',
    about: 'make the search index anew from the files',
    writes: true,
    example: 'memory-keeper reindex',
    run: inProject(runReindex),
  },
]
