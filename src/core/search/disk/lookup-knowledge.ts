/** Facts, concepts and permanent items by their ids, as text: the content, the state, the author. */

import type { Store } from '../../../kernel/memory/disk/store.ts'
import { dayIn } from '../../../kernel/platform/time.ts'
import { compareText } from '../../../kernel/text/memory-words.ts'
import { entryId } from '../../../kernel/transcript/session.ts'
import { readConcepts, readFacts } from '../../knowledge/disk/knowledge.ts'
import {
  awaitsAudit,
  type Fact,
  ITEM_KINDS,
  isLegacy,
  isLive,
  issueWord,
  isTold,
  type Judged,
  pastOf,
} from '../../knowledge/item.ts'
import { allFacts, findFact, findPermanent, type Items } from '../../knowledge/items.ts'
import { auditOutlookIn } from '../../model/disk/model-call.ts'

/** An old concept may have hundreds; `facts list --concept` shows all. */
const MAX_FACTS = 60
const MAX_PROOFS = 8

interface Part {
  id: string
  at: string
  kind: string
  text: string
}

interface Known {
  title: string
  parts: Part[]
  source: string | null
  /** The ids of the entries that prove it. */
  proofs: string[]
}

/** `d001`, `c001`, `r001`; null: the id does not exist, or is of another kind. */
export function lookUpKnowledge(store: Store, id: string): Known | null {
  if (/^[dpi]\d+$/i.test(id)) return lookUpFact(store, id)
  if (/^c\d+$/i.test(id)) return lookUpConcept(store, id.toLowerCase())
  if (/^r\d+$/i.test(id)) return lookUpPermanent(store, id.toLowerCase())
  return null
}

function lookUpFact(store: Store, id: string): Known | null {
  const fact = findFact(readFacts(store), id)
  if (fact === null) return null
  const { session, evidence } = fact
  const source = session === '' || evidence.entry < 0 ? null : entryId(session, evidence.entry)
  const concept = readConcepts(store).concepts.find((one) => one.id === fact.concept)
  const name = concept === undefined ? fact.concept : `${concept.id} ${concept.name}`
  return {
    title: `Fact ${fact.id}, by ${fact.by}${fact.state === 'fresh' ? '' : `, ${fact.state}`}`,
    parts: [{ id: fact.id, at: fact.at, kind: kindOf(fact), text: factText(store, fact, name) }],
    source: source === null ? null : `It was taken from ${source}.`,
    proofs: source === null ? [] : [source],
  }
}

type DayOf = (at: string) => string

function factText(store: Store, fact: Fact, concept: string | null): string {
  const dayOf = dayIn(store.config.timezone)
  const { text, reason, status, resolution, evidence, files, also = [] } = fact
  const places = also.flatMap((one) => (/^[0-9a-z]{8}#\d+$/.test(one) ? [`L1:${one}`] : []))
  return withDetails(text, [
    ['because', reason],
    ['status', status === 'resolved' && resolution !== null ? `resolved: ${resolution}` : issueWord(fact)],
    ['state', stateOf(store, fact, dayOf)],
    ['pinned', fact.pinned === true ? 'first in every briefing' : null],
    ['concept', concept],
    ['said as', evidence.quote === '' ? null : `"${evidence.quote}"${spokenBy(fact)}`],
    ['also said in', places.length === 0 ? null : places.slice(-MAX_PROOFS).join(', ')],
    ['files', files.length === 0 ? null : files.join(', ')],
    ...pastOf(fact).map(({ at, by, what }) => [`${dayOf(at)} ${by}`, what] as const),
  ])
}

const SPEAKERS = { user: 'the user', assistant: 'Claude', tool: 'a tool or a file' } as const

function spokenBy({ evidence, by }: Fact): string {
  if (evidence.by === undefined) return by === 'user' ? ' (the user)' : ''
  return ` (${SPEAKERS[evidence.by]})`
}

function stateOf(store: Store, fact: Fact, dayOf: DayOf): string | null {
  const { state, judged } = fact
  if (state === 'fresh' && !isTold(fact)) return unauditedState(store, fact)
  if (state === 'fresh') return null
  return judged === undefined ? state : `${state}${verdict(judged, dayOf)}`
}

function unauditedState(store: Store, fact: Fact): string {
  if (isLegacy(fact)) return 'legacy: made from wording by an earlier version, not injected'
  const isLost = store.readState().unplaced.includes(fact.id)
  if (!awaitsAudit(fact) || !(isLost || !auditOutlookIn(store, null).canCome))
    return 'unaudited: written by a model and not confirmed yet, not injected'
  const why = isLost ? 'its command was not found, so that no audit can judge it' : 'no audit can come'
  return `unaudited: written by a model, and ${why}; injected with the mark (not audited)`
}

function verdict({ by, at, why, other }: Judged, dayOf: DayOf): string {
  return `${other === null ? '' : ` by ${other}`}, said by ${by} on ${dayOf(at)}${why === null ? '' : `: ${why}`}`
}

function kindOf({ kind, state, status }: Fact): string {
  const how = state === 'fresh' ? (status === 'resolved' ? status : '') : state
  return how === '' ? kind : `${kind}, ${how}`
}

/** With its facts: current ones first, newest first. */
function lookUpConcept(store: Store, id: string): Known | null {
  const concept = readConcepts(store).concepts.find((one) => one.id === id)
  if (concept === undefined) return null
  const facts = factsOfConcept(readFacts(store), id)
  const { name, summary, files, keywords, aliases } = concept
  const text = withDetails(name, [
    ['about', summary === '' ? null : summary],
    ['also called', aliases.length === 0 ? null : aliases.join(', ')],
    ['words', keywords.length === 0 ? null : keywords.join(', ')],
    ['files', files.length === 0 ? null : files.join(', ')],
    ['facts', String(facts.length)],
  ])
  const shown = facts.slice(0, MAX_FACTS)
  const parts = shown.map((fact): Part => ({ id: fact.id, at: fact.at, kind: kindOf(fact), text: fact.text }))
  const more = facts.length - shown.length
  return {
    title: `Concept ${id}`,
    parts: [{ id, at: '', kind: 'concept', text }, ...parts],
    source: more > 0 ? `${more} more: memory-keeper facts list --concept ${id} --state all` : null,
    proofs: [],
  }
}

function factsOfConcept(facts: Items, id: string): Fact[] {
  return allFacts(facts)
    .filter((fact) => fact.concept === id && fact.state !== 'rejected')
    .sort((a, b) => Number(isLive(b)) - Number(isLive(a)) || compareText(b.lastAt ?? b.at, a.lastAt ?? a.at))
}

function lookUpPermanent(store: Store, id: string): Known | null {
  const item = findPermanent(readFacts(store), id)
  if (item === null) return null
  const { kind, text, at, state, by, facts, evidence, concept, usedAt, judged } = item
  const proofs = evidence.filter(({ session, entry }) => session !== '' && entry >= 0)
  const dayOf = dayIn(store.config.timezone)
  const said = withDetails(text, [
    ['status', `${state}${judged === undefined ? '' : verdict(judged, dayOf)}`],
    ['proposed by', by],
    ['derived from', facts.length === 0 ? null : facts.join(', ')],
    ['concept', concept],
    ['said as', evidence.length === 0 ? null : evidence.map(({ quote }) => `"${quote}"`).join(', ')],
    ['last used', usedAt === '' || usedAt === at ? null : dayOf(usedAt)],
  ])
  const places = [...new Set(proofs.map(({ session, entry }) => entryId(session, entry)))].slice(-MAX_PROOFS)
  return {
    title: `Permanent memory ${id}, ${ITEM_KINDS[kind].name}, ${state}`,
    parts: [
      { id, at, kind: state === 'active' ? ITEM_KINDS[kind].name : `${ITEM_KINDS[kind].name}, ${state}`, text: said },
    ],
    source: places.length === 0 ? null : `It was said in ${places.join(', ')}.`,
    proofs: places,
  }
}

function withDetails(text: string, details: readonly (readonly [string, string | null])[]): string {
  return [text, ...details.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))].join('\n')
}
