/** What the demo has learned after five sessions: concepts with their facts, and what became permanent because it recurred. */

import { readConcepts, readFacts } from '../knowledge/disk/knowledge.ts'
import { allFacts } from '../knowledge/fact.ts'
import { allPermanent } from '../knowledge/permanent.ts'
import { bold, count, oneLine } from '../memory/commands/output.ts'
import type { Store } from '../memory/disk/store.ts'
import { entryId } from '../transcript/session.ts'

const INDENT = '   '
const MAX_CONCEPTS = 5

interface Learned {
  summary: { concepts: number; rules: number }
  lines: (columns: number) => string[]
}

export function showLearned(store: Store): Learned {
  const facts = readFacts(store)
  const factsOf = (id: string): string[] =>
    allFacts(facts)
      .filter(({ concept }) => concept === id)
      .map((fact) => fact.id)
  const concepts = readConcepts(store).concepts.filter(({ id }) => factsOf(id).length > 0)
  const rules = allPermanent(facts.permanent).filter(({ status }) => status === 'active')
  return {
    summary: { concepts: concepts.length, rules: rules.length },
    lines: (columns) => [
      '',
      bold(
        `9. ${count(allFacts(facts).filter(({ concept }) => concept !== null).length, 'fact')} found their place in ${count(concepts.length, 'concept')}`,
      ),
      ...concepts
        .slice(0, MAX_CONCEPTS)
        .map(({ id, name }) => INDENT + oneLine(`${id} ${name}: ${factsOf(id).join(', ')}`, columns - INDENT.length)),
      '',
      bold('10. What you said in three sessions is kept for good, with the words that prove it'),
      ...rules.map(({ id, text, evidence }) => {
        const places = evidence.map((one) => entryId(one.session, one.entry)).join(', ')
        return INDENT + oneLine(`${id} ${text} [${places}]`, columns - INDENT.length)
      }),
    ],
  }
}
