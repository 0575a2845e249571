/** Makes a value when it is first needed. A hook runs for milliseconds, and compiling a pattern with the letters of all languages takes half of one. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
