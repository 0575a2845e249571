/** The view of what is known: facts with what proves them, concepts, permanent items, rules. */

import { readConcepts, readFacts } from '../../knowledge/disk/knowledge.ts'
import { allFacts, type Fact } from '../../knowledge/fact.ts'
import { allPermanent, type Judged, type PermanentItem, type PermanentKind } from '../../knowledge/permanent.ts'
import { readRules } from '../../pages/disk/rules.ts'
import { BUILT_IN_RULES } from '../../pages/rule.ts'
import { entryId } from '../../transcript/session.ts'
import type { FactItem, KnowledgeView, PermanentRow } from '../api.ts'
import type { Memory } from './memory.ts'

const KINDS = { rules: 'rule', solutions: 'solution', core_logic: 'core_logic' } as const
const JUDGES = { user: 'you', agent: 'Claude', headless: 'Claude', code: 'code', git: 'git' } as const

export function viewKnowledge(memory: Memory): KnowledgeView {
  const store = memory.store()
  const known = readFacts(store)
  const facts = allFacts(known)
  const { concepts } = readConcepts(store)
  const counts = new Map<string, number>()
  for (const { concept } of facts) if (concept !== null) counts.set(concept, (counts.get(concept) ?? 0) + 1)
  return {
    facts: facts.map(factItem).sort((a, b) => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0)),
    concepts: concepts.map(({ id, name, summary, files }) => {
      return { id, name, summary, files, facts: counts.get(id) ?? 0 }
    }),
    permanent: allPermanent(known.permanent).map(permanentRow),
    rules: readRules(store).map((text) => ({ text, isBuiltIn: BUILT_IN_RULES.includes(text) })),
  }
}

function factItem(fact: Fact): FactItem {
  const { id, type, text, reason, status, resolution, at, state, concept, files, evidence, session, judged } = fact
  return {
    ...{ id, type, text, reason, status, resolution, at, state, concept, files },
    lastAt: fact.lastAt ?? at,
    why: state === 'fresh' || judged === undefined ? '' : verdict(judged),
    isPinned: fact.pinned === true,
    by: evidence.by ?? (fact.author === 'user' ? 'user' : null),
    quote: evidence.quote,
    place: placeOf(session, evidence.entry),
    also: (fact.also ?? []).flatMap((place) => (/^[0-9a-z]{8}#\d+$/.test(place) ? [`L1:${place}`] : [])),
  }
}

/** Empty for a fact written by hand. */
function placeOf(session: string, entry: number): string {
  return session === '' || entry < 0 ? '' : entryId(session, entry)
}

/** `Claude said so on 2026-01-13, d014 stands in its place: …`. */
function verdict({ by, at, why, other }: Judged): string {
  const instead = other === null ? '' : `, ${other} stands in its place`
  return `${JUDGES[by]} said so on ${at.slice(0, 10)}${instead}${why === null ? '' : `: ${why}`}`
}

function permanentRow(item: PermanentItem & { kind: PermanentKind }): PermanentRow {
  const { id, kind, text, status, at, facts, evidence, judged } = item
  return {
    ...{ id, kind: KINDS[kind], text, status, at, facts },
    evidence: evidence.map(({ session, entry, quote }) => ({ place: placeOf(session, entry), quote })),
    why: judged === undefined ? '' : verdict(judged),
  }
}
