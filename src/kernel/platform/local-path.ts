/** Finds directories of this machine in a text, however a person, a tool or a shell wrote them. */

export interface LocalDir {
  /** Absolute, as the system writes it: `C:\Users\me`, `/home/me`. */
  dir: string
  /** What stands for it in the text. */
  as: string
  /** What stands for it if a path goes on behind it; the separators go with it. Absent: as `as`, and the separators stay. */
  asParent?: string
}

/** Windows and macOS ignore case in names. */
function ignoresCase(platform: string): boolean {
  return platform === 'win32' || platform === 'darwin'
}

/** Longer directories win: give them in any order. */
export function replaceLocalDirs(text: string, dirs: readonly LocalDir[], platform: string): string {
  const known = dirs.flatMap((dir) => prepared(dir, platform) ?? []).toSorted(byLength)
  return known.reduce((rest, dir) => replaceOne(rest, dir), text)
}

/** Gives the path below one of these directories, the longest first; null: it is elsewhere. Empty: a directory itself. */
export function pathsBelow(dirs: readonly string[], platform: string): (named: string) => string | null {
  const known = dirs.flatMap((dir) => prepared({ dir, as: '' }, platform) ?? []).toSorted(byLength)
  return (named) => {
    for (const dir of known) {
      const found = findFrom(named, fold(named, dir), dir, 0)
      if (found?.from === 0) return named.slice(skipSeparators(named, found.to)).replace(/[\\/]+/g, '/')
    }
    return null
  }
}

const byLength = (a: Prepared, b: Prepared): number => b.names.length - a.names.length

interface Prepared extends LocalDir {
  /** A drive's letter, or empty. */
  drive: string
  /** Each name below the root, as it may be written: composed or not, or as in a URL. */
  names: readonly (readonly string[])[]
  isFolded: boolean
}

function prepared(given: LocalDir, platform: string): Prepared | null {
  const drive = given.dir[1] === ':' ? (given.dir[0] ?? '').toLowerCase() : ''
  // A drive's letter is of Windows, on whatever machine this runs.
  const isFolded = drive !== '' || ignoresCase(platform)
  const names = given.dir
    .slice(drive === '' ? 0 : 2)
    .replaceAll('\\', '/')
    .split('/')
    .filter((name) => name !== '')
    .map((name) => spellings(name).map((one) => (isFolded ? one.toLowerCase() : one)))
  // A root alone is in every path.
  return names.length === 0 ? null : { ...given, drive, names, isFolded }
}

function spellings(name: string): string[] {
  // By way of bytes: half a character cannot be written in a URL.
  const inUrl = encodeURIComponent(Buffer.from(name).toString('utf8'))
  return [...new Set([name, name.normalize('NFC'), name.normalize('NFD'), inUrl])]
}

/** Of the same length, so that places in it are places in the text. */
function fold(text: string, { isFolded }: Prepared): string {
  if (!isFolded) return text
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from(text, (char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)).join('')
}

function replaceOne(text: string, dir: Prepared): string {
  const folded = fold(text, dir)
  let out = ''
  let done = 0
  for (let found = findFrom(text, folded, dir, 0); found !== null; found = findFrom(text, folded, dir, found.to)) {
    const below = skipSeparators(text, found.to)
    const goesOn = below > found.to && below < text.length && !isEnd(text[below] ?? '')
    const isParent = goesOn && dir.asParent !== undefined
    out += text.slice(done, found.from) + (isParent ? dir.asParent : dir.as)
    done = isParent ? below : found.to
  }
  return out + text.slice(done)
}

interface Found {
  from: number
  to: number
}

/** The next place of the directory that begins at `start` or later. */
function findFrom(text: string, folded: string, dir: Prepared, start: number): Found | null {
  const firsts = dir.names[0] ?? []
  for (let at = nextOf(folded, firsts, start); at >= 0; at = nextOf(folded, firsts, at + 1)) {
    const to = endOfNames(folded, dir.names, at)
    const from = to === null ? null : beginOf(text, folded, dir, at)
    if (to !== null && from !== null && from >= start) return { from, to }
  }
  return null
}

function nextOf(folded: string, names: readonly string[], from: number): number {
  const found = names.map((name) => folded.indexOf(name, from)).filter((at) => at >= 0)
  return found.length === 0 ? -1 : Math.min(...found)
}

/** Where the names that begin at `at` end; null: they are others. */
function endOfNames(folded: string, names: readonly (readonly string[])[], at: number): number | null {
  let to = at
  for (const [n, spelled] of names.entries()) {
    const begin = n === 0 ? to : skipSeparators(folded, to)
    if (n > 0 && begin === to) return null
    const name = spelled.find((one) => folded.startsWith(one, begin))
    if (name === undefined) return null
    to = begin + name.length
  }
  return isNameGoingOn(folded, to) ? null : to
}

/** The prefix before the first name: a drive in any spelling, a URL's scheme, or only the root. Null: it is a part of another path. */
function beginOf(text: string, folded: string, { drive }: Prepared, at: number): number | null {
  const root = skipSeparatorsBack(text, at)
  if (root === at) return null
  if (drive === '') return atBoundary(text, withScheme(folded, root))
  const before = folded.slice(Math.max(0, root - 2), root)
  // `c:`, and `%3a` as some URLs write it.
  for (const written of [`${drive}:`, `${drive}%3a`])
    if (folded.endsWith(written, root)) {
      const from = root - written.length
      return atBoundary(text, withScheme(folded, withRoot(text, from)))
    }
  if (before.endsWith(drive) && isSeparator(before[0] ?? '')) {
    const shell = skipSeparatorsBack(text, root - 1)
    const mount = MOUNTS.find((one) => folded.endsWith(one, shell) && isSeparator(text[shell - one.length - 1] ?? ''))
    const from = mount === undefined ? shell : skipSeparatorsBack(text, shell - mount.length)
    return atBoundary(text, withScheme(folded, from))
  }
  // On the current drive.
  return atBoundary(text, root)
}

/** Where WSL and Cygwin have the drives. */
const MOUNTS = ['mnt', 'cygdrive']
const SCHEME = 'file:'

function withScheme(folded: string, from: number): number {
  const before = skipSeparatorsBack(folded, from)
  return folded.slice(before - SCHEME.length, before).toLowerCase() === SCHEME ? before - SCHEME.length : from
}

/** `\\?\` before a drive, and the slash that a URL's path begins with. */
function withRoot(text: string, from: number): number {
  const before = text[from - 2] === '?' ? from - 2 : from
  return before < from || isSeparator(text[from - 1] ?? '') ? skipSeparatorsBack(text, before) : from
}

/** Null: a name stands directly before it. */
function atBoundary(text: string, from: number): number | null {
  const before = text[from - 1] ?? ''
  return isNameChar(before) || before === '.' || before === '~' || before === '%' || before === '}' ? null : from
}

/** The escape of JSON doubles a backslash, twice if it is escaped again. */
const MOST_SEPARATORS = 4

function skipSeparators(text: string, from: number): number {
  let at = from
  while (at - from < MOST_SEPARATORS && isSeparator(text[at] ?? '')) at++
  return at
}

function skipSeparatorsBack(text: string, from: number): number {
  let at = from
  while (from - at < MOST_SEPARATORS && isSeparator(text[at - 1] ?? '')) at--
  return at
}

function isSeparator(char: string): boolean {
  return char === '/' || char === '\\'
}

/** Letters of other scripts end a name: a Korean particle follows it without a space. */
function isNameChar(char: string): boolean {
  return (
    (char >= 'a' && char <= 'z') ||
    (char >= 'A' && char <= 'Z') ||
    (char >= '0' && char <= '9') ||
    '_-'.includes(char || ' ')
  )
}

/** A full stop ends a sentence, or goes on as in `me.old`. */
function isNameGoingOn(text: string, at: number): boolean {
  const char = text[at] ?? ''
  return isNameChar(char) || (char === '.' && isNameChar(text[at + 1] ?? ''))
}

function isEnd(char: string): boolean {
  return char.trim() === '' || '"\'`)]}>,;'.includes(char)
}
