/** What was done with tools: files changed, commands that ran, commits, and how often anything else was used. */

import type { ChangedFile, Digest, Numbered, RanCommand } from '../sessions/digest-types.ts'
import { commitsIn, writesIn } from '../transcript/digest-shell.ts'
import { wholeWords } from '../transcript/session.ts'
import {
  commandOutcome,
  coreOf,
  familyOf,
  isLearnt,
  tellingCommand,
  tellingLine,
  weightOf,
  withoutFlags,
} from './digest-commands.ts'

type Done = Extract<Numbered['entry'], { name: string }>

const WRITING = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])
const SHELLS = new Set(['Bash', 'PowerShell'])
/** Claude's own lists: bookkeeping, not work. */
const BOOKKEEPING =
  /^(?:Todo\w+|Task(?:Create|Update|List|Get|Output|Stop)|ExitPlanMode|EnterPlanMode|AskUserQuestion|ToolSearch|KillShell|BashOutput|KillBash|Skill|SlashCommand|tool|advisor)$/
/** Claude's own plans and memories lie outside the project. */
const NOT_THE_PROJECT = /[/\\]\.claude[/\\](?:plans|projects|todos|memory)[/\\]/
const MAX_COMMANDS = 24
/** More than any command that worked can have: what an error taught is worth more than that something went well. */
const LESSON_RANK = 6

export type Deeds = Pick<Digest, 'changed' | 'ran' | 'commits' | 'refused' | 'others'>

interface Tally {
  changed: Map<string, ChangedFile>
  read: Set<string>
  ran: Map<string, RanCommand & { weight: number }>
  commits: Digest['commits']
  refused: Digest['refused']
  others: Record<string, number>
}

export function doneIn(entries: readonly Numbered[]): Deeds {
  const tally: Tally = { changed: new Map(), read: new Set(), ran: new Map(), commits: [], refused: [], others: {} }
  for (const { n, entry } of entries) {
    if (!('name' in entry)) continue
    if (entry.refused === true) {
      tally.refused.push({ text: tellingCommand(entry.cmd) || entry.name, n, tool: entry.name })
      continue
    }
    if (WRITING.has(entry.name)) tellWrite(tally, entry)
    else if (SHELLS.has(entry.name)) tellShell(tally, n, entry)
    else if (!BOOKKEEPING.test(entry.name)) tellOther(tally, entry)
  }
  return {
    changed: [...tally.changed.values()],
    ran: worthNaming([...tally.ran.values()]),
    commits: tally.commits,
    refused: tally.refused,
    others: tally.others,
  }
}

/** How much each command matters: what taught something and what stayed broken first, then what the project lives by. */
export function commandRanks(all: readonly RanCommand[]): Map<RanCommand, number> {
  const ranks = new Map<RanCommand, number>()
  const later = new Map<string, { worked: boolean }>()
  for (const command of all.toSorted((a, b) => b.n - a.n)) {
    const weight = weightOf(command.command)
    const family = familyOf(command.command)
    const again = later.get(family)
    const stayedBroken = command.ok === false && again?.worked !== true
    const extra = (command.tellingLine === null ? 0 : 1) + (command.failures > 0 ? 0.5 : 0)
    // Tried again in another form: the last form is the one to know, unless the first one taught something.
    const rank = weight + (stayedBroken ? 1 + weight : 0) + extra - (again === undefined ? 0 : 2)
    const taught = command.ok === false && isLearnt(command.tellingLine ?? '')
    ranks.set(command, taught ? Math.max(rank, LESSON_RANK + weight) : rank)
    later.set(family, { worked: again?.worked === true || command.ok === true })
  }
  return ranks
}

function tellWrite(tally: Tally, { name, cmd, ok }: Done): void {
  if (ok !== true || cmd === '' || NOT_THE_PROJECT.test(cmd)) return
  // The host lets nobody overwrite a file that was not read before.
  const isNew = name === 'Write' && !tally.read.has(cmd)
  change(tally, cmd, isNew ? 'created' : 'edited')
}

function change(tally: Tally, path: string, how: ChangedFile['how']): void {
  const before = tally.changed.get(path)
  if (how === 'removed' && before?.how === 'created') {
    tally.changed.delete(path)
    return
  }
  const kept = how === 'removed' || before === undefined ? how : before.how === 'removed' ? 'edited' : before.how
  tally.changed.set(path, { path, how: kept, times: (before?.times ?? 0) + 1 })
}

function tellShell(tally: Tally, n: number, use: Done): void {
  const { role, cmd, ok: hostOk } = use
  const output = wholeWords(use)
  if (cmd.trim() === '') return
  const commits = hostOk === true ? commitsIn(cmd) : []
  // A commit that was made is told as such: only what else the command does counts.
  const weight = weightOf(commits.length > 0 ? cmd.replace(/\bgit(?:\s+-[Cc]\s+\S+)*\s+commit\b/g, 'true') : cmd)
  const ok = weight < 2 ? hostOk : commandOutcome(cmd, hostOk, output)
  if (hostOk === true) {
    for (const message of commits) tally.commits.push({ message, n })
    for (const { path, how } of writesIn(cmd)) {
      if (!NOT_THE_PROJECT.test(path)) change(tally, path, how === 'created' && tally.read.has(path) ? 'edited' : how)
    }
  }
  const key = withoutFlags(coreOf(cmd))
  const before = tally.ran.get(key)
  tally.ran.delete(key)
  tally.ran.set(key, {
    command: tellingCommand(cmd),
    ok,
    runs: (before?.runs ?? 0) + 1,
    failures: (before?.failures ?? 0) + (ok === false ? 1 : 0),
    tellingLine: tellingLine(output, ok),
    n,
    weight: Math.max(0, weight - (role === 'subagent' ? 1 : 0)),
  })
}

function tellOther(tally: Tally, { name, cmd, ok }: Done): void {
  if (name === 'Read' && ok === true) tally.read.add(cmd)
  tally.others[name] = (tally.others[name] ?? 0) + 1
}

function worthNaming(all: readonly (RanCommand & { weight: number })[]): RanCommand[] {
  const named = all
    .filter((one) => one.weight >= 2 || (one.ok === false && (one.weight === 1 || isHardError(one.tellingLine ?? ''))))
    .filter((one) => one.ok === false || one.tellingLine !== null || !isPlumbing(one))
    .map(({ weight: _, ...command }) => command)
  const ranks = commandRanks(named)
  return named
    .toSorted((a, b) => (ranks.get(b) ?? 0) - (ranks.get(a) ?? 0) || b.n - a.n)
    .slice(0, MAX_COMMANDS)
    .sort((a, b) => a.n - b.n)
}

/** A look that failed for a reason worth knowing. */
function isHardError(outcome: string): boolean {
  return isLearnt(outcome) || /\bfatal:/i.test(outcome)
}

/** Called by a program for itself, or never seen to end: nothing a reader would run again. */
function isPlumbing({ command, ok, weight }: RanCommand & { weight: number }): boolean {
  return /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/.test(command) || (ok === null && weight < 3)
}
