/** `status`, and the short screen of `memory-keeper` without a command: what is remembered, what waits, what it costs. */

import type { Context } from '../../memory/commands/context.ts'
import { bold, bytes, count, dim, fitted, good, oneLine, table, warning, width } from '../../memory/commands/output.ts'
import { COVERED, NO_TRANSCRIPTS } from '../../sessions/disk/verify.ts'
import { ms, total } from '../../text/figures.ts'
import { type Status, statusOf } from './status-figures.ts'

/** The width of the labels with the space around them. */
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

const number = (n: number): string => n.toLocaleString('en-US')
const minute = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`

export function runStatus({ store, out, world }: Context, options: { short?: boolean } = {}): number {
  const status = statusOf(store, world.now())
  const room = Math.max(LEAST_ROOM, world.columns - LABELS)
  const branch = status.branch === null ? '' : dim(`  (${oneLine(status.branch, 30)})`)
  out.json(status)
  out.say(
    `${bold('Memory Keeper')} ${world.version}  ${status.project}${branch}`,
    ...(options.short === true ? shortScreen(status, room) : table(allRows(status, room))),
  )
  return 0
}

function shortScreen(status: Status, room: number): string[] {
  const { decisions, patterns, openIssues } = status.facts
  const facts = decisions + patterns + openIssues
  const isNew = status.sessions + status.notes.count + facts === 0
  const next = [...(isNew ? NEXT_IN_A_NEW_PROJECT : NEXT), ['--help', 'all commands']]
  const remembered = [
    count(status.sessions, 'session'),
    count(status.notes.count, 'note'),
    count(facts, 'fact'),
    count(status.rules + status.permanent.active, 'rule'),
  ].join(', ')
  return [
    ...table([
      ['  remembered', isNew ? 'nothing yet: sessions are captured as you work' : remembered],
      ...(isNew ? [] : [['  last session', lastSession(status, room)]]),
      ...waitingShort(status).map((line, i) => [i === 0 ? '  waiting' : '', line]),
    ]),
    '',
    ...table(next.map(([command = '', about = '']) => [`  memory-keeper ${bold(command)}`, dim(about)])),
  ]
}

function waitingShort(status: Status): string[] {
  const entries = status.pending.entries + status.pending.later
  const all = [
    ...waiting(status),
    ...uncaptured(status),
    ...(entries === 0
      ? []
      : [`${count(entries, 'entry', 'entries')} without a note yet; notes are written as you work`]),
  ]
  if (all.length <= MAX_WAITING) return all.length === 0 ? ['nothing'] : all
  return [...all.slice(0, MAX_WAITING - 1), `${all.length - MAX_WAITING + 1} more: memory-keeper status`]
}

/** What waits for the user, each with the command that settles it. */
function waiting({ standing, waitingMemory, onlyInVault, permanent, team }: Status): string[] {
  const names = oneLine(team.waiting.join(', '), 24)
  return [
    ...(standing === 'foreign' ? [warning('the memory in the project is not trusted: memory-keeper trust')] : []),
    ...(waitingMemory === null ? [] : [warning('a memory of an earlier version: memory-keeper migrate --dry-run')]),
    ...(onlyInVault === 0 ? [] : [warning(`${count(onlyInVault, 'session')} in the vault: memory-keeper restore`)]),
    ...(permanent.proposed === 0 ? [] : [`${count(permanent.proposed, 'proposed rule')}: memory-keeper rules`]),
    ...(names === '' ? [] : [warning(`memory of ${names}, not read yet: memory-keeper trust`)]),
  ]
}

function uncaptured({ damagedSessions: damaged, transcriptsBehind: behind }: Status): string[] {
  if (damaged > 0) return [warning(`${count(damaged, 'session file')} damaged: memory-keeper verify`)]
  return behind > 0 ? [warning(`${count(behind, 'transcript')} to capture: memory-keeper import`)] : []
}

function allRows(status: Status, room: number): string[][] {
  const { notes, archives, facts, concepts, rules, permanent, model, recalls, hookCost, team } = status
  const [uncovered] = uncaptured(status)
  return [
    ['  memory', status.memory],
    ...waiting(status).map((line, i) => [i === 0 ? '  waiting' : '', line]),
    [
      '  remembered',
      `${count(status.sessions, 'session')}, ${count(status.entries, 'entry', 'entries')}, ${bytes(status.bytes)}`,
    ],
    ['  last session', lastSession(status, room)],
    [
      '  notes',
      notes.last === null ? 'none yet' : `${number(notes.count)} (${authors(status)}), last ${minute(notes.last)}`,
    ],
    [
      '  memory.md',
      fitted(
        [
          `${number(status.memoryTokens)} of ${number(status.memoryFullAt)} tokens, then it rotates`,
          ...(archives.count === 0 ? [] : [count(archives.count, 'archive')]),
        ],
        room,
      ),
    ],
    [
      '  facts',
      [
        count(facts.decisions, 'decision'),
        ...(facts.patterns === 0 ? [] : [count(facts.patterns, 'pattern')]),
        count(facts.openIssues, 'open issue'),
        ...(concepts === 0 ? [] : [`in ${count(concepts, 'concept')}`]),
      ].join(', '),
    ],
    ...(permanent.active === 0 ? [] : [['  permanent', `${permanent.active} active`]]),
    ['  rules', rules === 0 ? 'none told' : `${count(rules, 'rule')} told with prompts: memory-keeper rules list`],
    ['  pending', pending(status)],
    [
      '  written by',
      `${status.awaitsNotice ? BEFORE_NOTICE : WRITERS[status.way]}${model.pausedUntil === null ? '' : warning(' (paused: memory-keeper doctor)')}`,
    ],
    [
      '  model calls',
      model.all.calls === 0
        ? 'none'
        : fitted(
            [`${cost(model.today)} today`, `here ${cost(model.project)}`, `all projects ${cost(model.all)}`],
            room,
          ),
    ],
    ['  told', told(status, room)],
    ['  each request', `about ${OWN_SHARE} tokens for our agent, skill and tools`],
    [
      '  recall',
      !status.recallOn
        ? 'off: memory-keeper config set recall true'
        : recalls.all === 0
          ? 'on, no prompt was looked at yet'
          : `on, ${recalls.firedToday} of ${count(recalls.today, 'prompt')} today, ${count(recalls.tokensToday, 'token')}`,
    ],
    ['  search index', searchIndex(status)],
    ...(team.trusted.length === 0 ? [] : [['  teammates', `trusted: ${oneLine(team.trusted.join(', '), room - 9)}`]]),
    ['  coverage', uncovered ?? (status.hasTranscripts ? good(COVERED) : NO_TRANSCRIPTS)],
    [
      '  redacted',
      `${count(status.redactions, 'secret')} in sessions; ${count(status.badLines, 'unreadable line')} skipped`,
    ],
    [
      '  hooks',
      hookCost.slowest === null
        ? 'none has run yet'
        : fitted(
            [
              `p50 ${ms(hookCost.p50)}, p95 ${ms(hookCost.p95)} in ${count(hookCost.calls, 'call')}`,
              dim(`slowest: ${hookCost.slowest.event}, p95 ${ms(hookCost.slowest.p95)}`),
            ],
            room,
          ),
    ],
  ]
}

function lastSession({ lastSession: last }: Status, room: number): string {
  if (last === null) return 'none yet'
  const when = `${minute(last.endedAt)}  ${last.id}`
  const left = room - width(when) - 2
  return last.goal === '' || left < 12 ? when : `${when}  ${dim(oneLine(last.goal, left))}`
}

const AUTHORS: readonly (readonly [name: string, authors: readonly string[]])[] = [
  ['you', ['user']],
  ['Claude', ['agent', 'headless']],
  ['code', ['extractive']],
]

function authors({ notes }: Status): string {
  const counts = AUTHORS.map(([name, some]) => ({ name, n: total(some, (author) => notes.byAuthor[author] ?? 0) }))
  return counts.flatMap(({ name, n }) => (n === 0 ? [] : [`${number(n)} by ${name}`])).join(', ')
}

function pending({ pending: { sessions, entries, later }, toolUsesSinceLastNote, saveInterval }: Status): string {
  if (sessions > 0) return `${count(entries, 'entry', 'entries')} of ${count(sessions, 'session')}: memory-keeper delta`
  if (later > 0) return `${count(later, 'entry', 'entries')}, noted at the next start; now: memory-keeper final`
  return `nothing; ${toolUsesSinceLastNote} of ${saveInterval} tool uses since the last note`
}

const BEFORE_NOTICE = 'code, until a session has told you about background calls'
const WRITERS: Readonly<Record<Status['way'], string>> = {
  headless: 'Claude in the background',
  agent: 'Claude, asked in your session',
  extractive: 'code, without a model',
}

function cost({ calls, tokens, costUsd }: Status['model']['all']): string {
  return `${calls} (${number(tokens)} tokens, $${costUsd.toFixed(costUsd < 0.1 ? 3 : 2)})`
}

/** In tokens, what the host says of this plugin in every request: an agent, a skill, names of tools, the schema of search_memory. */
export const OWN_SHARE = 630

/** Only the parts that something was injected in. */
function told({ injected: { lastSession: last, today } }: Status, room: number): string {
  if (last === null) return 'nothing yet; memory-keeper briefing shows what it would be'
  const parts = (['briefing', 'rules', 'recall', 'request'] as const).filter((part) => last[part] > 0)
  const of = parts.map((part) => `${part} ${number(last[part])}`).join(', ')
  return fitted([`last session ${number(last.all)} tokens (${of})`, `today ${number(today)}`], room)
}

const INDEX_STATES: Readonly<Record<Exclude<Status['searchIndex']['is'], 'sound'>, string>> = {
  unreadable: 'cannot be read: memory-keeper doctor',
  missing: 'made with the first search',
  nowhere: 'in memory, for each search anew: there is no cache directory',
  newer: 'made by a newer version: left alone, each search makes its own',
  older: 'made anew with the next search',
  damaged: 'made anew with the next search',
}

function searchIndex({ searchIndex: { is, documents, bytes: size } }: Status): string {
  return is === 'sound' ? `${count(documents, 'document')}, ${bytes(size)}` : INDEX_STATES[is]
}
