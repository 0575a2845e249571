/** Paths of this machine in the files of a bundle: taken out when it is written, and given back to what this memory has already. */

import { kindNamed } from '../../core/files.ts'
import type { WithoutPlaces } from '../../core/others/disk/shareable.ts'
import { isObject, parseObject } from '../../kernel/platform/json.ts'
import { parsedText } from '../../kernel/sessions/scrub.ts'

/** A string of JSON; the first group: it is a quote. */
const STRING = /("quote": ?)?"(?:[^"\\]|\\.)*"/g

export function withoutPlaces(path: string, text: string, without: WithoutPlaces): string {
  return kindNamed(path)?.isVerbatim === true ? text : eachText(path, text, without)
}

/** What differs from this memory only by what `without` takes out is what this memory has. */
export function withOwnOf(here: () => string | null, path: string, text: string, without: WithoutPlaces): string {
  const own = new Map<string, string>()
  eachText(path, here() ?? '', (one) => {
    own.set(without(one), one)
    return one
  })
  return eachText(path, text, (one) => own.get(one) ?? one)
}

/** A line, or a string of JSON. */
function eachText(path: string, text: string, change: (one: string) => string): string {
  if (!path.endsWith('.json')) return text.split('\n').map(change).join('\n')
  const said = quotesOfEntries(parseObject(text))
  return text.replace(STRING, (string: string, quote?: string) => {
    const one = parsedText(string.slice(quote?.length ?? 0))
    if (quote !== undefined && said.has(one)) return string
    const changed = change(one)
    return changed === one ? string : `${quote ?? ''}${JSON.stringify(changed)}`
  })
}

/** By its quote a fact is known as taken from an entry. */
function quotesOfEntries(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const one of value) quotesOfEntries(one, found)
  else if (isObject(value)) {
    if (typeof value.quote === 'string' && typeof value.entry === 'number' && value.entry >= 0) found.add(value.quote)
    for (const one of Object.values(value)) quotesOfEntries(one, found)
  }
  return found
}
