/** What a draft belongs to: its concept, the decision it replaces, the issue it solves. A wrong link costs the link, not the fact. */

import { cutMarked } from '../text/shorten.ts'
import { tellingWords } from '../text/words.ts'
import { type Concepts, findConcept } from './concept.ts'
import type { Fact, Facts, NewFact } from './fact.ts'
import { saidByPerson } from './fact-add.ts'
import type { ConceptChoice } from './fact-draft.ts'
import { isLive } from './fact-list.ts'
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
    case 'similar':
      return { is: 'known', id: found.id }
    case 'new':
      return { is: 'new', name: found.name }
    case 'unknown': {
      const closest = found.closest.map((one) => `${one.id} "${one.name}"`).join(', ')
      problems.push(
        `there is no concept ${id}; ${closest === '' ? 'name a new one with conceptName' : `the closest are ${closest}`}`,
      )
      return { is: 'none' }
    }
    case 'none':
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
  return isRelated(old, fact, [fact.text, fact.evidence.quote])
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

/** What a file, a tool or a web page says closes no issue that a person opened. */
function maySolve(issue: Fact, by: NewFact): boolean {
  return !saidByPerson(issue) || by.author === 'user' || by.evidence.by !== 'tool'
}

/** With a telling word or a file in common. Two concepts are two subjects. */
function isRelated(known: Fact, fact: NewFact, told: readonly string[]): boolean {
  if (known.concept !== null && fact.concept !== null && known.concept !== fact.concept) return false
  if (known.files.some((file) => fact.files.includes(file))) return true
  const words = tellingWords(told.join('\n'))
  return [...tellingWords(known.text)].some((word) => words.has(word))
}

function shortened(text: string): string {
  return cutMarked(text, 81)
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
