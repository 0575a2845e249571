/** What somebody meant who typed a name or an id that does not exist. */
import { guessWords } from './typo.ts'

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
