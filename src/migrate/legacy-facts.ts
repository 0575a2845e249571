/** Facts of earlier versions (`facts.json` of v4 to v13, `*.l2.json` of v12) → facts of ours, none twice. */
import { allFacts, type Fact, type Facts, type FactType, NO_FACTS, parseFacts } from '../knowledge/fact.ts'
import { appendFact, factsOfType, mapFacts } from '../knowledge/fact-list.ts'
import {
  allPermanent,
  nextPermanentId,
  PERMANENT_KINDS,
  type Permanent,
  type PermanentItem,
  parsePermanent,
} from '../knowledge/permanent.ts'
import { counterIn, objectsIn, salvageFacts } from '../knowledge/salvage.ts'
import { wordedIn } from '../outgoing/worded.ts'
import { isObject, numberOr, parseObject, textOr } from '../platform/json.ts'
import { fingerprint } from '../text/fingerprint.ts'

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
const REASONS = ['reason', 'rationale', 'why']

/** Never null: of a broken file whatever can be read. */
export function parseLegacyFacts(text: string, reading: FactReading): FromFacts {
  const raw = parseObject(withoutMark(text)) ?? listsOnly(withoutMark(text))
  const isBroken = raw === null
  const lists = raw ?? salvage(text)
  const { decisions: _d, patterns: _p, issues: _i, permanent, facts: mixed, _meta, ...rest } = lists
  const facts = [
    ...LISTS.flatMap(([name, type]) => listOf(lists[name]).flatMap((one) => factOf(one, type, reading))),
    ...listOf(mixed).flatMap((one) => factOf(one, typeOf(one), reading)),
  ]
  const counter = numberOr(isObject(_meta) ? _meta.counter : 0, 0)
  return { facts, permanent: parsePermanent(permanent), counter, rest, isBroken }
}

/** A fact that came from elsewhere: under which key, so that it does not come again once its words were changed here. */
type Taken = Fact & { cameAs?: unknown }

export function asTaken(fact: Fact): Fact {
  const taken: Taken = { ...fact, cameAs: fingerprint(factKey(fact)) }
  return taken
}

/** Adds what is not known; what is known learns its topic. Ids stay where they are free; where not, what names them follows. */
export function joinLegacyFacts(ours: Facts, theirs: readonly Fact[]): Facts {
  const before = finderIn(ours)
  const ids = new Set(allFacts(ours).map(({ id }) => id))
  const added = new Set<string>()
  let facts: Facts = { ...ours, _meta: { ...ours._meta, version: NO_FACTS._meta.version } }
  for (const fact of theirs) {
    const known = before(fact)
    if (known !== undefined) {
      if (known.concept === null && fact.concept !== null)
        facts = mapFacts(facts, (one) => (one.id === known.id ? { ...one, concept: fact.concept } : one))
      continue
    }
    const isFree = new RegExp(`^${fact.type[0]}\\d{1,9}$`).test(fact.id) && !ids.has(fact.id)
    facts = isFree ? withFact(facts, fact) : appendNew(facts, fact)
    const id = factsOfType(facts, fact.type).at(-1)?.id ?? ''
    ids.add(id)
    added.add(id)
  }
  if (added.size === 0) return facts
  const idOf = legacyIds(facts, theirs)
  const named = (id: string): string | null => idOf.get(id) ?? (added.size === ids.size ? id : null)
  return mapFacts(facts, (one) => (added.has(one.id) ? renamedIn(one, named) : one))
}

/** Their ids → those under which the same is kept here. */
export function legacyIds(joined: Facts, theirs: readonly Fact[]): ReadonlyMap<string, string> {
  const find = finderIn(joined)
  return new Map(theirs.flatMap((fact) => (fact.id === '' ? [] : [[fact.id, find(fact)?.id ?? fact.id] as const])))
}

/** Finds what is kept here of a fact that came from elsewhere, in other words too, if they were changed here. */
export function finderIn(facts: Facts): (fact: Fact) => Fact | undefined {
  const all: readonly Taken[] = allFacts(facts)
  const byKey = new Map(all.map((fact) => [factKey(fact), fact]))
  const taken = new Map(all.flatMap((fact) => (typeof fact.cameAs === 'string' ? [[fact.cameAs, fact] as const] : [])))
  return (fact) => byKey.get(factKey(fact)) ?? (taken.size === 0 ? undefined : taken.get(fingerprint(factKey(fact))))
}

/** What it names and nobody brought along, it names no more where others were before: there that is another one. */
function renamedIn(fact: Fact, idOf: (id: string) => string | null): Fact {
  const { contradictedBy, judged, ...rest } = fact
  const against = contradictedBy === undefined ? null : idOf(contradictedBy)
  const other = judged?.other ? idOf(judged.other) : null
  return {
    ...rest,
    ...(judged === undefined ? {} : { judged: { ...judged, other } }),
    ...(against === null ? {} : { contradictedBy: against }),
  }
}

/** As from a stranger: nothing of it is the user's word, permanent memory waits for the user's yes, what it may mean some day stays there. */
export function unproven({ facts, permanent, ...rest }: FromFacts): FromFacts {
  const asAgent = facts.map((one): LegacyFact => {
    const { by: _, ...evidence } = one.fact.evidence
    const author = one.fact.author === 'user' ? 'agent' : one.fact.author
    // Nor is what they pinned told first here.
    const { pinned: _pin, ...fact } = one.fact
    return { ...one, fact: { ...fact, evidence, author } }
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

/** Adds permanent memory that nobody has yet, and never gives a number twice. `idOf`: of the facts that came with it. */
export function joinLegacyPermanent(
  facts: Facts,
  { permanent, counter }: FromFacts,
  idOf: ReadonlyMap<string, string>,
): Facts {
  const _meta = { ...facts._meta, counter: Math.max(facts._meta.counter, counter) }
  return { ...facts, _meta, permanent: joinPermanent(facts.permanent, permanent, idOf) }
}

function withFact(facts: Facts, fact: Fact): Facts {
  const name = LISTS.find(([, type]) => type === fact.type)?.[0] ?? 'patterns'
  const counter = Math.max(facts._meta.counter, Number(fact.id.slice(1)))
  return { ...facts, _meta: { ...facts._meta, counter }, [name]: [...factsOfType(facts, fact.type), fact] }
}

function appendNew(facts: Facts, { id: _, ...fact }: Fact): Facts {
  return appendFact(facts, fact).facts
}

function joinPermanent(ours: Permanent, theirs: Permanent, idOf: ReadonlyMap<string, string>): Permanent {
  // What nobody understood, and kinds of their own, beside ours.
  let joined: Permanent = { ...restOf(theirs), ...ours, ...keptOf(ours, theirs) }
  const ids = new Map(idOf)
  const added = new Set<string>()
  for (const { kind, ...item } of allPermanent(theirs)) {
    const all = allPermanent(joined)
    const known = all.find((one) => plain(one.text) === plain(item.text))
    const id = known?.id ?? (all.some((one) => one.id === item.id) ? nextPermanentId(joined) : item.id)
    ids.set(item.id, id)
    if (known !== undefined) continue
    added.add(id)
    joined = { ...joined, [kind]: [...joined[kind], { ...item, id }] }
  }
  for (const kind of PERMANENT_KINDS)
    joined = { ...joined, [kind]: joined[kind].map((item) => (added.has(item.id) ? namedIn(item, ids) : item)) }
  return joined
}

function namedIn(item: PermanentItem, idOf: ReadonlyMap<string, string>): PermanentItem {
  const facts = [...new Set(item.facts.flatMap((id) => idOf.get(id) ?? []))]
  if (item.judged === undefined) return { ...item, facts }
  const other = item.judged.other === null ? null : (idOf.get(item.judged.other) ?? null)
  return { ...item, facts, judged: { ...item.judged, other } }
}

function restOf(permanent: Permanent): object {
  const isOurs = (name: string): boolean => name === 'kept' || PERMANENT_KINDS.some((kind) => kind === name)
  return Object.fromEntries(Object.entries(permanent).filter(([name]) => !isOurs(name)))
}

function keptOf(ours: Permanent, theirs: Permanent): Pick<Permanent, 'kept'> {
  const all = [...(ours.kept ?? []), ...(theirs.kept ?? [])]
  const once = new Map(all.map((one) => [JSON.stringify(one), one]))
  return once.size === 0 ? {} : { kept: [...once.values()] }
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

/** With its words in `text`. */
function worded(value: unknown): unknown {
  const text = wordedIn(value)
  if (text === null) return null
  return isObject(value) ? { ...value, text } : { text }
}

function typeOf(value: unknown): FactType {
  const said = isObject(value) ? `${value.type ?? ''} ${value.category ?? ''} ${value.kind ?? ''}` : ''
  if (/decision|결정/i.test(said)) return 'decision'
  return /issue|bug|problem|error|문제|이슈/i.test(said) ? 'issue' : 'pattern'
}

/** What somebody's editor puts before a text. */
function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '')
}

/** A file that holds nothing but a list. */
function listsOnly(text: string): Json | null {
  const list = parseObject(`{"facts": ${text.trim() === '' ? 'null' : text}}`)
  return list !== null && Array.isArray(list.facts) && Object.keys(list).length === 1 ? list : null
}

/** The whole objects in a text that was cut off or damaged, by what their ids say. */
function salvage(text: string): Json {
  const found = objectsIn(text)
  const begins = (letter: string): Json[] => found.flatMap(({ id, value }) => (id.startsWith(letter) ? [value] : []))
  const { permanent } = salvageFacts(text)
  return {
    _meta: { counter: counterIn(text) },
    decisions: begins('d'),
    patterns: begins('p'),
    issues: begins('i'),
    permanent,
  }
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
