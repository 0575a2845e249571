/** Whether two failed commands show the same error: the same telling line, apart from what differs from run to run. */

import { once } from '../../kernel/text/once.ts'
import { stemsOf } from '../../kernel/text/words.ts'
import type { Numbered } from '../../kernel/transcript/session.ts'
import { foldedLine, PLACE, tellingLines } from '../notes/telling-lines.ts'

export interface ErrorOutput {
  /** Empty: unknown. */
  command: string
  output: string
}

interface TellingLine {
  text: string
  folded: string
  stems: readonly number[]
}

/** An error as it is looked for. */
export interface ErrorShown {
  command: string
  /** The lines that tell it; all of the output, if none is known to. */
  telling: readonly TellingLine[]
  /** Each line, folded. */
  lines: ReadonlySet<string>
}

/** A line that says less than this besides the words of its command only says that the command failed. */
const OWN_WORDS = 2
const FAILURE_WORDS = once(() => stemsOf('error fatal failed'))

export function errorShown({ command, output }: ErrorOutput): ErrorShown {
  const all = output.split('\n').filter((line) => line.trim() !== '')
  return {
    command,
    telling: toldIn({ command, output }, [], command) ?? saysMore(all, command),
    lines: new Set(all.map(foldedLine)),
  }
}

/** What a command that passed prints as well, such as the log of a test, is no error. `printed`: outputs of such commands. */
export function withoutPrinted({ command, telling: told, lines }: ErrorShown, printed: readonly string[]): ErrorShown {
  const known = new Set(printed.flatMap((output) => output.split('\n').map(foldedLine)))
  const isNew = (folded: string): boolean => !known.has(folded)
  return { command, telling: told.filter(({ folded }) => isNew(folded)), lines: new Set([...lines].filter(isNew)) }
}

/**
 * The line of an earlier failure that tells the same error; null: it was another one. A line that names a place belongs to one problem.
 * Any other may be the runner's, beside many errors: then more than half of what tells one of the two must stand in the other.
 * `next`: the entries behind the earlier failure.
 */
export function sharedLine(error: ErrorShown, earlier: ErrorOutput, next: readonly Numbered[]): string | null {
  const commands = `${error.command} ${earlier.command}`
  const told = toldIn(earlier, [], commands) ?? toldIn(earlier, next, commands) ?? []
  const own = telling(error.telling, commands)
  const [first, ...more] = told.filter(({ folded }) => error.lines.has(folded))
  if (first === undefined) return null
  const least = Math.min(distinct(told), own.length === 0 ? Number.POSITIVE_INFINITY : distinct(own))
  return PLACE.test(first.text) || distinct([first, ...more]) * 2 > least ? first.text : null
}

/** Null: no line is known to. */
function toldIn({ command, output }: ErrorOutput, next: readonly Numbered[], commands: string): TellingLine[] | null {
  const told = saysMore(placedFirst(tellingLines({ at: -1, cmd: command, output }, next)), commands)
  return told.length > 0 ? told : null
}

function distinct(lines: readonly TellingLine[]): number {
  return new Set(lines.map(({ folded }) => folded)).size
}

/** Beside lines that name the place of a problem, the others are the runner's. */
function placedFirst(lines: readonly string[]): readonly string[] {
  const placed = lines.filter((line) => PLACE.test(line))
  return placed.length > 0 ? placed : lines
}

function saysMore(lines: readonly string[], command: string): TellingLine[] {
  // Of a line where an output was cut, nobody knows the rest.
  const whole = lines.filter((line) => !line.startsWith('… ') && !line.endsWith(' …'))
  const all = whole.map((text) => {
    const folded = foldedLine(text)
    return { text, folded, stems: [...new Set(stemsOf(folded))] }
  })
  return telling(all, command)
}

function telling(lines: readonly TellingLine[], command: string): TellingLine[] {
  const named = new Set([...stemsOf(command), ...FAILURE_WORDS()])
  return lines.filter(({ stems }) => stems.filter((stem) => !named.has(stem)).length >= OWN_WORDS)
}
