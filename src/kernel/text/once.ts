/** Makes a value when it is first needed. A hook runs for milliseconds, and compiling a pattern with the letters of all languages takes half of one. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** More are never asked for at once. */
const MOST_KNOWN = 4_000

/** Cached per key: a briefing is rendered in several sizes and compares the same sentences each time. */
export function perKey<K extends string | number, R>(make: (key: K) => R): (key: K) => R {
  const made = new Map<K, R>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    if (made.size >= MOST_KNOWN) made.clear()
    const value = make(key)
    made.set(key, value)
    return value
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

/** Caches only the last result: files are large, and read again at once. */
export function remembered<A extends readonly unknown[], B>(make: (...given: A) => B): (...given: A) => B {
  let last: { given: A; made: B } | null = null
  return (...given) => {
    if (last?.given.every((one, i) => one === given[i]) !== true) last = { given, made: make(...given) }
    return last.made
  }
}
