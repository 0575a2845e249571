/** What commands print: text for people, JSON for programs, progress beside it. */
import pc from 'picocolors'

export interface Output {
  isJson: boolean
  /** Lines for people; nothing with --json. */
  say(...lines: string[]): void
  /** The one JSON value of a command; nothing without --json. */
  json(value: unknown): void
  /** A line that is not part of the result. */
  warn(line: string): void
  progress(done: number, of: number, what: string): void
}

export interface Streams {
  out: (text: string) => void
  err: (text: string) => void
  isErrTerminal: boolean
}

const BAR = 24

export function createOutput(streams: Streams, isJson: boolean): Output {
  return {
    isJson,
    say: (...lines) => {
      if (!isJson && lines.length > 0) streams.out(`${lines.join('\n')}\n`)
    },
    json: (value) => {
      if (isJson) streams.out(`${JSON.stringify(value)}\n`)
    },
    warn: (line) => streams.err(`${line}\n`),
    progress: (done, of, what) => {
      if (!streams.isErrTerminal) return
      const filled = of === 0 ? BAR : Math.round((done / of) * BAR)
      streams.err(`\r${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${done}/${of} ${what}${done === of ? '\n' : ''}`)
    },
  }
}

/** Nothing stays nothing: colour around an empty cell would keep its line from being trimmed. */
function coloured(paint: (text: string) => string): (text: string) => string {
  return (text) => (text === '' ? '' : paint(text))
}

export const good = coloured(pc.green)
export const bad = coloured(pc.red)
export const warning = coloured(pc.yellow)
export const dim = coloured(pc.dim)
export const bold = coloured(pc.bold)

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`
  const units = ['kB', 'MB', 'GB']
  let value = count / 1000
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '100 %' : `${((100 * part) / whole).toFixed(1)} %`
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`
}

/** Columns padded to their widest cell, counting a wide character as two. */
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
  const plain = text.replace(/\u001b\[[0-9;]*m/g, '')
  let columns = 0
  for (const character of plain)
    columns += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/.test(
      character,
    )
      ? 2
      : 1
  return columns
}

/** Remembered text as a terminal may show it: what was said cannot move the cursor or change the title. */
export function harmless(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '�')
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
