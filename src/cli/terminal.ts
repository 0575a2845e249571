/** Output for a terminal: lines that are too wide are broken at words, and output that is too long for the screen goes to a pager. */
import type { CliWorld } from '../memory/commands/context.ts'
import { type Pager, width, withoutColours } from '../memory/commands/output.ts'

/** Fewer columns are no room for words: they go below, a little to the right. */
const LEAST_ROOM = 24
const STEP = 4
/** What is copied as it stands: a command, a line of JSON. */
const WHOLE = /^(?:memory-keeper |node |claude |eval |echo |\{|"\w+": \{)/

export function wrapLines(text: string, columns: number): string {
  const lines = text.split('\n')
  return lines.map((line) => (width(line) <= columns ? line : wrapLine(line, columns))).join('\n')
}

/** Goes on below where the last column of the line begins. A word that is wider than the room stays whole: it may be a path. */
function wrapLine(line: string, columns: number): string {
  const lead = /^ */.exec(line)?.[0].length ?? 0
  if (WHOLE.test(withoutColours(line).trimStart())) return line
  const [, head = line.slice(0, lead), body = line.slice(lead)] = /^(.*\S {2,})(\S.*)$/.exec(line) ?? []
  const isBeside = head.trim() === '' || columns - width(head) >= LEAST_ROOM
  const indent = ' '.repeat(isBeside ? width(head) : lead + STEP)
  const lines = isBeside ? [] : [head.trimEnd()]
  let current = isBeside ? head : indent
  let isBegun = false
  for (const word of body.split(' ')) {
    const isFull = isBegun && width(`${current} ${word}`) > columns
    if (isFull) lines.push(current)
    current = isFull ? indent + word : `${current}${isBegun ? ' ' : ''}${word}`
    isBegun = true
  }
  return [...lines, current].join('\n')
}

/** Who shows long output; null: the user wants none. PAGER is split into words here: no shell reads it. */
export function pagerFor(env: CliWorld['env'], platform: string): Pager | null {
  const wanted = env.MEMORY_KEEPER_PAGER ?? env.PAGER ?? (platform === 'win32' ? 'more.com' : 'less')
  const [program, ...args] = programWords(wanted)
  if (program === undefined || program === 'cat') return null
  // Ends by itself where all fits on one screen, shows colours, and leaves the text on the screen.
  const isUtf8 = /utf-?8/i.test(env.LC_ALL ?? env.LC_CTYPE ?? env.LANG ?? '')
  const charset = isUtf8 || env.LESSCHARSET !== undefined ? {} : { LESSCHARSET: 'utf-8' }
  return { program, args, env: { ...(env.LESS === undefined ? { LESS: 'FRX' } : {}), ...charset } }
}

/** Words as a shell splits them: quotes hold spaces together. A backslash is one: Windows' paths have many. */
function programWords(command: string): string[] {
  return [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/["']/g, ''))
}

/** Whether it does not fit on the screen, with a line for the prompt. */
export function isLong(text: string, columns: number, rows: number): boolean {
  let lines = 0
  for (const line of withoutColours(text).replace(/\n$/, '').split('\n')) {
    lines += Math.max(1, Math.ceil(width(line) / columns))
    if (lines >= rows) return true
  }
  return false
}
