/** Commands in a digest by structure: those that failed, with the command that passed later, then those that others refer to. */

import { fromGap } from '../../kernel/text/ends.ts'
import { perObject } from '../../kernel/text/once.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import { isAgentUse } from '../../kernel/transcript/agent-report.ts'
import { type Numbered, wholeWords } from '../../kernel/transcript/session.ts'
import { callOf, commandsOf, commitsIn, tasksOf } from '../../kernel/transcript/shell.ts'
import { EDITS, type Line, onOneLine } from './structure-text.ts'
import { tellingLines } from './telling-lines.ts'

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
/** A command at most this many entries after an edit tests the edit. */
const AFTER_EDIT = 4

export const ALSO_RAN = 'Also ran: '

/** How an output stands in a line: in a note as it is. */
type Quote = (output: string) => string

const AS_IT_IS: Quote = (output) => output

/** Every command with output that the digest does not contain yet, newest first, each with its last output. */
export function restLines(entries: readonly Numbered[], digest: string, quote = AS_IT_IS): Line[] {
  const seen = new Set<string>()
  return entries.toReversed().flatMap(({ n, entry }): Line[] => {
    // What an agent reported has a line of its own.
    if (entry.role !== 'tool' || EDITS.has(entry.name) || isAgentUse(entry)) return []
    if (entry.refused === true || seen.has(entry.cmd)) return []
    seen.add(entry.cmd)
    const output = fromGap(outputOf(entry))
      .split('\n')
      .map(onOneLine)
      .filter((line) => line !== '')
      .join(' / ')
    if (output === '') return []
    const cmd = code(onOneLine(entry.cmd))
    const isInDigest = digest.includes(output.slice(0, SHORT_OUTPUT_CHARS))
    return isInDigest
      ? []
      : [
          {
            text: `${entry.name === 'Bash' ? '' : `${entry.name} `}${cmd} → ${quote(shorten(output, OUTPUT_CHARS))}`,
            n,
          },
        ]
  })
}

/** A command that failed; `passed`: the first success of the same work afterwards. */
export interface FailedCommand {
  cmd: string
  /** The output line that mattered; empty: there is none. */
  line: string
  /** The next such line. */
  also: string
  n: number
  passed: { cmd: string; n: number } | null
  /** Run again afterwards without an error, but in a pipe, which hides how it ended. */
  isRunAgain: boolean
}

/** The first command of these entries that passed and does all of `cmd`; null: none. */
export function passedIn(entries: readonly Numbered[], cmd: string): { cmd: string; n: number } | null {
  return ranIn(entries).find((one) => one.ok === true && isRepeatedIn(cmd, passedCommands(one.cmd))) ?? null
}

/** Of a line that passed: its last command, and those joined to it by `&&`. A pipe hides how its first commands ended. */
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

/** Whether a line that ended well shows that each of its commands did, and does not only look at what others printed. */
export function isWholePass(line: string): boolean {
  return passedCommands(line).length === commandsOf(line).length && !isLook(line)
}

/** An edit at most this many entries later fixes the problem that the command reported. */
const MENDED_WITHIN = 4
/** Commands that only look: their failure means that there was nothing to see. */
const LOOKS =
  /^(?:ls|cat|grep|rg|find|head|tail|wc|diff|test|which|stat|git (?:show|log|diff|status|grep|ls-files|rev-parse)|gh \w+ (?:view|list|checks|diff))\b/

/** It only looks. */
export function isLook(cmd: string): boolean {
  return LOOKS.test(callOf(ownCommands(cmd)[0] ?? ''))
}

/**
 * A single command that changes something, failed for a reason in its output, and never passed with the same words.
 * Not dead ends: a command beside an edit, which it tests; a command that only looks; several commands in one line, since it
 * is unknown which one failed.
 */
export function isDeadEnd(entries: readonly Numbered[], { cmd, line, n }: FailedCommand): boolean {
  const [command, ...others] = ownCommands(cmd)
  if (command === undefined || others.length > 0 || LOOKS.test(callOf(command)) || line === '') return false
  const at = entries.findIndex((one) => one.n === n)
  const before = entries.slice(0, at).findLast(({ entry }) => entry.role === 'tool')
  const beside = [...(before === undefined ? [] : [before]), ...entries.slice(at + 1, at + 1 + MENDED_WITHIN)]
  return !beside.some(({ entry }) => entry.role === 'tool' && EDITS.has(entry.name))
}

/** Whether it ever passed in these entries, also in a pipe or with other options. */
export function everPassed(entries: readonly Numbered[], cmd: string): boolean {
  return ranIn(entries).some((one) => one.ok === true && isRepeatedIn(cmd, commandsOf(one.cmd)))
}

/** Each of its commands is one of these, with the same words except for options and directories. */
function isRepeatedIn(cmd: string, commands: readonly string[]): boolean {
  const others = commands.map(operandsOf)
  return ownCommands(cmd)
    .map(operandsOf)
    .every(([program, ...words]) =>
      others.some((known) => known[0] === program && words.every((word) => known.includes(word))),
    )
}

/** The same first command, except for options and directories. */
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

/** The very last command, if it failed. */
export function lastFailure(entries: readonly Numbered[]): FailedCommand | null {
  const last = ranIn(entries).at(-1)
  return last?.ok === false ? (failuresIn(entries).find(({ n }) => n === last.n) ?? null) : null
}

/** In whole words; empty if only the mark of a cut is left. */
export function outputOf(entry: Parameters<typeof wholeWords>[0]): string {
  const output = withoutExitCode(wholeWords(entry))
  return output.trim() === '…' ? '' : output
}

/** Without the host's own first line for a failed command. */
export function withoutExitCode(output: string): string {
  return output.replace(/^Exit code \d+\n?/, '')
}

const ranIn = /* @__PURE__ */ perObject((entries: readonly Numbered[]): Ran[] =>
  entries.flatMap(({ n, entry }, at): Ran[] =>
    entry.role === 'tool' && entry.name === 'Bash' && entry.refused !== true
      ? [{ at, n, cmd: onOneLine(entry.cmd), ok: entry.ok, output: outputOf(entry) }]
      : [],
  ),
)

export const failuresIn = /* @__PURE__ */ perObject((entries: readonly Numbered[]): FailedCommand[] => {
  const ran = ranIn(entries)
  const failed = ran.filter(({ ok }) => ok === false)
  // A command that fails repeatedly is listed once, with its last output.
  const listed = failed.filter((one) => !failed.some((other) => other.at > one.at && isSameStart(other.cmd, one.cmd)))
  return listed.map((one) => {
    const passed = ran.find(
      (other) =>
        other.at > one.at &&
        other.ok === true &&
        (isRepeatedIn(one.cmd, passedCommands(other.cmd)) || isSameWork(one.cmd, other.cmd)),
    )
    const [line = '', also = ''] = tellingLines(one, entries)
    const isRunAgain = everPassed(entries.slice(one.at + 1), one.cmd)
    return { cmd: one.cmd, line, also, n: one.n, passed: passed ?? null, isRunAgain }
  })
})

export const commandLines = /* @__PURE__ */ perObject((entries: readonly Numbered[]): readonly Line[] => {
  const ran = ranIn(entries)
  const failures = failuresIn(entries)
  const partners = new Set(failures.flatMap(({ passed }) => passed?.n ?? []))
  // Commits are listed by their messages.
  const commits = new Set(
    entries.flatMap(({ n, entry }) => (entry.role === 'tool' && commitsIn(entry.cmd).length > 0 ? [n] : [])),
  )
  const others = ran.filter((one) => one.ok !== false && !partners.has(one.n) && !commits.has(one.n))
  const telling = failures.filter(({ cmd }) => !isLook(cmd))
  return [...telling.map((one) => ({ text: `Failed: ${failureText(one)}`, n: one.n })), ...rankedLines(others, entries)]
})

/** As a line of text, behind the word that says that it failed. */
export function failureText({ cmd, line, also, passed, isRunAgain }: FailedCommand, quote = AS_IT_IS): string {
  // That it did not pass is no news: a later session may have mended it.
  const unknown = isRunAgain ? '; run again later without an error' : ''
  const end =
    passed === null ? unknown : isSameTask(cmd, passed.cmd) ? '; then passed' : `; then passed: ${code(passed.cmd)}`
  const output = also !== '' && line.length + also.length < OUTPUT_CHARS ? `${line} / ${also}` : line
  return `${code(cmd)}${output === '' ? '' : ` → ${quote(shorten(output, OUTPUT_CHARS))}`}${end}`
}

/** The same command, or a chain with the same tasks: naming it would say nothing new. */
export function isSameTask(cmd: string, passed: string): boolean {
  const [tasks, others] = [tasksOf(cmd), tasksOf(passed)]
  return (
    cmd === passed || (tasks.length > 0 && others.length > tasks.length && tasks.every((task) => others.includes(task)))
  )
}

/** The same runners with the same tasks and numbers, no pipe, and at least half of the words in common. */
function isSameWork(failed: string, passed: string): boolean {
  if (isPiped(passed) || tasksOf(failed).join('\n') !== tasksOf(passed).join('\n')) return false
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

/** One line for each command that has a short output, follows an edit or is repeated; the others by name, in one line. */
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
