/** Recall with a prompt: finds what is remembered about it, unless it was already injected into the session. */
import path from 'node:path'
import { readForeign } from '../../copies/disk/others.ts'
import { STANDS_ID } from '../../copies/others.ts'
import { frameFor } from '../../memory/disk/frame-key.ts'
import { type Store, sessionPath } from '../../memory/disk/store.ts'
import { allSessions, type State, sessionIn } from '../../memory/state.ts'
import { readAutoMemory } from '../../pages/disk/pages.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { readPart, sizeOf } from '../../platform/disk/files.ts'
import { id8OfFile, SESSIONS_DIR } from '../../platform/layout.ts'
import { authorNamed, type ToldAuthor } from '../../receipts/authored-line.ts'
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
import type { Frame } from '../../text/frame.ts'
import { quotedWords, toldIn } from '../../text/memory-words.ts'
import { once } from '../../text/once.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { tellingWords } from '../../text/words.ts'
import { ownerInId } from '../../trust/share-files.ts'
import type { Recall } from '../pick.ts'
import { readPrompt } from '../prompt.ts'
import type { judgePrompt as Judge } from '../recall.ts'
import { type Remembered, renderRecall } from '../recall-text.ts'
import { type RecallContext, recallContext, textFor, unreadOrigin, wantedIn } from './recall-context.ts'

/** The index may lag behind by this much: a long session must not be read all at once later. */
const MAX_LAG = 131_072
/** The maximum number of tokens with a prompt that is not a question. */
const MAX_UNASKED = 105
/** The strength that is enough if something about the matter was already injected: the whole prompt matches, and is worth as much as the rarest word. */
const FIRM = 1
/** The number of sessions whose ends answer what comes next. */
const MOST_STANDS = 2

export interface Picked extends Shown, Remembered {
  score: number
  /** `shown`: already injected into this session; `room`: it does not fit. */
  verdict: 'told' | 'shown' | 'room'
}

export interface Recalled extends RecallDecided {
  scores: Readonly<Record<string, number>>
  signal: Recall['signal']
  picks: Picked[]
  /** The text for Claude; empty: nothing is injected. */
  text: string
}

export interface RecallRequest {
  prompt: string
  /** The session of the prompt; empty: a session that has just begun. */
  session: string
  /** The host process that runs it, if known. */
  host?: number
}

/** Null: the prompt contains nothing to search for. */
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
    const found = isNext ? lastStands(store, state, context) : excerptsOf(index, judged, state)
    if (judged.signal === null || found.length === 0) return { ...judged, ...NOTHING, signal: null, n }
    const isShown = shownBefore(store, { session, context, origin, prompt, signal: judged.signal })
    const maxTokens = said.asks === null ? Math.min(MAX_UNASKED, recallMaxTokens) : recallMaxTokens
    return {
      ...tell(found, isShown, maxTokens, judged, frameFor(store.places)),
      signal: judged.signal,
      scores: judged.scores,
      n,
    }
  } finally {
    index.close()
  }
}

const ASKS_NEXT: Recall = { signal: 'question', verdict: 'It asks where the work stands.', scores: {}, picks: [] }
const NOTHING = { fires: false, picks: [], text: '', tokens: 0 }

/** A fork's context contains parts of another session, which would be injected again. */
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
  /** The part that is compared with what was injected before: a long excerpt never occurs there as a whole. */
  core: string
}

function excerptsOf(index: SearchIndex, { picks, signal }: Recall, state: State): Found[] {
  const found = picks.flatMap(({ doc, score, from, to, core = { from, to } }): Found[] => {
    const unit = index.unitOf(doc)
    if (unit === null) return []
    const { id, at, kind, state, by } = unit
    const words = unit.text.slice(from, to)
    const text = from > 0 ? `… ${words}` : words
    const told = { text, core: unit.text.slice(core.from, core.to), mark: recallMark(words) }
    return [{ id, from, to, at, kind, state, score, ...told, ...(by === undefined ? {} : { by }) }]
  })
  const session = signal === 'built' && picks[0] !== undefined ? index.placeOf(picks[0].doc).session : null
  return session === null
    ? found
    : [...found.slice(0, 1), ...standsOf(state, (id8) => id8 === session), ...found.slice(1)]
}

/** Of this machine, then of the user's other machines. */
function lastStands(store: Store, state: State, context: RecallContext): Found[] {
  const own = standsOf(state, (id8) => !context.some((part) => part.id8 === id8)).slice(0, MOST_STANDS)
  const others = readForeign(store).machines.filter(({ id }) => id.startsWith(STANDS_ID))
  return [
    ...own,
    ...others
      .slice(0, MOST_STANDS)
      .map(({ who, id, at, text }) => endOf(`${who}:${id}`, at, `of ${who}`, text, `from ${quotedWords(who)}`)),
  ]
}

function endOf(id: string, at: string, state: string, text: string, by: ToldAuthor): Found {
  const place = { id, from: 0, to: text.length, mark: recallMark(text) }
  return { ...place, at, kind: 'session', state, by, score: 1, text, core: text }
}

/** Newest first. */
function standsOf(state: State, isWanted: (id8: string) => boolean): Found[] {
  return allSessions(state)
    .sort(([, a], [, b]) => (a.file < b.file ? 1 : -1))
    .flatMap(([, { file, stands }]): Found[] => {
      const id8 = id8OfFile(file)
      if (id8 === null || stands === undefined || !isWanted(id8)) return []
      return [endOf(id8, file.replace(/^(\d{4})(\d\d)(\d\d).*/, '$1-$2-$3'), '', stands.text, authorNamed(stands.by))]
    })
}

/**
 * Nothing is injected if the best answer was injected before: the second best answers less. If any of them was, the session knows about
 * the matter, and a new excerpt must match well.
 */
function tell(
  found: readonly Found[],
  isShown: (pick: Shown, text: string) => boolean,
  maxTokens: number,
  { signal, verdict: why, scores: { strength = FIRM } }: Recall,
  frame: Frame,
): Pick<Recalled, 'fires' | 'picks' | 'text' | 'tokens' | 'verdict'> {
  const isOld = found.map((one) => isShown(one, one.core))
  // A prompt does not answer a question.
  const best = signal === 'question' ? found.findIndex(({ kind }) => kind !== 'prompt') : 0
  const isSilent = isOld[Math.max(best, 0)] === true || (isOld.includes(true) && strength < FIRM)
  const rank = ({ kind, id }: (typeof found)[number]): number =>
    Number(ownerInId(id) !== null) * 2 + Number(signal === 'question' && kind === 'prompt')
  // Own memories before those of other machines and teammates; the answer to a question before prompts that asked it.
  const fresh = (isSilent ? [] : found.filter((_, i) => !isOld[i])).toSorted((a, b) => rank(a) - rank(b))
  const { text, isTold } = renderRecall(fresh, maxTokens, frame)
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
  prompt: string
  signal: Recall['signal']
}

/**
 * Returns a test whether an excerpt is already in the session: by an earlier recall since the last compaction, the briefing, the rules,
 * the host's MEMORY.md, or the prompt itself. A dead end is injected once, whatever the briefing contains.
 */
function shownBefore(store: Store, hearer: Hearer): (pick: Shown, text: string) => boolean {
  const { session, context, origin, prompt, signal } = hearer
  const receipts = readRecalls(store)
  const parents = context.filter((part) => part.session !== session)
  const own = context.find((part) => part.session === session)
  const since = recallsSinceCompaction(store, session)
  const began = origin?.at ?? readStarts(store).find((start) => start.session === session)?.at ?? ''
  // What was injected before a session was forked is in the fork, too.
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
  const isTold = toldIn([...briefing, ...pairs, ...readRules(store), ...(readAutoMemory(store)?.lines ?? []), prompt])
  return (pick, text) => isRecalled.some((isShown) => isShown(pick)) || isTold(text)
}

/** The end of the session's file, which the index may not contain yet. */
function lastSaid(store: Store, state: State, session: string): string {
  const file = sessionIn(state, session)?.file ?? ''
  if (file === '') return ''
  const where = path.join(store.dir, sessionPath(file))
  return readPart(where, Math.max(0, (sizeOf(where) ?? 0) - MAX_LAG), MAX_LAG)?.toString('utf8') ?? ''
}

/** Entries of the session since its last compaction are never injected into it, so that they need not be indexed yet. Otherwise each prompt would wait for that. */
function ownTail(name: string): MayLag {
  return ({ path: source, file, size, isPacked }, from) => {
    if (name === '' || isPacked || source !== `${SESSIONS_DIR}/${name}`) return false
    if (size < from || size - from > MAX_LAG) return false
    return readPart(file, from, size - from)?.includes('"role":"summary"') === false
  }
}
