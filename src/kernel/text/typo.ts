/** Corrects an unknown word to a known one that is one letter off, has two letters swapped, or begins with it. */

/**
 * How many other words of the query are known. A word alone, or among other unknown words, may be corrected freely. In a
 * question most unknown words are not typos ("father" is not "gather"), so that only unlikely words are corrected.
 */
export type Company = 'none' | 'few' | 'many' | 'name'

interface Limits {
  /** Minimum lengths for one and two edits: shorter words are one letter off from too many others. */
  one: number
  two: number
  /** Minimum length for completing the beginning of a word. */
  begun: number
  /** Whether the first letter may differ, and whether a letter may be replaced (not only swapped, added or dropped). */
  isAnyFirst: boolean
  isAnyLetter: boolean
}

const NEVER = Number.POSITIVE_INFINITY
const LIMITS: Readonly<Record<Company, Limits>> = {
  none: { one: 4, two: 8, begun: 4, isAnyFirst: true, isAnyLetter: true },
  few: { one: 6, two: NEVER, begun: 5, isAnyFirst: false, isAnyLetter: true },
  many: { one: 7, two: NEVER, begun: NEVER, isAnyFirst: false, isAnyLetter: false },
  // An identifier whose parts match on their own.
  name: { one: 7, two: 14, begun: NEVER, isAnyFirst: false, isAnyLetter: true },
}
/** One Hangul syllable carries as much as two or three letters. */
const LEAST_HANGUL = 3
/** Costs: completing a beginning is cheaper than an edit that changes the first letter. */
const BEGUN = 1.2
const OTHER_FIRST = 0.5
const HANGUL = /^[\uac00-\ud7a3]+$/

/** At most this many guesses are returned; the caller picks the most common one. */
const MAX_GUESSES = 24

/** Returns the closest known words, all of the same cost, shorter ones first. Expects lower case. */
export function guessWords(word: string, vocabulary: Iterable<string>, company: Company): string[] {
  const costOf = HANGUL.test(word) ? costOfHangul : costOfLetters
  const closest = new Set<string>()
  let least = NEVER
  for (const known of vocabulary) {
    const cost = costOf(word, known, LIMITS[company])
    if (cost === null || cost > least || known === word) continue
    if (cost < least) closest.clear()
    least = cost
    closest.add(known)
  }
  return [...closest].toSorted((a, b) => a.length - b.length).slice(0, MAX_GUESSES)
}

/** Lower is closer; null: too far. One syllable may differ. Syllables behind the word's length are particles and are not compared. */
function costOfHangul(word: string, known: string): number | null {
  if (word.length < LEAST_HANGUL || known.length < word.length) return null
  let off = 0
  for (let i = 0; i < word.length; i++) if (word[i] !== known[i]) off++
  return off === 1 ? 1 : null
}

function costOfLetters(word: string, known: string, limits: Limits): number | null {
  if (known.length > word.length && word.length >= limits.begun && known.startsWith(word)) return BEGUN
  const most = word.length >= limits.two ? 2 : word.length >= limits.one ? 1 : 0
  if (most === 0 || Math.abs(known.length - word.length) > most) return null
  const isOther = word[0] !== known[0]
  if (isOther && !limits.isAnyFirst) return null
  // Digits must match: 8080 is not 8081.
  if (/\d/.test(word) && word.replace(/\D/g, '') !== known.replace(/\D/g, '')) return null
  const edits = editsBetween(word, known, most)
  if (edits > most || edits === 0 || (isOther && edits > 1)) return null
  if (!limits.isAnyLetter && known.length === word.length && !isSwapped(word, known)) return null
  return edits + (isOther ? OTHER_FIRST : 0)
}

function isSwapped(word: string, known: string): boolean {
  return [...word].sort().join() === [...known].sort().join()
}

/** Damerau distance without repeated swaps; more than `most` is returned as `most + 1`. */
function editsBetween(a: string, b: string, most: number): number {
  let before: number[] = []
  let last: number[] = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
    }
    if (Math.min(...row) > most) return most + 1
    before = last
    last = row
  }
  return Math.min(last[b.length] ?? 0, most + 1)
}

/** A shorter beginning matches no name. */
const LEAST_BEGUN = 3

/** Returns the one known name that was meant. Null: none, or several are equally likely. */
export function meantBy(typed: string, known: readonly string[]): string | null {
  const names = [...new Set(known)]
  const plain = typed.trim().toLowerCase()
  if (plain === '') return null
  return (
    only(names.filter((name) => name.toLowerCase() === plain)) ??
    only(names.filter((name) => asId(name) !== null && asId(name) === asId(plain))) ??
    (plain.length < LEAST_BEGUN ? null : only(names.filter((name) => name.toLowerCase().startsWith(plain)))) ??
    only(closest(plain, names)) ??
    (plain.length < LEAST_BEGUN ? null : only(names.filter((name) => name.toLowerCase().includes(plain))))
  )
}

function only(names: readonly string[]): string | null {
  const [name] = names
  return names.length === 1 && name !== undefined ? name : null
}

/** Normalises an id (a letter, then a number): `D1`, `d01` and `dO1` are `d1`. */
function asId(text: string): string | null {
  const [, letter, digits] = /^([a-z])[-_#]?([0-9ol]{1,9})$/i.exec(text) ?? []
  if (letter === undefined || digits === undefined) return null
  return `${letter.toLowerCase()}${Number(digits.toLowerCase().replaceAll('o', '0').replaceAll('l', '1'))}`
}

/** Names one letter off, or two in long names. Ids are excluded: each differs from many others by one digit. */
function closest(plain: string, names: readonly string[]): string[] {
  const byPlain = new Map(names.filter((name) => asId(name) === null).map((name) => [name.toLowerCase(), name]))
  return guessWords(plain, byPlain.keys(), 'none').flatMap((word) => byPlain.get(word) ?? [])
}
