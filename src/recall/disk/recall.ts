/** Recall with a prompt: what is remembered about it, less what the session has been shown. */
import path from 'node:path'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import { type State, sessionIn } from '../../memory/state.ts'
import { loadedByHost } from '../../pages/disk/auto-memory.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { readPart, sizeOf } from '../../platform/disk/files.ts'
import { SESSIONS_DIR } from '../../platform/layout.ts'
import {
  type RecallDecided,
  readRecalls,
  readReceipt,
  readStarts,
  recallsSinceCompaction,
} from '../../receipts/disk/journal.ts'
import { type Origin, recallMark, type Shown, shownTo } from '../../receipts/receipt.ts'
import { type Kind, LEGACY, UNAUDITED } from '../../search/corpus.ts'
import type { MayLag, SearchIndex } from '../../search/disk/index/index.ts'
import { toldIn } from '../../text/memory-words.ts'
import { stemOf } from '../../text/token.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { tellingWords, tokenise } from '../../text/words.ts'
import { parseEntry } from '../../transcript/session.ts'
import type { judgePrompt as Judge } from '../recall.ts'
import { questionIn, type Remembered, renderRecall } from '../recall-text.ts'
import { isAboutContext, type RecallContext, recallContext, textOf, unreadOrigin, wantedIn } from './recall-context.ts'

/** The last exchange of a session lies at the end of its file. */
const TAIL_BYTES = 65_536
const MAX_SAID = 1_500
/** More than that is read at some time: a long session must not be read all at once in the end. */
const MAX_LAG = 131_072
/** Where the best of a packet was shown before, the rest is told only if it comes near to it, and speaks of the question. */
const NEAR = 0.5
const OWN_WORDS = 2
const MOST_WORDS = 0.6

export interface Picked extends Shown {
  at: string
  kind: Kind
  score: number
  text: string
  /** `shown`: to this session already; `room`: it does not fit. */
  verdict: 'told' | 'shown' | 'weak' | 'room'
}

export interface Recalled extends RecallDecided {
  scores: Readonly<Record<string, number>>
  picks: Picked[]
  /** For Claude; empty: nothing is said. */
  text: string
}

export interface RecallRequest {
  prompt: string
  /** Whose prompt it is; empty: a session that has just begun. */
  session: string
  /** The process of the host that runs it, where there is one. */
  host?: number
}

/** Null: there is nothing to look for in such a prompt. */
export function recallFor(
  store: Store,
  { prompt, session, host = 0 }: RecallRequest,
  open: (mayLag: MayLag) => SearchIndex,
  judge: typeof Judge,
): Recalled | null {
  const question = questionIn(prompt)
  const maxTokens = store.config.recallMaxTokens
  if (question === '' || tellingWords(question).size === 0 || maxTokens === 0) return null
  const state = store.readState()
  const origin = unreadOrigin(store, state, session, host)
  const n = sessionIn(state, session)?.entries ?? 0
  if (origin !== null && origin.from === null) return { ...UNKNOWN_ORIGIN, n }
  const index = open(ownTail(sessionIn(state, session)?.file ?? ''))
  try {
    index.refresh()
    const context = recallContext(index, state, session, origin)
    const isWanted = wantedIn(index, context)
    const judged = judge(question, lastExchange(store, state, session, question), index.columns, index.engine, {
      textOf: (doc) => textOf(index, context, doc),
      ...(isWanted === undefined ? {} : { isWanted }),
    })
    if (!judged.fires) return { ...judged, picks: [], text: '', tokens: 0, n }
    const hearer = { session, context, origin, question }
    return { ...tell(index, judged, hearer, shownBefore(store, hearer), maxTokens), n }
  } finally {
    index.close()
  }
}

/** What a fork was given of another session stands before Claude, and would be told again. */
const UNKNOWN_ORIGIN: Omit<Recalled, 'n'> = {
  fires: false,
  verdict: 'The session continues another one, and it is not known yet which.',
  scores: {},
  picks: [],
  text: '',
  tokens: 0,
}

function tell(
  index: SearchIndex,
  judged: ReturnType<typeof Judge>,
  { question, context }: Hearer,
  isShown: IsShown,
  maxTokens: number,
): Omit<Recalled, 'n'> {
  const found = withoutRetold(excerptsOf(index, judged.picks, context, isShown))
  const fresh = worthTelling(found, question)
  const { text: rendered, isTold } = renderRecall(fresh, maxTokens)
  // Lines around an answer that was left out say nothing by themselves.
  const isAnswer = fresh.some(({ isHolding }, i) => isHolding && isTold[i])
  const text = isAnswer ? rendered : ''
  const picks = found.map(({ isOld, isHolding: _, isAsked: __, state: ___, ...pick }) => {
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
  /** It says what somebody asked for, not what came of it. */
  isAsked: boolean
  isOld: boolean
}

function excerptsOf(
  index: SearchIndex,
  picks: ReturnType<typeof Judge>['picks'],
  context: RecallContext,
  isShown: IsShown,
): Excerpt[] {
  return picks.flatMap(({ doc, score, from, to, isHolding, isAsked }) => {
    const unit = index.unitOf(doc)
    if (unit === null || unit.state === LEGACY || unit.state === UNAUDITED) return []
    const { id, at, kind, state } = unit
    const words = unit.text.slice(from, to)
    const shown = { id, from, to, mark: recallMark(words) }
    const text = from > 0 ? `… ${words}` : words
    // A note about what this session said itself is no news to it.
    const isOwn = (isAsked || RETELLING.has(kind)) && kind !== 'prompt' && isAboutContext(context, unit.about)
    return [{ ...shown, at, kind, state, score, text, isHolding, isAsked, isOld: isOwn || isShown(shown, words) }]
  })
}

/** They tell of entries, those by code word for word. */
const RETELLING: ReadonlySet<Kind> = new Set(['note', 'session', 'tier', 'summary'])
/** So many characters in common, looked for at every tenth: the note repeats the entry. */
const RUN = { chars: 30, step: 10 }

/** A note that repeats an entry word for word is left out: the entry tells it, and where it was said. */
function withoutRetold(found: readonly Excerpt[]): Excerpt[] {
  const plain = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
  const entries = found.filter(({ kind }) => !RETELLING.has(kind)).map(({ text }) => plain(text))
  const repeats = (note: string): boolean => {
    for (let at = 0; at + RUN.chars <= note.length; at += RUN.step) {
      const run = note.slice(at, at + RUN.chars)
      if (entries.some((entry) => entry.includes(run))) return true
    }
    return false
  }
  return found.filter(({ kind, text }) => !RETELLING.has(kind) || !repeats(plain(text)))
}

function worthTelling(found: readonly Excerpt[], question: string): Excerpt[] {
  const fresh = found.filter(({ isOld }) => !isOld)
  const isAnything = fresh.some(({ isHolding, isAsked }) => isHolding && !isAsked)
  // Somebody's question was shown, in a list of what was asked for: that makes no answer to it needless.
  const isSettled = ({ isOld, isAsked }: Excerpt): boolean => isOld && !(isAsked && isAnything)
  const best = found.filter((one) => !one.isOld || isSettled(one)).toSorted((a, b) => b.score - a.score)[0]
  if (best === undefined || !best.isOld) return fresh
  const asked = stemsIn(question)
  const askedWords = ({ text }: Excerpt): number => [...stemsIn(text)].filter((stem) => asked.has(stem)).length
  const least = Math.max(OWN_WORDS, askedWords(best) * MOST_WORDS)
  // Beside an answer that was told, what somebody asked for is no news.
  return fresh.filter((one) => !one.isAsked && one.score >= best.score * NEAR && askedWords(one) >= least)
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

type IsShown = (pick: Shown, text: string) => boolean

interface Hearer {
  session: string
  context: RecallContext
  origin: Origin | null
  question: string
}

/** By an earlier recall since the last compaction, by the briefing, the rules, the host's MEMORY.md, the prompt itself. */
function shownBefore(store: Store, { session, context, origin, question }: Hearer): IsShown {
  const receipts = readRecalls(store)
  const parents = context.filter((part) => part.session !== session)
  const own = context.find((part) => part.session === session)
  const starts = readStarts(store)
  const since = recallsSinceCompaction(store, session)
  const began = origin?.at ?? starts.find((start) => start.session === session)?.at ?? ''
  // What a session was shown before it was forked stands in the fork, too.
  const before = receipts.filter(({ at }) => at < began)
  const isRecalled = [
    since === null ? shownTo(receipts, session, own?.from ?? 0) : shownTo(since, session, 0),
    ...parents.map((part) => shownTo(before, part.session, part.from)),
  ]
  const briefing = [session, ...parents.map((part) => part.session)].flatMap((id) =>
    ((id === '' ? null : readReceipt(store, id)) ?? '').split('\n'),
  )
  const pairs = briefing.slice(1).map((line, i) => `${briefing[i]} ${line}`)
  const isTold = toldIn([...briefing, ...pairs, ...readRules(store), ...loadedByHost(store), question])
  return (pick, text) => isRecalled.some((isShown) => isShown(pick)) || isTold(text)
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

/** What a session has said since its last compaction is never told to it: it need not be in the index yet. Each prompt would wait for that. */
function ownTail(name: string): MayLag {
  return ({ path: source, file, size, isPacked }, from) => {
    if (name === '' || isPacked || source !== `${SESSIONS_DIR}/${name}`) return false
    if (size < from || size - from > MAX_LAG) return false
    return readPart(file, from, size - from)?.includes('"role":"summary"') === false
  }
}
