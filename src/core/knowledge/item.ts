/** An item of what is known: a fact (decision, pattern, issue), or a permanent item (rule, solution, core logic). Each has what proves it. */
import type { NamedAuthor } from '../../kernel/memory/document.ts'
import { isObject, textOr } from '../../kernel/platform/json.ts'

/** The letter of the ids, the list in facts.json, and what one that holds is called. */
interface KindOfItem {
  letter: string
  list: string
  name: string
}

export const FACT_KINDS = {
  decision: { letter: 'd', list: 'decisions', name: 'decision' },
  pattern: { letter: 'p', list: 'patterns', name: 'pattern' },
  issue: { letter: 'i', list: 'issues', name: 'open issue' },
} as const satisfies Record<string, KindOfItem>

/** They are proposed, and injected once they are active. Their ids are counted over all of them. */
export const PERMANENT_KINDS = {
  rules: { letter: 'r', list: 'rules', name: 'rule' },
  solutions: { letter: 'r', list: 'solutions', name: 'solution' },
  core_logic: { letter: 'r', list: 'core_logic', name: 'core logic' },
} as const satisfies Record<string, KindOfItem>

export const ITEM_KINDS = { ...FACT_KINDS, ...PERMANENT_KINDS }

/** The kind of this name; undefined: there is none. */
export function kindOfItem<Kind extends string>(
  kinds: Readonly<Record<Kind, unknown>>,
  name: unknown,
): Kind | undefined {
  return typeof name === 'string' && Object.hasOwn(kinds, name) ? (name as Kind) : undefined
}

export type FactKind = keyof typeof FACT_KINDS
export const FACT_KIND_NAMES = Object.keys(FACT_KINDS) as FactKind[]
export type PermanentKind = keyof typeof PERMANENT_KINDS

export const FACT_STATES = ['fresh', 'stale', 'superseded', 'rejected'] as const
/** `proposed`: waits for the user's approval. Only `active` items are injected. `superseded`: retired. */
export const PERMANENT_STATES = ['proposed', 'active', 'declined', 'superseded'] as const

export type FactState = (typeof FACT_STATES)[number]

export type Item = Fact | PermanentItem

interface ItemOf<Kind, State> {
  /** For example d001, p001, i001, r001. */
  id: string
  kind: Kind
  text: string
  /** When it was first said, or proposed. */
  at: string
  concept: string | null
  state: State
  /** The last verdict on it; absent while nobody has judged it. */
  judged?: Judged
}

export interface Fact extends ItemOf<FactKind, FactState> {
  by: 'extractive' | 'agent' | 'headless' | 'user'
  /** The reason, if one was given. */
  reason: string | null
  /** Issues only; decisions and patterns have null. */
  status: 'open' | 'resolved' | null
  /** How it was resolved. */
  resolution: string | null
  /** The source of the resolution: if the issue comes up again later, it is a new one. */
  closedBy?: { session: string; entry: number; at: string }
  /** Further places where it was said or solved, as `session#entry`: prevents adding it twice. */
  also?: string[]
  /** The session's id8. */
  session: string
  evidence: Evidence
  /** The files it is about, as named there. */
  files: string[]
  /** When it was last said, if more than once. */
  lastAt?: string
  /** Comes first in every briefing while it is current, because a person pinned it. */
  pinned?: true
  /** Where an imported fact comes from: `claude-mem`, `v3`, `v4`. See `isOfEarlierVersion`. */
  source?: string
  /** Derived from wording, by the code of an earlier version. See isLegacy. */
  legacy?: true
  /** A model wrote it and no audit has confirmed it yet; `unclear`: an audit could not decide. See isTold. */
  unaudited?: true | 'unclear'
  /** While unaudited: the decisions (d001) that it replaces once it is confirmed. */
  replaces?: readonly string[]
  /** For an open issue: a model reports it as settled, and no audit has confirmed that yet. */
  closing?: Closing
}

export interface PermanentItem extends ItemOf<PermanentKind, (typeof PERMANENT_STATES)[number]> {
  /** Who proposed it. */
  by: 'user' | 'agent' | 'headless' | 'code'
  /** The facts (d001) it was derived from. */
  facts: string[]
  evidence: Proof[]
  /** When it was last said or recalled. */
  usedAt: string
  /** When the user was asked for approval. */
  askedAt?: string
  /** The version whose rule it was, where no person had accepted it there; or the user's other machine that has it. */
  from?: string
}

/** An item without an id. */
export type NewItem<T extends Item> = Omit<T, 'id'>
export type NewFact = NewItem<Fact>

/** The words that prove a fact. */
export interface Evidence {
  /** The entry's number in its session. */
  entry: number
  /** The exact words of the entry. */
  quote: string
  /** Further entries that support its reason, its resolution or its done-claim. */
  more?: number[]
  /** Whose words they are, determined by the program, never by a model. */
  by?: Speaker
  /** The tool whose text it is: `WebFetch`. */
  from?: string
}

export const SPEAKERS = ['user', 'assistant', 'tool'] as const

/** `tool`: text of a tool, a file, a web page or a subagent. */
export type Speaker = (typeof SPEAKERS)[number]

/** A place where a permanent item was said. */
export interface Proof {
  session: string
  entry: number
  quote: string
  /** The user typed it behind a colon: it may be somebody else's words, and activates nothing by itself. */
  quoted?: true
}

export interface Judged {
  by: 'user' | 'agent' | 'headless' | 'code' | 'git'
  at: string
  why: string | null
  /** The id of its replacement. */
  other: string | null
}

export interface Closing {
  session: string
  entry: number
  at: string
  /** How it was settled. */
  how: string
  quote: string
  by: 'agent' | 'headless'
}

export function isFact(item: Item): item is Fact {
  return item.kind in FACT_KINDS
}

/** A fact that is current as far as known, or an active permanent item. */
export function isLive({ state }: Pick<Item, 'state'>): boolean {
  return state === 'fresh' || state === 'stale' || state === 'active'
}

/** Whether a fact may be injected into a session. A fact that a person pinned or wrote may be, whatever an audit says. */
export function isTold(fact: Pick<Fact, 'legacy' | 'by' | 'pinned' | 'unaudited'>): boolean {
  if (isLegacy(fact)) return false
  return fact.unaudited === undefined || fact.pinned === true || fact.by === 'user'
}

/** A model wrote it, it is not told yet, and an audit may still confirm it. What a person wrote needs none. */
export function awaitsAudit(fact: Fact): boolean {
  return fact.unaudited === true && isLive(fact) && !isTold(fact)
}

/**
 * Such a fact is found by search and listed, but never injected. It ends when a model's or a person's words replace it, or when it
 * is pinned.
 */
export function isLegacy({ legacy, by, pinned }: Pick<Fact, 'legacy' | 'by' | 'pinned'>): boolean {
  return legacy === true && by === 'extractive' && pinned !== true
}

/** A current issue without a resolution, whoever wrote it. */
export function isUnresolved(fact: Fact): boolean {
  return fact.kind === 'issue' && fact.status === 'open' && isLive(fact)
}

/**
 * The one definition of an open issue, for every screen and for Claude: a model or a person wrote it, and it is unresolved, current and
 * told. What code derived by structure (unfinished tasks, commands that never passed, refused tool uses) is an open issue only if a
 * person pinned it.
 */
export function isOpenIssue(fact: Fact): boolean {
  const isWritten = fact.by !== 'extractive' || isPinned(fact)
  return isWritten && isUnresolved(fact) && isTold(fact) && fact.text.trim() !== ''
}

/** Its state for people; null: no issue. What code derived and nothing settled is unresolved, but no open issue. */
export function issueWord(fact: Fact): 'open' | 'unresolved' | 'resolved' | null {
  return fact.status !== 'open' ? fact.status : isOpenIssue(fact) ? 'open' : 'unresolved'
}

/** A fact that is no longer current is not injected even if pinned; if it is restored, it is pinned again. */
export function isPinned({ pinned, state }: Pick<Fact, 'pinned' | 'state'>): boolean {
  return pinned === true && isLive({ state })
}

/**
 * Claude wrote it into memory.md of v3 or v4, and nobody has made it their own. It does not age: its sections stood in every briefing of
 * those versions.
 */
export function isOfEarlierVersion({ by, source }: Pick<Fact, 'by' | 'source'>): boolean {
  return by === 'agent' && (source === 'v3' || source === 'v4')
}

/** Whose words a fact is, as it is told. Earlier versions did not store it: nobody's, then. */
export function authorOfFact(fact: Pick<Fact, 'by' | 'evidence' | 'source'>): NamedAuthor {
  const { by, evidence } = fact
  if (saidByPerson(fact)) return 'the user'
  if (isOfEarlierVersion(fact)) return `from ${fact.source}`
  if (evidence.by === 'tool') return `from ${evidence.from ?? 'a tool'}`
  return evidence.by === 'assistant' || by !== 'extractive' ? 'Claude' : 'author unknown'
}

/** Said by a person; a person's own entry needs no proof. */
export function saidByPerson({ by, evidence }: Pick<Fact, 'by' | 'evidence'>): boolean {
  return by === 'user' || evidence.by === 'user'
}

/** Claude saved it, and the evidence is not the user's words: it is always shown as Claude's. */
export function isClaudes({ by, evidence }: Pick<Fact, 'by' | 'evidence'>): boolean {
  return (by === 'agent' || by === 'headless') && evidence.by !== 'user'
}

/** Pieces are not always read in the order of their entries. */
export function isSaidAfter({ at, lastAt = at }: Pick<Fact, 'at' | 'lastAt'>, instant: string): boolean {
  return instant !== '' && lastAt > instant
}

/** More is rarely read, and facts.json is read at every session start. */
const MAX_PAST = 12

interface Past {
  at: string
  by: string
  /** For example `rejected` or `text was "…"`. */
  what: string
}

/** Oldest first. */
export function pastOf(fact: Fact): Past[] {
  const { history } = fact as { history?: unknown }
  if (!Array.isArray(history)) return []
  return history.flatMap((one: unknown) => {
    if (!isObject(one) || typeof one.what !== 'string') return []
    return [{ at: textOr(one.at, ''), by: textOr(one.by, ''), what: one.what }]
  })
}

export function withPast(fact: Fact, { by, at }: Pick<Judged, 'by' | 'at'>, what: string): Fact {
  const history = [...pastOf(fact), { at, by, what }].slice(-MAX_PAST)
  return { ...fact, ...{ history } }
}
