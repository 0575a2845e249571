/** The part of `status` about notes: what memory holds, what waits, what Claude is told, and what models cost. */
import { allFacts } from '../core/fact.ts'
import { isLive } from '../core/fact-list.ts'
import type { Author } from '../core/note.ts'
import type { Way } from '../core/pending.ts'
import { allPermanent } from '../core/permanent.ts'
import { proposedIn } from '../core/proposal.ts'
import { rotationLimits } from '../core/rotation.ts'
import { renderRules } from '../core/rule.ts'
import type { State } from '../core/state.ts'
import { estimateTokens } from '../core/tokens.ts'
import { previewBriefing } from '../store/compacted.ts'
import type { HookTime } from '../store/journal.ts'
import { readFacts } from '../store/knowledge.ts'
import { readMemory } from '../store/memory.ts'
import { type ModelCall, readCalls, readHealth } from '../store/model-calls.ts'
import { listNotes, listWaiting } from '../store/note-list.ts'
import { readRules } from '../store/rules.ts'
import type { Store } from '../store/store.ts'
import { modelNoticedAt, wayIn } from '../store/way.ts'
import { count, warning } from './output.ts'

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
  notes: { count: number; last: string | null; byAuthor: Partial<Record<Author, number>> }
  memoryTokens: number
  memoryFullAt: number
  archives: { count: number; tokens: number; summariesByModel: number }
  pending: { sessions: number; entries: number; deltas: string[] }
  way: Way
  /** Code writes the notes only until the user was told of background calls. */
  awaitsNotice: boolean
  facts: { decisions: number; patterns: number; openIssues: number; stale: number }
  /** Those that live facts belong to. */
  concepts: number
  permanent: { active: number; proposed: number }
  model: { today: Cost; project: Cost; all: Cost; pausedUntil: string | null }
  told: Told[]
}

export function statusOfNotes(store: Store, state: State, journal: readonly HookTime[], now: string): NotesStatus {
  const { notes } = listNotes(store)
  const waiting = listWaiting(store, state, 1)
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
    memoryTokens: estimateTokens(readMemory(store)),
    memoryFullAt: rotationLimits(store.config).fullTokens,
    archives: {
      count: state.rotatedFiles.length,
      tokens: state.rotatedFiles.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
      summariesByModel: state.rotatedFiles.filter(({ summaryGenerated }) => summaryGenerated).length,
    },
    pending: {
      sessions: waiting.length,
      entries: waiting.reduce((sum, { from, to }) => sum + to - from, 0),
      deltas: waiting.flatMap(({ id }) => id ?? []),
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
      stale: allFacts(facts).filter(({ state: at }) => at === 'stale').length,
    },
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
  }
}

const WRITERS: Record<Way, string> = {
  headless: 'Claude in the background',
  agent: 'Claude, asked in your session',
  extractive: 'code, without a model',
}

const BEFORE_NOTICE = 'code, until a session in a terminal has told you about background calls'

export function renderNotes(status: NotesStatus & { toolUsesSinceLastNote: number; saveInterval: number }): string[][] {
  const { notes, archives, pending, model, told } = status
  const authors = Object.entries(notes.byAuthor).map(([author, n]) => `${n} ${author}`)
  const full = status.memoryFullAt.toLocaleString('en-US')
  return [
    [
      '  notes',
      notes.last === null
        ? 'none yet'
        : `${notes.count.toLocaleString('en-US')} (${authors.join(', ')}), last ${notes.last.slice(0, 16).replace('T', ' ')} UTC`,
    ],
    ['  memory.md', `about ${status.memoryTokens.toLocaleString('en-US')} of ${full} tokens, then it rotates`],
    [
      '  archives',
      archives.count === 0
        ? 'none yet'
        : `${archives.count}, ${count(archives.tokens, 'token')}, ${archives.summariesByModel} summarised by a model`,
    ],
    ['  facts', factsLine(status)],
    ...permanentLine(status.permanent),
    [
      '  pending',
      pending.sessions === 0
        ? `nothing; ${status.toolUsesSinceLastNote} of ${status.saveInterval} tool uses since the last note`
        : `${count(pending.entries, 'entry', 'entries')} of ${count(pending.sessions, 'session')}: memory-keeper delta`,
    ],
    [
      '  written by',
      `${status.awaitsNotice ? BEFORE_NOTICE : WRITERS[status.way]}${model.pausedUntil === null ? '' : warning(' (paused: memory-keeper doctor)')}`,
    ],
    [
      '  model calls',
      model.all.calls === 0
        ? 'none'
        : `${renderCost(model.today)} today; here ${renderCost(model.project)}; all projects ${renderCost(model.all)}`,
    ],
    ...(told.length === 0
      ? []
      : [['  told', told.map(({ part, tokens, times }) => `${part} about ${tokens} tokens × ${times}`).join(', ')]]),
  ]
}

function factsLine({ facts, concepts }: Pick<NotesStatus, 'facts' | 'concepts'>): string {
  return [
    count(facts.decisions, 'decision'),
    ...(facts.patterns === 0 ? [] : [count(facts.patterns, 'pattern')]),
    count(facts.openIssues, 'open issue'),
    ...(facts.stale === 0 ? [] : [`${facts.stale} stale`]),
    ...(concepts === 0 ? [] : [`in ${count(concepts, 'concept')}`]),
  ].join(', ')
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

/** A call that was killed said nothing of its tokens: its estimate counts. */
export function tokensOfCalls(calls: readonly ModelCall[]): number {
  return calls.reduce(
    (sum, { ok, tokens, estimatedTokens }) => sum + (ok === null ? estimatedTokens : tokens.input + tokens.output),
    0,
  )
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
