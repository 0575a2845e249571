/** Reflection: what recurs in several sessions, and whether it may hold for good. Who said it decides; a tool's words never do. */
import type { Fact, Facts, Speaker } from './fact.ts'
import { isSameFact, shareOfWords, wordsOf } from './fact-similar.ts'
import { compareText } from './memory-words.ts'
import { allPermanent, type PermanentItem, type PermanentKind, type Proof } from './permanent.ts'
import { placesOf, type Standing } from './standing-list.ts'

/** Where something was said; the quote is known for the first place only. */
export interface Place {
  session: string
  entry: number
  quote: string
}

/** Words as they stand in the session, and whose they are. */
export interface Said extends Proof {
  by: Speaker
  at: string
}

/** Something that recurs. */
export interface Candidate {
  /** The id of the fact (d001) or instruction (t001) it began with. */
  key: string
  kind: PermanentKind
  text: string
  /** All that say it. */
  facts: string[]
  places: Place[]
  /** So many sessions make it worth a question. */
  askAfter: number
  concept: string | null
  /** When it was said last. */
  lastAt: string
}

/** What becomes of a candidate, and in which words. Null where nobody but tools, files and web pages said it. */
export interface Verdict {
  status: 'active' | 'proposed'
  kind: PermanentKind
  text: string
  proofs: Said[]
}

/** The user corrects Claude the second time: worth a question. */
const CORRECTED_AFTER = 2
/** Less of a candidate's words in a quote: it is about something else. */
const ABOUT_SAME = 0.5
/** Less of a text's words in the quotes: somebody made it up. */
const GROUNDED = 0.6
/** Words that point at something which is forgotten by the next session. */
const POINTING = new Set(
  'option options one two three first second third last next it this that these those them other same approach way plan step idea version suggestion recommendation recommended number go let lets ok okay yes no sure fine good please do proceed continue start with the a an and again new add fix run commit push merge deploy now today 그거 그걸 이거 이걸 저거 번으 으로 로해 번째 계속 진행 커밋'.split(
    ' ',
  ),
)

/** Everything that recurs, known or not, oldest key first. */
export function candidatesIn(facts: Facts, standing: readonly Standing[], promoteAfter: number): Candidate[] {
  const said = standing.flatMap((one) => fromStanding(one, promoteAfter))
  const learned = [
    ...groupsOf(facts).map((group) => candidateOf(group, promoteAfter)),
    ...fromSolved(facts, promoteAfter),
  ]
  const recurring = [...said, ...learned].filter(recurs)
  return recurring.reduce<Candidate[]>(joinSame, []).sort((a, b) => compareText(a.key, b.key))
}

/** The permanent memory that says it already: one that holds or waits before one that does not. */
export function knownAs(permanent: Facts['permanent'], candidate: Candidate): PermanentItem | null {
  const rank = { active: 0, proposed: 1, declined: 2, superseded: 3 } as const
  const same = allPermanent(permanent).filter(
    (item) => item.facts.some((id) => candidate.facts.includes(id)) || isSameFact(item.text, candidate.text),
  )
  return same.sort((a, b) => rank[a.status] - rank[b.status] || compareText(b.id, a.id))[0] ?? null
}

/**
 * By code alone. What holds at once is the user's own sentence, said in as many sessions as it takes: not what a model made
 * of it. What Claude said waits for the user's yes.
 */
export function weigh(candidate: Candidate, said: readonly Said[], promoteAfter: number): Verdict | null {
  const proofs = said.filter(({ by }) => by !== 'tool').toSorted((a, b) => compareText(a.at, b.at))
  const own = proofs.filter((one) => one.by === 'user' && isAbout(one.quote, candidate.text))
  const agreed = own.findLast((one) => {
    const agreeing = own.filter((other) => other === one || isSameFact(other.quote, one.quote))
    return sessionsOf(agreeing) >= promoteAfter && saysSomething(one.quote)
  })
  if (agreed !== undefined)
    return { status: 'active', kind: candidate.kind, text: oneSentence(agreed.quote), proofs: own }
  if (sessionsOf(proofs) < candidate.askAfter) return null
  const text = isGrounded(candidate.text, proofs) ? candidate.text : (own.at(-1)?.quote ?? null)
  // What Claude says again and again is how the project works; a rule is what the user wants.
  const kind = candidate.kind === 'rules' && own.length === 0 ? 'core_logic' : candidate.kind
  return text === null ? null : { status: 'proposed', kind, text: oneSentence(text), proofs }
}

/** Whether its telling words stand in what was said. */
export function isGrounded(text: string, said: readonly Pick<Proof, 'quote'>[]): boolean {
  const words = wordsOf(text)
  const known = wordsOf(said.map(({ quote }) => quote).join('\n'))
  return words.size > 0 && [...words].filter((word) => known.has(word)).length / words.size >= GROUNDED
}

export function sessionsOf(places: readonly { session: string }[]): number {
  return new Set(places.map(({ session }) => session)).size
}

function isAbout(quote: string, text: string): boolean {
  return shareOfWords(wordsOf(quote), wordsOf(text)) >= ABOUT_SAME
}

/** "Let's go with option 2" recurs, too. */
function saysSomething(quote: string): boolean {
  return [...wordsOf(quote)].some((word) => !POINTING.has(word) && !/^\d+$/.test(word))
}

function oneSentence(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function recurs({ places, askAfter }: Candidate): boolean {
  return sessionsOf(places) >= askAfter
}

/** One thing said as a fact and as an instruction is one candidate. */
function joinSame(all: Candidate[], next: Candidate): Candidate[] {
  const at = all.findIndex((one) => one.kind === next.kind && isSameFact(one.text, next.text))
  const same = all[at]
  if (same === undefined) return [...all, next]
  const known = new Set(same.places.map(({ session, entry }) => `${session}#${entry}`))
  const joined = {
    ...same,
    facts: [...new Set([...same.facts, ...next.facts])],
    places: [...same.places, ...next.places.filter(({ session, entry }) => !known.has(`${session}#${entry}`))],
    concept: same.concept ?? next.concept,
    askAfter: Math.min(same.askAfter, next.askAfter),
    lastAt: compareText(same.lastAt, next.lastAt) < 0 ? next.lastAt : same.lastAt,
  }
  return all.map((one, i) => (i === at ? joined : one))
}

/** What stands in the rules is told already, what was declined or taken back is over. */
function fromStanding(one: Standing, promoteAfter: number): Candidate[] {
  if (one.status !== 'candidate') return []
  const places = placesOf(one).map(({ session, entry }) => ({
    session,
    entry,
    quote: session === one.session && entry === one.entry ? one.text : '',
  }))
  const { id, text, at: lastAt } = one
  const askAfter = one.kind === 'correction' ? Math.min(CORRECTED_AFTER, promoteAfter) : promoteAfter
  return [{ key: id, kind: 'rules', text, facts: [id], places, askAfter, concept: null, lastAt }]
}

function isLive({ state, contradictedBy }: Fact): boolean {
  return (state === 'fresh' || state === 'stale') && contradictedBy === undefined
}

interface Group {
  words: Set<string>
  facts: [Fact, ...Fact[]]
}

/** Decisions and patterns that say the same about one concept. */
function groupsOf(facts: Facts): Group['facts'][] {
  const groups = new Map<string, Group[]>()
  for (const fact of [...facts.decisions, ...facts.patterns].filter(isLive)) {
    const own: Group = { words: wordsOf(fact.text), facts: [fact] }
    const others = groups.get(fact.concept ?? '') ?? []
    groups.set(fact.concept ?? '', others)
    const same = fact.concept === null ? undefined : others.find((other) => saysSame(own, other))
    if (same === undefined) others.push(own)
    else same.facts.push(fact)
  }
  return [...groups.values()].flatMap((all) => all.map((group) => group.facts))
}

function saysSame(a: Group, b: Group): boolean {
  if (shareOfWords(a.words, b.words) < ABOUT_SAME) return false
  return isSameFact(a.facts[0].text, b.facts[0].text)
}

/** Of facts that say the same: the first gives it its name and its words. */
export function candidateOf(group: Group['facts'], askAfter = 1): Candidate {
  const [first] = group
  const isDecided = group.some(({ type }) => type === 'decision')
  return {
    key: first.id,
    kind: isDecided ? 'rules' : 'solutions',
    text: first.text,
    facts: group.map(({ id }) => id),
    places: group.flatMap(placesOfFact),
    askAfter,
    concept: first.concept,
    lastAt: newest(group.map(({ at, lastAt }) => lastAt ?? at)),
  }
}

function placesOfFact({ session, evidence, also = [] }: Fact): Place[] {
  const places = [{ session, entry: evidence.entry, quote: evidence.quote }, ...also.flatMap(placeNamed)]
  return places.filter((place) => place.session !== '')
}

function placeNamed(name: string): Place[] {
  const [, session, entry] = /^([0-9a-z]{8})#(\d{1,9})$/.exec(name) ?? []
  return session === undefined ? [] : [{ session, entry: Number(entry), quote: '' }]
}

/** Issues that the same thing solved, again and again. */
function fromSolved(facts: Facts, askAfter: number): Candidate[] {
  const solved = facts.issues.filter((issue) => isLive(issue) && issue.status === 'resolved' && issue.resolution)
  const groups: Group['facts'][] = []
  for (const issue of solved) {
    const same = groups.find(([one]) => one.concept === issue.concept && isSolvedBySame(one, issue))
    if (same === undefined) groups.push([issue])
    else same.push(issue)
  }
  return groups.map((group) => ({
    ...candidateOf(group, askAfter),
    kind: 'solutions',
    text: solutionOf(group[0]),
    places: group.map(({ closedBy, session, evidence }) => ({
      session: closedBy?.session ?? session,
      entry: closedBy?.entry ?? evidence.entry,
      quote: '',
    })),
  }))
}

function isSolvedBySame(a: Fact, b: Fact): boolean {
  return isSameFact(a.resolution ?? '', b.resolution ?? '')
}

function solutionOf({ text, resolution }: Fact): string {
  return text === resolution ? text : `${text} → ${resolution}`
}

function newest(times: readonly string[]): string {
  return times.reduce((last, at) => (compareText(last, at) < 0 ? at : last), '')
}
