/** `status`, and the short screen of `memory-keeper` without a command: what is remembered, what is pending, what it costs. */

import type { Context } from '../../../kernel/memory/commands/context.ts'
import {
  bold,
  bytes,
  count,
  dim,
  good,
  oneLine,
  table,
  warning,
  width,
} from '../../../kernel/memory/commands/output.ts'
import { COVERED, NO_TRANSCRIPTS } from '../../../kernel/sessions/disk/verify.ts'
import { ms, total } from '../../../kernel/text/figures.ts'
import type { StatusRow } from '../../extra.ts'
import { awaitingLine } from '../../notes/disk/unaudited.ts'
import type { Check } from '../disk/check.ts'
import { PARTS } from '../disk/numbers.ts'
import { type Status, statusOf, statusRowsOf } from '../disk/status.ts'

/** The tokens that the host adds for this plugin to every request: an agent, a skill, names of tools, the schema of search_memory. */
export const OWN_SHARE = 430

/** The width of the labels, including the space around them. */
const LABELS = 16
const LEAST_ROOM = 40
/** The short screen has at most 15 lines. */
const MAX_WAITING = 4

const NEXT = [
  ['search "…"', 'find what is remembered'],
  ['facts', 'decisions, patterns and issues'],
  ['remember "…"', 'save something now'],
  ['undo', 'undo the last change'],
  ['status', 'all figures'],
]

const NEXT_IN_A_NEW_PROJECT = [
  ['init', 'create the memory directory, with templates for its pages'],
  ['import', 'capture the sessions that are still on this machine'],
  ['demo', 'the whole cycle on sample sessions'],
  ['doctor', 'check the installation'],
]

/** The checks whose findings stand in place of the line about coverage. */
const CAPTURE_CHECKS = ['coverage', 'session files']

const number = (n: number): string => n.toLocaleString('en-US')

/** What a screen shows. */
type Screen = Status & { extraRows: readonly StatusRow[] }

/** An instant as the user's clock shows it. */
type Minute = (at: string) => string

export function runStatus({ store, out, world, clock }: Context, options: { short?: boolean } = {}): number {
  const now = world.now()
  const extraRows = statusRowsOf(store, now)
  const status: Screen = { ...statusOf(store, now), extraRows }
  const minute = clock.minute
  const room = Math.max(LEAST_ROOM, world.columns - LABELS)
  const { extraRows: _, ...figures } = status
  out.json({ ...Object.fromEntries(extraRows.map(({ key, value }) => [key, value])), ...figures })
  out.say(
    `${bold('Memory Keeper')} ${world.version}  ${status.project}`,
    ...(options.short === true ? shortScreen(status, room, minute) : table(allRows(status, room, minute))),
  )
  return 0
}

function shortScreen(status: Screen, room: number, minute: Minute): string[] {
  const facts = total(Object.values(status.facts), (n) => n)
  const isNew = status.sessions + status.notes.count + facts === 0
  const next = [...(isNew ? NEXT_IN_A_NEW_PROJECT : NEXT), ['--help', 'all commands']]
  const remembered = `${count(status.sessions, 'session')}, ${count(status.notes.count, 'note')}, ${count(facts, 'fact')}, ${count(status.rules + status.permanent.active, 'rule')}`
  return [
    ...table([
      ...capture(status, minute),
      ['  remembered', isNew ? 'nothing yet: sessions are captured as you work' : remembered],
      ...(isNew ? [] : [['  last session', lastSession(status, room, minute)]]),
      ...waitingShort(status),
    ]),
    '',
    ...table(next.map(([command = '', about = '']) => [`  memory-keeper ${bold(command)}`, dim(about)])),
  ]
}

/** Empty: nothing is paused. A pause of the whole project comes before that of a session. */
function capture({ paused }: Status, minute: Minute): string[][] {
  const last = paused.find(({ session }) => session === null) ?? paused.at(-1)
  if (last === undefined) return []
  const since = `since ${minute(last.since)}`
  return [
    [
      '  capture',
      warning(
        last.session === null
          ? `paused in this project ${since}: memory-keeper capture on`
          : `paused in session ${last.session.slice(0, 8)} ${since}: type /memory-keeper:resume there`,
      ),
    ],
  ]
}

function waitingShort(status: Screen): string[][] {
  const entries = status.pending.entries + status.pending.later
  const noted = `${count(entries, 'entry', 'entries')} without a note yet; notes are written as you work`
  const all = [...found(status), ...(entries === 0 ? [] : [['  waiting', noted]])]
  if (all.length === 0) return [['  waiting', 'nothing']]
  if (all.length <= MAX_WAITING) return all
  const shown = all.slice(0, MAX_WAITING - 1)
  return [...shown, ['  waiting', `${all.length - shown.length} more: memory-keeper status`]]
}

/** What was found, with the next step, under the name that the doctor has for it; a problem first. */
function found({ findings }: Screen): string[][] {
  const order: readonly Check['verdict'][] = ['problem', 'warning', 'asks']
  return order.flatMap((verdict) =>
    findings
      .filter((one) => one.verdict === verdict)
      .map(({ name, finding, fix }) => {
        const line = `${finding}${fix === undefined ? '' : ` → ${fix}`}`
        return [`  ${name}`, verdict === 'asks' ? line : warning(line)]
      }),
  )
}

function allRows(status: Screen, room: number, minute: Minute): string[][] {
  const { notes, facts, rules, permanent, model, recalls, hooks, searchIndex } = status
  const isCovered = !status.findings.some(({ name, verdict }) => verdict !== 'ok' && CAPTURE_CHECKS.includes(name))
  const rulesInjected = `${rules === 0 ? 'no rule' : count(rules, 'rule')} injected with prompts`
  const stored = `${count(status.sessions, 'session')}, ${count(status.entries, 'entry', 'entries')}, ${bytes(status.bytes)}`
  const full = `${number(status.memoryTokens)} of ${number(status.memoryFullAt)} tokens, then it rotates`
  const calls = [`${cost(model.today)} today`, `here ${cost(model.project)}`, `all projects ${cost(model.all)}`]
  return [
    ['  memory', status.memory],
    ...capture(status, minute),
    ...found(status),
    ['  remembered', stored],
    ['  last session', lastSession(status, room, minute)],
    ['  notes', notes.last === null ? 'none yet' : `${number(notes.count)}, last ${minute(notes.last)}`],
    ['  memory.md', status.archives === 0 ? full : `${full} · ${count(status.archives, 'archive')}`],
    [
      '  facts',
      `${count(facts.decisions, 'decision')}, ${count(facts.patterns, 'pattern')}, ${count(facts.openIssues, 'open issue')}`,
    ],
    ['  rules', permanent.active === 0 ? rulesInjected : `${rulesInjected}, ${permanent.active} learned`],
    ['  pending', pending(status)],
    ...(status.audit === null ? [] : [['  audit', awaitingLine(status.audit)]]),
    ['  written by', status.awaitsNotice ? BEFORE_NOTICE : WRITERS[status.way]],
    ['  model calls', model.all.calls === 0 ? 'none' : calls.join(' · ')],
    ['  told', renderInjected(status)],
    ['  each request', `about ${OWN_SHARE} tokens for our agent, skill and tools`],
    [
      '  recall',
      recalls.isOn
        ? `on, ${recalls.firedToday} of ${count(recalls.today, 'prompt')} today${signalsOf(recalls.bySignal)}`
        : 'off: memory-keeper config set recall true',
    ],
    [
      '  search index',
      searchIndex.is === 'sound'
        ? `${count(searchIndex.documents, 'document')}, ${bytes(searchIndex.bytes)}`
        : `${searchIndex.is}: the next search builds it`,
    ],
    ...status.extraRows.flatMap(({ line }) => (line === null ? [] : [[`  ${line.label}`, line.text]])),
    ...(isCovered ? [['  coverage', status.hasTranscripts ? good(COVERED) : NO_TRANSCRIPTS]] : []),
    [
      '  redacted',
      `${count(status.redactions, 'secret')} in sessions; ${count(status.badLines, 'unreadable line')} skipped`,
    ],
    [
      '  hooks',
      hooks.calls === 0
        ? 'none has run yet'
        : `p50 ${ms(hooks.p50)}, p95 ${ms(hooks.p95)} in ${count(hooks.calls, 'call')}`,
    ],
  ]
}

function signalsOf(bySignal: Status['recalls']['bySignal']): string {
  const counts = Object.entries(bySignal).map(([signal, n]) => `${n} ${signal}`)
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`
}

function lastSession({ lastSession: last }: Status, room: number, minute: Minute): string {
  if (last === null) return 'none yet'
  const when = `${minute(last.endedAt)}  ${last.id}`
  const left = room - width(when) - 2
  return last.goal === '' || left < 12 ? when : `${when}  ${dim(oneLine(last.goal, left))}`
}

function pending({
  pending: { sessions, entries, later, again },
  toolUsesSinceLastNote,
  saveInterval,
}: Status): string {
  if (sessions > 0) return `${count(entries, 'entry', 'entries')} of ${count(sessions, 'session')}: memory-keeper delta`
  if (later > 0) return `${count(later, 'entry', 'entries')}, noted at the next start; now: memory-keeper final`
  if (again > 0) return `${count(again, 'note')} to be written again, in the background`
  return `nothing; ${toolUsesSinceLastNote} of ${saveInterval} tool uses since the last note`
}

const BEFORE_NOTICE = 'code, until a session has informed you about background calls'
const WRITERS: Readonly<Record<Status['way'], string>> = {
  headless: 'Claude in the background',
  agent: 'Claude, asked in your session',
  extractive: 'code, without a model',
}

function cost({ calls, tokens, costUsd }: Status['model']['all']): string {
  return `${calls} (${number(tokens)} tokens, $${costUsd.toFixed(costUsd < 0.1 ? 3 : 2)})`
}

/** Only the parts in which something was injected. */
function renderInjected({ injected: { lastSession: last, today } }: Status): string {
  if (last === null) return 'nothing yet; memory-keeper briefing shows what it would be'
  const of = PARTS.filter((part) => last[part] > 0).map((part) => `${part} ${number(last[part])}`)
  return `last session ${number(last.all)} tokens (${of.join(', ')}) · today ${number(today)}`
}
