/** Facts of earlier versions (`facts.json` of v4 to v13, `*.l2.json` of v12) → facts of ours, none twice. */
import { allFacts, type Fact, type Facts, type FactType, NO_FACTS, parseFacts } from './fact.ts'
import { appendFact, factsOfType, mapFacts } from './fact-list.ts'
import { isObject, numberOr, parseObject, textOr } from './json.ts'
import { allPermanent, nextPermanentId, PERMANENT_KINDS, type Permanent } from './permanent.ts'

/** A fact with the topic as it was named; whoever knows the concepts gives it its id. */
export interface LegacyFact {
  fact: Fact
  conceptId: string
  conceptName: string
}

export interface FromFacts {
  facts: LegacyFact[]
  permanent: Permanent
  /** The highest number that was given. */
  counter: number
  /** What else stood in the file. */
  rest: Record<string, unknown>
  /** It was no JSON: these are the facts that could still be read. */
  isBroken: boolean
}

export interface FactReading {
  /** The id8 of a session that is named as earlier versions did. */
  id8Of: (session: string) => string
  /** For what tells no time and no session itself. */
  at: string
  session: string
}

type Json = Record<string, unknown>

const LISTS: readonly (readonly [string, FactType])[] = [
  ['decisions', 'decision'],
  ['patterns', 'pattern'],
  ['issues', 'issue'],
]
/** Where the words of a fact stood, the best first. */
const WORDS =
  'text content fact statement decision pattern issue rule solution logic problem description summary title'.split(' ')
const REASONS = ['reason', 'rationale', 'why']

/** Never null: of a broken file whatever can be read. */
export function parseLegacyFacts(text: string, reading: FactReading): FromFacts {
  const raw = parseObject(text) ?? listsOnly(text)
  const isBroken = raw === null
  const lists = raw ?? salvage(text)
  const { decisions: _d, patterns: _p, issues: _i, permanent, facts: mixed, _meta, ...rest } = lists
  const facts = [
    ...LISTS.flatMap(([name, type]) => listOf(lists[name]).flatMap((one) => factOf(one, type, reading))),
    ...listOf(mixed).flatMap((one) => factOf(one, typeOf(one), reading)),
  ]
  const kinds = PERMANENT_KINDS.map((kind) => [kind, listOf(isObject(permanent) ? permanent[kind] : []).map(worded)])
  const parsed = parseFacts(JSON.stringify({ permanent: Object.fromEntries(kinds) })) ?? NO_FACTS
  const counter = numberOr(isObject(_meta) ? _meta.counter : 0, 0)
  return { facts, permanent: parsed.permanent, counter, rest, isBroken }
}

/** Adds what is not known; what is known learns its topic. Ids stay where they are free. */
export function joinLegacyFacts(ours: Facts, theirs: readonly Fact[]): Facts {
  const before = new Map(allFacts(ours).map((fact) => [factKey(fact), fact]))
  const ids = new Set(allFacts(ours).map(({ id }) => id))
  let facts: Facts = { ...ours, _meta: { ...ours._meta, version: NO_FACTS._meta.version } }
  for (const fact of theirs) {
    const known = before.get(factKey(fact))
    if (known !== undefined) {
      if (known.concept === null && fact.concept !== null)
        facts = mapFacts(facts, (one) => (one.id === known.id ? { ...one, concept: fact.concept } : one))
      continue
    }
    const isFree = new RegExp(`^${fact.type[0]}\\d{1,9}$`).test(fact.id) && !ids.has(fact.id)
    facts = isFree ? withFact(facts, fact) : appendNew(facts, fact)
    ids.add(factsOfType(facts, fact.type).at(-1)?.id ?? '')
  }
  return facts
}

/** As from a stranger: nothing of it is the user's word, and permanent memory waits for the user's yes. */
export function unproven({ facts, permanent, ...rest }: FromFacts): FromFacts {
  const asAgent = facts.map((one): LegacyFact => {
    const { by: _, ...evidence } = one.fact.evidence
    const author = one.fact.author === 'user' ? 'agent' : one.fact.author
    return { ...one, fact: { ...one.fact, evidence, author } }
  })
  const asked = PERMANENT_KINDS.map((kind) => [
    kind,
    permanent[kind].map((item) => ({
      ...item,
      by: 'agent',
      evidence: [],
      status: item.status === 'active' ? 'proposed' : item.status,
    })),
  ])
  return { ...rest, facts: asAgent, permanent: Object.fromEntries(asked) as Permanent }
}

/** Adds permanent memory that nobody has yet, and never gives a number twice. */
export function joinLegacyPermanent(facts: Facts, { permanent, counter }: FromFacts): Facts {
  const _meta = { ...facts._meta, counter: Math.max(facts._meta.counter, counter) }
  return { ...facts, _meta, permanent: joinPermanent(facts.permanent, permanent) }
}

function withFact(facts: Facts, fact: Fact): Facts {
  const name = LISTS.find(([, type]) => type === fact.type)?.[0] ?? 'patterns'
  const counter = Math.max(facts._meta.counter, Number(fact.id.slice(1)))
  return { ...facts, _meta: { ...facts._meta, counter }, [name]: [...factsOfType(facts, fact.type), fact] }
}

function appendNew(facts: Facts, { id: _, ...fact }: Fact): Facts {
  return appendFact(facts, fact).facts
}

function joinPermanent(ours: Permanent, theirs: Permanent): Permanent {
  let joined = ours
  for (const { kind, ...item } of allPermanent(theirs)) {
    const all = allPermanent(joined)
    if (all.some((one) => plain(one.text) === plain(item.text))) continue
    const id = all.some((one) => one.id === item.id) ? nextPermanentId(joined) : item.id
    joined = { ...joined, [kind]: [...joined[kind], { ...item, id }] }
  }
  return joined
}

function factOf(value: unknown, type: FactType, { id8Of, at, session }: FactReading): LegacyFact[] {
  const raw = worded(value)
  if (!isObject(raw)) return []
  const { conceptId, conceptName, fact: _, ...kept } = raw
  const reason = REASONS.map((name) => raw[name]).find((one) => typeof one === 'string' && one !== '')
  const list = LISTS.find(([, one]) => one === type)?.[0] ?? 'patterns'
  const parsed = parseFacts(JSON.stringify({ [list]: [{ ...kept, ...(reason === undefined ? {} : { reason }) }] }))
  const [fact] = parsed === null ? [] : allFacts(parsed)
  if (fact === undefined) return []
  return [
    {
      fact: {
        ...fact,
        id: textOr(raw.id, ''),
        at: fact.at === '' ? at : fact.at,
        session: id8Of(fact.session === '' ? session : fact.session),
        concept: null,
      },
      conceptId: textOr(conceptId, fact.concept ?? ''),
      conceptName: textOr(conceptName, ''),
    },
  ]
}

/** With its words in `text`; of an object that has none under a known name all that it says. */
function worded(value: unknown): unknown {
  if (typeof value === 'string') return value.trim() === '' ? null : { text: value }
  if (!isObject(value)) return null
  const { problem, solution } = value
  const isSolved = typeof problem === 'string' && typeof solution === 'string'
  const words = isSolved
    ? `${problem}: ${solution}`
    : WORDS.map((name) => value[name]).find((one) => typeof one === 'string' && one.trim() !== '')
  if (typeof words === 'string') return { ...value, text: words }
  const all = Object.entries(value).flatMap(([name, one]) =>
    typeof one === 'string' && one.trim() !== '' && !/^(?:id|date|at|type|session\w*|status)$/.test(name)
      ? [`${name}: ${one}`]
      : [],
  )
  return all.length === 0 ? null : { ...value, text: all.join('; ') }
}

function typeOf(value: unknown): FactType {
  const said = isObject(value) ? `${value.type ?? ''} ${value.category ?? ''} ${value.kind ?? ''}` : ''
  if (/decision|결정/i.test(said)) return 'decision'
  return /issue|bug|problem|error|문제|이슈/i.test(said) ? 'issue' : 'pattern'
}

/** A file that holds nothing but a list. */
function listsOnly(text: string): Json | null {
  const list = parseObject(`{"facts": ${text.trim() === '' ? 'null' : text}}`)
  return list !== null && Array.isArray(list.facts) && Object.keys(list).length === 1 ? list : null
}

/** The whole objects in a text that was cut off or damaged: the innermost ones, by what their ids say. */
function salvage(text: string): Json {
  const found = [...text.matchAll(/\{[^{}]*\}/g)].map(([one]) => parseObject(one)).filter((one) => one !== null)
  const begins = (letter: string): Json[] => found.filter(({ id }) => typeof id === 'string' && id.startsWith(letter))
  return { decisions: begins('d'), patterns: begins('p'), issues: begins('i') }
}

/** Facts with the same key say the same. */
export function factKey({ type, text }: Pick<Fact, 'type' | 'text'>): string {
  return `${type} ${plain(text)}`
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
