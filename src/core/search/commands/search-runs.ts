/** `search --errors` and `search --commands`: what sessions ran, by an error or by words. */

import { fenced, IS_DATA } from '../../../kernel/memory/commands/answer.ts'
import { type Context, isInside, limitOf, typed } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine } from '../../../kernel/memory/commands/output.ts'
import { showLate } from '../../../kernel/memory/commands/progress.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { redactorFor } from '../../../kernel/redact/redact.ts'
import { textOnOneLine } from '../../../kernel/text/memory-words.ts'
import { cutMarked } from '../../../kernel/text/shorten.ts'
import type { SearchIndex } from '../disk/memory-index.ts'
import { openIndex } from '../disk/memory-index.ts'
import {
  type EarlierFailure,
  type EarlierRun,
  earlierFailures,
  earlierRuns,
  type FoundRuns,
  MOST_COMPARED,
  MOST_COUNTED,
} from '../disk/runs.ts'
import { operatorsOf } from '../disk/search.ts'
import type { Operators } from '../operators.ts'
import type { SearchOptions } from './search.ts'
import { INDENT, nothingYet, notTrusted } from './search-text.ts'

export interface RunOptions extends SearchOptions {
  errors?: boolean
  commands?: boolean
}

const LIMIT = 10
const SHOWN_ASKED = 60
const COMMAND_CHARS = 300

export function isForRuns(options: object): boolean {
  return 'errors' in options || 'commands' in options
}

/** The words are no query: an error is full of what would be operators. */
export function runSearchRuns(context: Context, words: readonly string[], options: RunOptions): number {
  const { store, world, out } = context
  const asked = filtersOf(context, options)
  const limit = options.limit === undefined ? LIMIT : limitOf(options.limit)
  const { text } = redactorFor(store.config)(words.join(' ').trim())
  const wanted = text.trim()
  if (wanted === '') throw new KeeperError('usage', options.errors === true ? NO_ERROR : NO_WORDS)
  const onProgress = showLate(world, out, 'read for the search index')
  const index = openIndex(store, { cacheDir: store.places.cacheDir, now: world.now, onProgress })
  try {
    index.refresh()
    if (options.errors === true) {
      const found = earlierFailures(index, { command: '', output: wanted }, asked, limit)
      tell(context, index, { ...found, name: 'failures', most: MOST_COMPARED, wanted }, failureLines)
    } else {
      const found = earlierRuns(index, wanted, asked, limit)
      tell(context, index, { ...found, name: 'commands', most: MOST_COUNTED, wanted }, commandLines)
    }
    return 0
  } finally {
    index.close()
  }
}

const NO_ERROR = 'There is no error to find. Paste one behind --errors, or give it on stdin: search --errors --stdin'
const NO_WORDS = 'There is nothing to find. Give words of a command: search --commands migrate db'
const OTHER_OPTIONS = ['deep', 'layer', 'type', 'file', 'everywhere', 'batch', 'team'] as const

function filtersOf(
  { store, world }: Context,
  options: RunOptions & { everywhere?: boolean; team?: boolean },
): Operators {
  const other = OTHER_OPTIONS.find((name) => options[name] !== undefined)
  const both = options.errors === true && options.commands === true
  if (both || other !== undefined)
    throw new KeeperError(
      'usage',
      `--errors and --commands take --since, --until, --session and --limit only, not ${both ? 'each other' : `--${other}`}.`,
    )
  const { since, until, session } = options
  return operatorsOf(
    { query: '', since, until, session },
    { now: Date.parse(world.now()), timezone: store.config.timezone },
  )
}

interface Told<T> extends FoundRuns<T> {
  name: 'failures' | 'commands'
  /** The number of entries that are read at most. */
  most: number
  wanted: string
}

type Show = (text: string) => string

/** Claude gets the lines in the frame of remembered text. */
function tell<T extends EarlierFailure | EarlierRun>(
  context: Context,
  index: SearchIndex,
  { runs, isCut, name, most, wanted }: Told<T>,
  linesOf: (run: T, show: Show, context: Context) => string[],
): void {
  const { store, out, world } = context
  const isEmpty = index.columns.live === 0
  const news = [
    ...index.news,
    ...(isCut ? [`Only the newest ${most} entries with these words were read.`] : []),
    ...(isEmpty ? [nothingYet(store)] : []),
  ]
  out.json({ [name]: runs, news })
  if (out.isJson) return
  for (const line of news) out.warn(dim(harmless(line)))
  const isForClaude = isInside(world)
  const lines = runs.flatMap((run) => linesOf(run, isForClaude ? textOnOneLine : harmless, context))
  const [first] = runs
  if (first === undefined) {
    const nothing = `Nothing found for ${oneLine(wanted, SHOWN_ASKED)}.`
    if (!isEmpty) out.say(...[nothing, notTrusted(store)].filter((line) => line !== null))
  } else {
    out.say(...(isForClaude ? [fenced(store, [IS_DATA, ...lines])] : lines))
    out.say(
      dim(`${count(runs.length, name.slice(0, -1))}, newest first. To open one: ${typed(world, `show ${first.id}`)}`),
    )
  }
}

function failureLines(failure: EarlierFailure, show: Show, { clock }: Context): string[] {
  const { id, date, command, line, next, passedLater } = failure
  const shortly = (text: string): string => show(cutMarked(text, COMMAND_CHARS))
  const then = next.map(
    ({ tool, command: text }) => `${INDENT}next: ${tool === 'Bash' ? '' : `${tool} `}${shortly(text)}`,
  )
  const later =
    passedLater === null ? 'the same command did not pass later' : `the same command passed later: ${passedLater}`
  return [
    `${bold(show(id))}${dim(`  ${show(clock.minute(date))}  failed`)}`,
    `${INDENT}${shortly(command)}`,
    `${INDENT}${shortly(line)}`,
    ...then,
    dim(`${INDENT}in that session ${later}`),
    '',
  ]
}

function commandLines({ id, date, command, outcome, times }: EarlierRun, show: Show, { clock }: Context): string[] {
  const often = times === 1 ? '' : `, ${times} times`
  return [`${bold(show(id))}${dim(`  ${show(clock.minute(date))}  ${outcome}${often}`)}`, `${INDENT}${show(command)}`]
}
