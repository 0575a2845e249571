/** What a draft belongs to: its concept, the decision it replaces, the issue it solves. A wrong link costs the link, not the fact. */

import { contradicts, SAME_SUBJECT } from '../outgoing/fact-contradict.ts'
import { maySolve } from '../outgoing/fact-overrule.ts'
import { termsIn } from '../outgoing/fact-terms.ts'
import type { Concepts } from './concept.ts'
import { findConcept } from './concept-assign.ts'
import type { Fact, Facts, NewFact } from './fact.ts'
import type { ConceptChoice } from './fact-draft.ts'
import { isLive } from './fact-list.ts'
import type { Plain } from './fact-plain.ts'
import { closeness, isSameFact, similarity } from './fact-similar.ts'

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
  const placed = { ...fact, concept: concept.is === 'known' ? concept.id : null }
  return { concept, ...linkedFacts(known.facts, draft, placed, problems), problems }
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
  const wrongIssue = draft.resolves === null ? null : whyNotResolved(draft.resolves, issue, draft, fact)
  for (const one of [wrongOld, wrongIssue]) if (one !== null) problems.push(one)
  return {
    supersedes: wrongOld === null ? (old?.id ?? null) : null,
    resolves: wrongIssue === null ? (issue?.id ?? null) : null,
  }
}

function whyNotReplaced(id: string, old: Fact | undefined, fact: NewFact): string | null {
  if (fact.type !== 'decision') return 'only a decision supersedes another one'
  if (old === undefined) return `supersedes names ${id}, and there is no such decision`
  if (!isLive(old)) return `${old.id} is ${old.state} already; leave supersedes out`
  if (isSameFact(old.text, fact.text)) return `${old.id} says the same; leave supersedes out`
  return contradicts(old.text, fact.text) || isRelated(old, fact, [fact.text])
    ? null
    : `${old.id} is about something else ("${shortened(old.text)}"); leave supersedes out`
}

function whyNotResolved(id: string, issue: Fact | undefined, draft: Plain, fact: NewFact): string | null {
  if (issue === undefined) return `resolves names ${id}, and there is no such issue`
  if (issue.status !== 'open' || !isLive(issue)) return `${issue.id} is not open any more; leave resolves out`
  if (!maySolve(issue, fact))
    return `only a tool, a file or a pasted text says that ${issue.id} is solved, and the user opened it; quote the user or Claude`
  const told = [fact.text, `${fact.text} ${draft.resolution ?? ''}`, fact.evidence.quote]
  return isRelated(issue, fact, told)
    ? null
    : `${issue.id} is about something else ("${shortened(issue.text)}"); leave resolves out`
}

/** Much alike in words; or in one concept, with a word in common. Two concepts are two subjects. */
function isRelated(known: Fact, fact: NewFact, told: readonly string[]): boolean {
  if (known.concept !== null && fact.concept !== null && known.concept !== fact.concept) return false
  const isClose = (text: string): boolean =>
    closeness(known.text, text) > 0 || similarity(known.text, text) >= SAME_SUBJECT
  if (told.some(isClose)) return true
  const words = new Set(told.flatMap((text) => [...termsIn(text).core]))
  return (
    known.concept !== null && known.concept === fact.concept && termsIn(known.text).core.some((one) => words.has(one))
  )
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function byId(facts: readonly Fact[], id: string): Fact | undefined {
  return facts.find((one) => one.id === id.toLowerCase())
}
