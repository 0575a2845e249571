/** Checks whether a path as git spells it leads to a directory on any file system: ignores case, invisible characters and short names. */

interface Below {
  /** The rest behind the directory, with slashes; empty: the directory itself, or one of its parents. */
  path: string
  /** The number of names missing to the directory: the path is one of its parents. */
  missing: number
}

/** Checks whether the bytes `from` to `to` name the directory, something below it, or one of its parents. */
export function pathTest(dir: readonly string[]): (bytes: Uint8Array, from: number, to: number) => Below | null {
  const names = dir.map(foldedPath)
  const plain = Buffer.from(names.join('/'))
  return (bytes, from, to) => {
    // Nearly every path differs early in a plain letter; there may be a million paths.
    for (let i = 0; i < plain.length && from + i < to; i++) {
      const byte = lower(bytes[from + i] ?? 0)
      if (byte === plain[i]) continue
      if (isPlain(byte) && !beginsShortName(bytes, from + i)) return null
      break
    }
    return compare(names, Buffer.from(bytes.subarray(from, to)).toString('utf8'))
  }
}

function compare(dir: readonly string[], spelled: string): Below | null {
  const isFolder = spelled.endsWith('/')
  const given = (isFolder ? spelled.slice(0, -1) : spelled).replaceAll('\\', '/').split('/')
  const common = Math.min(dir.length, given.length)
  for (let i = 0; i < common; i++) if (!isSameName(foldedPath(given[i] ?? ''), dir[i] ?? '')) return null
  return { path: given.slice(dir.length).join('/'), missing: dir.length - common }
}

/** Windows also has a short name for `.claude`. */
function isSameName(given: string, name: string): boolean {
  return given === name || (name === CLAUDE && /^claude~\d+$/.test(given))
}

const CLAUDE = '.claude'
const SHORT = Buffer.from('claude~')

/** Equal for names that file systems treat as the same. */
export function foldedPath(name: string): string {
  return (
    name
      // The file system of older Macs ignores these.
      .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
      // Removes a stream's name, and the trailing characters that Windows drops.
      .replace(/(?<=.):.*$/s, '')
      .replace(/(?<=.)[. ]+$/, '')
      .normalize('NFKC')
      .toLowerCase()
  )
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte
}

/** Letters, digits, hyphen and underscore mean themselves on every file system, and so does the end of a name. */
function isPlain(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x5f
}

function beginsShortName(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < SHORT.length; i++) if (lower(bytes[at + i] ?? 0) !== SHORT[i]) return false
  return true
}
