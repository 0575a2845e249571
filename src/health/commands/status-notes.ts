/**
 * The part of `status` about notes: what memory holds, what waits, what Claude is told, and what models cost.
 */

import { previewBriefing } from '../../briefing/disk/compacted.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Fact, type Facts } from '../../knowledge/fact.ts'
import { isLive } from '../../knowledge/fact-list.ts'
import { allPermanent } from '../../knowledge/permanent.ts'
import { proposedIn } from '../../knowledge/permanent-change.ts'
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
import { grouped, total } from '../../text/figures.ts'
import { dayOf } from '../../text/memory-words.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { memoryTokens } from '../disk/numbers.ts'

/** The journal holds characters only: with no text to go by, prose has about so many per token. */
const CHARS_PER_TOKEN = 3.2

export type NotesStatus = ReturnType<typeof statusOfNotes>

export function statusOfNotes(store: Store, state: State, journal: readonly HookTime[], now: string) {
  const { notes } = listNotes(store)
  const waiting = listWaiting(store, state, 1)
  const entries = total(waiting, ({ from, to }) => to - from)
  const facts = readFacts(store)
  const way = wayIn(store, now)
  const calls = readCalls(store.places.keeperDir)
  const { pausedUntil } = readHealth(store.places.keeperDir)
  return {
    notes: {
      count: notes.length,
      last: notes.reduce<string | null>((last, { at }) => (last === null || at > last ? at : last), null),
      byAuthor: countBy(notes.map(({ author }) => author)),
    },
    memoryTokens: memoryTokens(store),
    memoryFullAt: rotationLimits(store.config).fullTokens,
    archives: {
      count: state.rotatedFiles.length,
      tokens: total(state.rotatedFiles, ({ tokenCount }) => tokenCount),
      summariesByModel: state.rotatedFiles.filter(({ summaryGenerated }) => summaryGenerated).length,
    },
    pending: {
      sessions: waiting.length,
      entries,
      deltas: waiting.flatMap(({ id }) => id ?? []),
      // Entries that get a note when the next session starts, or with `final`.
      later: countUpcoming(store, now) - entries,
    },
    way,
    // Code writes the notes only until the user was told of background calls.
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
    // Those that live facts belong to.
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
      today: costOf(calls.filter(({ at }) => dayOf(at) === dayOf(now))),
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

/** Tokens that sessions were told: the last one that was told anything, and all that began today. */
function injectedIn(rows: readonly ToldRow[], now: string) {
  const parts = ({ briefing, rules, recall, request }: ToldRow) => ({ briefing, rules, recall, request })
  const all = (row: ToldRow): number => total(Object.values(parts(row)), (tokens) => tokens)
  const [last] = rows
  const today = rows.filter(({ at }) => dayOf(at) === dayOf(now))
  return {
    lastSession: last === undefined ? null : { id: last.id, ...parts(last), all: all(last) },
    today: total(today, all),
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
    const n = total(some, (author) => notes.byAuthor[author] ?? 0)
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
    proposed === 0 ? '' : `, ${proposed} ${proposed === 1 ? 'waits' : 'wait'} for your yes: memory-keeper rules`
  return [['  permanent', `${active} active${waiting}`]]
}

function renderCost({ calls, tokens, costUsd }: ReturnType<typeof costOf>): string {
  return `${calls} (${tokens.toLocaleString('en-US')} tokens, $${costUsd.toFixed(costUsd < 0.1 ? 3 : 2)})`
}

function costOf(calls: readonly ModelCall[]) {
  return { calls: calls.length, tokens: tokensOfCalls(calls), costUsd: total(calls, (call) => call.costUsd ?? 0) }
}

/** With as many tokens per character as the text has that would be told now: it is the same, or of the same kind. */
function toldByPart(journal: readonly HookTime[], samples: { rules: string; others: string }) {
  const told = journal.flatMap((one) => Object.entries(one.told ?? {}))
  return [...grouped(told, ([part]) => part)].map(([part, all]) => {
    const chars = total(all, ([, one]) => Number(one))
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
