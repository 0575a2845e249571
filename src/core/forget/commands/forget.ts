/** `forget`: deletes something from every layer and every copy. */

import path from 'node:path'
import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import type { Context } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, oneLine } from '../../../kernel/memory/commands/output.ts'
import { COMMAND_WAIT_MS, type Store } from '../../../kernel/memory/disk/store.ts'
import { readOwnText, unlessFails } from '../../../kernel/platform/disk/files.ts'
import { KeeperError } from '../../../kernel/platform/error.ts'
import { parseObject } from '../../../kernel/platform/json.ts'
import { JOURNAL_DIR } from '../../../kernel/platform/layout.ts'
import { catchUp } from '../../../kernel/sessions/disk/catch-up.ts'
import { fingerprintOfWords } from '../../../kernel/text/fingerprint.ts'
import { fileKinds } from '../../files.ts'
import { FACT_KIND_NAMES } from '../../knowledge/item.ts'
import { type ForgetItem, type ForgetPlan, type ForgetWhat, performForget, planForget } from '../disk/forget.ts'

export interface ForgetOptions {
  session?: string
  query?: string
  yes?: boolean
}

const SHOWN_THINGS = 12
/** The names of kinds for a person. Other kinds (a receipt, a summary, a log) repeat one of these. */
const WORDS: Readonly<Record<string, string>> = {
  prompt: 'prompt',
  answer: 'answer',
  tool: 'tool use',
  subagent: 'subagent step',
  teammate: 'teammate message',
  compaction: 'compaction',
  ...Object.fromEntries(FACT_KIND_NAMES.map((kind) => [kind, kind])),
  permanent: 'permanent rule',
  note: 'note',
  'note, written anew': 'rewritten note',
  page: 'page',
  text: 'sentence',
  concept: 'concept',
  'raw backup': 'raw backup',
}

function wordOfRow(kind: string): string | undefined {
  return fileKinds().find(({ words }) => words?.[kind] !== undefined)?.words?.[kind]
}

/** Each item once, however many copies there are. A sentence has no id; it is listed with the first file that contains it. */
export function thingsIn(items: readonly ForgetItem[]): { id: string; kind: string; text: string }[] {
  const things = new Map<string, { id: string; kind: string; text: string }>()
  for (const { id, kind, where, text } of items) {
    const word = WORDS[kind] ?? wordOfRow(kind)
    const key = `${kind}\n${kind === 'text' ? text : id}`
    if (word !== undefined && !things.has(key)) things.set(key, { id: kind === 'text' ? where : id, kind: word, text })
  }
  return [...things.values()]
}

/** Counts and kinds without any text: `2 prompts and 1 decision, in 6 places`. */
export function tellThings(items: readonly ForgetItem[]): string {
  const kinds = thingsIn(items).map(({ kind }) => kind)
  const counted = [...new Set(kinds)].map((kind) => count(kinds.filter((one) => one === kind).length, kind))
  const what = counted.length === 0 ? 'what repeats it' : counted.join(', ').replace(/, ([^,]+)$/, ' and $1')
  return `${what}, in ${count(new Set(items.map(({ where }) => where)).size, 'place')}`
}

/** Without --yes it only shows what would be deleted: it cannot be restored. */
export function runForget(context: Context, words: readonly string[], options: ForgetOptions): number {
  const what = whatOf(words, options)
  // The text of the current turn is not captured yet, and would be captured afterwards.
  catchUp(context.store, { waitMs: COMMAND_WAIT_MS, now: context.world.now, look: 'unfinished' })
  const plan = planForget(context.store, what)
  if (plan.isEmpty)
    throw new KeeperError('not-found', `Nothing of ours contains ${flags(what).replace(/^--\w+ /, '')}.`)
  if (options.yes !== true || context.isDryRun) return show(context, plan)
  const { removed, left } = performForget(context.store, plan, context.world.now())
  const { transcripts, stays, elsewhere } = plan
  // The forgotten text is not repeated: the user does not want to read it again, nor find it in a log.
  const forgotten = removed.map(({ id, kind, file, where }) => ({ id, kind, file, where }))
  context.out.json({ forgotten, left, stays, elsewhere, transcripts })
  context.out.say(
    `Forgotten: ${tellThings(removed)}. It does not come back by itself, and it cannot be restored.`,
    ...left.map((one) => `${bold('Left:')} ${one}`),
    ...(left.length > 0 ? ['Fix that, then run the same command again.'] : []),
    ...remaining(plan),
  )
  return left.length > 0 ? 1 : 0
}

function whatOf(words: readonly string[], { session, query }: ForgetOptions): ForgetWhat {
  const id = words.join(' ').trim()
  const given = [id || undefined, session, query].filter((one) => one !== undefined)
  if (given.length !== 1 || given[0]?.trim() === '')
    throw new KeeperError(
      'usage',
      'Name one thing to forget: an id (memory-keeper forget d001), --session <id> or --query <words>.',
    )
  if (words.length > 1)
    throw new KeeperError('usage', `"${id}" is not an id. For words: memory-keeper forget --query "${id}"`)
  if (session !== undefined) return { is: 'session', session }
  return query === undefined ? { is: 'id', id } : { is: 'query', query }
}

function show({ out }: Context, plan: ForgetPlan): number {
  const { items, stays, elsewhere, transcripts, what } = plan
  out.json({ forgotten: [], wouldForget: items, stays, elsewhere, transcripts })
  out.say(
    `${bold('This would be forgotten')}, in every layer and every copy: ${tellThings(items)}.`,
    ...previews(items),
    '',
    ...remaining(plan),
    `It cannot be undone. To do it: memory-keeper forget ${flags(what)} --yes`,
  )
  return 0
}

function remaining({ stays, elsewhere, transcripts }: ForgetPlan): string[] {
  const own = transcripts.length === 1 ? 'transcript still has it' : 'transcripts still have it'
  return [
    ...(stays.length === 0
      ? []
      : [`Its source stays: ${few(stays).join(', ')}. To forget that too: memory-keeper forget ${stays[0]}`]),
    ...(elsewhere.length === 0
      ? []
      : [
          `You typed the same words in other sessions, which keep them: ${few(elsewhere).join(', ')}. To forget one of these too: memory-keeper forget ${elsewhere[0]}; the words wherever they are: --query`,
        ]),
    ...(transcripts.length === 0
      ? []
      : [
          `Claude Code's own ${own}; Memory Keeper never writes there, and does not read it in again. Claude Code deletes them after cleanupPeriodDays (30 days unless you set it):`,
          ...few(transcripts).map((file) => dim(`  ${file}`)),
        ]),
  ]
}

const FEW = 5

function few(all: readonly string[]): string[] {
  return all.length <= FEW ? [...all] : [...all.slice(0, FEW), `and ${all.length - FEW} more`]
}

function previews(items: readonly ForgetItem[]): string[] {
  const things = thingsIn(items)
  const more = things.length - SHOWN_THINGS
  return [
    ...things
      .slice(0, SHOWN_THINGS)
      .map(({ id, kind, text }) => dim(`  ${id} ${kind}: ${oneLine(text, 90)}`.replace(/^ {3}/, '  ').trimEnd())),
    ...(more > 0 ? [dim(`  … and ${more.toLocaleString('en-US')} more; --json lists all`)] : []),
  ]
}

function flags(what: ForgetWhat): string {
  if (what.is === 'id') return what.id
  if (what.is === 'session') return `--session ${what.session}`
  return what.is === 'query' ? `--query ${JSON.stringify(what.query)}` : ''
}

/** What was shown before it is forgotten: a bare "yes" confirms it for a limited time. */
const PREVIEWED_FILE = 'previewed.json'
const COUNTS_MS = 600_000

/** Stores only a fingerprint. If nothing can be written, nothing can be forgotten either. */
export function keepPreviewed(store: Store, words: string, now: string): void {
  const text = `${JSON.stringify({ at: now, mark: fingerprintOfWords(words) })}\n`
  const file = path.join(JOURNAL_DIR, PREVIEWED_FILE)
  unlessFails(() => store.perform([{ do: 'write', path: file, text }]), undefined)
}

export function wasPreviewed(store: Store, words: string, now: string): boolean {
  const { at, mark } = parseObject(readOwnText(path.join(store.dir, JOURNAL_DIR, PREVIEWED_FILE)) ?? '') ?? {}
  const age = Date.parse(now) - Date.parse(String(at))
  return mark === fingerprintOfWords(words) && age >= 0 && age <= COUNTS_MS
}

export const FORGET_COMMANDS: readonly Command[] = [
  {
    usage: 'forget [id...]',
    stdin: '--query',
    about: 'delete something from every layer, every copy and the index; it cannot be undone',
    options: [
      { flags: '--session <id>', about: 'a whole session and everything derived from it' },
      { flags: '--query <words>', about: 'texts with these words: in a row, or all of them in one sentence' },
      { flags: '--yes', about: 'do it; without it, only what would go is shown' },
    ],
    more: [
      'Ids are those that search, show and facts print: d001, r001, t001, c001 (a concept with its facts), n-…, L1:1a2b3c4d#5, L1:1a2b3c4d#5-9, a page.',
      'A query ignores case and also matches inside other words: afterwards no file of ours contains it. In quotes, the words match only in a row.',
      'Texts derived from a deleted entry are rebuilt by code from the remaining entries, or deleted too. Entries keep their numbers.',
      'Sentences of it that answers, tools, pages, rules or your own notes repeat elsewhere are shown first and deleted with the same --yes.',
      'What you typed yourself in other sessions in the same words stays; it is listed, and goes by its id or with --query.',
      'It does not come back with an import, a restore or the running session. Claude Code keeps its own transcript, which we never write.',
    ],
    writes: true,
    example: 'memory-keeper forget --query "project nightjar" --dry-run',
    also: ['memory-keeper forget d001 --yes'],
    run: inProject((context, options, words) => runForget(context, words, options)),
  },
]
