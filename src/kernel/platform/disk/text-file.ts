/** Reads whole files as text, in the encoding that their bytes prove. */
import path from 'node:path'
import { decodeText } from '../encoding.ts'
import { isSetAside } from '../layout.ts'
import { MOST_TEXT_BYTES, readPart, readWhole, refuse, refused, statOf } from './plain-file.ts'

/**
 * Reads a file in a place that the user chose (home, a typed path): links are followed. Null: missing, no plain file, or not readable.
 * A file in /proc is read as empty: its size is 0.
 */
export function readText(file: string, most = MOST_TEXT_BYTES): string | null {
  return textOf(file, readWhole(file, most, { follow: true }))
}

/** Reads a file of ours or of a project. Null also for a link, which a repository may have planted. */
export function readOwnText(file: string, most = MOST_TEXT_BYTES): string | null {
  return textOf(file, readWhole(file, most, { follow: false }))
}

/** As `readOwnText`, of a larger file at most the first `length` bytes: a character that is cut there becomes U+FFFD. Null also if it is larger than `most`. */
export function readBeginning(file: string, length: number, most: number): string | null {
  const bytes = readPart(file, 0, length, most)
  return bytes !== null && bytes.length === length ? decodeText(bytes).text : textOf(file, bytes)
}

/** Reads a file below this directory that we never write. Null also if it is larger than `most`, or behind a link. `name` uses slashes. */
export function readBelow(dir: string, name: string, most: number): string | null {
  const names = name.split('/')
  const above = names.slice(0, -1).map((_, n) => path.join(dir, ...names.slice(0, n + 1)))
  const notDir = above.find((one) => (statOf(one)?.kind ?? 'dir') !== 'dir')
  if (notDir !== undefined) return refuse(notDir)
  const file = path.join(dir, ...names)
  return textOf(file, readPart(file, 0, most, most))
}

/** Files that people edit may have been saved in another encoding; our own lines are cut anywhere by a kill. */
function textOf(file: string, bytes: Buffer | null): string | null {
  if (bytes === null) return null
  if (!(file.endsWith('.md') || file.endsWith('.json') || isSetAside(file))) return bytes.toString('utf8')
  const { text, isExact } = decodeText(bytes)
  if (isExact) refused.undecoded.delete(file)
  else refused.undecoded.add(file)
  return text
}
