/** A session's facts with the concepts that a model gave them, as this and earlier versions wrote them (`….l2.json`). */

import { isObject, parseObject, textOr } from '../platform/json.ts'
import { type Concepts, conceptId, ownedByPeople } from './concept.ts'
import { addConcept, findConcept } from './concept-assign.ts'
import { allFacts, type Fact, type Facts } from './fact.ts'
import { mapFacts } from './fact-list.ts'
import { isSameFact } from './fact-similar.ts'

export interface FileChoice {
  /** As the file has it, or empty. */
  factId: string
  text: string
  session: string
  conceptId: string
  conceptName: string
}

export interface Chosen {
  concepts: Concepts
  facts: Facts
  /** Ids of facts that went where the file says. */
  placed: string[]
  /** Texts of the file that no fact says. */
  unknown: string[]
  /** Ids that no concept has, as the file names them: code finds another. */
  noConcept: string[]
}

/** Null: no file of facts. */
export function parseChoices(text: string): FileChoice[] | null {
  const raw = parseObject(text)
  const lists = raw === null ? [] : [raw.facts, raw.decisions, raw.patterns, raw.issues].filter(Array.isArray)
  if (raw === null || lists.length === 0) return null
  const session = textOr(raw.session, textOr(raw.sessionId, '')).slice(0, 8)
  return lists.flat().flatMap((one: unknown) => {
    const choice = isObject(one) ? choiceOf(one, session) : null
    return choice === null ? [] : [choice]
  })
}

function choiceOf(one: Record<string, unknown>, session: string): FileChoice | null {
  const text = textOr(one.text, textOr(one.content, textOr(one.fact, textOr(one.description, ''))))
  if (text === '') return null
  const id = textOr(one.conceptId, textOr(one.concept_id, textOr(one.concept, '')))
  const isId = /^c\d+$/i.test(id)
  const name = textOr(one.conceptName, textOr(one.concept_name, isId ? '' : id))
  return {
    factId: textOr(one.id, ''),
    text,
    session,
    conceptId: isId ? conceptId(Number(id.slice(1))) : '',
    conceptName: name,
  }
}

/** A name that is nearly a known one is that one. What a person put somewhere stays there. */
export function applyChoices(
  concepts: Concepts,
  facts: Facts,
  choices: readonly FileChoice[],
  threshold: number,
): Chosen {
  let after = concepts
  const all = allFacts(facts)
  const places = new Map<string, string>()
  const unknown: string[] = []
  const noConcept: string[] = []
  for (const choice of choices) {
    const fact = factFor(all, choice)
    if (fact === null) unknown.push(choice.text)
    if (fact === null || fact.author === 'user') continue
    const found = findConcept(after, { id: choice.conceptId, name: choice.conceptName }, threshold)
    if (found.is === 'unknown') noConcept.push(choice.conceptId)
    if (found.is === 'unknown' || found.is === 'none') continue
    if (found.is === 'new') {
      const added = addConcept(after, found.name)
      after = added.concepts
      places.set(fact.id, added.id)
    } else places.set(fact.id, found.id)
  }
  const chosen = new Set(places.values())
  return {
    concepts: { ...after, concepts: after.concepts.map((one) => (chosen.has(one.id) ? ownedByPeople(one) : one)) },
    facts: mapFacts(facts, (fact) => {
      const concept = places.get(fact.id) ?? fact.concept
      return concept === fact.concept ? fact : { ...fact, concept }
    }),
    placed: [...places.keys()],
    unknown,
    noConcept,
  }
}

/** An id counts only with the same words or the same session: earlier versions counted anew in every file. */
function factFor(facts: readonly Fact[], { factId, text, session }: FileChoice): Fact | null {
  const named = facts.find(({ id }) => id === factId)
  if (named !== undefined && ((session !== '' && named.session === session) || isSameFact(named.text, text)))
    return named
  const same = facts.filter((fact) => fact.state !== 'rejected' && (fact.text === text || isSameFact(fact.text, text)))
  return same.find((fact) => fact.text === text) ?? same.find((fact) => fact.session === session) ?? same[0] ?? null
}
