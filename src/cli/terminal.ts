/**
 * Output for a terminal. Lines that are too wide are broken at words, below where their last column begins; paths and commands
 * stay whole. Output that is too long for the screen goes to a pager.
 */
import { type Pager, width, withoutColours } from '../memory/commands/output.ts'

/** Fewer columns are no room for words: they go below, a little to the right. */
const LEAST_ROOM = 24
const STEP = 4
/** What is copied as it stands: a command, a line of JSON. */
const WHOLE = /^(?:memory-keeper |node |claude |eval |echo |\{|"\w+": \{)/
const RESET = '\u001b[0m'
const PAINT = /\u001b\[([0-9;]*)m/g
const CLOSING = /^(?:0|22|39)?$/

export function wrapLines(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, columns))
    .join('\n')
}

function wrapLine(line: string, columns: number): string {
  if (width(line) <= columns) return line
  const [, paint = '', bar = ''] = /^((?:\u001b\[[0-9;]*m)?)( *│ )/.exec(line) ?? []
  if (bar !== '') return behindBar(line.replace(PAINT, '').slice(bar.length), { paint, bar, columns })
  const { head, body, isWhole } = partsOf(line)
  const lead = /^ */.exec(line)?.[0].length ?? 0
  const from = width(head)
  const longest = Math.max(...body.split(' ').map(width))
  if (isWhole) return line
  const isBeside = columns - from >= Math.max(LEAST_ROOM, longest)
  if (isBeside || head.trim() === '') return broken(head, body, { indent: from, columns })
  return `${head.trimEnd()}\n${broken(' '.repeat(lead + STEP), body, { indent: lead + STEP, columns })}`
}

/** A quoted text, behind its bar in each line: it may hold anything, so it is broken anywhere. */
function behindBar(text: string, { paint, bar, columns }: { paint: string; bar: string; columns: number }): string {
  const room = Math.max(LEAST_ROOM, columns - width(bar))
  return brokenAnywhere(text, room)
    .map((piece) => `${paint}${bar}${piece}${paint === '' ? '' : RESET}`)
    .join('\n')
}

/** Its last column, and all before it; the sign before a text stands by itself. */
function partsOf(line: string): { head: string; body: string; isWhole: boolean } {
  const [, columns = '', last = ''] = /^(.*\S {2,}(?:\u001b\[[0-9;]*m)*)(\S.*)$/.exec(line) ?? []
  const [, lead = '', only = ''] = /^( *)(.*)$/.exec(line) ?? []
  if (columns !== '') return { head: columns, body: last, isWhole: false }
  const sign = /^(?:[-→•] |\d+\. )/.exec(only)?.[0] ?? ''
  return { head: lead + sign, body: only.slice(sign.length), isWhole: WHOLE.test(only.replace(PAINT, '')) }
}

function broken(head: string, body: string, { indent, columns }: { indent: number; columns: number }): string {
  const lines: string[] = []
  let line = ''
  for (const word of piecesOfBody(body, columns - indent)) {
    if (line !== '' && width(`${line} ${word}`) > columns - indent) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  const painted = repainted(lines, head)
  return head + painted.join(`\n${' '.repeat(indent)}`)
}

/** A command at the end is one word, where it fits: it is copied as a whole. */
function piecesOfBody(body: string, room: number): string[] {
  const command = /: (memory-keeper \S.*)$/.exec(body)?.[1] ?? ''
  const rest = command === '' || width(command) > room ? body : body.slice(0, -command.length - 1)
  return [...rest.split(' '), ...(rest === body ? [] : [command])].flatMap((word) => piecesOf(word, room))
}

/** Texts without spaces between their words are broken anywhere. */
function piecesOf(word: string, room: number): string[] {
  const isWide = width(word) > room && /[\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]/.test(word)
  return isWide ? brokenAnywhere(word, room) : [word]
}

function brokenAnywhere(text: string, room: number): string[] {
  const pieces: string[] = ['']
  for (const character of text) {
    const last = pieces.length - 1
    if (width(`${pieces[last]}${character}`) > room) pieces.push(character)
    else pieces[last] += character
  }
  return pieces
}

/** A colour ends with its line and begins again with the next: a pager shows each line by itself. */
function repainted(lines: readonly string[], head: string): string[] {
  let open = openAfter('', head)
  return lines.map((line, i) => {
    const begun = i === 0 ? '' : open
    open = openAfter(open, line)
    return `${begun}${line}${open === '' || i === lines.length - 1 ? '' : RESET}`
  })
}

function openAfter(open: string, line: string): string {
  let now = open
  for (const [code, value = ''] of line.matchAll(PAINT)) now = CLOSING.test(value) ? '' : now + code
  return now
}

/** What of the environment counts. */
type Env = Readonly<Record<string, string | undefined>>

/** Who shows long output; null: the user wants none. PAGER is split into words here: no shell reads it. */
export function pagerFor(env: Env, platform: string): Pager | null {
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
