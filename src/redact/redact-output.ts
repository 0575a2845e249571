/** Decides from a command whether its output is a secret: `pass show mail`, `gh auth token`, `echo $DB_PASSWORD`. */
import { isEnding, opensSomething } from './redact-trust.ts'
import { type NameKind, nameWords } from './redact-words.ts'

/** A longer command is judged by its end: that is what prints. */
const MOST_CHARS = 2000
/** What stands before an output when both are redacted as one text. */
const HEAD_CHARS = 400

/** Programs that print their arguments: only there is `$NAME` the output. */
const PRINTERS = new Set(['echo', 'printf', 'print', 'write-output', 'write-host', 'printenv'])
/** Programs whose arguments name what is searched: the word says nothing about what they print. */
const SEARCHERS = new Set(['grep', 'egrep', 'fgrep', 'rg', 'ag', 'git', 'findstr', 'select-string'])
const KINDS: ReadonlySet<NameKind> = new Set(['password', 'secret', 'pin'])

/** What is redacted already was given to the command, not printed by it. */
const MARKER = /\[redacted:[\w-]{1,40}\]/g

let names: Map<string, NameKind> | undefined

/** `whole`: drop the output whatever it looks like. `value`: drop it if it is nothing but one value. */
export type Announcement = 'whole' | 'value' | null

export function announcementOf(command: string): Announcement {
  names ??= new Map(nameWords().map(([word, { kind, length }]) => [word.slice(0, length).toLowerCase(), kind]))
  let found: Announcement = null
  for (const link of linksOf(command.slice(-MOST_CHARS).replace(MARKER, ''))) {
    const here = announcedBy(link)
    if (here === 'whole') return here
    found ??= here
  }
  return found
}

/** The end of the command, from the beginning of a line or word. */
export function headOf(command: string): string {
  if (command.length <= HEAD_CHARS) return command
  const end = command.slice(-HEAD_CHARS)
  return end.slice(end.search(/\s/) + 1)
}

/** True if the output is one value without blanks that the command does not contain. */
export function isOneValue(output: string, command: string): boolean {
  const value = output.trim()
  return value.length > 3 && !/\s/.test(value) && !command.includes(value)
}

function announcedBy(link: readonly ShellWord[]): Announcement {
  const program = (link[0]?.text ?? '').toLowerCase()
  if (SEARCHERS.has(program)) return null
  if (program === 'pass') return 'whole'
  let found: Announcement = null
  for (const word of link) {
    if (word.text.includes('$') && !PRINTERS.has(program)) continue
    for (const part of partsOf(word)) {
      if (isName(part)) return 'whole'
      if (part.split(/[^\p{L}\d]+/u).some(isName)) found = 'value'
    }
  }
  return found
}

/** A quoted sentence has no parts but the variables in it; a flag and an assignment have only their value. */
function partsOf({ text, isSentence }: ShellWord): readonly string[] {
  if (isSentence) return text.match(/\$\{?\w+/g) ?? []
  const value = /=(.*)$/s.exec(text)?.[1] ?? (text.startsWith('-') ? '' : text)
  const isFile = /\.[A-Za-z]\w{0,4}$/.test(value)
  return isFile ? [value] : value.split(/[/:]/)
}

/**
 * True if the last words of an identifier announce a secret: `DB_PASSWORD`, `get-secret-value`, `apiKey`, `secrets`.
 * `pwd` alone is the working directory in every shell; `DB_PWD` is a password.
 */
function isName(identifier: string): boolean {
  const words = identifier
    .replace(/([a-z\d])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')
  if (words.length === 1 && words[0] === 'pwd') return false
  while (words.length > 1 && isEnding(words.at(-1) ?? '')) words.pop()
  const last = words.pop() ?? ''
  const kind = names?.get(last) ?? names?.get(last.replace(/s$/, ''))
  if (kind === 'key') return words.length > 0 && opensSomething(words.join('_'))
  return kind !== undefined && KINDS.has(kind)
}

interface ShellWord {
  text: string
  /** Quoted, with blanks inside. */
  isSentence: boolean
}

const WORD = /(?:\\.|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'|&;])+|[|&;\n]+/g

function linksOf(command: string): ShellWord[][] {
  const links: ShellWord[][] = [[]]
  for (const [text] of command.matchAll(WORD)) {
    if (/^[|&;\n]/.test(text)) links.push([])
    else links.at(-1)?.push({ text: text.replace(/["']/g, ''), isSentence: /\s/.test(text) })
  }
  return links
}
