/** `timeline`: what happened around an id or on a day, one line each, newest last. Also `reindex`, and the rows of all search commands. */

import path from 'node:path'
import { type Command, EVERYWHERE, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, limitOf, typed, wholeNumber } from '../../../kernel/memory/commands/context.ts'
import {
  bold,
  bytes,
  count,
  dim,
  good,
  harmless,
  oneLine,
  table,
  width,
} from '../../../kernel/memory/commands/output.ts'
import { showLate } from '../../../kernel/memory/commands/progress.ts'
import { list, sizeOf } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { indexDir, openIndex, removeIndex } from '../disk/memory-index.ts'
import { type Timeline, timelineOf } from '../disk/timeline.ts'
import { runSearch, runSearchEverywhere } from './search.ts'
import { isForRuns, runSearchRuns } from './search-runs.ts'
import { nothingYet } from './search-text.ts'

const LIMIT = 40
const LEAST_WORDS = 20

function runTimeline(context: Context, around: string, options: { days?: string; limit?: string }): number {
  const { store, out, world } = context
  const wanted = {
    around: around.trim(),
    limit: options.limit === undefined ? LIMIT : limitOf(options.limit),
    now: world.now(),
    ...(options.days === undefined ? {} : { days: wholeNumber('--days', options.days) }),
  }
  const found = timelineOf(store, wanted)
  if (found === null) throw noSuchTime(wanted.around)
  out.json(found)
  const isEmpty = found.rows.length === 0 && wanted.around === ''
  out.say(...render(context, found), ...(isEmpty ? [nothingYet(store)] : lastLine(context, found)))
  return 0
}

function render({ clock, world }: Context, { rows }: Timeline): string[] {
  const heads = table(
    rows.map(({ at, kind, id }) => [`  ${clock.minute(at).slice(11) || '–'}`, kind, bold(harmless(id))]),
  )
  const taken = Math.max(0, ...heads.map(width)) + 2
  let day = ''
  return rows.flatMap(({ at, text }, i) => {
    const head = heads[i] ?? ''
    const line = `${head}${' '.repeat(taken - width(head))}${oneLine(text, Math.max(LEAST_WORDS, world.columns - taken))}`
    const isNew = clock.day(at) !== day
    day = clock.day(at)
    return isNew ? [bold(day), line] : [line]
  })
}

function lastLine({ clock, world }: Context, { rows, left, from, to }: Timeline): string[] {
  const [first] = rows
  if (first === undefined) {
    const last = clock.day(new Date(Math.max(Date.parse(from), Date.parse(to) - 1)).toISOString())
    const when = last === clock.day(from) ? `on ${last}` : `from ${clock.day(from)} to ${last}`
    return [`Nothing is remembered ${when}. memory-keeper sessions shows when there was something.`]
  }
  const more = left === 0 ? '' : `${count(left, 'line')} left out: --limit shows more. `
  return [dim(`${more}To open one: ${typed(world, `show ${first.id}`)}`)]
}

function noSuchTime(around: string): KeeperError {
  return new KeeperError(
    'usage',
    `"${harmless(around)}" is neither a day nor an id. Use a day (2026-01-13, yesterday, "last week") or an id that search or sessions shows.`,
  )
}

function runReindex(context: Context): number {
  const { store, out, world, isDryRun } = context
  const { cacheDir } = store.places
  const dir = indexDir(store, cacheDir)
  const before = sizeIn(dir)
  if (isDryRun) {
    out.json({ dir, bytes: before, dryRun: true })
    out.say(dir === '' ? NO_PLACE : `${dir} (${bytes(before)}) would be deleted and rebuilt.`)
    return 0
  }
  const began = Date.parse(world.now())
  removeIndex(store, cacheDir)
  const onProgress = showLate(world, out, 'read', { inLines: true })
  const index = openIndex(store, { cacheDir, now: world.now, onProgress })
  try {
    const isWhole = index.refresh()
    const ms = Math.max(0, Date.parse(world.now()) - began)
    const { live } = index.columns
    const size = sizeIn(dir)
    out.json({ documents: live, ms, bytes: size, dir, news: index.news, isWhole })
    for (const line of index.news) out.warn(dim(line))
    out.say(
      `${good('done')} ${count(live, 'document')} in ${(ms / 1000).toFixed(1)} s`,
      dir === '' ? NO_PLACE : dim(`${bytes(size)} in ${dir}`),
    )
    if (!isWhole) out.say('Another process is writing the index right now: the next search will include the rest.')
    return 0
  } finally {
    index.close()
  }
}

const NO_PLACE = 'There is no cache directory: each search builds the index in memory.'

function sizeIn(dir: string): number {
  return dir === '' ? 0 : list(dir).reduce((sum, name) => sum + (sizeOf(path.join(dir, name)) ?? 0), 0)
}

export const SEARCH_COMMANDS: readonly Command[] = [
  {
    usage: 'search [words...]',
    stdin: 'words',
    about: 'find notes, facts, summaries and pages; also sessions if these contain too little, or with --deep',
    options: [
      { flags: '--deep', about: 'every entry of the sessions in any case' },
      {
        flags: '--layer <names>',
        about: 'only L1 (sessions), L2 (notes), L3 (facts, summaries, pages), with commas',
      },
      {
        flags: '--type <kinds>',
        about: 'only these kinds, like decision,issue or prompt',
      },
      { flags: '--since <when>', about: 'from then on: 2026-01-03, yesterday, 3d, "last week"' },
      { flags: '--until <when>', about: 'up to then, that day included' },
      { flags: '--session <id>', about: 'only this session' },
      { flags: '--file <path>', about: 'only texts that name this file; * matches anything' },
      { flags: '--limit <n>', about: 'at most so many hits, 10 by default' },
      { flags: '--errors', about: 'the words are a pasted error: earlier failures with it, and what was run next' },
      { flags: '--commands', about: 'commands with all of the words that ran, each once, newest first' },
      EVERYWHERE,
      {
        flags: '--batch <file>',
        about: 'answer JSON lines {"id","query"} of this file, or - for stdin, in JSON lines; always deep',
      },
    ],
    takesMinusWords: true,
    more: [
      'In the query:',
      '  "some words"         these words, in this order',
      '  -word, -"two words"  without this; a word of one or two letters needs the quotes',
      '  file:auth.ts         names this file; * matches anything; -file: excludes it',
      '  type:decision,issue  only these kinds; -type: not these',
      '  since:3d until:2026-01-31  also yesterday, 2w, since:"last week"',
      '  session:1a2b3c4d     only this session',
      '  layer:L1             only this layer; -layer: not this one',
      'An id alone is not a query: memory-keeper show opens it.',
      '--errors and --commands take --since, --until, --session and --limit, and read no operators in their words.',
    ],
    example: 'memory-keeper search "expired token file:auth.ts since:2w -cookie"',
    also: ['pbpaste | memory-keeper search --errors --stdin', 'memory-keeper search --commands migrate db --since 2w'],
    run: inProject((context, options, words) =>
      isForRuns(options) ? runSearchRuns(context, words, options) : runSearch(context, words, options),
    ),
    runEverywhere: (contexts, options, words) =>
      isForRuns(options)
        ? runSearchRuns(contexts[0] as Context, words, options)
        : runSearchEverywhere(contexts, options, words),
  },
  {
    usage: 'timeline [around...]',
    stdin: 'words',
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
    about: 'rebuild the search index from the files',
    writes: true,
    example: 'memory-keeper reindex',
    run: inProject(runReindex),
  },
]
