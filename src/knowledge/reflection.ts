/** Reflection: whether what recurs may hold for good. Who said it decides; a tool's words never do. */

import { contradicts } from '../outgoing/fact-contradict.ts'
import { agrees, plainestOf } from '../outgoing/quotes.ts'
import { type Recurring, recurs, sessionsOf } from '../outgoing/recurring.ts'
import { compareText } from '../text/memory-words.ts'
import type { Facts, Speaker } from './fact.ts'
import { factWords, isSameFact, shareOfWords } from './fact-similar.ts'
import { allPermanent, type PermanentItem, type PermanentKind, type Proof } from './permanent.ts'

/** Words as they stand in the session, and whose they are. */
export interface SaidAgain extends Proof {
  by: Speaker
  at: string
}

/** What becomes of a candidate, and in which words. Null where nobody but tools, files and web pages said it. */
export interface Verdict {
  status: 'active' | 'proposed'
  kind: PermanentKind
  text: string
  proofs: SaidAgain[]
}

/** Less of a candidate's words in a quote: it is about something else. */
const ABOUT_SAME = 0.5
/** Less of a text's words in the quotes: somebody made it up. */
const GROUNDED = 0.6
/** Words that point at something which is forgotten by the next session. */
const POINTING = new Set(
  (
    'a an the it this that these those them there here one two three first second third last next other same option options approach way plan step idea version ' +
    'suggestion recommendation recommended number go let lets we us you me my your i ll ve re do does did is are was be ok okay yes yeah no not sure fine good great ' +
    'please thanks proceed continue start use take keep try make with to for on in of and or then now again today new add fix run commit push merge deploy ' +
    '그거 그걸 그걸로 이거 이걸 이걸로 저거 그렇게 이렇게 첫번째 두번째 번째 계속 진행 진행해 진행해줘 커밋해 커밋해줘 해줘 하자 으로 방법 방법으로 좋아 네'
  ).split(' '),
)

/** The permanent memory that says it already: one that holds or waits before one that does not. */
export function knownAs(permanent: Facts['permanent'], candidate: Recurring): PermanentItem | null {
  const rank = { active: 0, proposed: 1, declined: 2, superseded: 3 } as const
  const items = allPermanent(permanent)
  const grown = items.filter((item) => item.facts.some((id) => candidate.facts.includes(id)))
  const same = grown.length > 0 ? grown : items.filter((item) => isSameFact(item.text, candidate.text))
  return same.sort((a, b) => rank[a.status] - rank[b.status] || compareText(b.id, a.id))[0] ?? null
}

/**
 * By code alone. What holds at once is the user's own sentence, said in as many sessions as it takes: not what a model made
 * of it. What Claude said waits for the user's yes.
 */
export function weigh(candidate: Recurring, said: readonly SaidAgain[], promoteAfter: number): Verdict | null {
  const proofs = sinceOpposite(candidate.text, said)
  const own = proofs.filter((one) => one.by === 'user' && isAbout(one.quote, candidate.text))
  const agreeing = (one: SaidAgain): SaidAgain[] =>
    own.filter((other) => other === one || (isSameFact(other.quote, one.quote) && agrees(other.quote, one.quote)))
  const agreed = own.findLast((one) => sessionsOf(agreeing(one)) >= promoteAfter && saysSomething(one.quote))
  if (agreed !== undefined) {
    const quotes = agreeing(agreed).filter(({ quote }) => saysSomething(quote))
    const text = plainestOf(quotes.map(({ quote }) => quote))
    return { status: 'active', kind: candidate.kind, text, proofs: own }
  }
  if (!recurs(candidate, proofs)) return null
  const text = isGrounded(candidate.text, proofs) ? candidate.text : (own.at(-1)?.quote ?? null)
  // What Claude says again and again is how the project works; a rule is what the user wants.
  const kind = candidate.kind === 'rules' && own.length === 0 ? 'core_logic' : candidate.kind
  return text === null ? null : { status: 'proposed', kind, text: oneSentence(text), proofs }
}

/** Oldest first, without what speaks against it, and only what was said after the user last did so. */
function sinceOpposite(text: string, said: readonly SaidAgain[]): SaidAgain[] {
  const proofs = said.filter(({ by }) => by !== 'tool').toSorted((a, b) => compareText(a.at, b.at))
  const speaksAgainst = ({ quote }: SaidAgain): boolean => contradicts(text, quote)
  const turned = proofs.findLastIndex((one) => one.by === 'user' && speaksAgainst(one))
  return proofs.slice(turned + 1).filter((one) => !speaksAgainst(one))
}

/** Whether its telling words stand in what was said. */
export function isGrounded(text: string, said: readonly Pick<Proof, 'quote'>[]): boolean {
  const words = factWords(text)
  const known = factWords(said.map(({ quote }) => quote).join('\n'))
  return words.size > 0 && [...words].filter((word) => known.has(word)).length / words.size >= GROUNDED
}

function isAbout(quote: string, text: string): boolean {
  return shareOfWords(factWords(quote), factWords(text)) >= ABOUT_SAME
}

/** "Let's go with option 2" recurs, too. */
function saysSomething(quote: string): boolean {
  const words = quote.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.some((word) => word.length > 1 && !POINTING.has(word) && !/^\d+번?(?:으로)?$/.test(word))
}

function oneSentence(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
