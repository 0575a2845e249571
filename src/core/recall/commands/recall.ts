/** `recall`: shows what would be injected with a prompt and why, and what was injected with earlier ones. */

import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, knownSession, limitOf } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, good, harmless, oneLine, warning } from '../../../kernel/memory/commands/output.ts'
import { readRecalls } from '../../receipts/disk/journal.ts'
import { readRecallTexts } from '../../receipts/disk/receipts.ts'
import { isAboutWork, type Receipt } from '../../receipts/receipt.ts'
import { openIndex, type SearchIndex } from '../../search/disk/memory-index.ts'
import { type Picked, type Recalled, recallFor } from '../disk/recall.ts'
import { judgePrompt } from '../recall.ts'

interface RecallOptions {
  session?: string
  text?: boolean
  limit?: string
}

function runRecallExplain(context: Context, prompt: string, options: RecallOptions): number {
  const { store, out, world } = context
  const session = options.session === undefined ? '' : knownSession(store, options.session)
  let index: SearchIndex | null = null
  const open = (): SearchIndex => {
    index = openIndex(store, { cacheDir: store.places.cacheDir, now: world.now })
    return index
  }
  const recalled = recallFor(store, { prompt, session }, open, judgePrompt)
  const { news } = (index as SearchIndex | null) ?? { news: [] }
  const isOn = store.config.recall && store.config.recallMaxTokens > 0
  out.json({ ...(recalled ?? NOTHING_ASKED), isOn, news })
  if (recalled === null) out.say(NOTHING_ASKED.verdict)
  else out.say(...explain(context, recalled))
  if (!isOn) out.say(warning('Recall is switched off. To have it: memory-keeper config set recall true'))
  for (const line of out.isJson ? [] : news) out.warn(dim(line))
  return 0
}

const NOTHING_ASKED = {
  fires: false,
  verdict: 'Silent: there is nothing to search for in such a prompt (a command, a plan, or no word).',
  scores: {},
  picks: [],
  text: '',
  tokens: 0,
}

const LEFT_OUT: Record<Picked['verdict'], string> = {
  told: '',
  shown: 'left out: the session was shown it already, or a better one',
  room: 'left out: no room in recallMaxTokens',
}

/** The other numbers are only in --json. */
function evidenceLine({ strength, needed }: Readonly<Record<string, number>>): string[] {
  if (strength === undefined || needed === undefined) return []
  const shown = (Math.floor(strength * 100) / 100).toFixed(2)
  return [dim(`  evidence ${shown}, more than ${needed.toFixed(2)} needed`)]
}

function explain({ clock }: Context, { fires, verdict, scores, picks, text, tokens }: Recalled): string[] {
  const left = picks.filter((pick) => pick.verdict !== 'told')
  return [
    `${fires ? good('It would be injected.') : bold('Silent.')} ${harmless(verdict)}`,
    ...evidenceLine(scores),
    ...(text === '' ? [] : ['', harmless(text), dim(`about ${count(tokens, 'token')}`)]),
    ...left.map((pick) =>
      dim(`  ${clock.day(pick.at)} ${pick.id} ${oneLine(pick.text, 80)} (${LEFT_OUT[pick.verdict]})`),
    ),
  ]
}

function runRecallList(context: Context, options: RecallOptions): number {
  const { store, out } = context
  const session = options.session === undefined ? null : knownSession(store, options.session)
  const all = readRecalls(store).filter((receipt) => session === null || receipt.session === session)
  const fired = all.filter((receipt) => receipt.fired).reverse()
  const atWork = fired.filter(isAboutWork).length
  const elsewhere = atWork === 0 ? '' : ` ${count(atWork, 'recall')} at a failed command or an agent.`
  const shown = fired.slice(0, limitOf(options.limit))
  const texts = options.text === true ? readRecallTexts(store) : null
  const textOf = (receipt: Receipt): string => texts?.(receipt) ?? ''
  out.json({
    recalls: texts === null ? shown : shown.map((receipt) => ({ ...receipt, text: textOf(receipt) })),
    fired: fired.length,
    silent: all.length - fired.length,
  })
  if (all.length === 0) out.say('No prompt has been checked yet: recall works with the hooks of a session.')
  else
    out.say(
      ...shown.flatMap((receipt) => [
        ...renderReceipt(context, receipt),
        ...(textOf(receipt) === '' ? [] : [harmless(textOf(receipt)), '']),
      ]),
      dim(
        `${count(all.length - atWork, 'prompt')}, ${count(fired.length - atWork, 'recall')}; the others were silent.${elsewhere}`,
      ),
    )
  return 0
}

function renderReceipt(
  { clock, world: { columns } }: Context,
  { at, session, signal, shown, tokens, verdict, ms }: Receipt,
): string[] {
  const head = `${clock.minute(at)}  ${bold(harmless(session.slice(0, 8)))}  ${signal}${signal === '' ? '' : ', '}${count(tokens, 'token')}, ${ms} ms`
  const ids = shown.map(({ id }) => id).join(', ')
  return [head, `  ${oneLine(ids, columns - 2)}`, dim(`  ${oneLine(verdict, columns - 2)}`)]
}

export const RECALL_COMMANDS: readonly Command[] = [
  {
    usage: 'recall explain <prompt...>',
    stdin: 'words',
    about: 'what would be injected with a prompt, its scores, and why or why not',
    options: [{ flags: '--session <id>', about: 'as if it were typed in this session' }],
    example: 'memory-keeper recall explain "why do we round prices in cents?"',
    run: inProject((context, options, words) => runRecallExplain(context, words.join(' '), options)),
  },
  {
    usage: 'recall list',
    about: 'what was injected with earlier prompts, newest first',
    options: [
      { flags: '--session <id>', about: 'of this session only' },
      { flags: '--limit <n>', about: 'at most so many' },
      { flags: '--text', about: 'with the injected text' },
    ],
    example: 'memory-keeper recall list --limit 10 --text',
    run: inProject(runRecallList),
  },
]
