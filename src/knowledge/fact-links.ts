/** What a draft belongs to: its concept, the decision it replaces, the issue it solves. A wrong link costs the link, not the fact. */

import { type Concepts, findConcept } from './concept.ts'
import type { Fact, Facts, NewFact } from './fact.ts'
import type { ConceptChoice, Plain } from './fact-draft.ts'
import { isLive } from './fact-list.ts'
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
  const old = draft.supersedes === null ? undefined : byId(known.facts.decisions, draft.supersedes)
  const wrongOld = draft.supersedes === null ? null : whyNotReplaced(draft.supersedes, old, fact)
  const issue = draft.resolves === null ? undefined : byId(known.facts.issues, draft.resolves)
  const wrongIssue = draft.resolves === null ? null : whyNotResolved(draft.resolves, issue)
  for (const one of [wrongOld, wrongIssue]) if (one !== null) problems.push(one)
  return {
    concept,
    supersedes: wrongOld === null ? (old?.id ?? null) : null,
    resolves: wrongIssue === null ? (issue?.id ?? null) : null,
    problems,
  }
}

function conceptOf({ concepts, conceptSimilarity }: Known, draft: Plain, problems: string[]): ConceptChoice {
  const { conceptId: id, conceptName: name } = draft
  const asked = { ...(id === null ? {} : { id }), ...(name === null ? {} : { name }) }
  const found = findConcept(concepts, asked, conceptSimilarity)
  switch (found.is) {
    case 'known':
    case 'similar':
      return { is: 'known', id: found.id }
    case 'new':
      return { is: 'new', name: found.name }
    case 'unknown': {
      const closest = found.closest.map((one) => `${one.id} "${one.name}"`).join(', ')
      const next = closest === '' ? 'name a new one with conceptName' : `the closest are ${closest}`
      problems.push(`there is no concept ${id}; ${next}`)
      return { is: 'none' }
    }
    case 'none':
      return { is: 'none' }
  }
}

function whyNotReplaced(id: string, old: Fact | undefined, fact: NewFact): string | null {
  if (fact.type !== 'decision') return 'only a decision supersedes another one'
  if (old === undefined) return `supersedes names ${id}, and there is no such decision`
  if (!isLive(old)) return `${old.id} is ${old.state} already; leave supersedes out`
  return isSameFact(old.text, fact.text) ? `${old.id} says the same; leave supersedes out` : null
}

function whyNotResolved(id: string, issue: Fact | undefined): string | null {
  if (issue === undefined) return `resolves names ${id}, and there is no such issue`
  return isOpenIssue(issue) ? null : `${issue.id} is not open any more; leave resolves out`
}

export function isOpenIssue(fact: Fact): boolean {
  return fact.type === 'issue' && fact.status === 'open' && isLive(fact)
}

function byId(facts: readonly Fact[], id: string): Fact | undefined {
  return facts.find((one) => one.id === id.toLowerCase())
}

/** Marks by which a program tells who speaks. No statement needs them. */
const ROLE_MARK =
  /<\/?\s*(?:system|assistant|user|human|developer|admin|instructions?|important|prompt|context|memory|rules?|tool_?(?:use|result|call)s?|function_?(?:calls?|results?)|invoke|antml|task|command|local-command|im_(?:start|end))\b[^<>]{0,200}>|<\|[^|>]{1,40}\|>|\[\/?(?:inst|system|sys)\]|<<\/?sys>>|^\W{0,4}(?:system|assistant|human|user|developer)(?: prompt| message)?\s*:|\n\s*(?:human|assistant|system)\s*:/
/** Why a text may not be told to a later session; null: it may. */
export function whyAddressed(text: string): string | null {
  return ROLE_MARK.test(plainly(text))
    ? 'it holds a mark by which programs tell who speaks (a tag, "System:"); name such a thing without its brackets'
    : null
}

/** Look-alikes of letters, invisible signs and typographic apostrophes do not hide anything. */
function plainly(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu, '')
    .replace(/[’ʼ‘]/g, "'")
    .toLowerCase()
}
