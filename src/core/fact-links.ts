/** What a draft belongs to: its concept, the decision it replaces, the issue it solves. A wrong link costs the link, not the fact. */
import type { Concepts } from './concept.ts'
import { findConcept } from './concept-assign.ts'
import type { Fact, Facts, NewFact } from './fact.ts'
import type { ConceptChoice } from './fact-draft.ts'
import type { Plain } from './fact-plain.ts'
import { isSameFact } from './fact-similar.ts'

interface Links {
  concept: ConceptChoice
  supersedes: string | null
  resolves: string | null
  /** Sentences for the model, without a full stop. */
  problems: string[]
}

interface Known {
  readonly facts: Facts
  readonly concepts: Concepts
  readonly conceptSimilarity: number
}

export function linksOf(known: Known, draft: Plain, fact: NewFact): Links {
  const problems: string[] = []
  const concept = conceptOf(known, draft, problems)
  return { concept, ...linkedFacts(known.facts, draft, fact, problems), problems }
}

function conceptOf({ concepts, conceptSimilarity }: Known, draft: Plain, problems: string[]): ConceptChoice {
  const { conceptId: id, conceptName: name } = draft
  const found = findConcept(
    concepts,
    { ...(id === null ? {} : { id }), ...(name === null ? {} : { name }) },
    conceptSimilarity,
  )
  switch (found.is) {
    case 'known':
      return { is: 'known', id: found.id }
    case 'new':
      return { is: 'new', name: found.name }
    case 'similar':
      problems.push(
        `the concept "${name}" is ${found.id} "${found.name}": use conceptId ${found.id}, or a name that tells them apart`,
      )
      return { is: 'known', id: found.id }
    case 'unknown': {
      const closest = found.closest.map((one) => `${one.id} "${one.name}"`).join(', ')
      problems.push(
        `there is no concept ${id}; ${closest === '' ? 'name a new one with conceptName' : `the closest are ${closest}`}`,
      )
      return { is: 'none' }
    }
    case 'none':
      problems.push('name its concept: conceptId of a known one, or conceptName for a new one')
      return { is: 'none' }
  }
}

function linkedFacts(
  facts: Facts,
  draft: Plain,
  fact: NewFact,
  problems: string[],
): Pick<Links, 'supersedes' | 'resolves'> {
  const old = draft.supersedes === null ? undefined : byId(facts.decisions, draft.supersedes)
  const issue = draft.resolves === null ? undefined : byId(facts.issues, draft.resolves)
  const wrongOld = draft.supersedes === null ? null : whyNotReplaced(draft.supersedes, old, fact)
  const wrongIssue = draft.resolves === null ? null : whyNotResolved(draft.resolves, issue)
  for (const one of [wrongOld, wrongIssue]) if (one !== null) problems.push(one)
  return {
    supersedes: wrongOld === null ? (old?.id ?? null) : null,
    resolves: wrongIssue === null ? (issue?.id ?? null) : null,
  }
}

function whyNotReplaced(id: string, old: Fact | undefined, fact: NewFact): string | null {
  if (fact.type !== 'decision') return 'only a decision supersedes another one'
  if (old === undefined) return `supersedes names ${id}, and there is no such decision`
  if (old.state === 'superseded' || old.state === 'rejected')
    return `${old.id} is ${old.state} already; leave supersedes out`
  return isSameFact(old.text, fact.text) ? `${old.id} says the same; leave supersedes out` : null
}

function whyNotResolved(id: string, issue: Fact | undefined): string | null {
  if (issue === undefined) return `resolves names ${id}, and there is no such issue`
  const isOpen = issue.status === 'open' && (issue.state === 'fresh' || issue.state === 'stale')
  return isOpen ? null : `${issue.id} is not open any more; leave resolves out`
}

function byId(facts: readonly Fact[], id: string): Fact | undefined {
  return facts.find((one) => one.id === id.toLowerCase())
}
