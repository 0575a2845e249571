/** What turns a fact round although its words stay: what it says no to, and what stands before, behind, from and to. */
import { type Terms, type Word, wordsIn } from './fact-terms.ts'
import { REFUSALS, SOFT } from './fact-words.ts'
import { REFUSALS_KOREAN } from './fact-words-korean.ts'

export interface Turns {
  /** Terms that are refused. */
  no: ReadonlySet<string>
  /** One thing is set against another, so that it counts which of them is refused; otherwise it counts that something is. */
  isContrast: boolean
  /** How often it refuses something: two make a yes of what one makes a no. */
  times: number
  /** `from` → what stands there. Korean particles are places too. */
  places: ReadonlyMap<string, ReadonlySet<string>>
  /** It names an exception. */
  isExcepting: boolean
  /** Terms of clauses that refuse nothing. */
  kept: ReadonlySet<string>
}

/** Refusing words that are no terms, little words, and those that are terms too. */
const NOT_ENGLISH =
  /^(?:not|never|no|nor|neither|without|instead|block(?:s|ed|ing)?|prevent(?:s|ed|ing)?|refus(?:e|es|ed|ing)|den(?:y|ies|ied)|reject(?:s|ed|ing)?|revert(?:s|ed|ing)?|undo)$/
const isNot = (raw: string): boolean => NOT_ENGLISH.test(raw) || REFUSALS.test(raw)
/** Behind a form of `be` they speak of what stands before them. */
const PASSIVE =
  /^(?:disabled|removed|deleted|dropped|skipped|forbidden|banned|prohibited|disallowed|blocked|denied|reverted|unsupported|avoided|off|out)$/
const BE = /^(?:is|are|was|were|be|been|being|get|gets|got|stays?)$/
const PREFERRING = /^(?:prefer|prefers|preferred|choose|chose|pick|picked|favou?r|favou?rs)$/
const PLACES = new Set('from to into onto before after than over under above below'.split(' '))
const FORWARD_KOREAN = /^(?:안|못)$/
const CONTRAST_KOREAN = /^(?:말고|말고는|대신|대신에)$/
const THAN_KOREAN = /보다$/
const BEFORE_KOREAN = /^(?:전에|이전에|전|앞서)$/
const AFTER_KOREAN = /^(?:후에|이후에|이후|후|뒤에|다음에|나서)$/
const PARTICLES = /(에서|으로|로|에게|에|을|를|이|가)(?:는|도|만)?$/
const SAME_PARTICLE: Readonly<Record<string, string>> = { 으로: '로', 에게: '에', 를: '을', 가: '이' }
const EXCEPTING = /^(?:except|excluding|unless|제외[\uac00-\ud7a3]*|빼고|außer)$/
const HANGUL = /^[\uac00-\ud7a3]/
const JOINING = /^(?:and|but|then|while|plus|und|aber|그리고|및)$|(?:하고|쓰고|이고|되고|하며|이며)$/

export function turnsIn({ text }: Terms): Turns {
  const words = wordsIn(text)
  const no = new Set<string>()
  const places = new Map<string, Set<string>>()
  const kept = new Set<string>()
  let isContrast = false
  let times = 0
  const put = (place: string, terms: readonly string[]): void => {
    const at = places.get(place) ?? new Set<string>()
    for (const term of terms) at.add(term)
    places.set(place, at)
  }
  words.forEach((word, i) => {
    const scope = refusedBy(words, i)
    if (scope !== null) {
      // Said no to twice is a yes: "don't remove it".
      for (const term of scope.terms) if (!no.delete(term)) no.add(term)
      isContrast ||= scope.isContrast
      times++
    }
    if (PLACES.has(word.raw) && !isFromNow(words, i)) put(word.raw, next(words, i))
    else if (BEFORE_KOREAN.test(word.raw)) put('before', previous(words, i))
    else if (AFTER_KOREAN.test(word.raw)) put('after', previous(words, i))
    else if (HANGUL.test(word.raw)) {
      const particle = PARTICLES.exec(word.raw)?.[1]
      if (particle !== undefined) put(SAME_PARTICLE[particle] ?? particle, lastOf(words, i))
    }
  })
  for (const clause of clausesIn(words))
    if (!clause.some((i) => refusedBy(words, i) !== null))
      for (const i of clause) for (const term of words[i]?.terms ?? []) kept.add(term)
  return { no, isContrast, times, places, isExcepting: words.some(({ raw }) => EXCEPTING.test(raw)), kept }
}

/** The places of their words. */
function clausesIn(words: readonly Word[]): number[][] {
  const clauses: number[][] = []
  words.forEach(({ raw, gap }, i) => {
    const last = clauses.at(-1)
    if (last === undefined || gap !== '' || JOINING.test(raw)) clauses.push([i])
    else last.push(i)
  })
  return clauses
}

/** "from now on" is no place. */
function isFromNow(words: readonly Word[], i: number): boolean {
  return words[i]?.raw === 'from' && /^(?:now|here|today|then)$/.test(words[i + 1]?.raw ?? '')
}

/** Whether it says something of its own beside what `others` say: `… and Postgres for the rest`. */
export function isCompound({ text }: Terms, others: readonly string[]): boolean {
  let own = 0
  let isApart = false
  const ends = (): boolean => isApart && own >= OWN_SUBJECT
  for (const { raw, gap, terms, isReason } of wordsIn(text)) {
    if (JOINING.test(raw) || /[.;!?]/.test(gap)) {
      if (ends()) return true
      ;[own, isApart] = [0, true]
    }
    const telling = isReason ? [] : terms.filter((term) => !term.startsWith(SOFT))
    if (telling.some((term) => others.includes(term))) isApart = false
    own += telling.length
  }
  return ends()
}

/** So many terms of its own make a clause a fact of its own. */
const OWN_SUBJECT = 2

interface Scope {
  terms: readonly string[]
  isContrast: boolean
}

/** What the word at `i` refuses; null: it refuses nothing. */
function refusedBy(words: readonly Word[], i: number): Scope | null {
  const { raw, gap } = words[i] as Word
  if (HANGUL.test(raw)) return refusedInKorean(words, i, raw)
  const before = words[i - 1]?.raw ?? ''
  const isChoosing = raw === 'over' && words.slice(0, i).some((one) => PREFERRING.test(one.raw))
  const isComparing = raw === 'than' && before === 'rather'
  const isLeaving = raw === 'from' && !isFromNow(words, i) && words.slice(i, i + 6).some((one) => one.raw === 'to')
  if (!isNot(raw) && !isChoosing && !isComparing && !isLeaving) return null
  if (raw === 'instead' && words[i + 1]?.raw !== 'of') return null
  if (raw === 'not' && /^(?:only|just)$/.test(words[i + 1]?.raw ?? '')) return null
  const ahead = PASSIVE.test(raw) && BE.test(before) ? [] : next(words, i)
  const isContrast = isChoosing || isComparing || isLeaving || raw === 'instead' || (raw === 'not' && gap !== '')
  return { terms: ahead.length > 0 ? ahead : clauseBefore(words, i), isContrast }
}

function refusedInKorean(words: readonly Word[], i: number, raw: string): Scope | null {
  if (THAN_KOREAN.test(raw)) return { terms: lastOf(words, i), isContrast: true }
  if (!REFUSALS_KOREAN.test(raw)) return null
  const after = words[i + 1]
  const verb = FORWARD_KOREAN.test(raw) && after !== undefined && after.gap === '' ? after.terms : []
  return { terms: verb.length > 0 ? verb : previous(words, i), isContrast: CONTRAST_KOREAN.test(raw) }
}

/** The first terms behind, within the clause. */
function next(words: readonly Word[], i: number): readonly string[] {
  for (let at = i + 1; at < words.length; at++) {
    const word = words[at] as Word
    if (word.gap !== '' || JOINING.test(word.raw)) return []
    // Another no takes over: it turns what this one would have refused.
    if (word.terms.length > 0 && !isNot(word.raw)) return word.terms
  }
  return []
}

function previous(words: readonly Word[], i: number): readonly string[] {
  for (let at = i - 1; at >= 0; at--) {
    const { terms, raw } = words[at] as Word
    if (terms.length > 0 && !REFUSALS_KOREAN.test(raw)) return terms
  }
  return []
}

/** Of the word itself, or of the Latin word that its particle is attached to. */
function lastOf(words: readonly Word[], i: number): readonly string[] {
  const own = words[i]?.terms ?? []
  return own.length > 0 ? own : (words[i - 1]?.terms ?? [])
}

function clauseBefore(words: readonly Word[], i: number): readonly string[] {
  const terms: string[] = []
  for (let at = i - 1; at >= 0; at--) {
    const word = words[at] as Word
    terms.push(...word.terms)
    if (word.gap !== '' || JOINING.test(word.raw)) break
  }
  return terms
}

/** The same words, of which two parts have changed places around a third: "A calls B" and "B calls A". */
export function isSwapped(a: Terms, b: Terms): boolean {
  const [x, y] = [a, b].map(({ text }) =>
    wordsIn(text)
      .map(({ raw }) => raw)
      .filter((raw) => !ARTICLE.test(raw)),
  )
  if (x === undefined || y === undefined || x.length !== y.length) return false
  let from = 0
  while (from < x.length && x[from] === y[from]) from++
  let to = x.length
  while (to > from && x[to - 1] === y[to - 1]) to--
  const [before, after] = [x.slice(from, to), y.slice(from, to)]
  if (before.length > MAX_SWAPPED) return false
  for (let left = 1; left < before.length; left++)
    for (let right = 1; left + right < before.length; right++) {
      const middle = before.slice(left, before.length - right)
      const turned = [...before.slice(before.length - right), ...middle, ...before.slice(0, left)]
      if (!middle.every((raw) => EVEN.test(raw)) && turned.every((raw, i) => raw === after[i])) return true
    }
  return false
}

/** Longer texts never differ in just that, and all splits are tried. */
const MAX_SWAPPED = 40
const ARTICLE = /^(?:the|a|an)$/
/** Both sides of it are alike. */
const EVEN = /^(?:and|or|및|와|과|랑|하고|또는)$/

const OPPOSITE: Readonly<Record<string, string>> = {
  from: 'to',
  to: 'from',
  before: 'after',
  after: 'before',
  over: 'under',
  under: 'over',
  above: 'below',
  below: 'above',
}

/** Whether two facts with the same words say different things; `common`: the terms that both have. */
export function isTurned(a: Turns, b: Turns, common: ReadonlySet<string>): boolean {
  return a.isExcepting !== b.isExcepting || refusesOther(a, b, common) || standsOther(a, b, common)
}

function refusesOther(a: Turns, b: Turns, common: ReadonlySet<string>): boolean {
  const [here, there] = [a, b].map(({ no }) => [...no].filter((term) => common.has(term)))
  if (here === undefined || there === undefined) return false
  if (!a.isContrast && !b.isContrast && a.times > 0 && b.times > 0)
    return (
      a.times % 2 !== b.times % 2 || (here.some((term) => b.kept.has(term)) && there.some((term) => a.kept.has(term)))
    )
  return here.some((term) => !b.no.has(term)) || there.some((term) => !a.no.has(term))
}

/** Two things that both name have changed places. */
function standsOther(a: Turns, b: Turns, common: ReadonlySet<string>): boolean {
  const shared = (terms: ReadonlySet<string> | undefined): string[] =>
    [...(terms ?? [])].filter((one) => common.has(one))
  for (const [place, terms] of a.places) {
    const [here, there] = [shared(terms), shared(b.places.get(place))]
    if (here.length > 0 && there.length > 0 && !here.some((one) => there.includes(one))) return true
    const across = shared(b.places.get(OPPOSITE[place] ?? ''))
    if (here.some((one) => across.includes(one) && !there.includes(one))) return true
  }
  return false
}
