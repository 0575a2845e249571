/** Names in a query that are looked for as they stand: identifiers, paths, numbers. */

/** With an inner capital, an underscore, a digit, or a dot or slash between letters. */
const NAME = /\p{Ll}\p{Lu}|[\p{L}\p{N}]_|_[\p{L}\p{N}]|\p{N}|[\p{L}\p{N}][./\\]+[\p{L}\p{N}]/u
/** What a sentence puts around a name. */
const AROUND = /^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu

export function namesInQuery(words: string): string[] {
  return words
    .split(/\s+/)
    .map((word) => word.replace(AROUND, ''))
    .filter((word) => NAME.test(word))
}

/** Each of them whole in one text or another, in whatever case. */
export function holdsEach(texts: readonly string[], names: readonly string[]): boolean {
  if (names.length === 0) return true
  const lower = texts.map((text) => text.toLowerCase())
  return names.every((name) => lower.some((text) => isWholeIn(text, name.toLowerCase())))
}

/** A part of a longer name is another name. */
function isWholeIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ''
    const behind = text[at + name.length] ?? ''
    if (!/[a-z0-9_]/.test(before) && !/[a-z0-9_]/.test(behind)) return true
  }
  return false
}
