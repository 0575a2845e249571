/** The commands that find what is remembered: rows of the table of commands. */
import { type Command, inProject } from './command.ts'
import { runReindex } from './reindex.ts'
import { runSearch } from './search.ts'
import { runTimeline } from './timeline.ts'

export const SEARCH_COMMANDS: readonly Command[] = [
  {
    usage: 'search [words...]',
    alias: 'search-memory',
    about: 'find what is remembered: notes, facts, summaries and pages first, with --deep all sessions',
    options: [
      { flags: '--deep', about: 'also every entry of the sessions' },
      { flags: '--layer <names>', about: 'only L1 (sessions), L2 (notes), L3 (facts, summaries, pages), with commas' },
      { flags: '--type <kinds>', about: 'only these kinds, like decision,issue or prompt' },
      { flags: '--since <when>', about: 'from then on: 2026-01-03, yesterday, 3d, "last week" (days of UTC)' },
      { flags: '--until <when>', about: 'up to then, that day included' },
      { flags: '--session <id>', about: 'only this session' },
      { flags: '--file <path>', about: 'only what names this file; * stands for anything' },
      { flags: '--limit <n>', about: 'at most so many hits, 10 by default' },
      { flags: '--context <n>', about: 'with so many entries before and after each hit' },
      {
        flags: '--batch <file>',
        about: 'answer JSON lines {"id","query"} of this file, or - for stdin, in JSON lines',
      },
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
