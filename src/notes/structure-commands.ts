/** Commands in a digest by structure: those that failed, with what made them pass, then those that others refer to. */

import { shorten } from '../text/shorten.ts'
import { stemsOf } from '../text/words.ts'

import { type Numbered, wholeWords } from '../transcript/session.ts'
import { callOf, commandsOf, commitsIn } from '../transcript/shell.ts'

import { EDITS, type Line, onOneLine, perObject, stemsIn } from './structure-text.ts'

interface Ran {
  at: number
  n: number
  cmd: string
  ok: boolean | null
  output: string
}

const COMMAND_CHARS = 120
const OUTPUT_CHARS = 160
const SHORT_OUTPUT_CHARS = 70
/** An edit at most so many entries before: the command tries it. */
const AFTER_EDIT = 4
/** The entries that tell which line of an output mattered. */
const TAKEN_UP = 3

export const ALSO_RAN = 'Also ran: '

/** Every tool use that printed something and is not told yet, the newest first. */
export function restLines(entries: readonly Numbered[], told: string): Line[] {
  const others = entries.flatMap(({ n, entry }): Line[] => {
    if (entry.role !== 'tool' || EDITS.has(entry.name) || entry.refused === true) return []
    const output = outputOf(entry)
      .split('\n')
      .map(onOneLine)
      .filter((line) => line !== '')
      .join(' / ')
    if (output === '') return []
    const cmd = code(onOneLine(entry.cmd))
    const isTold = told.includes(output.slice(0, SHORT_OUTPUT_CHARS))
    return isTold
      ? []
      : [{ text: `Ran: ${entry.name === 'Bash' ? '' : `${entry.name} `}${cmd} → ${shorten(output, OUTPUT_CHARS)}`, n }]
  })
  return others.reverse()
}

/** A command that failed; `passed`: the first success of the same work afterwards. */
export interface FailedCommand {
  cmd: string
  /** The line of its output that mattered; empty: there is none. */
  line: string
  /** The next one. */
  also: string
  n: number
  passed: { cmd: string; n: number } | null
}

/** The first command of these entries that passed and does all of `cmd`; null: none does. */
export function passedIn(entries: readonly Numbered[], cmd: string): { cmd: string; n: number } | null {
  return ranIn(entries).find((one) => one.ok === true && isRepeatedIn(cmd, passedCommands(one.cmd))) ?? null
}

/** Of a line that passed: its last command, and those that `&&` made a condition of it. A pipe hides how its first commands ended. */
function passedCommands(line: string): string[] {
  const commands = commandsOf(line)
  let at = 0
  const before = commands.map((text) => {
    const from = line.indexOf(text, at)
    const between = line.slice(at, from).trim()
    at = from + text.length
    return between
  })
  const broken = before.findLastIndex((between, i) => i > 0 && between !== '&&' && between !== '|')
  return commands.filter((_, i) => i >= broken && (i === commands.length - 1 || before[i + 1] === '&&'))
}

/** An edit at most so many entries later mends what the command complained about. */
const MENDED_WITHIN = 4
/** They only look: their failure means that there was nothing to see. */
const LOOKS =
  /^(?:ls|cat|grep|rg|find|head|tail|wc|diff|test|which|stat|git (?:show|log|diff|status|grep|ls-files|rev-parse)|gh \w+ (?:view|list|checks|diff))\b/

/**
 * A single command that changes something, failed for a reason that its output names, and never passed with the same words.
 * These are no dead ends: a command right after an edit or mended by one, which tries the edit; one that only looks; several
 * in one line, of which nobody knows which one failed.
 */
export function isDeadEnd(entries: readonly Numbered[], { cmd, line, n }: FailedCommand): boolean {
  const [command, ...others] = ownCommands(cmd)
  if (command === undefined || others.length > 0 || LOOKS.test(callOf(command)) || line === '') return false
  const at = entries.findIndex((one) => one.n === n)
  const before = entries.slice(0, at).findLast(({ entry }) => entry.role === 'tool')
  const beside = [...(before === undefined ? [] : [before]), ...entries.slice(at + 1, at + 1 + MENDED_WITHIN)]
  return !beside.some(({ entry }) => entry.role === 'tool' && EDITS.has(entry.name))
}

/** Whether it passed at any time in these entries, also in a pipe or with other options. */
export function everPassed(entries: readonly Numbered[], cmd: string): boolean {
  return ranIn(entries).some((one) => one.ok === true && isRepeatedIn(cmd, commandsOf(one.cmd)))
}

/** Each of its commands is one of these, with the same words but for options and directories. */
function isRepeatedIn(cmd: string, commands: readonly string[]): boolean {
  const others = commands.map(operandsOf)
  return ownCommands(cmd)
    .map(operandsOf)
    .every(([program, ...words]) =>
      others.some((known) => known[0] === program && words.every((word) => known.includes(word))),
    )
}

/** The same first command, but for options and directories. */
function isSameStart(cmd: string, other: string): boolean {
  const [first, second] = [cmd, other].map((one) => operandsOf(ownCommands(one)[0] ?? '').join(' '))
  return cmd === other || (first !== '' && first === second)
}

function ownCommands(cmd: string): string[] {
  return commandsOf(cmd).filter((one) => !one.startsWith('cd '))
}

function operandsOf(command: string): string[] {
  const words = commandTokens(callOf(command)).filter((word) => !/^(?:-|\d?[<>&])/.test(word))
  return words.map((word) => word.slice(word.lastIndexOf('/', word.length - 2) + 1))
}

function isPiped(cmd: string): boolean {
  return /[^|]\|[^|]/.test(cmd)
}

/** The last command of all, if it failed. */
export function lastFailure(entries: readonly Numbered[]): FailedCommand | null {
  const last = ranIn(entries).at(-1)
  return last?.ok === false ? (failuresIn(entries).find(({ n }) => n === last.n) ?? null) : null
}

/** In whole words; empty: nothing but the mark of a cut is left. */
function outputOf(entry: Parameters<typeof wholeWords>[0]): string {
  const output = wholeWords(entry).replace(EXIT_CODE, '')
  return output.trim() === '…' ? '' : output
}

/** The host's own first line of a failed command. */
const EXIT_CODE = /^Exit code \d+\n?/

const ranIn = perObject((entries: readonly Numbered[]): Ran[] =>
  entries.flatMap(({ n, entry }, at): Ran[] =>
    entry.role === 'tool' && entry.name === 'Bash' && entry.refused !== true
      ? [{ at, n, cmd: onOneLine(entry.cmd), ok: entry.ok, output: outputOf(entry) }]
      : [],
  ),
)

export const failuresIn = perObject((entries: readonly Numbered[]): FailedCommand[] => {
  const ran = ranIn(entries)
  const failed = ran.filter(({ ok }) => ok === false)
  // What fails again and again is told once, with its last output.
  const told = failed.filter((one) => !failed.some((other) => other.at > one.at && isSameStart(other.cmd, one.cmd)))
  return told.map((one) => {
    const passed = ran.find(
      (other) =>
        other.at > one.at &&
        other.ok === true &&
        (isRepeatedIn(one.cmd, passedCommands(other.cmd)) || isSameWork(one.cmd, other.cmd)),
    )
    const [line = '', also = ''] = tellingLines(one, entries)
    return { cmd: one.cmd, line, also, n: one.n, passed: passed ?? null }
  })
})

export function commandLines(entries: readonly Numbered[]): Line[] {
  const ran = ranIn(entries)
  const failures = failuresIn(entries)
  const partners = new Set(failures.flatMap(({ passed }) => passed?.n ?? []))
  // Commits are told by their messages.
  const commits = new Set(
    entries.flatMap(({ n, entry }) => (entry.role === 'tool' && commitsIn(entry.cmd).length > 0 ? [n] : [])),
  )
  const others = ran.filter((one) => one.ok !== false && !partners.has(one.n) && !commits.has(one.n))
  const telling = failures.filter(({ cmd }) => !LOOKS.test(callOf(ownCommands(cmd)[0] ?? '')))
  return [...telling.map((one) => ({ text: failureText(one), n: one.n })), ...rankedLines(others, entries)]
}

function failureText({ cmd, line, also, passed }: FailedCommand): string {
  const end =
    passed === null ? 'never seen to pass' : passed.cmd === cmd ? 'then passed' : `then passed: ${code(passed.cmd)}`
  const output = also !== '' && line.length + also.length < OUTPUT_CHARS ? `${line} / ${also}` : line
  return `Failed: ${code(cmd)}${output === '' ? '' : ` → ${shorten(output, OUTPUT_CHARS)}`}; ${end}`
}

/** The same first two words and numbers, outside a pipe, and half of the same words. */
function isSameWork(failed: string, passed: string): boolean {
  if (isPiped(passed)) return false
  const [some, others] = [commandTokens(failed), commandTokens(passed)]
  if (some.slice(0, 2).join(' ') !== others.slice(0, 2).join(' ')) return false
  if (numbersIn(failed) !== numbersIn(passed)) return false
  return some.filter((word) => others.includes(word)).length * 2 >= Math.max(some.length, others.length)
}

function commandTokens(cmd: string): string[] {
  return cmd.split(/[\s=:'"`]+/).filter((word) => word !== '')
}

function numbersIn(cmd: string): string {
  return (cmd.match(/\d+/g) ?? []).join(' ')
}

/** How programs mark the line that says what went wrong. */
const DIAGNOSTIC = /\b(?:error|fatal|failed|FAIL)\b/i
const MARKED_WORTH = 2
/** Of a longer output that marks no line and that nobody takes up, no line is known to matter. */
const SHORT_LINES = 3

/**
 * The lines of the output that matter, most first: they share most words with the next entries, the command's own words not
 * counted, or their program marks them. Empty: none is known to matter.
 */
function tellingLines({ at, cmd, output }: Ran, entries: readonly Numbered[]): string[] {
  const own = new Set(stemsOf(cmd))
  const next = new Set(entries.slice(at + 1, at + 1 + TAKEN_UP).flatMap(({ entry }) => [...stemsIn(entry)]))
  const lines = [...new Set(output.split('\n').map(onOneLine))].flatMap((text) => {
    const stems = new Set(stemsOf(text))
    const shared = [...stems].filter((stem) => next.has(stem) && !own.has(stem)).length
    return stems.size === 0
      ? []
      : [{ text, worth: shared + (stems.size > 1 && DIAGNOSTIC.test(text) ? MARKED_WORTH : 0) }]
  })
  const [best, ...others] = lines.toSorted((a, b) => b.worth - a.worth)
  if (best === undefined || (best.worth < 2 && lines.length > SHORT_LINES)) return []
  return [best, ...others.filter(({ worth }) => worth > 0)].map(({ text }) => text)
}

/** A line for each that is short, follows an edit or is repeated; the others by name, in one line. */
function rankedLines(ran: readonly Ran[], entries: readonly Numbered[]): Line[] {
  const times = new Map<string, number>()
  for (const { cmd } of ran) times.set(cmd, (times.get(cmd) ?? 0) + 1)
  const last = ran.filter((one) => !ran.some((other) => other.at > one.at && other.cmd === one.cmd))
  const rank = (one: Ran): number => {
    const isAfterEdit = entries
      .slice(Math.max(0, one.at - AFTER_EDIT), one.at)
      .some(({ entry }) => entry.role === 'tool' && EDITS.has(entry.name))
    const isRepeated = (times.get(one.cmd) ?? 0) > 1
    return Number(isShort(one.output)) + Number(isAfterEdit) + Number(isRepeated) - Number(isPiped(one.cmd))
  }
  const ranked = last.filter((one) => rank(one) >= 1).sort((a, b) => rank(b) - rank(a) || a.at - b.at)
  const lines = ranked.map(({ n, cmd, output }) => ({
    text: `Ran: ${code(cmd)}${isShort(output) ? ` → ${onOneLine(output)}` : ''}`,
    n,
  }))
  const names = [
    ...new Set(last.filter((one) => rank(one) < 1).map(({ cmd }) => commandTokens(callOf(cmd)).slice(0, 2).join(' '))),
  ]
  return names.length === 0 ? lines : [...lines, { text: `${ALSO_RAN}${names.join(', ')}`, n: last.at(-1)?.n ?? 0 }]
}

function isShort(output: string): boolean {
  const text = output.trim()
  return text !== '' && !text.includes('\n') && text.length <= SHORT_OUTPUT_CHARS
}

export function code(cmd: string): string {
  return `\`${shorten(cmd, COMMAND_CHARS).replaceAll('`', "'")}\``
}
