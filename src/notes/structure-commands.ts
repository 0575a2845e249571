/** Commands in a digest by structure: those that failed, with what made them pass, then those that others refer to. */
import type { Numbered } from '../sessions/digest-types.ts'
import { shorten } from '../text/shorten.ts'
import { stemsOf } from '../text/words.ts'
import { EDITS, oneLine } from './structure-text.ts'

interface Ran {
  at: number
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
export function commandLines(entries: readonly Numbered[]): string[] {
  const ran = entries.flatMap(({ entry }, at): Ran[] =>
    entry.role === 'tool' && entry.name === 'Bash' && entry.refused !== true
      ? [{ at, cmd: oneLine(entry.cmd), ok: entry.ok, output: entry.output ?? '' }]
      : [],
  )
  const failed = ran.filter(({ ok }) => ok === false)
  // A later failure of the same command is told once, with its last output.
  const told = failed.filter((one) => !failed.some((other) => other.at > one.at && other.cmd === one.cmd))
  const partners = new Set<Ran>()
  const lines = told.map((one) => {
    const partner = ran.find((other) => other.at > one.at && other.ok === true && isSameWork(one.cmd, other.cmd))
    if (partner !== undefined) partners.add(partner)
    const line = tellingLine(one, entries)
    const end =
      partner === undefined
        ? 'never seen to pass'
        : partner.cmd === one.cmd
          ? 'then passed'
          : `then passed: ${code(partner.cmd)}`
    return `Failed: ${code(one.cmd)}${line === '' ? '' : ` → ${shorten(line, OUTPUT_CHARS)}`}; ${end}`
  })
  const others = ran.filter((one) => one.ok !== false && !partners.has(one))
  return [...lines, ...rankedLines(others, entries)]
}

/** The same first two words and numbers, outside a pipe, and half of the same words. */
function isSameWork(failed: string, passed: string): boolean {
  if (/[^|]\|[^|]/.test(passed)) return false
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

/** The line of the output that shares most words with the next entries, the command's own words not counted. */
function tellingLine({ at, cmd, output }: Ran, entries: readonly Numbered[]): string {
  const own = new Set(stemsOf(cmd))
  const next = new Set(entries.slice(at + 1, at + 1 + TAKEN_UP).flatMap(({ entry }) => stemsOf(wordsIn(entry))))
  const lines = output
    .split('\n')
    .map(oneLine)
    .filter((line) => line !== '')
  const worth = (line: string): number => new Set(stemsOf(line).filter((stem) => next.has(stem) && !own.has(stem))).size
  return lines.reduce((best, line) => (worth(line) > worth(best) ? line : best), lines[0] ?? '')
}

function wordsIn(entry: Numbered['entry']): string {
  if (entry.role === 'tombstone') return ''
  return 'text' in entry ? entry.text : entry.cmd
}

/** A line for each that is short, follows an edit or is repeated; the others by name, in one line. */
function rankedLines(ran: readonly Ran[], entries: readonly Numbered[]): string[] {
  const times = new Map<string, number>()
  for (const { cmd } of ran) times.set(cmd, (times.get(cmd) ?? 0) + 1)
  const last = ran.filter((one) => !ran.some((other) => other.at > one.at && other.cmd === one.cmd))
  const rank = (one: Ran): number => {
    const isAfterEdit = entries
      .slice(Math.max(0, one.at - AFTER_EDIT), one.at)
      .some(({ entry }) => entry.role === 'tool' && EDITS.has(entry.name))
    const isRepeated = (times.get(one.cmd) ?? 0) > 1
    return Number(isShort(one.output)) + Number(isAfterEdit) + Number(isRepeated) - Number(/[^|]\|[^|]/.test(one.cmd))
  }
  const ranked = last.filter((one) => rank(one) >= 1).sort((a, b) => rank(b) - rank(a) || a.at - b.at)
  const lines = ranked.map(({ cmd, output }) => `Ran: ${code(cmd)}${isShort(output) ? ` → ${oneLine(output)}` : ''}`)
  const names = [
    ...new Set(last.filter((one) => rank(one) < 1).map(({ cmd }) => commandTokens(cmd).slice(0, 2).join(' '))),
  ]
  return names.length === 0 ? lines : [...lines, `Also ran: ${names.join(', ')}`]
}

function isShort(output: string): boolean {
  const text = output.trim()
  return text !== '' && !text.includes('\n') && text.length <= SHORT_OUTPUT_CHARS
}

function code(cmd: string): string {
  return `\`${shorten(cmd, COMMAND_CHARS).replaceAll('`', "'")}\``
}
