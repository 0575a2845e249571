/** Recall with a prompt: what is remembered about it, unless the session was given it before. */
import path from 'node:path'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import { allSessions, type State, sessionIn } from '../../memory/state.ts'
import { loadedByHost } from '../../pages/disk/pages.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { readPart, sizeOf } from '../../platform/disk/files.ts'
import { id8OfFile, SESSIONS_DIR } from '../../platform/layout.ts'
import {
  type RecallDecided,
  readRecalls,
  readReceipt,
  readStarts,
  recallsSinceCompaction,
} from '../../receipts/disk/journal.ts'
import { type Origin, recallMark, type Shown, shownTo } from '../../receipts/receipt.ts'
import { LEGACY, UNAUDITED } from '../../search/corpus.ts'
import type { MayLag, SearchIndex } from '../../search/disk/index/index.ts'
import { toldIn } from '../../text/memory-words.ts'
import { once } from '../../text/once.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { tellingWords } from '../../text/words.ts'
import type { Recall } from '../pick.ts'
import { type Prompt, readPrompt } from '../prompt.ts'
import type { judgePrompt as Judge } from '../recall.ts'
import { type Remembered, renderRecall } from '../recall-text.ts'
import { type RecallContext, recallContext, textFor, unreadOrigin, wantedIn } from './recall-context.ts'

/** More than that is read at some time: a long session must not be read all at once in the end. */
const MAX_LAG = 131_072
/** Most tokens with a prompt that is no question. */
const MAX_UNASKED = 120
/** Strength that is enough where the session was told of the matter: the whole prompt is matched, and worth as much as the rarest word. */
const FIRM = 1
/** Sessions whose ends answer what comes next. */
const MOST_STANDS = 2

export interface Picked extends Shown, Remembered {
  score: number
  /** `shown`: to this session already; `room`: it does not fit. */
  verdict: 'told' | 'shown' | 'room'
}

export interface Recalled extends RecallDecided {
  scores: Readonly<Record<string, number>>
  signal: Recall['signal']
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
  const said = readPrompt(prompt)
  const { recallMaxTokens } = store.config
  if (said === null || recallMaxTokens === 0) return null
  if (said.asks !== 'next' && tellingWords(said.text).size === 0) return null
  const state = store.readState()
  const origin = unreadOrigin(store, state, session, host)
  const n = sessionIn(state, session)?.entries ?? 0
  if (origin !== null && origin.from === null) return { ...UNKNOWN_ORIGIN, n }
  const index = open(ownTail(sessionIn(state, session)?.file ?? ''))
  try {
    index.refresh()
    const context = recallContext(index, state, session, origin)
    const isNext = said.asks === 'next'
    const judged = isNext ? ASKS_NEXT : judge(said, remembranceOf(store, index, state, session, context))
    const found = isNext ? lastStands(state, context) : excerptsOf(index, judged, state)
    if (judged.signal === null || found.length === 0) return { ...judged, ...NOTHING, signal: null, n }
    const isShown = shownBefore(store, { session, context, origin, said, signal: judged.signal })
    const maxTokens = said.asks === null ? Math.min(MAX_UNASKED, recallMaxTokens) : recallMaxTokens
    return { ...tell(found, isShown, maxTokens, judged), signal: judged.signal, scores: judged.scores, n }
  } finally {
    index.close()
  }
}

const ASKS_NEXT: Recall = { signal: 'question', verdict: 'It asks where the work stands.', scores: {}, picks: [] }
const NOTHING = { fires: false, picks: [], text: '', tokens: 0 }

/** What a fork was given of another session stands before Claude, and would be told again. */
const UNKNOWN_ORIGIN: Omit<Recalled, 'n'> = {
  ...NOTHING,
  verdict: 'The session continues another one, and it is not known yet which.',
  scores: {},
  signal: null,
}

function remembranceOf(
  store: Store,
  index: SearchIndex,
  state: State,
  session: string,
  context: RecallContext,
): Parameters<typeof Judge>[1] {
  const { columns, engine } = index
  const tail = once(() => lastSaid(store, state, session))
  return {
    columns,
    engine,
    unitOf: (doc) => {
      const unit = index.unitOf(doc)
      const text = unit === null || unit.state === LEGACY || unit.state === UNAUDITED ? null : textFor(context, unit)
      return unit === null || text === null ? null : { text, state: unit.state }
    },
    sessionOf: (doc) => index.placeOf(doc).session,
    isWanted: wantedIn(index, context),
    isNameKnown: (name) => tail().includes(name),
  }
}

interface Found extends Omit<Picked, 'verdict'> {
  /** What is looked for in what the session was told: a long excerpt is never there as a whole. */
  core: string
}

function excerptsOf(index: SearchIndex, { picks, signal }: Recall, state: State): Found[] {
  const found = picks.flatMap(({ doc, score, from, to, core = { from, to } }): Found[] => {
    const unit = index.unitOf(doc)
    if (unit === null) return []
    const { id, at, kind, state } = unit
    const words = unit.text.slice(from, to)
    const text = from > 0 ? `… ${words}` : words
    const told = { text, core: unit.text.slice(core.from, core.to), mark: recallMark(words) }
    return [{ id, from, to, at, kind, state, score, ...told }]
  })
  const session = signal === 'built' && picks[0] !== undefined ? index.placeOf(picks[0].doc).session : null
  return session === null
    ? found
    : [...found.slice(0, 1), ...standsOf(state, (id8) => id8 === session), ...found.slice(1)]
}

function lastStands(state: State, context: RecallContext): Found[] {
  return standsOf(state, (id8) => !context.some((part) => part.id8 === id8)).slice(0, MOST_STANDS)
}

/** The newest first. */
function standsOf(state: State, isWanted: (id8: string) => boolean): Found[] {
  return allSessions(state)
    .sort(([, a], [, b]) => (a.file < b.file ? 1 : -1))
    .flatMap(([, { file, stands }]): Found[] => {
      const id8 = id8OfFile(file)
      if (id8 === null || stands === undefined || !isWanted(id8)) return []
      const { text } = stands
      const place = { id: id8, from: 0, to: text.length, mark: recallMark(text) }
      const at = file.replace(/^(\d{4})(\d\d)(\d\d).*/, '$1-$2-$3')
      return [{ ...place, at, kind: 'session', state: '', score: 1, text, core: text }]
    })
}

/**
 * Nothing where the best was shown before: the second best answers less. Where any of them was, the session was told of the matter,
 * and what is new to it must be well matched.
 */
function tell(
  found: readonly Found[],
  isShown: (pick: Shown, text: string) => boolean,
  maxTokens: number,
  { verdict: why, scores: { strength = FIRM } }: Recall,
): Pick<Recalled, 'fires' | 'picks' | 'text' | 'tokens' | 'verdict'> {
  const isOld = found.map((one) => isShown(one, one.core))
  // What was only asked for is no answer.
  const answer = Math.max(
    found.findIndex(({ kind }) => kind !== 'prompt'),
    0,
  )
  const isSilent = isOld[answer] === true || (isOld.includes(true) && strength < FIRM)
  const fresh = isSilent ? [] : found.filter((_, i) => !isOld[i])
  const { text, isTold } = renderRecall(fresh, maxTokens)
  const picks = found.map((one): Picked => {
    const { core: _, ...pick } = one
    const at = fresh.indexOf(one)
    return { ...pick, verdict: at < 0 ? 'shown' : isTold[at] ? 'told' : 'room' }
  })
  const but = text !== '' ? '' : isSilent ? ' But the session was shown it before.' : ' But it does not fit.'
  return { fires: text !== '', picks, text, tokens: estimateTokens(text), verdict: `${why}${but}` }
}

interface Hearer {
  session: string
  context: RecallContext
  origin: Origin | null
  said: Prompt
  signal: Recall['signal']
}

/**
 * Tells whether the session was given an excerpt: by an earlier recall since the last compaction, by the briefing, the rules,
 * the host's MEMORY.md, the prompt itself. A dead end is told once, whatever the briefing said.
 */
function shownBefore(store: Store, hearer: Hearer): (pick: Shown, text: string) => boolean {
  const { session, context, origin, said, signal } = hearer
  const receipts = readRecalls(store)
  const parents = context.filter((part) => part.session !== session)
  const own = context.find((part) => part.session === session)
  const since = recallsSinceCompaction(store, session)
  const began = origin?.at ?? readStarts(store).find((start) => start.session === session)?.at ?? ''
  // What a session was shown before it was forked stands in the fork, too.
  const before = receipts.filter(({ at }) => at < began)
  const isRecalled = [
    since === null ? shownTo(receipts, session, own?.from ?? 0) : shownTo(since, session, 0),
    ...parents.map((part) => shownTo(before, part.session, part.from)),
  ]
  if (signal === 'dead-end') return (pick) => isRecalled.some((isShown) => isShown(pick))
  const briefing = [session, ...parents.map((part) => part.session)].flatMap((id) =>
    ((id === '' ? null : readReceipt(store, id)) ?? '').split('\n'),
  )
  const pairs = briefing.slice(1).map((line, i) => `${briefing[i]} ${line}`)
  const isTold = toldIn([...briefing, ...pairs, ...readRules(store), ...loadedByHost(store), said.text])
  return (pick, text) => isRecalled.some((isShown) => isShown(pick)) || isTold(text)
}

/** The end of the session's file, which the index may not have yet. */
function lastSaid(store: Store, state: State, session: string): string {
  const file = sessionIn(state, session)?.file ?? ''
  if (file === '') return ''
  const where = path.join(store.dir, sessionPath(file))
  return readPart(where, Math.max(0, (sizeOf(where) ?? 0) - MAX_LAG), MAX_LAG)?.toString('utf8') ?? ''
}

/** What a session has said since its last compaction is never told to it: it need not be in the index yet. Each prompt would wait for that. */
function ownTail(name: string): MayLag {
  return ({ path: source, file, size, isPacked }, from) => {
    if (name === '' || isPacked || source !== `${SESSIONS_DIR}/${name}`) return false
    if (size < from || size - from > MAX_LAG) return false
    return readPart(file, from, size - from)?.includes('"role":"summary"') === false
  }
}
