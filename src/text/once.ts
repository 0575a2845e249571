/** What is made when it is first needed. A hook lives for milliseconds: a pattern with the letters of all languages takes half of one. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** So many texts are remembered at once. */
const MOST_TEXTS = 4_000

/** What is made of a text, remembered while it may be asked for again: each of a thousand texts is compared with all others. */
export function remembered<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const made = make(text)
    if (known.size >= MOST_TEXTS) known.clear()
    known.set(text, made)
    return made
  }
}
