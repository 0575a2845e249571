/**
 * The part of `status` about notes: what memory holds, what waits, what Claude is told, and what models cost.
 * One file of more than 300 lines, because it is one screen.
 */

import { previewBriefing } from '../../briefing/disk/compacted.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Fact, type Facts } from '../../knowledge/fact.ts'
import { isLive } from '../../knowledge/fact-list.ts'
import { allPermanent } from '../../knowledge/permanent.ts'
import { proposedIn } from '../../knowledge/proposal.ts'
import { count, dim, fitted, warning } from '../../memory/commands/output.ts'
import type { Store } from '../../memory/disk/store.ts'
import type { NoteAuthor } from '../../memory/note.ts'
import type { State } from '../../memory/state.ts'
import { type ModelCall, readCalls, readHealth, tokensOfCalls } from '../../model/disk/model-calls.ts'
import { modelNoticedAt, wayIn } from '../../model/disk/way.ts'
import type { Way } from '../../model/way.ts'
import { countUpcoming, listNotes, listWaiting } from '../../notes/disk/note-list.ts'
import { rotationLimits } from '../../notes/rotation.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { renderRules } from '../../pages/rule.ts'
import type { HookTime } from '../../receipts/disk/journal.ts'
import { listReceipts, type ToldRow } from '../../receipts/disk/receipts.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { memoryTokens } from '../disk/numbers.ts'

/** The journal holds characters only: with no text to go by, prose has about so many per token. */
const CHARS_PER_TOKEN = 3.2

interface Cost {
  calls: number
  tokens: number
  costUsd: number
}

interface Told {
  part: string
  times: number
  /** On average, estimated from characters. */
  tokens: number
}

export interface NotesStatus {
  notes: { count: number; last: string | null; byAuthor: Partial<Record<NoteAuthor, number>> }
  memoryTokens: number
  memoryFullAt: number
  archives: { count: number; tokens: number; summariesByModel: number }
  /** `later`: entries that get a note when the next session starts, or with `final`. */
  pending: { sessions: number; entries: number; deltas: string[]; later: number }
  way: Way
  /** Code writes the notes only until the user was told of background calls. */
  awaitsNotice: boolean
  facts: {
    decisions: number
    patterns: number
    openIssues: number
    stale: number
    resolved: number
    superseded: number
    rejected: number
  }
  rules: number
  /** Those that live facts belong to. */
  concepts: number
  permanent: { active: number; proposed: number }
  model: { today: Cost; project: Cost; all: Cost; pausedUntil: string | null }
  told: Told[]
  /** Tokens that sessions were told: the last one that was told anything, and all that began today. */
  injected: { lastSession: Parts | null; today: number }
}

interface Parts {
  id: string
  briefing: number
  rules: number
  recall: number
  request: number
  all: number
}

export function statusOfNotes(store: Store, state: State, journal: readonly HookTime[], now: string): NotesStatus {
  const { notes } = listNotes(store)
  const waiting = listWaiting(store, state, 1)
  const entries = waiting.reduce((sum, { from, to }) => sum + to - from, 0)
  const facts = readFacts(store)
  const way = wayIn(store, now)
  const calls = readCalls(store.places.keeperDir)
  const { pausedUntil } = readHealth(store.places.keeperDir)
  return {
    notes: {
      count: notes.length,
      last:
        notes
          .map(({ at }) => at)
          .toSorted()
          .at(-1) ?? null,
      byAuthor: countBy(notes.map(({ author }) => author)),
    },
    memoryTokens: memoryTokens(store),
    memoryFullAt: rotationLimits(store.config).fullTokens,
    archives: {
      count: state.rotatedFiles.length,
      tokens: state.rotatedFiles.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
      summariesByModel: state.rotatedFiles.filter(({ summaryGenerated }) => summaryGenerated).length,
    },
    pending: {
      sessions: waiting.length,
      entries,
      deltas: waiting.flatMap(({ id }) => id ?? []),
      later: countUpcoming(store, now) - entries,
    },
    way,
    awaitsNotice:
      way === 'extractive' &&
      store.config.summarizer !== 'extractive' &&
      modelNoticedAt(store.places.keeperDir) === null,
    facts: {
      decisions: facts.decisions.filter(isLive).length,
      patterns: facts.patterns.filter(isLive).length,
      openIssues: facts.issues.filter((fact) => fact.status === 'open' && isLive(fact)).length,
      stale: inState(facts, 'stale'),
      resolved: facts.issues.filter((fact) => fact.status === 'resolved' && isLive(fact)).length,
      superseded: inState(facts, 'superseded'),
      rejected: inState(facts, 'rejected'),
    },
    rules: store.config.rules ? readRules(store).length : 0,
    concepts: new Set(
      allFacts(facts)
        .filter(isLive)
        .flatMap(({ concept }) => concept ?? []),
    ).size,
    permanent: {
      active: allPermanent(facts.permanent).filter(({ status }) => status === 'active').length,
      proposed: proposedIn(facts).length,
    },
    model: {
      today: costOf(calls.filter(({ at }) => at.slice(0, 10) === now.slice(0, 10))),
      project: costOf(calls.filter(({ project }) => project === store.places.project.key)),
      all: costOf(calls),
      pausedUntil: pausedUntil !== null && now < pausedUntil ? pausedUntil : null,
    },
    told: toldByPart(journal, {
      rules: renderRules(readRules(store)),
      others: previewBriefing(store, null)?.text ?? '',
    }),
    injected: injectedIn(listReceipts(store), now),
  }
}

function inState(facts: Facts, wanted: Fact['state']): number {
  return allFacts(facts).filter(({ state }) => state === wanted).length
}

function injectedIn(rows: readonly ToldRow[], now: string): NotesStatus['injected'] {
  const sum = ({ briefing, rules, recall, request }: ToldRow): number => briefing + rules + recall + request
  const [last] = rows
  return {
    lastSession:
      last === undefined
        ? null
        : {
            id: last.id,
            briefing: last.briefing,
            rules: last.rules,
            recall: last.recall,
            request: last.request,
            all: sum(last),
          },
    today: rows.filter(({ at }) => at.slice(0, 10) === now.slice(0, 10)).reduce((total, row) => total + sum(row), 0),
  }
}

const WRITERS: Record<Way, string> = {
  headless: 'Claude in the background',
  agent: 'Claude, asked in your session',
  extractive: 'code, without a model',
}

const AUTHORS: readonly (readonly [string, readonly NoteAuthor[]])[] = [
  ['you', ['user']],
  ['Claude', ['agent', 'headless']],
  ['code', ['extractive']],
]

const BEFORE_NOTICE = 'code, until a session has told you about background calls'

export function renderNotes(
  status: NotesStatus & { toolUsesSinceLastNote: number; saveInterval: number },
  room: number,
): string[][] {
  const { notes, model } = status
  const authors = AUTHORS.flatMap(([name, some]) => {
    const n = some.reduce((sum, author) => sum + (notes.byAuthor[author] ?? 0), 0)
    return n === 0 ? [] : [`${n.toLocaleString('en-US')} by ${name}`]
  })
  return [
    [
      '  notes',
      notes.last === null
        ? 'none yet'
        : `${notes.count.toLocaleString('en-US')} (${authors.join(', ')}), last ${notes.last.slice(0, 16).replace('T', ' ')} UTC`,
    ],
    ['  memory.md', memoryLine(status, room)],
    ['  facts', factsLine(status, room)],
    ...permanentLine(status.permanent),
    ['  rules', rulesLine(status)],
    ['  pending', pendingLine(status)],
    [
      '  written by',
      `${status.awaitsNotice ? BEFORE_NOTICE : WRITERS[status.way]}${model.pausedUntil === null ? '' : warning(' (paused: memory-keeper doctor)')}`,
    ],
    ['  model calls', modelLine(model, room)],
    ['  told', toldLine(status.injected, room)],
  ]
}

function pendingLine({
  pending: { sessions, entries, later },
  ...status
}: NotesStatus & { toolUsesSinceLastNote: number; saveInterval: number }): string {
  if (sessions > 0) return `${count(entries, 'entry', 'entries')} of ${count(sessions, 'session')}: memory-keeper delta`
  if (later > 0) return `${count(later, 'entry', 'entries')}, noted at the next start; now: memory-keeper final`
  return `nothing; ${status.toolUsesSinceLastNote} of ${status.saveInterval} tool uses since the last note`
}

function memoryLine({ memoryTokens, memoryFullAt, archives }: NotesStatus, room: number): string {
  const full = `${memoryTokens.toLocaleString('en-US')} of ${memoryFullAt.toLocaleString('en-US')} tokens, then it rotates`
  return fitted(
    [
      full,
      ...(archives.count === 0 ? [] : [count(archives.count, 'archive')]),
      ...(archives.count === 0 ? [] : [dim(`${archives.summariesByModel} summarised by a model`)]),
    ],
    room,
  )
}

function rulesLine({ rules }: NotesStatus): string {
  return rules === 0 ? 'none told' : `${count(rules, 'rule')} told with prompts: memory-keeper rules list`
}

function modelLine({ today, project, all }: NotesStatus['model'], room: number): string {
  if (all.calls === 0) return 'none'
  return fitted([`${renderCost(today)} today`, `here ${renderCost(project)}`, `all projects ${renderCost(all)}`], room)
}

/** The parts only where something was told in them. */
function toldLine({ lastSession, today }: NotesStatus['injected'], room: number): string {
  if (lastSession === null) return 'nothing yet; memory-keeper briefing shows what it would be'
  const { all, ...session } = lastSession
  const parts = (['briefing', 'rules', 'recall', 'request'] as const).filter((part) => session[part] > 0)
  const of = parts.map((part) => `${part} ${session[part].toLocaleString('en-US')}`).join(', ')
  const told = `last session ${all.toLocaleString('en-US')} tokens`
  return fitted([`${told} (${of})`, `today ${today.toLocaleString('en-US')}`], room)
}

function factsLine({ facts, concepts }: Pick<NotesStatus, 'facts' | 'concepts'>, room: number): string {
  const live = [
    count(facts.decisions, 'decision'),
    ...(facts.patterns === 0 ? [] : [count(facts.patterns, 'pattern')]),
    count(facts.openIssues, 'open issue'),
    ...(facts.stale === 0 ? [] : [`${facts.stale} stale`]),
    ...(concepts === 0 ? [] : [`in ${count(concepts, 'concept')}`]),
  ].join(', ')
  const over = (['resolved', 'superseded', 'rejected'] as const)
    .filter((state) => facts[state] > 0)
    .map((state) => dim(`${facts[state]} ${state}`))
  return fitted([live, ...over], room)
}

function permanentLine({ active, proposed }: NotesStatus['permanent']): string[][] {
  if (active + proposed === 0) return []
  const waiting =
    proposed === 0 ? '' : `, ${proposed} ${proposed === 1 ? 'waits' : 'wait'} for your yes: memory-keeper reflect`
  return [['  permanent', `${active} that ${active === 1 ? 'holds' : 'hold'} for good${waiting}`]]
}

function renderCost({ calls, tokens, costUsd }: Cost): string {
  return `${calls} (${tokens.toLocaleString('en-US')} tokens, $${costUsd.toFixed(costUsd < 0.1 ? 3 : 2)})`
}

function costOf(calls: readonly ModelCall[]): Cost {
  const costUsd = calls.reduce((sum, call) => sum + (call.costUsd ?? 0), 0)
  return { calls: calls.length, tokens: tokensOfCalls(calls), costUsd }
}

/** With as many tokens per character as the text has that would be told now: it is the same, or of the same kind. */
function toldByPart(journal: readonly HookTime[], samples: { rules: string; others: string }): Told[] {
  const byPart = new Map<string, number[]>()
  for (const { told = {} } of journal)
    for (const [part, chars] of Object.entries(told)) byPart.set(part, [...(byPart.get(part) ?? []), Number(chars)])
  return [...byPart].map(([part, all]) => {
    const chars = all.reduce((sum, one) => sum + one, 0)
    const perChar = tokensPerChar(part === 'rules' ? samples.rules : samples.others)
    return { part, times: all.length, tokens: Math.round((chars / all.length) * perChar) }
  })
}

function tokensPerChar(sample: string): number {
  return sample === '' ? 1 / CHARS_PER_TOKEN : estimateTokens(sample) / sample.length
}

function countBy<T extends string>(values: readonly T[]): Partial<Record<T, number>> {
  const counts: Partial<Record<T, number>> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
