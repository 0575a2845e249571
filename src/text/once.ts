/** Makes a value when it is first needed. A hook runs for milliseconds, and compiling a pattern with the letters of all languages takes half of one. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The result for each object is made once, and dropped with the object. */
export function perObject<T extends object, R>(make: (one: T) => R): (one: T) => R {
  const made = new WeakMap<T, { value: R }>()
  return (one) => {
    const known = made.get(one) ?? { value: make(one) }
    made.set(one, known)
    return known.value
  }
}
