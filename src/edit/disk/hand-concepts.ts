/** Changes of concepts by hand, decided: one taken into another, one called otherwise. */
import {
  addConcept,
  type Concept,
  type Concepts,
  findConcept,
  mergeConcepts,
  renameConcept,
} from '../../knowledge/concept.ts'
import { refreshConcepts } from '../../knowledge/concept-refresh.ts'
import { allFacts } from '../../knowledge/fact.ts'
import type { Store } from '../../memory/disk/store.ts'
import { KeeperError } from '../../platform/error.ts'
import { redactorFor } from '../../redact/redact.ts'
import { count } from '../../text/figures.ts'
import { shown } from '../../text/shown.ts'
import { type Decided, dimLine, type Hand, type HandMemory } from './hand-memory.ts'

export type ConceptChange =
  | { do: 'merge-concepts'; from: string; into: string }
  | { do: 'rename-concept'; id: string; name: string }

type Configured = Pick<Store, 'config'>

export function decideConcept(store: Configured, memory: HandMemory, change: ConceptChange, hand: Hand): Decided {
  return change.do === 'merge-concepts' ? merge(store, memory, change, hand) : rename(store, memory, change, hand)
}

/** By its id, a name it has or had, or nearly so. */
export function conceptOf({ config }: Configured, concepts: Concepts, given: string): Concept {
  const found = findConcept(concepts, conceptGiven(given), config.conceptSimilarity)
  const id = found.is === 'known' || found.is === 'similar' ? found.id : null
  const concept = concepts.concepts.find((one) => one.id === id)
  if (concept === undefined) throw noConcept(given, found.is === 'unknown' ? found.closest : [])
  return concept
}

/** By its id or its name; a new name begins a new concept. */
export function conceptFor(store: Configured, concepts: Concepts, given: string): { concepts: Concepts; id: string } {
  const name = redactorFor(store.config)(given).text
  const found = findConcept(concepts, conceptGiven(name), store.config.conceptSimilarity)
  if (found.is === 'none') throw new KeeperError('usage', '--concept takes an id (c001) or a name.')
  return found.is === 'new' ? addConcept(concepts, found.name) : { concepts, id: conceptOf(store, concepts, name).id }
}

/** `c001`, or a name. */
function conceptGiven(given: string): { id: string } | { name: string } {
  return /^c\d+$/i.test(given.trim()) ? { id: given.trim().toLowerCase() } : { name: given }
}

function noConcept(given: string, closest: readonly { id: string; name: string }[]): KeeperError {
  const near =
    closest.length === 0 ? '' : ` Close to it: ${closest.map(({ id, name }) => `${id} ${shown(name)}`).join(', ')}.`
  return new KeeperError(
    'not-found',
    `There is no concept ${shown(given)}.${near} memory-keeper concepts list shows them.`,
  )
}

function merge(
  store: Configured,
  memory: HandMemory,
  change: Extract<ConceptChange, { do: 'merge-concepts' }>,
  { isDryRun }: Hand,
): Decided {
  const from = conceptOf(store, memory.concepts, change.from)
  const into = conceptOf(store, memory.concepts, change.into)
  if (from.id === into.id) {
    throw new KeeperError(
      'same-concept',
      `${shown(change.from)} and ${shown(change.into)} are one concept: ${from.id} ${shown(from.name)}. memory-keeper concepts list shows all of them.`,
    )
  }
  const moved = allFacts(memory.facts).filter(({ concept }) => concept === from.id).length
  const { concepts, facts } = mergeConcepts(memory.concepts, memory.facts, from.id, into.id)
  return {
    memory: { ...memory, facts, concepts: refreshConcepts(concepts, facts) },
    what: `merge ${from.id} into ${into.id}`,
    lines: [
      {
        text: `${isDryRun ? 'Would move' : 'Moved'} ${count(moved, 'fact')} from ${from.id} ${from.name} to ${into.id} ${into.name}`,
      },
      dimLine(`"${from.name}" finds ${into.id} from now on.`),
    ],
    json: { from: from.id, into: into.id, facts: moved, dryRun: isDryRun === true },
  }
}

function rename(
  store: Configured,
  memory: HandMemory,
  change: Extract<ConceptChange, { do: 'rename-concept' }>,
  { isDryRun }: Hand,
): Decided {
  const concept = conceptOf(store, memory.concepts, change.id)
  const name = redactorFor(store.config)(change.name).text.replace(/\s+/g, ' ').trim()
  checkName(store, memory.concepts, concept, name)
  return {
    memory: { ...memory, concepts: renameConcept(memory.concepts, concept.id, name) },
    what: `rename ${concept.id}: ${name}`,
    lines: [
      { text: `${isDryRun ? 'Would call' : 'Called'} ${concept.id} ${name}; it was ${concept.name}` },
      dimLine('The old name still finds it.'),
    ],
    json: { id: concept.id, name, before: concept.name, dryRun: isDryRun === true },
  }
}

function checkName({ config }: Configured, concepts: Concepts, concept: Concept, name: string): void {
  if (name === '')
    throw new KeeperError('usage', `Give the new name: memory-keeper concepts rename ${concept.id} Payments`)
  if (name === concept.name)
    throw new KeeperError('already', `${concept.id} is called ${shown(name)} already: there is nothing to change.`)
  const others = { ...concepts, concepts: concepts.concepts.filter((one) => one !== concept) }
  const found = findConcept(others, { name }, config.conceptSimilarity)
  if (found.is !== 'known' && found.is !== 'similar') return
  const other = others.concepts.find(({ id }) => id === found.id)
  throw new KeeperError(
    'name-taken',
    `${found.id} is called ${shown(other?.name ?? '')}, which is too much like "${shown(name)}". If they are one: memory-keeper concepts merge ${concept.id} ${found.id}`,
  )
}
