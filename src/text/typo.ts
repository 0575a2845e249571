/** A word that nobody wrote, and the known word that was meant: one letter off, two letters swapped, or only begun. */

/**
 * What the word stands beside. Alone, or among words that nobody wrote either, a guess is better than nothing. In a
 * question most unknown words are simply words ("father" is not "gather"): only what can hardly be one is changed there.
 */
export type Company = 'none' | 'few' | 'many' | 'name'

interface Limits {
  /** Shorter words are one letter off from too many others. */
  one: number
  two: number
  /** Of a beginning. */
  begun: number
  /** The first letter may be wrong, and any letter may be another one. */
  isAnyFirst: boolean
  isAnyLetter: boolean
}

const NEVER = Number.POSITIVE_INFINITY
const LIMITS: Readonly<Record<Company, Limits>> = {
  none: { one: 4, two: 8, begun: 4, isAnyFirst: true, isAnyLetter: true },
  few: { one: 6, two: NEVER, begun: 5, isAnyFirst: false, isAnyLetter: true },
  many: { one: 7, two: NEVER, begun: NEVER, isAnyFirst: false, isAnyLetter: false },
  // An identifier whose parts have matches of their own.
  name: { one: 7, two: 14, begun: NEVER, isAnyFirst: false, isAnyLetter: true },
}
/** A syllable of Hangul is as much as two or three letters. */
const LEAST_HANGUL = 3
/** A beginning that fits is closer than a word that begins otherwise. */
const BEGUN = 1.2
const OTHER_FIRST = 0.5
const HANGUL = /^[\uac00-\ud7a3]+$/

/** How many of the closest are told: the commonest of them is for the caller to find. */
const MAX_GUESSES = 24

/** The closest known words, all of one cost; the shorter ones if they are many. Everything in lower case. */
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

/** Smaller is closer; null: too far. One syllable may be another; what follows is a particle and not compared. */
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
  // Numbers are meant as they are written: 8080 is not 8081.
  if (/\d/.test(word) && word.replace(/\D/g, '') !== known.replace(/\D/g, '')) return null
  const edits = editsBetween(word, known, most)
  if (edits > most || edits === 0 || (isOther && edits > 1)) return null
  if (!limits.isAnyLetter && known.length === word.length && !isSwapped(word, known)) return null
  return edits + (isOther ? OTHER_FIRST : 0)
}

function isSwapped(word: string, known: string): boolean {
  return [...word].sort().join() === [...known].sort().join()
}

/** Damerau's distance without repeated swaps; more than `most` is told as `most + 1`. */
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

/** The shortest beginning that is a hint. */
const LEAST_BEGUN = 3

/** The one known name that was meant; null: none, or several as likely. */
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

/** `D1`, `d01` and `dO1` are `d1`: a letter, then a number, as our ids are written. */
function asId(text: string): string | null {
  const [, letter, digits] = /^([a-z])[-_#]?([0-9ol]{1,9})$/i.exec(text) ?? []
  if (letter === undefined || digits === undefined) return null
  return `${letter.toLowerCase()}${Number(digits.toLowerCase().replaceAll('o', '0').replaceAll('l', '1'))}`
}

/** One letter off, or two in long names. Ids differ by one digit from many others: those are no guess. */
function closest(plain: string, names: readonly string[]): string[] {
  const byPlain = new Map(names.filter((name) => asId(name) === null).map((name) => [name.toLowerCase(), name]))
  return guessWords(plain, byPlain.keys(), 'none').flatMap((word) => byPlain.get(word) ?? [])
}
