/** Whether a text has exchanged what its source keeps apart: chosen and refused, a thing and its reason, this one's value and that one's. */
import { commonOf, similarity } from '../knowledge/fact-similar.ts'
import { type Terms, termsIn, type Word, wordsIn } from './fact-terms.ts'
import { isTurned, turnsIn } from './fact-turns.ts'
import { SOFT } from './fact-words.ts'

/** Nearly the same words: then it counts where each of them stands. */
const SAME_WORDS = 0.75

/** Always two things that changed places, so that who puts the same in other words is not taken for it. */
export function isCrossed(said: string, text: string): boolean {
  const [here, there] = [clausesIn(said), clausesIn(text)]
  return (
    refusesTheOther(here, there) ||
    isExchanged(here, there) ||
    takesFromReason(said, text) ||
    standsElsewhere(termsIn(said), termsIn(text))
  )
}

interface Clause {
  terms: ReadonlySet<string>
  isRefusing: boolean
}

/** "A, never B" against "B, never A". */
function refusesTheOther(said: readonly Clause[], text: readonly Clause[]): boolean {
  const [here, there] = [said, text].map((clauses) => {
    const of = (isRefusing: boolean): string[] =>
      clauses.filter((one) => one.isRefusing === isRefusing).flatMap(({ terms }) => [...terms])
    const kept = new Set(of(false))
    return { kept, refused: of(true).filter((term) => !kept.has(term) && !term.startsWith(SOFT)) }
  })
  if (here === undefined || there === undefined) return false
  return here.refused.some((term) => there.kept.has(term)) && there.refused.some((term) => here.kept.has(term))
}

/** "Before the commit, not after it" against "after the commit, not before it". */
function standsElsewhere(a: Terms, b: Terms): boolean {
  if (similarity(a.text, b.text) < SAME_WORDS) return false
  // "Before the deploy and after it": what stands behind is said only once.
  const isPlain = [a, b].some(({ text }) => POINTS.test(text)) && [a, b].some((one) => turnsIn(one).times === 0)
  if (isPlain) return false
  const [here, there] = [a, b].map((one) => ({ ...turnsIn(one), no: NOTHING, times: 0, isExcepting: false }))
  return here !== undefined && there !== undefined && isTurned(here, there, commonOf(a, b))
}

const POINTS = /\b(?:before|after|over|under|above|below|from|to|into) (?:it|them|that|this|those)\b/i
const NOTHING: ReadonlySet<string> = new Set()
/** Begins a clause of its own. */
const JOINS =
  /^(?:and|but|because|since|while|whereas|so|then|never|not|instead|rather|although|though|und|aber|weil|sondern|statt|während|그리고|하지만)$/
const ENDS_CLAUSE =
  /[\uac00-\ud7a3](?:고|지만|는데|은데|니까|므로|면서|으며|하며|이며|때문에|아서|어서|해서|라서)$|^(?:말고|대신|대신에|아니라)$/

function clausesIn(text: string): Clause[] {
  const clauses: Word[][] = [[]]
  let before = ''
  for (const word of wordsIn(text)) {
    if (word.gap !== '' || JOINS.test(word.raw) || ENDS_CLAUSE.test(before)) clauses.push([])
    clauses.at(-1)?.push(word)
    before = word.raw
  }
  return clauses.map((words) => ({
    terms: new Set(words.flatMap(({ terms }) => terms)),
    isRefusing: turnsIn(termsIn(words.map(({ raw }) => raw).join(' '))).times % 2 === 1,
  }))
}

/** "The limit is 5 and the size is 30" against "the limit is 30 and the size is 5". */
function isExchanged(said: readonly Clause[], text: readonly Clause[]): boolean {
  const [here, there] = [placesIn(said), placesIn(text)]
  const common = [...here.keys()].filter((term) => there.has(term))
  const isWith = (places: ReadonlyMap<string, number>, one: string, other: string): boolean =>
    places.get(one) === places.get(other)
  return common.some((one) =>
    common.some((other) => {
      if (one >= other || isWith(here, one, other) || isWith(there, one, other)) return false
      const leaves = (mine: string, next: string): boolean =>
        common.some(
          (beside) => beside !== mine && beside !== next && isWith(here, beside, mine) && isWith(there, beside, next),
        )
      return leaves(one, other) && leaves(other, one)
    }),
  )
}

/** Which clause each term stands in; not of those that stand in several. */
function placesIn(clauses: readonly Clause[]): Map<string, number> {
  const places = new Map<string, number>()
  const twice = new Set<string>()
  clauses.forEach(({ terms }, at) => {
    for (const term of terms) {
      if (places.has(term)) twice.add(term)
      places.set(term, at)
    }
  })
  for (const term of twice) places.delete(term)
  return places
}

/** "In A, because B is slow" against "in B": it takes the place of what was chosen, and that is not there any more. */
function takesFromReason(said: string, text: string): boolean {
  const source = wordsIn(said)
  const told = new Set(source.filter(({ isReason }) => !isReason).flatMap(({ terms }) => terms))
  const reasons = new Set(source.filter(({ isReason }) => isReason).flatMap(({ terms }) => terms))
  if (reasons.size === 0) return false
  const words = wordsIn(text).filter(({ isReason }) => !isReason)
  const claimed = new Set(words.flatMap(({ terms }) => terms))
  // Whoever says no to it has it from there.
  if (turnsIn(termsIn(text)).times > 0) return false
  if (![...claimed].some((term) => told.has(term) && !term.startsWith(SOFT))) return false
  const chosen = slotsIn(source.filter(({ isReason }) => !isReason))
  return [...slotsIn(words)].some(([slot, terms]) => {
    const before = chosen.get(slot) ?? []
    const isTaken = terms.some((term) => reasons.has(term) && !told.has(term))
    return isTaken && before.length > 0 && !before.some((term) => claimed.has(term))
  })
}

const LEADS = /^(?:in|with|on|as|to|by|via|into|onto|at|use|uses|using|mit|als|auf)$/
const USED = /^(?:used|chosen)$/
const PARTICLE = /^(?:에|에서|로|으로|을|를)$|[\uac00-\ud7a3](?:에|에서|로|으로|을|를)$/

/** What stands behind `in`, `with`, `use` …, and before a Korean particle. */
function slotsIn(words: readonly Word[]): Map<string, readonly string[]> {
  const slots = new Map<string, readonly string[]>()
  const put = (slot: string, terms: readonly string[]): void => {
    const telling = terms.filter((term) => !term.startsWith(SOFT))
    if (telling.length > 0) slots.set(slot, [...(slots.get(slot) ?? []), ...telling])
  }
  words.forEach(({ raw, terms }, i) => {
    if (LEADS.test(raw)) put(/^us/.test(raw) ? 'use' : raw, behind(words, i))
    else if (USED.test(raw)) put('use', before(words, i))
    const particle = PARTICLE.exec(raw)
    if (particle !== null) {
      const name = /(에서|에|으로|로|을|를)$/.exec(raw)?.[1] ?? ''
      put(name.replace('으로', '로').replace('를', '을'), terms.length > 0 ? terms : (words[i - 1]?.terms ?? []))
    }
  })
  return slots
}

function behind(words: readonly Word[], i: number): readonly string[] {
  for (const word of words.slice(i + 1)) {
    if (word.gap !== '') return []
    if (word.terms.length > 0) return word.terms
  }
  return []
}

function before(words: readonly Word[], i: number): readonly string[] {
  return words.slice(0, i).findLast(({ terms }) => terms.length > 0)?.terms ?? []
}
