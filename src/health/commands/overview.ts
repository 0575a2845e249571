/** The screen of `memory-keeper` without a command: what is remembered, what waits, and what to type next. */

import { bold, count, dim, oneLine, table, warning } from '../../memory/commands/output.ts'
import type { NotesStatus } from './status-notes.ts'

/** What the screen needs of all that `status` finds. */
interface Status extends Pick<NotesStatus, 'notes' | 'facts' | 'rules' | 'permanent' | 'pending'> {
  sessions: number
  standing: string
  waitingMemory: string | null
  onlyInVault: number
  damagedSessions: number
  transcriptsBehind: number
  team: { waiting: readonly string[] }
}

/** The whole screen has at most 15 lines. */
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

/** `last`: the last session, rendered. */
export function renderOverview(status: Status, last: string): string[] {
  const isNew = status.sessions + status.notes.count + factsIn(status) === 0
  const next = [...(isNew ? NEXT_IN_A_NEW_PROJECT : NEXT), ['--help', 'all commands']]
  return [
    ...table([
      ['  remembered', isNew ? 'nothing yet: sessions are captured as you work' : remembered(status)],
      ...(isNew ? [] : [['  last session', last]]),
      ...waiting(status).map((line, i) => [i === 0 ? '  waiting' : '', line]),
    ]),
    '',
    ...table(next.map(([command = '', about = '']) => [`  memory-keeper ${bold(command)}`, dim(about)])),
  ]
}

function remembered(status: Status): string {
  return [
    count(status.sessions, 'session'),
    count(status.notes.count, 'note'),
    count(factsIn(status), 'fact'),
    count(status.rules + status.permanent.active, 'rule'),
  ].join(', ')
}

function factsIn({ facts: { decisions, patterns, openIssues } }: Status): number {
  return decisions + patterns + openIssues
}

function waiting(status: Status): string[] {
  const { pending, permanent, team } = status
  const entries = pending.entries + pending.later
  const all = [
    ...(status.standing === 'foreign' ? [warning('a memory that is not trusted: memory-keeper trust')] : []),
    ...(status.waitingMemory === null ? [] : ['a memory of an earlier version: memory-keeper migrate --dry-run']),
    ...(status.onlyInVault === 0
      ? []
      : [`${count(status.onlyInVault, 'session')} in the vault: memory-keeper restore`]),
    ...(status.damagedSessions === 0
      ? []
      : [warning(`${count(status.damagedSessions, 'damaged session file')}: memory-keeper doctor`)]),
    ...(permanent.proposed === 0 ? [] : [`${count(permanent.proposed, 'proposed rule')}: memory-keeper rules`]),
    ...(team.waiting.length === 0
      ? []
      : [`memory of ${oneLine(team.waiting.join(', '), 40)}, not read yet: memory-keeper trust`]),
    ...(status.transcriptsBehind === 0
      ? []
      : [`${count(status.transcriptsBehind, 'transcript')} to capture: memory-keeper import`]),
    ...(entries === 0
      ? []
      : [`${count(entries, 'entry', 'entries')} without a note yet; notes are written as you work`]),
  ]
  if (all.length <= MAX_WAITING) return all.length === 0 ? ['nothing'] : all
  return [...all.slice(0, MAX_WAITING - 1), `${all.length - MAX_WAITING + 1} more: memory-keeper status`]
}
