/** Recall with a prompt: finds what is remembered about it, unless it was already injected into the session. */
import { frameFor } from '../../../kernel/memory/disk/frame-key.ts'
import type { Store } from '../../../kernel/memory/disk/store.ts'
import { type State, sessionIn } from '../../../kernel/memory/state.ts'
import { readPart } from '../../../kernel/platform/disk/files.ts'
import { SESSIONS_DIR } from '../../../kernel/platform/layout.ts'
import type { Frame } from '../../../kernel/text/frame.ts'
import { occursIn } from '../../../kernel/text/memory-words.ts'
import { once } from '../../../kernel/text/once.ts'
import { estimateTokens } from '../../../kernel/text/tokens.ts'
import { branchOf, repositoryAt } from '../../../kernel/trust/disk/git-head.ts'
import { ownerInId } from '../../../kernel/trust/share-files.ts'
import { readAutoMemory } from '../../pages/disk/pages.ts'
import { readRules } from '../../pages/disk/rules.ts'
import {
  type RecallDecided,
  readRecalls,
  readReceipt,
  readStarts,
  recallsSinceCompaction,
} from '../../receipts/disk/journal.ts'
import { type Origin, recallMark, type Shown, shownTo } from '../../receipts/receipt.ts'
import type { MayLag, SearchIndex } from '../../search/disk/memory-index.ts'
import { readPrompt } from '../prompt.ts'
import { type judgePrompt as Judge, mayFire } from '../recall.ts'
import { type Remembered, renderRecall } from '../recall-text.ts'
import type { Recall, RecalledSource, Remembrance } from '../remembrance.ts'
import {
  type RecallContext,
  recallableUnit,
  recallContext,
  saidInContext,
  unreadOrigin,
  wantedIn,
} from './recall-context.ts'
import { newestKnown, standingIn } from './standing.ts'

/** The index may lag behind by this much: a long session must not be read all at once later. */
const MAX_LAG = 131_072
/** A question about what was last or comes next may be answered by one line more. */
const MOST_LINES = 2
const MOST_LINES_OF_PAST = 3
/** The strength that is enough if something about the matter was already injected: the whole prompt matches, and is worth as much as the rarest word. */
const FIRM = 1

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
  request: RecallRequest,
  open: (mayLag: MayLag) => SearchIndex,
  judge: typeof Judge,
): Recalled | null {
  const said = readPrompt(request.prompt)
  if (said === null) return null
  return recallIn(store, request, open, {
    mayFire: (where) => mayFire(said, where),
    find: (memory, isTaken) => judge(said, memory, isTaken),
  })
}

/** About a failed command or the task of an agent. Null: nothing is told. */
export function recallAbout(
  store: Store,
  request: Omit<RecallRequest, 'prompt'>,
  open: (mayLag: MayLag) => SearchIndex,
  find: (memory: Remembrance) => Recall | null,
): Recalled | null {
  // What this session met itself must be known: nothing may lag.
  const recalled = recallIn(store, { ...request, prompt: '' }, () => open(() => false), {
    mayFire: () => true,
    find: (memory, isTaken) => {
      const found = find(memory)
      return found !== null && isTaken(found) ? found : NOT_MET
    },
  })
  return recalled?.fires === true ? recalled : null
}

const NOT_MET: Recall = { signal: null, verdict: 'Nothing is remembered about it.', scores: {}, picks: [] }

interface Judgement {
  /** Whether anything could be found: if not, the memory is not looked at. */
  mayFire: (where: Where) => boolean
  find: (memory: Remembrance, isTaken: (found: Recall) => boolean) => Recall
}

function recallIn(
  store: Store,
  { prompt, session, host = 0 }: RecallRequest,
  open: (mayLag: MayLag) => SearchIndex,
  judgement: Judgement,
): Recalled | null {
  if (store.config.recallMaxTokens === 0) return null
  const state = store.readState()
  const n = sessionIn(state, session)?.entries ?? 0
  const where = whereIn(store, state, session)
  if (!judgement.mayFire(where)) return { ...NO_FORM, n }
  const origin = unreadOrigin(store, state, session, host)
  if (origin !== null && origin.from === null) return { ...UNKNOWN_ORIGIN, n }
  const index = open(ownTail(sessionIn(state, session)?.file ?? ''))
  try {
    index.refresh()
    const context = recallContext(state, session, origin)
    return { ...judged({ session, context, origin, prompt }, { store, state, index, where, ...judgement }), n }
  } finally {
    index.close()
  }
}

const NOTHING = { fires: false, picks: [], text: '', tokens: 0, scores: {}, signal: null }

const NO_FORM: Omit<Recalled, 'n'> = { ...NOTHING, verdict: 'It has the form of nothing that recall answers.' }

/** A fork's context contains parts of another session, which would be injected again. */
const UNKNOWN_ORIGIN: Omit<Recalled, 'n'> = {
  ...NOTHING,
  verdict: 'The session continues another one, and it is not known yet which.',
}

interface Judging extends Judgement {
  store: Store
  state: State
  index: SearchIndex
  where: Where
}

/** The first signal whose lines are told is taken. */
function judged(hearer: Hearer, judging: Judging): Omit<Recalled, 'n'> {
  const { store, find } = judging
  const frame = frameFor(store.places)
  const tried: { found: Recall; outcome: Outcome }[] = []
  const last = find(remembranceOf(hearer, judging), (found) => {
    const outcome = tell(found, shownBefore(store, hearer, found), store.config.recallMaxTokens, frame)
    tried.push({ found, outcome })
    return outcome.fires
  })
  const outcome = tried.find(({ found }) => found === last)?.outcome ?? { ...NOTHING, verdict: last.verdict }
  return { ...outcome, scores: last.scores, signal: outcome.fires ? last.signal : null }
}

function remembranceOf({ context, prompt }: Hearer, { store, state, index, where }: Judging): Remembrance {
  const { columns, engine } = index
  return {
    columns,
    engine,
    unitOf: (doc) => recallableUnit(context, index.unitOf(doc)),
    entryOf: (doc) => index.entryOf(doc),
    behind: (doc) => index.behind(doc),
    sessionOf: (doc) => index.placeOf(doc).session,
    isWanted: wantedIn(index, context),
    said: once(() => saidInContext(store, state, context, prompt)),
    ...where,
    standing: standingIn(store, state, context),
  }
}

type Where = Pick<Remembrance, 'branches' | 'branch'>

/** What git has checked out counts until the session has an entry. */
function whereIn(store: Store, state: State, session: string): Where {
  return {
    branches: once(() => new Set(newestKnown(store, state).flatMap(({ refine }) => refine.branch || []))),
    branch: once(() => {
      const repository = repositoryAt(store.places.project.root)
      return sessionIn(state, session)?.refine.branch || (repository === null ? null : branchOf(repository))
    }),
  }
}

type Outcome = Pick<Recalled, 'fires' | 'picks' | 'text' | 'tokens' | 'verdict'>

interface Found extends RecalledSource, Shown {
  score: number
  sentences: readonly string[]
}

/** Recognised by the first sentence: how many follow depends on the room. */
function foundIn({ picks, once: mark }: Recall): Found[] {
  return picks.map(({ source, score, sentences, from }) => {
    const [first = ''] = sentences
    return { ...source, score, sentences, from, to: from + first.length, mark: recallMark(mark ?? first) }
  })
}

/**
 * Nothing is injected if the best answer was injected before: the second best answers less. If any of them was, the session knows about
 * the matter, and a new line must match well.
 */
function tell(
  judgement: Recall,
  isShown: (pick: Shown, text: string) => boolean,
  maxTokens: number,
  frame: Frame,
): Outcome {
  const { signal, verdict: why, scores } = judgement
  const { strength = FIRM } = scores
  const found = foundIn(judgement)
  const isOld = found.map((one) => isShown(one, one.sentences[0] ?? ''))
  // The user's own words of another day do not answer a question.
  const best = signal === 'question' ? found.findIndex(({ kind }) => kind !== 'prompt') : 0
  const isSilent = isOld[Math.max(best, 0)] === true || (isOld.includes(true) && strength < FIRM)
  const rank = ({ kind, id }: Found): number =>
    Number(ownerInId(id) !== null) * 2 + Number(signal === 'question' && kind === 'prompt')
  // Own memories before those of other machines and teammates; the answer to a question before what the user said about it.
  const fresh = (isSilent ? [] : found.filter((_, i) => !isOld[i])).toSorted((a, b) => rank(a) - rank(b))
  const maxLines = signal === 'standing' ? MOST_LINES_OF_PAST : MOST_LINES
  const { text, texts } = renderRecall(fresh, { maxTokens, maxLines, frame })
  const picks = found.map(({ sentences, ...pick }): Picked => {
    const at = fresh.findIndex(({ id, from }) => id === pick.id && from === pick.from)
    const words = texts[at] ?? ''
    const verdict = at < 0 ? 'shown' : words === '' ? 'room' : 'told'
    return {
      ...pick,
      to: pick.from + (words || (sentences[0] ?? '')).length,
      text: words || (sentences[0] ?? ''),
      verdict,
    }
  })
  const but = text !== '' ? '' : isSilent ? ' But the session was shown it before.' : ' But it does not fit.'
  return { fires: text !== '', picks, text, tokens: estimateTokens(text), verdict: `${why}${but}` }
}

interface Hearer {
  session: string
  context: RecallContext
  origin: Origin | null
  prompt: string
}

/**
 * Returns a test whether a line is already in the session: by an earlier recall since the last compaction, the briefing, the rules,
 * the host's MEMORY.md, or the prompt itself. An operation is told once, whatever the briefing contains.
 */
function shownBefore(store: Store, hearer: Hearer, { once: mark }: Recall): (pick: Shown, text: string) => boolean {
  const { session, context, origin, prompt } = hearer
  const receipts = readRecalls(store)
  const parents = context.filter((part) => part.session !== session)
  const began = origin?.at ?? readStarts(store).find((start) => start.session === session)?.at ?? ''
  // What was injected before a session was forked is in the fork, too.
  const before = receipts.filter(({ at }) => at < began)
  const isRecalled = [
    shownTo(recallsSinceCompaction(store, session) ?? receipts, session),
    ...parents.map((part) => shownTo(before, part.session)),
  ]
  if (mark !== undefined) return (pick) => isRecalled.some((isShown) => isShown(pick))
  const briefing = [session, ...parents.map((part) => part.session)].flatMap((id) =>
    ((id === '' ? null : readReceipt(store, id)) ?? '').split('\n'),
  )
  const pairs = briefing.slice(1).map((line, i) => `${briefing[i]} ${line}`)
  const isInContext = occursIn([
    ...briefing,
    ...pairs,
    ...readRules(store),
    ...(readAutoMemory(store)?.lines ?? []),
    prompt,
  ])
  return (pick, text) => isRecalled.some((isShown) => isShown(pick)) || isInContext(text)
}

/** Entries of the session since its last compaction are never injected into it, so that they need not be indexed yet. Otherwise each prompt would wait for that. */
function ownTail(name: string): MayLag {
  return ({ path: source, file, size }, from) => {
    // A compressed one has another file.
    if (name === '' || source !== `${SESSIONS_DIR}/${name}` || !file.endsWith(name)) return false
    if (size < from || size - from > MAX_LAG) return false
    return readPart(file, from, size - from)?.includes('"role":"summary"') === false
  }
}
