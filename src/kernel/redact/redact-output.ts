/** Decides from a command whether its output is a secret: `pass show mail`, `gh auth token`, `echo $DB_PASSWORD`. */
import { kindOfIdentifier } from './redact-trust.ts'
import type { NameKind } from './redact-words.ts'

/** A longer command is judged by its end: that is what prints. */
const MOST_CHARS = 2000
/** What stands before an output when both are redacted as one text. */
const HEAD_CHARS = 400

/** Programs that print their arguments: only there is `$NAME` the output. */
const PRINTERS = new Set(['echo', 'printf', 'print', 'write-output', 'write-host', 'printenv'])
/** Programs whose arguments name what is searched, listed or moved: the word says nothing about what they print. */
const NAMERS = new Set(
  'grep egrep fgrep rg ag git findstr select-string ls find tree cd mkdir rm mv cp touch chmod chown stat wc du test'.split(
    ' ',
  ),
)
/** Verbs after which a program prints names and states, not values: `vault kv list`, `go test`, `npm run build:token`. */
const NAMING = /^(?:ls|list)$|^list-/
const WORKING = /^(?:test|vet|lint|build|install|delete|remove|rm|set)(?:$|:)/
/** They print names and sizes unless they are told a form: `kubectl get secrets`. */
const CLUSTERS = new Set(['kubectl', 'oc'])
/** Programs that print the secrets they keep or make. */
const KEEPERS = new Set(['pass', 'gopass', 'lpass', 'keyring', 'secret-tool', 'pwgen', 'apg'])
/** Sources of what is to be a secret. */
const SOURCES = new Set(['rand', '/dev/urandom', '/dev/random'])
const KINDS: ReadonlySet<NameKind> = new Set(['password', 'secret', 'pin'])

/** What is redacted already was given to the command, not printed by it. */
const MARKER = /\[redacted:[\w-]{1,40}\]/g

/** `whole`: drop the output whatever it looks like. `value`: drop it if it is nothing but one value. */
export type Announcement = 'whole' | 'value' | null

export function announcementOf(command: string): Announcement {
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
  const verbs = link.slice(1, 4).map(({ text }) => text)
  if (KEEPERS.has(program)) return verbs.length > 0 && !NAMING.test(verbs[0] ?? '') ? 'whole' : null
  if (NAMERS.has(program) || verbs.some((verb) => NAMING.test(verb))) return null
  if (CLUSTERS.has(program) && isOverview(link)) return null
  let found: Announcement = null
  for (const [place, word] of link.entries()) {
    // Behind an announcing word it is an argument: `get-password.sh test`.
    if (place > 0 && place < 3 && WORKING.test(word.text)) return found
    if (SOURCES.has(word.text) || selectedBy(word).some(isName)) found = 'value'
    if (word.text.includes('$') && !PRINTERS.has(program)) continue
    for (const part of partsOf(word)) {
      if (isName(part)) return 'whole'
      if (part.split(/[^\p{L}\d]+/u).some(isName)) found = 'value'
    }
  }
  return found
}

function isOverview(link: readonly ShellWord[]): boolean {
  const words = link.map(({ text }) => text)
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  return (
    own.some((word) => word === 'get' || word === 'describe') &&
    !own.some((word) => /^(?:-o|--output|--template)/.test(word))
  )
}

/** The columns of a query. */
function selectedBy({ text, isSentence }: ShellWord): readonly string[] {
  return isSentence ? (/\bselect\b(.{1,200}?)\bfrom\b/is.exec(text)?.[1] ?? '').split(',') : []
}

/** A quoted sentence has no parts but the variables in it; a flag and an assignment have only their value. */
function partsOf({ text, isSentence }: ShellWord): readonly string[] {
  if (isSentence) return text.match(/\$\{?\w+/g) ?? []
  const values = text.split(',').map((part) => (/=/.test(part) ? part.replace(/^.*=/s, '') : part))
  return values.flatMap((value) => {
    if (value.startsWith('-')) return []
    const isFile = /\.[A-Za-z]\w{0,4}$/.test(value)
    return isFile ? [value] : value.split(/[/:]/)
  })
}

/**
 * True if the last words of an identifier announce a secret: `DB_PASSWORD`, `get-secret-value`, `apiKey`, `secrets`.
 * `pwd` alone is the working directory in every shell, `passwd` the list of users; `DB_PWD` is a password.
 */
function isName(identifier: string): boolean {
  if (/^\W?(?:pwd|passwd)$/i.test(identifier)) return false
  return KINDS.has(kindOfIdentifier(identifier) ?? kindOfIdentifier(identifier.replace(/s$/i, '')) ?? 'login')
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
