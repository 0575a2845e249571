/** The output of commands: text for people, JSON for programs, progress on stderr. */
import pc from 'picocolors'

import { shown as harmless } from '../../text/shorten.ts'

export { bytes, count } from '../../text/figures.ts'
export { harmless }

export interface Output {
  isJson: boolean
  /** Prints lines for people; nothing with --json. */
  say(...lines: string[]): void
  /** Prints the one JSON value of a command; nothing without --json. */
  json(value: unknown): void
  /** Prints a line that is not part of the result. */
  warn(line: string): void
  progress(done: number, of: number, what: string): void
}

export interface Streams {
  out: (text: string) => void
  err: (text: string) => void
  isErrTerminal: boolean
  isOutTerminal?: boolean
}

const BAR = 24
const DRY_RUN = 'Dry run, nothing is changed:'

/** With `isDryRun` a command prints its usual output below a line which says that nothing is changed. */
export function createOutput(streams: Streams, isJson: boolean, isDryRun = false): Output {
  let isBegun = !isDryRun
  return {
    isJson,
    say: (...lines) => {
      if (isJson || lines.length === 0) return
      streams.out(`${[...(isBegun ? [] : [DRY_RUN]), ...lines].join('\n')}\n`)
      isBegun = true
    },
    json: (value) => {
      if (isJson) streams.out(`${JSON.stringify(isDryRun ? { ...(value as object), dryRun: true } : value)}\n`)
    },
    warn: (line) => streams.err(`${line}\n`),
    progress: (done, of, what) => {
      if (!streams.isErrTerminal) return
      const filled = of === 0 ? BAR : Math.round((done / of) * BAR)
      streams.err(`\r${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${done}/${of} ${what}${done === of ? '\n' : ''}`)
    },
  }
}

const colours = pc.createColors(true)
/** Global: one process serves one person at one terminal. */
let isColoured = false

export function useColours(wanted: boolean): void {
  isColoured = wanted
}

/** Whether to use colours: only on a terminal that supports them, unless the user decides otherwise. */
export function wantsColours(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR)
  return isTerminal && env.TERM !== 'dumb'
}

export function withoutColours(text: string): string {
  return text.replace(/\u001b\[[0-9;]*m/g, '')
}

/** An empty text stays empty: colour codes would prevent its line from being trimmed. */
function coloured(paint: (text: string) => string): (text: string) => string {
  return (text) => (isColoured && text !== '' ? paint(text) : text)
}

export const good = coloured(colours.green)
export const bad = coloured(colours.red)
export const warning = coloured(colours.yellow)
export const dim = coloured(colours.dim)
export const bold = coloured(colours.bold)
export const accent = coloured(colours.cyan)

export function percent(part: number, whole: number): string {
  return whole === 0 ? '100 %' : `${((100 * part) / whole).toFixed(1)} %`
}

/** Pads columns to their widest cell; a wide character counts as two. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows)
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, width(cell))
    })
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell + ' '.repeat((widths[i] ?? 0) - width(cell))))
      .join('  ')
      .trimEnd(),
  )
}

export function width(text: string): number {
  const plain = withoutColours(text)
  let columns = 0
  for (const character of plain)
    columns += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/.test(
      character,
    )
      ? 2
      : 1
  return columns
}

/** One line of at most `max` columns. */
export function oneLine(text: string, max: number): string {
  const line = harmless(text).replace(/\s+/g, ' ').trim()
  if (width(line) <= max) return line
  let cutLine = ''
  for (const character of line) {
    if (width(cutLine + character) > max - 1) break
    cutLine += character
  }
  return `${cutLine}…`
}

/** With fewer columns beside the head, the text continues below it, slightly indented. */
const LEAST_ROOM = 24
const STEP = 4
/** Lines that users copy: commands and JSON. */
const WHOLE = /^(?:memory-keeper |node |claude |eval |echo |\{|"\w+": \{)/

/** A command in a sentence, up to the mark behind it. */
const COMMAND = /(?<=^|[ :])(?:\/?memory-keeper\b|claude plugin )[^;()·→]*?(?=$|[;()·→]|[,:.] | {2})/g

/** Wraps lines that are too wide for the terminal at words, never inside a command: people copy it. */
export function wrapLines(text: string, columns: number): string {
  const lines = text.split('\n')
  return lines.map((line) => (width(line) <= columns ? line : wrapLine(line, columns))).join('\n')
}

/** Continues below the beginning of the line's last column. A word that is too wide stays whole: it may be a path. */
function wrapLine(line: string, columns: number): string {
  const lead = /^ */.exec(line)?.[0].length ?? 0
  const columnsIn = /^(.*\S {2,})(\S.*)$/.exec(line)
  // What stands beside a command is no part of it.
  if (columnsIn === null && WHOLE.test(withoutColours(line).trimStart())) return line
  const [, head = line.slice(0, lead), body = line.slice(lead)] = columnsIn ?? []
  const isBeside = head.trim() === '' || columns - width(head) >= LEAST_ROOM
  const indent = ' '.repeat(isBeside ? width(head) : lead + STEP)
  const lines = isBeside ? [] : [head.trimEnd()]
  let current = isBeside ? head : indent
  let isBegun = false
  for (const word of wordsIn(body)) {
    const isFull = isBegun && width(`${current} ${word}`) > columns
    if (isFull) lines.push(current)
    current = isFull ? indent + word : `${current}${isBegun ? ' ' : ''}${word}`
    isBegun = true
  }
  return [...lines, current].join('\n')
}

function wordsIn(text: string): string[] {
  const kept = text.replace(COMMAND, (command) => command.replaceAll(' ', INSIDE))
  return kept.split(' ').map((word) => word.replaceAll(INSIDE, ' '))
}

/** In place of a blank inside a command; no text contains it. */
const INSIDE = '\u0000'
