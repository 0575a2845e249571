/** `briefing`: shows exactly what would be injected into a session, or was, and why. `context`: everything that is remembered about a topic or a file. */

import { type Command, inProject } from '../../../kernel/memory/commands/command.ts'
import { type Context, knownSession, typed } from '../../../kernel/memory/commands/context.ts'
import { bold, count, dim, harmless, oneLine, table } from '../../../kernel/memory/commands/output.ts'
import { showLate } from '../../../kernel/memory/commands/progress.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { allSessions } from '../../../kernel/memory/state.ts'
import { grouped, total } from '../../../kernel/text/figures.ts'
import { cutMarked } from '../../../kernel/text/shorten.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import { readReceipts } from '../../receipts/disk/receipts.ts'
import { type BriefingLine, sharesOf } from '../../receipts/receipt.ts'
import { nothingYet, notTrusted } from '../../search/commands/search-text.ts'
import { lookUp } from '../../search/disk/lookup.ts'
import { openSearcher } from '../../search/disk/search.ts'
import { tellsMemory } from '../briefing.ts'
import { previewBriefing } from '../disk/briefing.ts'

export interface BriefingOptions {
  afterCompaction?: string
  session?: string
  why?: boolean
}

function runBriefing(context: Context, options: BriefingOptions): number {
  const { store, out } = context
  if (options.session !== undefined) return showInjected(context, options.session, options.why === true)
  const session = options.afterCompaction === undefined ? null : knownSession(store, options.afterCompaction)
  const briefing = previewBriefing(store, session)
  const text = briefing?.text ?? ''
  const tokens = estimateTokens(text)
  const rendered = briefing?.lines ?? []
  // Shares by size, so that the parts add up to the total.
  const shares = sharesOf(
    tokens,
    rendered.map((line) => estimateTokens(`${line.text}\n`)),
  )
  const lines = rendered.map((line, i) => ({ ...line, tokens: shares[i] ?? 0 }))
  const maxChars = store.config.briefingChars
  out.json({ text, chars: text.length, maxChars, tokens, lines })
  if (briefing === null) {
    out.say(whyNothing(store))
    return 0
  }
  if (!tellsMemory(briefing) && !out.isJson) out.warn(dim(whyNothing(store)))
  if (options.why === true) out.say(...lines.flatMap(explain), '', ...renderTotals(lines))
  else out.say(harmless(text))
  // Not on stdout, which contains exactly the injected text.
  if (!out.isJson)
    out.warn(
      dim(`${text.length.toLocaleString('en-US')} of ${count(maxChars, 'character')}, about ${count(tokens, 'token')}`),
    )
  return 0
}

/** What was injected, from the receipts, including the rules and recalls with prompts. */
function showInjected({ store, out, clock }: Context, given: string, isWhy: boolean): number {
  const receipts = readReceipts(store, given)
  if (receipts === null || receipts.briefing.length + receipts.rules.length + receipts.recalls.length === 0) {
    const session = knownSession(store, given)
    out.json({ session, briefing: [], rules: [], recalls: [] })
    out.say(`Nothing was injected into session ${harmless(session.slice(0, 8))}, or its receipt was deleted.`)
    return 0
  }
  const { row, briefing, rules, recalls } = receipts
  out.json({ ...row, lines: briefing, rules, recalls })
  if (isWhy) out.say(...briefing.flatMap((line) => explain({ ...line, reason: line.why || 'not stored' })))
  else out.say(...briefing.map(({ text }) => harmless(text)))
  for (const { text, tokens, times } of rules)
    out.say('', dim(`with ${count(times, 'prompt')}, ${count(tokens, 'token')} each:`), harmless(text))
  for (const { at, text, tokens, why } of recalls.filter(({ isTold }) => isTold))
    out.say('', dim(`${clock.minute(at)}, ${count(tokens, 'token')}: ${harmless(why)}`), harmless(text || '(not kept)'))
  const all = row.briefing + row.rules + row.recall + row.request
  if (!out.isJson) out.warn(dim(`about ${count(all, 'token')} in all, with ${count(row.prompts, 'prompt')}`))
  return 0
}

function whyNothing(store: Store): string {
  const sessions = allSessions(store.readState()).filter(([, { file }]) => file !== '').length
  if (sessions === 0)
    return 'Nothing is remembered yet, so that nothing would be injected. memory-keeper import imports earlier ones.'
  return `${count(sessions, 'session')} ${sessions === 1 ? 'is' : 'are'} remembered, but there is nothing to tell of ${sessions === 1 ? 'it' : 'them'}: no person typed in, or there is no room.`
}

type Weighed = BriefingLine & { tokens: number }

function explain(line: Weighed): string[] {
  return [harmless(line.text), dim(`    ↑ ${count(line.tokens, 'token')}: ${harmless(line.reason)}`)]
}

function renderTotals(lines: readonly Weighed[]): string[] {
  const sumOf = (its: readonly Weighed[], of: (line: Weighed) => number, unit: string): string =>
    count(total(its, of), unit)
  return table(
    [...grouped(lines, ({ section }) => section)].map(([section, its]) => [
      bold(section === '' ? 'frame' : harmless(section)),
      sumOf(its, ({ text }) => text.length + 1, 'character'),
      `about ${sumOf(its, ({ tokens }) => tokens, 'token')}`,
    ]),
  )
}

export const BRIEFING_COMMANDS: readonly Command[] = [
  {
    usage: 'briefing',
    about: 'exactly what would be injected into a new session',
    options: [
      { flags: '--why', about: 'with the reason and the tokens of each line' },
      { flags: '--after-compaction <session>', about: 'what would be injected into this session after a compaction' },
      { flags: '--session <id>', about: 'what was injected into this session' },
    ],
    example: 'memory-keeper briefing --why',
    run: inProject(runBriefing),
  },
]

const LIMIT = 6
/** The limit of each item: a note is not longer, an answer may be. */
const MAX_CHARS = 900

export function runTopic(context: Context, words: string): number {
  const topic = words.trim()
  if (topic === '') return runBriefing(context, {})
  const { store, out, world, clock } = context
  const { cacheDir } = store.places
  const onProgress = showLate(world, out, 'read for the search index')
  const searcher = openSearcher(store, { cacheDir, now: world.now, onProgress })
  try {
    const { hits } = searcher.find({ query: topic, limit: LIMIT, ...(isFile(topic) ? { file: topic } : {}) })
    const found = hits.map(({ id, date, kind, state, snippet }) => {
      const parts = lookUp(store, id, 0)?.parts ?? []
      return { id, date, kind, state, text: shortened(parts.map(({ text }) => text).join('\n') || snippet) }
    })
    out.json({ topic, found })
    if (found.length === 0) out.say(searcher.index.columns.live === 0 ? nothingYet(store) : nothingAbout(store, topic))
    else if (world.isSkill === true) out.say(`Memory Keeper: what is remembered about '${oneLine(topic, 60)}'`)
    for (const { id, date, kind, state, text } of found) {
      const about = [clock.day(date), kind, state === 'fresh' ? '' : state].filter((part) => part !== '').join(' ')
      out.say(`${bold(harmless(id))} ${dim(harmless(about))}`, harmless(text), '')
    }
    if (found.length > 0)
      out.say(dim(`${count(found.length, 'memory', 'memories')}. ${typed(world, 'search')} finds more.`))
    return 0
  } finally {
    searcher.close()
  }
}

/** The words of a path occur everywhere: only texts that name the file are about it. */
function isFile(topic: string): boolean {
  return /^\S*(?:[/\\]\S|[^./\\\s]\.[a-z]\w*$)/i.test(topic)
}

function nothingAbout(store: Store, topic: string): string {
  return notTrusted(store) ?? `Nothing is remembered about ${oneLine(topic, 60)}.`
}

function shortened(text: string): string {
  return cutMarked(text, MAX_CHARS + 1)
}
