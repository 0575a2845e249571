/** What a search finds in facts.json and concepts.json. Read field by field: a wrong field does not affect the others. */

import { aboutEntries, joinedText, LEGACY, type NewUnit, UNAUDITED } from '../../kernel/memory/document.ts'
import { BY_CLAUDE } from '../../kernel/memory/note.ts'
import { asText, objects, parseObject, texts } from '../../kernel/platform/json.ts'
import { authorNamed } from '../receipts/authored-line.ts'
import { parseItems } from './facts-file.ts'
import { authorOfFact, type Fact, isClaudes, isLegacy, isTold, type PermanentItem } from './item.ts'
import { allFacts, allPermanent } from './items.ts'

export function factUnits(text: string): NewUnit[] {
  const facts = parseItems(text) ?? parseItems(salvage(text))
  if (facts === null) return []
  // Rejected facts are never found.
  const kept = allFacts(facts).filter(({ state }) => state !== 'rejected')
  return [...kept.map(factUnit), ...allPermanent(facts).flatMap(permanentUnit)]
}

/** Facts that the user has not accepted are not part of the memory yet. */
function permanentUnit({ id, kind, text, at, state, evidence, by }: PermanentItem): NewUnit[] {
  if (state === 'proposed' || state === 'declined') return []
  const { session, entry = -1 } = evidence[0] ?? {}
  return [
    {
      id,
      kind: kind === 'rules' ? 'rule' : 'pattern',
      text,
      at,
      state: state === 'superseded' ? state : '',
      by: authorNamed(by),
      about: aboutEntries(session, entry, entry),
    },
  ]
}

function factUnit(fact: Fact): NewUnit {
  const { id, kind, at, text, reason, resolution, files, session, evidence } = fact
  return {
    id,
    kind,
    at,
    text: joinedText([
      text,
      ...[reason, resolution].map((more) => (text.includes(more ?? '') ? '' : (more ?? ''))),
      files.join(' '),
    ]),
    state: stateOf(fact),
    by: authorOfFact(fact),
    about: aboutEntries(session, evidence.entry, evidence.entry),
  }
}

/** Only one word is shown: a weakening state takes precedence over the author. */
function stateOf(fact: Fact): string {
  const { state, status, pinned } = fact
  if (state !== 'fresh') return state
  if (!isTold(fact)) return isLegacy(fact) ? LEGACY : UNAUDITED
  if (status === 'resolved') return status
  if (isClaudes(fact)) return BY_CLAUDE
  return pinned ? 'pinned' : 'fresh'
}

/** There is one fact per line: of a file that was cut off or badly merged, the complete lines are used. */
function salvage(text: string): string {
  const lists: Record<string, unknown[]> = { d: [], p: [], i: [] }
  for (const line of text.split('\n')) {
    const fact = parseObject(line.trim().replace(/,$/, ''))
    if (fact !== null) lists[asText(fact.id)[0] ?? '']?.push(fact)
  }
  return JSON.stringify({ decisions: lists.d, patterns: lists.p, issues: lists.i })
}

export function conceptUnits(text: string): NewUnit[] {
  return objects(parseObject(text)?.concepts).flatMap((concept, k): NewUnit[] => {
    const words = joinedText([
      asText(concept.name),
      texts(concept.aliases).join(', '),
      asText(concept.summary),
      texts(concept.keywords).join(' '),
      texts(concept.files).join(' '),
    ])
    const named = asText(concept.id)
    const id = /^c\d{1,9}$/.test(named) ? named : `c${String(k + 1).padStart(3, '0')}`
    return words === '' ? [] : [{ id, kind: 'concept', text: words }]
  })
}
