/** Paths of this machine in the files of a bundle: taken out when it is written, and given back to what this memory has already. */
import { type FileKind, fileKindOf } from '../migrate/file-kind.ts'
import { parsedText } from '../sessions/scrub.ts'

/** Entries are recognised by their words; settings and marks are read by the program. */
const AS_THEY_ARE: ReadonlySet<FileKind> = new Set(['session', 'packed', 'state', 'config', 'forgotten'])

/** A string of JSON; the first group: it is a quote, by which a fact is known as taken from its entry. */
const STRING = /("quote": ?)?"(?:[^"\\]|\\.)*"/g

/** Makes paths of this machine relative in a text. */
export type WithoutPlaces = (text: string) => string

export function withoutPlaces(path: string, text: string, without: WithoutPlaces): string {
  return eachText(path, text, without)
}

/** What differs from this memory only by such paths is what this memory has. */
export function withPlacesOf(here: () => string | null, path: string, text: string, without: WithoutPlaces): string {
  if (AS_THEY_ARE.has(fileKindOf(path))) return text
  const own = new Map<string, string>()
  eachText(path, here() ?? '', (one) => {
    own.set(without(one), one)
    return one
  })
  return eachText(path, text, (one) => own.get(one) ?? one)
}

/** A line, or a string of JSON. */
function eachText(path: string, text: string, change: (one: string) => string): string {
  if (AS_THEY_ARE.has(fileKindOf(path))) return text
  if (!path.endsWith('.json')) return text.split('\n').map(change).join('\n')
  return text.replace(STRING, (string: string, quote?: string) => {
    if (quote !== undefined) return string
    const one = parsedText(string)
    const changed = change(one)
    return changed === one ? string : JSON.stringify(changed)
  })
}
