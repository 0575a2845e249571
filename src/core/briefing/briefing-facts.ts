/** Facts as lines of a briefing: which facts, in which order, and with which details. */

import type { NamedAuthor } from '../../kernel/memory/document.ts'
import {
  compareText,
  dayOf,
  memoryWords,
  quotedWords,
  shareOf,
  shortenTo,
  textOnOneLine,
} from '../../kernel/text/memory-words.ts'
import { isOfTool } from '../knowledge/evidence.ts'
import {
  authorOfFact,
  FACT_KINDS,
  type Fact,
  isLive,
  isOfEarlierVersion,
  isPinned,
  isTold,
  type PermanentItem,
} from '../knowledge/item.ts'
import { allFacts, allPermanent, byKind, type Items, isSameFact, openIssues } from '../knowledge/items.ts'
import { authorNamed, listedLine, NOT_AUDITED } from '../receipts/authored-line.ts'
import type { BriefingInput, RoomLine } from './briefing-input.ts'

/** Whether a text already occurs elsewhere in the model's context. */
export type InContext = (text: string) => boolean

/** The briefing has room for at most this many facts of a kind. */
const MAX_FACTS = 60
const MAX_CHARS = 320
const MAX_FILES = 2
/** If the text contains more of a reason's words, the reason is not repeated. */
const NEARLY_ALL = 0.85

/** Decisions about recently changed files first, then the newest. Permanent items are listed as such, not again as decisions. */
export function decisionLines(
  facts: Items,
  inContext: InContext,
  changed: ReadonlySet<string> = new Set(),
  later: ReadonlyMap<string, string> = new Map(),
): RoomLine[] {
  const isTouched = ({ files }: Fact): boolean => files.some((file) => changed.has(file))
  const ranked = rankFacts(byKind(facts).decisions)
  const first = ranked.filter((fact) => isPinned(fact) || isTouched(fact))
  const rest = ranked.filter((fact) => !first.includes(fact))
  return factLines([...first, ...rest], inContext, isAmongPermanent(facts), { later })
}

/** Returns a test whether a fact or an instruction became permanent, or repeats a permanent item. */
function isAmongPermanent(items: Items): (one: { id: string; text: string }) => boolean {
  const active = allPermanent(items).filter(isLive)
  const grown = new Set(active.flatMap(({ facts }) => facts))
  const isSame = sameAsOneOf(active.map(({ text }) => text))
  return ({ id, text }) => grown.has(id) || isSame(text)
}

/** Returns a test whether a text says the same as one of these. */
export function sameAsOneOf(others: readonly string[]): InContext {
  return (text) => others.some((other) => isSameFact(text, other))
}

/** Whether a text is known as a fact, in whatever state: then it is told as such, or was refuted. */
export function knownAsFact({ facts, isLeftOut = () => false }: Pick<BriefingInput, 'facts' | 'isLeftOut'>): InContext {
  const isRead = sameAsOneOf(allFacts(facts).map(({ text }) => text))
  return (text) => isRead(text) || isLeftOut(text)
}

export function issueLines(facts: Items, inContext: InContext): RoomLine[] {
  const solved = byKind(facts).issues.filter(({ status, pinned }) => status === 'resolved' && pinned === true)
  return factLines([...rankFacts(solved), ...rankFacts(openIssues(facts))].sort(pinnedFirst), inContext)
}

/** Instructions that wait for the user's approval: told as proposals, never as the user's word. Newest first. */
export function instructionLines(items: Items, inContext: InContext): RoomLine[] {
  const said = byKind(items).rules.filter(
    ({ state, facts, from, evidence }) => state === 'proposed' && facts.length === 0 && !from && evidence.length > 0,
  )
  return said.toReversed().flatMap(({ id, usedAt, evidence }) => {
    const words = shortenTo(textOnOneLine(evidence.at(-1)?.quote ?? ''), MAX_CHARS)
    if (words === null || words === '' || inContext(words)) return []
    return [
      {
        ...datedLine(id, usedAt, 'code', `Proposed, not accepted: ${quotedWords(words)}`),
        reason: `proposed rule ${id}`,
      },
    ]
  })
}

/** As Claude's, whoever is quoted: nothing confirmed what the model made of the words. */
export function unauditedLines(unaudited: readonly Fact[], inContext: InContext): RoomLine[] {
  const own = unaudited.filter(({ status }) => status !== 'resolved')
  return factLines(byRank(own), inContext, undefined, { mark: NOT_AUDITED })
}

/** Permanent items besides rules. */
export function permanentLines(items: Items, inContext: InContext): RoomLine[] {
  const { solutions, core_logic } = byKind(items)
  return [...lastingLines(solutions, 'Solution', inContext), ...lastingLines(core_logic, 'Core logic', inContext)]
}

/** Recurring patterns. */
export function patternLines(facts: Items, inContext: InContext): RoomLine[] {
  const said = byKind(facts).patterns.filter((fact) => !isOfTool(fact))
  return factLines(rankFacts(said), inContext, isAmongPermanent(facts))
}

const MOST_ENVIRONMENT = 2

/** What an output of a tool showed about the environment, the newest first. */
export function environmentLines(facts: Items, inContext: InContext): RoomLine[] {
  const shown = rankFacts(byKind(facts).patterns.filter(isOfTool))
  return factLines(shown, inContext, isAmongPermanent(facts), { label: 'learned' }).slice(0, MOST_ENVIRONMENT)
}

/** Proposed items are not injected. Facts unused for long come last, by month, so that the lines do not change daily. */
function lastingLines(items: readonly PermanentItem[], label: string, inContext: InContext): RoomLine[] {
  const month = ({ usedAt, at }: PermanentItem): string => (usedAt || at).slice(0, 7)
  const ranked = items.filter(isLive).sort((a, b) => compareText(month(b), month(a)) || compareText(a.id, b.id))
  return ranked.flatMap(({ id, text, by }) => {
    const words = shortenTo(textOnOneLine(text), MAX_CHARS)
    if (words === null || words === '' || inContext(words)) return []
    return [
      { text: listedLine(`${id} ${label}`, authorNamed(by), words), reason: `permanent ${label.toLowerCase()} ${id}` },
    ]
  })
}

/** One of its files changed: it may no longer hold. */
function isDoubtful({ state }: Fact): boolean {
  return state === 'stale'
}

/** Pinned ones first; fresh before stale, then the newest day, then facts by a person or a model before those by code. */
function rankFacts(facts: readonly Fact[]): Fact[] {
  return byRank(facts.filter((fact) => isLive(fact) && isTold(fact) && fact.text.trim() !== ''))
}

function byRank(facts: readonly Fact[]): Fact[] {
  const author = { user: 0, agent: 1, headless: 1, extractive: 2 } as const
  return facts.toSorted(
    (a, b) =>
      pinnedFirst(a, b) ||
      Number(isDoubtful(a)) - Number(isDoubtful(b)) ||
      compareText(dayOf(b.at), dayOf(a.at)) ||
      author[a.by] - author[b.by] ||
      compareText(b.at, a.at) ||
      compareText(b.id, a.id),
  )
}

function pinnedFirst(a: Fact, b: Fact): number {
  return Number(isPinned(b)) - Number(isPinned(a))
}

interface FactMarks {
  later?: ReadonlyMap<string, string>
  mark?: string
  /** What the receipt calls them, if not by their kind. */
  label?: string
}

function factLines(
  ranked: readonly Fact[],
  inContext: InContext,
  isLeftOut = (_: Fact) => false,
  { later = new Map<string, string>(), mark = '', label = '' }: FactMarks = {},
): RoomLine[] {
  const counts = [0, 0]
  const news: Fact[] = []
  for (const fact of ranked) {
    const kind = Number(isOfEarlierVersion(fact))
    if ((counts[kind] ?? 0) >= MAX_FACTS || inContext(fact.text) || isLeftOut(fact)) continue
    counts[kind] = (counts[kind] ?? 0) + 1
    news.push(fact)
  }
  return news.map((fact, i) => factLine(fact, label || FACT_KINDS[fact.kind].name, i, mark, later.get(fact.id) ?? ''))
}

function factLine(fact: Fact, kind: string, i: number, mark: string, later: string): RoomLine {
  const text = shortenTo(textOnOneLine(fact.text), MAX_CHARS) ?? '(too long for a line)'
  const files = fact.files.map(textOnOneLine).filter((file) => file !== '' && !text.includes(file))
  const behind = [
    ...whyOf(fact, text),
    ...(files.length === 0 ? [] : [`(${files.slice(0, MAX_FILES).join(', ')})`]),
    ...(fact.status === 'resolved'
      ? [`(resolved${fact.resolution === null ? '' : `: ${textOnOneLine(fact.resolution)}`})`]
      : []),
    ...(fact.state === 'stale' ? ['(stale: its file changed)'] : []),
  ]
  return {
    about: `${fact.session}#${fact.evidence.entry}`,
    ...(isOfEarlierVersion(fact) && !isPinned(fact) ? { isEarlier: true as const } : {}),
    ...datedLine(
      fact.id,
      fact.at,
      mark === '' ? authorOfFact(fact) : 'Claude',
      mark + [text, ...behind].join(' '),
      later,
    ),
    reason: `${fact.status === 'resolved' ? fact.kind : kind} ${fact.id}, ${isPinned(fact) ? 'pinned' : i === 0 ? 'newest' : `rank ${i + 1}`}, ${fact.state}, by ${fact.by}`,
  }
}

/** `later`: marks and quotes of our own, which no text of a line can have. */
function datedLine(
  id: string,
  at: string,
  by: NamedAuthor,
  words: string,
  later = '',
): Pick<RoomLine, 'text' | 'dated'> {
  const day = dayOf(at)
  const text = listedLine(id, by, words) + later
  return day === '' ? { text } : { text, dated: { day, text: listedLine(`${id} ${day}`, by, words) + later } }
}

function whyOf(fact: Fact, text: string): string[] {
  const reason = textOnOneLine(fact.reason ?? '')
  if (reason === '' || shareOf(memoryWords(reason), memoryWords(text)) >= NEARLY_ALL) return []
  const why = shortenTo(reason, MAX_CHARS)
  return why === null ? [] : [`Why: ${/[.!?…。]$/.test(why) ? why : `${why}.`}`]
}
