/** Checks a model's extracted facts against the entries: quotes, names, numbers and done-claims. Valid ones become facts that wait for their audit. */

import { sourceOf } from '../../kernel/sessions/delta.ts'
import { type Entry, type Numbered, spokenIn, type Tombstone } from '../../kernel/transcript/session.ts'
import { findUngrounded } from '../grounding/grounding.ts'
import { type Concepts, findConcept } from './concept.ts'
import {
  DIALOGS,
  type FoundQuote,
  findQuote,
  isAboutUserByOthers,
  isFromEnvironment,
  sourceOfEntry,
} from './evidence.ts'
import { type Checked, type Draft, type Plain, plainDraft, type SoundFact } from './fact-draft.ts'
import { type Evidence, type Fact, type FactKind, isLive, isSaidAfter, isUnresolved, type NewFact } from './item.ts'
import { allFacts, byKind, type Items, isSameFact, textKey } from './items.ts'
import { uncovered } from './session-facts.ts'

export interface CheckInput {
  /** The session's id8. */
  session: string
  /** The piece of the session, without our own calls. */
  entries: readonly Numbered[]
  drafts: readonly Draft[]
  facts: Items
  concepts: Concepts
  author: 'agent' | 'headless'
  conceptSimilarity: number
}

/** Further drafts are ignored: checking each one takes time, and a longer list is no longer an extract. */
const MAX_DRAFTS = 30
const MAX_FILES = 8
const MAX_FILE_CHARS = 300

/** Drafts come from a model: fields may be of any type. Never throws. */
export function checkDrafts(input: CheckInput): Checked {
  const checked: Checked = { sound: [], refused: [], questions: [] }
  const source = sourceOf(input.entries)
  const all = allFacts(input.facts)
  const rejected = new Map(all.flatMap((one) => (one.state === 'rejected' ? [[textKey(one.text), one.id]] : [])))
  const drafts: readonly unknown[] = Array.isArray(input.drafts) ? input.drafts : []
  drafts.forEach((draft, i) => {
    const number = i + 1
    const done =
      number > MAX_DRAFTS
        ? `Only ${MAX_DRAFTS} facts are looked at; keep those that last longest.`
        : checkOne(input, source, rejected, plainDraft(draft), number)
    if (typeof done === 'string') checked.refused.push({ number, problem: done })
    else {
      checked.sound.push(done.sound)
      if (done.minor.length > 0) checked.refused.push({ number, problem: sentences(done.minor), isMinor: true })
    }
  })
  const own = all.filter((one) => one.session === input.session && one.state !== 'rejected')
  checked.questions = uncovered(input.entries, [...own, ...checked.sound.map(({ fact }) => fact)])
  return checked
}

/** Returns a text if the draft is wrong. `rejected`: ids of rejected facts by their texts. */
function checkOne(
  input: CheckInput,
  source: string,
  rejected: ReadonlyMap<string, string>,
  draft: Plain,
  number: number,
): { sound: SoundFact; minor: string[] } | string {
  const { entries } = input
  const proof = draft.quote === '' ? null : proofOf(entries, draft)
  const more = moreOf(entries, draft)
  const problems = [
    ...draft.problems,
    ...more.problems,
    ...claimsWrong(source, draft),
    ...numbersWrong(entries, draft, proof === null ? [] : [proof.entry, ...more.entries]),
    ...doneWrong(entries, draft),
  ]
  if (proof !== null && isHearsay(entries, draft, proof))
    problems.push('only a file, a tool or a pasted text said this; quote the user or Claude, or leave it out')
  else if (proof !== null && proof.by !== 'user' && isAboutUserByOthers(draft.text, entryAt(entries, proof.entry)))
    problems.push('it names the user: quote an entry in which the user says so, or leave it out')
  else if (proof === null && draft.quote !== '')
    problems.push(`the quote ${named(draft.quote)} does not occur in the entries; copy two words or more exactly`)
  const no = rejected.get(textKey(draft.text))
  if (no !== undefined) problems.push(`the user rejected this (${no}); leave it out`)
  if (problems.length > 0 || proof === null || draft.type === null) return sentences(problems)
  const fact = factOf(input, source, draft, draft.type, proof, more.entries)
  const { minor, concept, supersedes, ...links } = linksOf(input, draft, fact)
  const placed = { ...fact, concept, ...(supersedes.length === 0 ? {} : { replaces: supersedes }) }
  return { sound: { number, fact: placed, ...links }, minor }
}

/** The entries of the quotes for reason and resolution, and of the done-claim. */
function moreOf(entries: readonly Numbered[], draft: Plain): { entries: number[]; problems: string[] } {
  const found: number[] = []
  const problems: string[] = []
  for (const [name, quote] of [
    ['reasonQuote', draft.reasonQuote],
    ['resolutionQuote', draft.resolutionQuote],
  ] as const) {
    const place = quote === '' ? null : findQuote(entries, quote)
    if (place !== null) found.push(place.entry)
    else if (quote !== '') problems.push(`the ${name} ${named(quote)} does not occur in the entries`)
  }
  return { entries: [...new Set([...found, ...(draft.done === undefined ? [] : [draft.done])])], problems }
}

function entryAt(entries: readonly Numbered[], wanted: number): Numbered['entry'] | undefined {
  return entries.find(({ n }) => n === wanted)?.entry
}

/** A done-claim needs a tool use that succeeded, or the user's own words. */
function doneWrong(entries: readonly Numbered[], { done }: Plain): string[] {
  if (done === undefined) return []
  const entry = entryAt(entries, done)
  if (entry !== undefined && showsDone(entry)) return []
  return [
    `entry ${done} does not show that it is done; name a tool use that succeeded or the user's own words, or say what is still open`,
  ]
}

/** A pipe, `|| true` or a background run hides the outcome: then only output counts, and the audit reads it. */
const HIDES_OUTCOME = /\|\|\s*(?:true|:)(?!\w)|(?<!\|)\|(?!\|)|&\s*$/

function showsDone(entry: Entry | Tombstone): boolean {
  if (entry.role === 'user') return entry.by === 'user' && entry.sent !== true && !/[?？]\s*$/.test(entry.text)
  if (!('cmd' in entry) || entry.ok !== true || entry.refused === true || DIALOGS.has(entry.name)) return false
  return entry.name !== 'Bash' || !HIDES_OUTCOME.test(entry.cmd) || (entry.output ?? '') !== ''
}

/** If the words are in a tool's text, looks for another entry in which somebody said them. */
function proofOf(entries: readonly Numbered[], { quote, entry }: Plain): FoundQuote | null {
  const hinted = findQuote(entries, quote, entry)
  return hinted?.by === 'tool' ? findQuote(entries, quote) : hinted
}

/**
 * Neither the user nor Claude said it. The output of a failed tool may prove an issue, the output of a command or a search a pattern: it
 * shows the environment. Text that the user quoted in a prompt counts as a tool's, and the audit, which sees the whole prompt, decides.
 */
function isHearsay(entries: readonly Numbered[], { type }: Plain, proof: FoundQuote): boolean {
  const own = entryAt(entries, proof.entry)
  if (proof.by !== 'tool' || own === undefined) return false
  if (own.role === 'user') return own.sent === true || !(own.by === 'user' || DIALOGS.has(own.via ?? ''))
  if (type === 'pattern') return !isFromEnvironment(own, proof.quote)
  return !(type === 'issue' && own.role === 'tool' && own.ok === false)
}

/** Names and numbers that no entry contains. */
function claimsWrong(source: string, draft: Plain): string[] {
  const problems: string[] = []
  const { text, reason, resolution } = draft
  const claimed = [text, reason ?? '', resolution ?? ''].join('\n')
  const invented = findUngrounded(claimed, source)
  if (invented.length > 0)
    problems.push(`${invented.map(named).join(', ')} ${invented.length > 1 ? 'do' : 'does'} not occur in the entries`)
  return problems
}

/** A number in a statement must be near its quotes. A single digit may be written as a word there. */
const NEAR = 6

function numbersWrong(entries: readonly Numbered[], { text }: Plain, proofs: readonly number[]): string[] {
  if (proofs.length === 0) return []
  const near = entries.filter(({ n }) => proofs.some((proof) => Math.abs(n - proof) <= NEAR))
  const there = new Set(
    near
      .map(({ entry }) => spokenIn(entry))
      .join('\n')
      .match(NUMBER),
  )
  const missing = [...new Set(text.match(NUMBER) ?? [])].filter((number) => number.length > 1 && !there.has(number))
  return missing.length === 0 ? [] : [`${missing.map(named).join(', ')} does not stand near the quote`]
}

const NUMBER = /\d+(?:[.,]\d+)*/g

function factOf(
  input: CheckInput,
  source: string,
  draft: Plain,
  type: FactKind,
  found: FoundQuote,
  others: readonly number[],
): NewFact {
  const own = entryAt(input.entries, found.entry)
  const more = others.filter((n) => n !== found.entry)
  const evidence: Evidence = {
    entry: found.entry,
    quote: found.quote,
    by: found.by,
    ...(found.by === 'tool' ? { from: sourceOfEntry(own) ?? 'a quoted text' } : {}),
    ...(more.length === 0 ? {} : { more }),
  }
  return {
    kind: type,
    text: draft.text,
    reason: draft.reason,
    status: type === 'issue' ? draft.status : null,
    resolution: type === 'issue' && draft.status === 'resolved' ? draft.resolution : null,
    at: own !== undefined && 'ts' in own ? own.ts : '',
    session: input.session,
    evidence,
    files: filesIn(draft.files, source),
    concept: null,
    state: 'fresh',
    by: input.author,
    unaudited: true,
  }
}

/** Leaves out files that no entry names. */
function filesIn(files: readonly string[], source: string): string[] {
  const named = files.map((file) => file.trim().replace(/^`|`$/g, '')).filter((file) => isFileName(file))
  return [...new Set(named)].filter((file) => findUngrounded(`\`${file}\``, source).length === 0).slice(0, MAX_FILES)
}

function isFileName(file: string): boolean {
  return file !== '' && file.length <= MAX_FILE_CHARS && /[./\\]/.test(file) && !/[`\p{C}]/u.test(file)
}

function named(words: string): string {
  return `"${words.length > 80 ? `${words.slice(0, 80)}…` : words}"`
}

function sentences(problems: readonly string[]): string {
  return [...new Set(problems)].map((one) => `${one.charAt(0).toUpperCase()}${one.slice(1)}.`).join(' ')
}

/** The links of a draft. A wrong link drops the link, not the fact: `minor` contains the sentences for the model. */
interface Links extends Pick<SoundFact, 'newConcept' | 'resolves'> {
  concept: string | null
  supersedes: string[]
  minor: string[]
}

function linksOf({ facts, concepts, conceptSimilarity }: CheckInput, draft: Plain, fact: NewFact): Links {
  const minor: string[] = []
  const linked = (
    ids: readonly string[],
    known: readonly Fact[],
    whyNot: (old: Fact | undefined, id: string) => string | null,
  ): string[] => {
    const found = ids.flatMap((id) => {
      const old = known.find((one) => one.id === id.toLowerCase())
      const wrong = whyNot(old, id)
      if (wrong !== null) minor.push(wrong)
      return wrong === null && old !== undefined ? [old.id] : []
    })
    return [...new Set(found)]
  }
  const { conceptId: id, conceptName: name, supersedes, resolves } = draft
  const found = findConcept(
    concepts,
    { ...(id === null ? {} : { id }), ...(name === null ? {} : { name }) },
    conceptSimilarity,
  )
  if (found.is === 'unknown') {
    const closest = found.closest.map((one) => `${one.id} "${one.name}"`).join(', ')
    minor.push(
      `there is no concept ${id}; ${closest === '' ? 'name a new one with conceptName' : `the closest are ${closest}`}`,
    )
  }
  return {
    concept: found.is === 'known' || found.is === 'similar' ? found.id : null,
    newConcept: found.is === 'new' ? found.name : null,
    supersedes: linked(supersedes, byKind(facts).decisions, (old, id) => {
      if (fact.kind !== 'decision') return 'only a decision supersedes another one'
      if (old === undefined) return `supersedes names ${id}, and there is no such decision`
      if (!isLive(old)) return `${old.id} is ${old.state} already; leave supersedes out`
      if (isSaidAfter(old, fact.at)) return `${old.id} was said later; leave supersedes out`
      return isSameFact(old.text, fact.text) ? `${old.id} says the same; leave supersedes out` : null
    }),
    resolves: linked(resolves, byKind(facts).issues, (issue, id) => {
      if (issue === undefined) return `resolves names ${id}, and there is no such issue`
      return isUnresolved(issue) ? null : `${issue.id} is not open any more; leave resolves out`
    }),
    minor,
  }
}
