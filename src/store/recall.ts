/** Recall with a prompt: what is remembered about it, less what the session has been shown. */
import path from 'node:path'
import { isIdle } from '../core/digest-words.ts'
import { id8OfFile } from '../core/layout.ts'
import { toldIn } from '../core/memory-words.ts'
import { KINDS, type Kind } from '../core/query/corpus.ts'
import type { judge as Judge } from '../core/query/recall.ts'
import { stemOf } from '../core/query/token.ts'
import { tokenise } from '../core/query/words.ts'
import { markOf, type Shown, shownTo } from '../core/recall-ledger.ts'
import { questionIn, type Remembered, renderRecall } from '../core/recall-text.ts'
import { parseEntry } from '../core/session.ts'
import { type State, sessionIn } from '../core/state.ts'
import { estimateTokens } from '../core/tokens.ts'
import { loadedByHost, readReceipt } from './briefing.ts'
import { readPart, sizeOf } from './files.ts'
import { type Decided, readRecalls } from './recall-ledger.ts'
import { readRules } from './rules.ts'
import type { SearchIndex } from './search-index/index.ts'
import { type Store, sessionPath } from './store.ts'

/** The last exchange of a session lies at the end of its file. */
const TAIL_BYTES = 65_536
const MAX_SAID = 1_500
/** Where the best of a packet was shown before, the rest is told only if it comes near to it, and speaks of the question. */
const NEAR = 0.5
const OWN_WORDS = 2
const MOST_WORDS = 0.6
/** Up to this one they are kinds of entries. */
const LAST_ENTRY_KIND = KINDS.indexOf('compaction')

export interface Picked extends Shown {
  at: string
  kind: Kind
  score: number
  text: string
  /** `shown`: to this session already; `room`: it does not fit. */
  verdict: 'told' | 'shown' | 'weak' | 'room'
}

export interface Recalled extends Decided {
  scores: Readonly<Record<string, number>>
  picks: Picked[]
  /** For Claude; empty: nothing is said. */
  text: string
}

export interface RecallRequest {
  prompt: string
  /** Whose prompt it is; empty: a session that has just begun. */
  session: string
}

/** Null: there is nothing to look for in such a prompt. */
export function recallFor(
  store: Store,
  { prompt, session }: RecallRequest,
  open: () => SearchIndex,
  judge: typeof Judge,
): Recalled | null {
  const question = questionIn(prompt)
  const maxTokens = Number(store.config.recallMaxTokens)
  if (question === '' || isIdle(question) || maxTokens === 0) return null
  const index = open()
  try {
    index.refresh()
    const state = store.readState()
    const context = contextOf(index, state, session)
    const judged = judge(question, lastExchange(store, state, session, question), index.columns, index.engine, {
      textOf: (doc) => textOf(index, context, doc),
      // A filter costs both engines something: at the beginning of a session there is nothing to leave out.
      ...(context.length === 0 ? {} : { isWanted: (doc: number) => !isInContext(index, context, doc) }),
    })
    const n = sessionIn(state, session)?.entries ?? 0
    if (!judged.fires) return { ...judged, picks: [], text: '', tokens: 0, n }
    return { ...tell(store, index, session, context, question, judged, maxTokens), n }
  } finally {
    index.close()
  }
}

function tell(
  store: Store,
  index: SearchIndex,
  session: string,
  context: Context,
  question: string,
  judged: ReturnType<typeof Judge>,
  maxTokens: number,
): Omit<Recalled, 'n'> {
  const found = excerptsOf(index, judged.picks, shownBefore(store, session, context, question))
  const fresh = worthTelling(found, question)
  const { text: rendered, isTold } = renderRecall(fresh, maxTokens)
  // Lines around an answer that was left out say nothing by themselves.
  const isAnswer = fresh.some(({ isHolding }, i) => isHolding && isTold[i])
  const text = isAnswer ? rendered : ''
  const picks = found.map(({ isOld, isHolding: _, state: __, ...pick }) => {
    const at = fresh.findIndex((one) => one.id === pick.id && one.from === pick.from)
    const verdict = isOld ? 'shown' : at >= 0 && !isTold[at] ? 'room' : at >= 0 && isAnswer ? 'told' : 'weak'
    return { ...pick, verdict } as Picked
  })
  const verdict = text !== '' ? judged.verdict : `${judged.verdict} ${whyNothing(picks)}`
  return { fires: text !== '', verdict, scores: judged.scores, picks, text, tokens: estimateTokens(text) }
}

interface Excerpt extends Shown, Remembered {
  score: number
  /** A telling word of the question stands in it. */
  isHolding: boolean
  isOld: boolean
}

function excerptsOf(
  index: SearchIndex,
  picks: ReturnType<typeof Judge>['picks'],
  isShown: (pick: Shown, text: string) => boolean,
): Excerpt[] {
  return picks.flatMap(({ doc, score, from, to, isHolding }) => {
    const unit = index.unitOf(doc)
    if (unit === null) return []
    const { id, at, kind, state } = unit
    const words = unit.text.slice(from, to)
    const shown = { id, from, to, mark: markOf(words) }
    const text = from > 0 ? `… ${words}` : words
    return [{ ...shown, at, kind, state, score, text, isHolding, isOld: isShown(shown, words) }]
  })
}

function worthTelling(found: readonly Excerpt[], question: string): Excerpt[] {
  const fresh = found.filter(({ isOld }) => !isOld)
  const best = found.toSorted((a, b) => b.score - a.score)[0]
  if (best === undefined || !best.isOld) return fresh
  const asked = stemsIn(question)
  const wordsOf = ({ text }: Excerpt): number => [...stemsIn(text)].filter((stem) => asked.has(stem)).length
  const least = Math.max(OWN_WORDS, wordsOf(best) * MOST_WORDS)
  return fresh.filter((one) => one.score >= best.score * NEAR && wordsOf(one) >= least)
}

function stemsIn(text: string): Set<number> {
  return new Set(Array.from(tokenise(text), stemOf))
}

function whyNothing(picks: readonly Picked[]): string {
  if (picks.length === 0) return 'But its source has changed since.'
  if (picks.some(({ verdict }) => verdict === 'shown')) return 'But the session was shown it before.'
  return picks.some(({ verdict }) => verdict === 'room')
    ? 'But it does not fit.'
    : 'But nothing of it speaks of the question.'
}

/** By an earlier recall since the last compaction, by the briefing, the rules, the host's MEMORY.md, the prompt itself. */
function shownBefore(
  store: Store,
  session: string,
  context: Context,
  question: string,
): (pick: Shown, text: string) => boolean {
  const isRecalled = shownTo(readRecalls(store), session, context[0]?.from ?? 0)
  const briefing = ((session === '' ? null : readReceipt(store, session)) ?? '').split('\n')
  const pairs = briefing.slice(1).map((line, i) => `${briefing[i]} ${line}`)
  const isTold = toldIn([...briefing, ...pairs, ...readRules(store), ...loadedByHost(store), question])
  return (pick, text) => isRecalled(pick) || isTold(text)
}

/** Which entries Claude has before it: of the session and those it continues, from the last compaction on. */
type Context = readonly { id8: string; from: number }[]

function contextOf(index: SearchIndex, state: State, session: string): Context {
  const chain: { id8: string; from: number }[] = []
  const visited = new Set<string>()
  for (let id: string | undefined = session; id !== undefined && !visited.has(id); ) {
    visited.add(id)
    const known = sessionIn(state, id)
    const id8 = known === undefined ? null : id8OfFile(known.file)
    if (id8 !== null) chain.push({ id8, from: 0 })
    id = known?.forkOf?.session
  }
  return chain.length === 0 ? chain : sinceCompaction(index, chain)
}

function sinceCompaction({ columns, placeOf }: SearchIndex, chain: Context): Context {
  const last = new Map<string, number>()
  for (
    let doc = columns.kind.indexOf(LAST_ENTRY_KIND);
    doc >= 0;
    doc = columns.kind.indexOf(LAST_ENTRY_KIND, doc + 1)
  ) {
    if (doc >= columns.count || columns.dead[doc]) continue
    const { session, n } = placeOf(doc)
    if (session !== null) last.set(session, Math.max(n, last.get(session) ?? 0))
  }
  const context = chain.map(({ id8 }) => ({ id8, from: last.get(id8) ?? 0 }))
  // What a session continues is forgotten with its own beginning.
  const compacted = context.findIndex(({ id8 }) => last.has(id8))
  return compacted < 0 ? context : context.slice(0, compacted + 1)
}

/** An entry by its number. What tells of a session without a compaction tells of what Claude has before it. */
function isInContext({ columns, placeOf }: SearchIndex, context: Context, doc: number): boolean {
  if (context.length === 0) return false
  const { session, n } = placeOf(doc)
  const isEntry = (columns.kind[doc] ?? 0) <= LAST_ENTRY_KIND
  return context.some(({ id8, from }) => session === id8 && (isEntry ? n >= from : from === 0))
}

/** Null also for what tells of nothing but what Claude has before it: a note or a fact about this session. */
function textOf(index: SearchIndex, context: Context, doc: number): string | null {
  const unit = index.unitOf(doc)
  const [, id8, from] = /^([0-9a-z]{8})#(\d+)/.exec(unit?.about ?? '') ?? []
  const isHere = context.some((part) => part.id8 === id8 && Number(from) >= part.from)
  return unit === null || isHere ? null : unit.text
}

/** The last prompt before this one and what Claude said to it; empty at the beginning. */
function lastExchange(store: Store, state: State, session: string, question: string): string {
  const file = sessionIn(state, session)?.file ?? ''
  if (file === '') return ''
  const where = path.join(store.dir, sessionPath(file))
  const size = sizeOf(where) ?? 0
  const tail = readPart(where, Math.max(0, size - TAIL_BYTES), TAIL_BYTES)?.toString('utf8') ?? ''
  const said: string[] = []
  for (const line of tail.split('\n').reverse()) {
    const entry = parseEntry(line)
    if (entry === null || (entry.role !== 'user' && entry.role !== 'assistant') || questionIn(entry.text) === question)
      continue
    said.unshift(entry.text.slice(0, MAX_SAID))
    if (entry.role === 'user') break
  }
  return said.join('\n').slice(-2 * MAX_SAID)
}
