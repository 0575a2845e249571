/** Checks what a model extracted: what holds becomes facts with proof, the rest goes back with reasons, and what is missing is asked for. */

import { findUngrounded } from '../grounding/grounding.ts'
import { sourceOf } from '../sessions/delta.ts'
import { textOnOneLine } from '../text/memory-words.ts'
import { tellingWords } from '../text/words.ts'
import { type Numbered, spokenIn } from '../transcript/session.ts'
import type { Concepts } from './concept.ts'
import { uncovered } from './coverage.ts'
import { type FoundQuote, findQuote } from './evidence.ts'
import { allFacts, type Evidence, type Fact, type Facts, type FactType, type NewFact } from './fact.ts'
import type { Checked, Draft, Duplicate, FactRefusal, SoundFact } from './fact-draft.ts'
import { linksOf, whyAddressed } from './fact-links.ts'
import { type Plain, plainDraft } from './fact-plain.ts'
import { isSameFact, sameAs } from './fact-similar.ts'
import { MAX_ROUNDS } from './mining.ts'

export interface CheckInput {
  /** The session's id8. */
  session: string
  /** The piece that the facts are about, without our own calls. */
  entries: readonly Numbered[]
  drafts: readonly Draft[]
  /** Entries in which a model found nothing lasting. */
  nothingIn: readonly number[]
  facts: Facts
  concepts: Concepts
  author: 'agent' | 'headless'
  conceptSimilarity: number
  /** How many more facts this session may have. */
  room: number
}

/** More are no extract any more, and each one takes time. */
const MAX_DRAFTS = 50
const MAX_FILES = 8
const MAX_FILE_CHARS = 300
/** The host's own dialogs: what a person answered there is no tool's word, although it stands in a tool's result. */
const DIALOGS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode'])

/** Drafts come from a model: fields may be of any type. Never throws. */
export function checkDrafts(input: CheckInput): Checked {
  const checked: Checked = { sound: [], refused: [], duplicates: [], questions: [] }
  const text = sourceOf(input.entries)
  const source: Source = { text, words: tellingWords(text) }
  const known = knownFacts(input.facts)
  const pointedAt = new Set(listOf(input.nothingIn).filter((one) => typeof one === 'number'))
  listOf(input.drafts).forEach((draft, i) => {
    if (i >= MAX_DRAFTS) {
      checked.refused.push({
        number: i + 1,
        problem: `Only ${MAX_DRAFTS} facts are looked at; keep those that last longest.`,
      })
      return
    }
    const read = plainDraft(draft)
    const outcome = checkOne(input, source, known, read, i + 1)
    const refusal = outcome.is === 'refused' ? outcome.refusal : takeIn(checked, input, known, outcome)
    if (refusal !== null) {
      checked.refused.push(refusal)
      // Asked about already, by what is wrong with it.
      const found = findQuote(input.entries, read.quote, read.entry)
      if (found !== null && refusal.isMinor !== true) pointedAt.add(found.entry)
    }
  })
  const own = known.all.filter((one) => one.session === input.session && one.state !== 'rejected')
  // No fact and no word about the entries: the answer may have been a note alone.
  const isSilent = listOf(input.drafts).length + listOf(input.nothingIn).length === 0
  const isWrong = checked.refused.some(({ isMinor }) => isMinor !== true)
  const which = isSilent || isWrong ? 'all' : 'without prompts'
  checked.questions = uncovered(input.entries, [...own, ...checked.sound.map(({ fact }) => fact)], pointedAt, which)
  return checked
}

interface Known {
  all: readonly Fact[]
  /** Those that say the same. */
  same(text: string): Fact[]
}

/** Files are read before the lock is taken and again under it: the same facts are looked through once. */
const prepared = new WeakMap<Facts, Known>()

/** By their words, so that a draft is not compared with thousands. */
export function knownFacts(facts: Facts): Known {
  const before = prepared.get(facts)
  if (before !== undefined) return before
  const all = allFacts(facts)
  const find = sameAs(all.map((one) => one.text))
  const known = { all, same: (text: string): Fact[] => find(text).flatMap((at) => all[at] ?? []) }
  prepared.set(facts, known)
  return known
}

/** All that was said and done. */
interface Source {
  text: string
  words: ReadonlySet<number>
}

type Outcome = { is: 'refused'; refusal: FactRefusal } | { is: 'sound'; sound: SoundFact; minor: string[] }

function checkOne(input: CheckInput, source: Source, known: Known, draft: Plain, number: number): Outcome {
  const proof = draft.quote === '' ? null : proofOf(input.entries, draft)
  const problems = [...draft.problems, ...claimsWrong(source, draft), ...numbersWrong(input.entries, draft, proof)]
  if (proof !== null && isOnlyTold(input.entries, draft, proof))
    problems.push('only a file, a tool or a pasted text said this; quote the user or Claude, or leave it out')
  else if (proof === null && draft.quote !== '')
    problems.push(`the quote ${named(draft.quote)} does not occur in the entries; copy two words or more exactly`)
  const rejected = known.same(draft.text).find((one) => one.state === 'rejected')
  if (rejected !== undefined) problems.push(`the user rejected this (${rejected.id}); leave it out`)
  if (problems.length > 0 || proof === null || draft.type === null)
    return { is: 'refused', refusal: { number, problem: sentences(problems) } }
  const fact = factOf(input, source, draft, draft.type, proof)
  const { problems: minor, ...links } = linksOf(input, draft, fact)
  const concept = links.concept.is === 'known' ? links.concept.id : null
  return { is: 'sound', sound: { number, fact: { ...fact, concept }, ...links }, minor }
}

/** Also where the words stand in a tool's text first: somebody may have said them too. */
function proofOf(entries: readonly Numbered[], { quote, entry }: Plain): FoundQuote | null {
  const hinted = findQuote(entries, quote, entry)
  return hinted?.by === 'tool' ? findQuote(entries, quote) : hinted
}

/** Nobody with a say said it. What a failed tool printed may prove an issue. */
function isOnlyTold(entries: readonly Numbered[], { type }: Plain, proof: FoundQuote): boolean {
  if (proof.by !== 'tool' || isAnswer(entries, proof)) return false
  const own = entries.find(({ n }) => n === proof.entry)?.entry
  return !(type === 'issue' && own?.role === 'tool' && own.ok === false)
}

/** What a person answered in a dialog of the host is no tool's word, although it stands in a tool's result. */
function isAnswer(entries: readonly Numbered[], { entry }: FoundQuote): boolean {
  const own = entries.find(({ n }) => n === entry)?.entry
  return own?.role === 'user' && own.via !== undefined && own.sent !== true && DIALOGS.has(own.via)
}

/** What is said that nothing in the entries shows, or that could pass for somebody else's words. */
function claimsWrong(source: Source, draft: Plain): string[] {
  const problems: string[] = []
  const { text, reason, resolution, conceptName } = draft
  const claimed = [text, reason ?? '', resolution ?? ''].join('\n')
  const invented = [...new Set([...findUngrounded(claimed, source.text), ...namesMissing(claimed, source.words)])]
  if (invented.length > 0)
    problems.push(`${invented.map(named).join(', ')} ${invented.length > 1 ? 'do' : 'does'} not occur in the entries`)
  for (const said of [text, reason, resolution, conceptName]) {
    const why = said === null ? null : whyAddressed(said)
    if (why !== null) return [...problems, why]
  }
  return problems
}

/** A word with a capital inside a sentence. */
const NAME = /(?<=[\p{L}\p{N},;:)"'`] )\p{Lu}\p{L}{2,}/gu
/** How a statement names the two who speak. */
const SPEAKERS: ReadonlySet<string> = new Set(['Claude', 'User'])
/** With fewer words in common the statement is in another language than the entries, where every noun may have a capital. */
const SAME_LANGUAGE = 0.3

function namesMissing(text: string, there: ReadonlySet<number>): string[] {
  const words = [...tellingWords(text)]
  if (words.filter((word) => there.has(word)).length < words.length * SAME_LANGUAGE) return []
  const names = [...text.matchAll(NAME)].map(([name]) => name).filter((name) => !SPEAKERS.has(name))
  return names.filter((name) => ![...tellingWords(name)].every((word) => there.has(word)))
}

/** A number in a statement stands near its quote. */
const NEAR = 6

function numbersWrong(entries: readonly Numbered[], { text }: Plain, proof: FoundQuote | null): string[] {
  if (proof === null) return []
  const near = entries.filter(({ n }) => Math.abs(n - proof.entry) <= NEAR).map(({ entry }) => spokenIn(entry))
  const there = new Set(near.join('\n').match(NUMBER))
  const missing = [...new Set(text.match(NUMBER) ?? [])].filter((number) => !there.has(number))
  return missing.length === 0 ? [] : [`${missing.map(named).join(', ')} does not stand near the quote`]
}

const NUMBER = /\d+(?:[.,]\d+)*/g

function factOf(input: CheckInput, source: Source, draft: Plain, type: FactType, found: FoundQuote): NewFact {
  const own = input.entries.find(({ n }) => n === found.entry)?.entry
  const evidence: Evidence = { entry: found.entry, quote: found.quote, by: found.by }
  return {
    type,
    text: draft.text,
    reason: draft.reason,
    status: type === 'issue' ? draft.status : null,
    resolution: type === 'issue' && draft.status === 'resolved' ? draft.resolution : null,
    at: own !== undefined && 'ts' in own ? own.ts : '',
    session: input.session,
    evidence,
    files: filesIn(draft.files, source.text),
    concept: null,
    state: 'fresh',
    author: input.author,
  }
}

/** Files that nobody named say nothing about the fact: they are left out. */
function filesIn(files: readonly string[], source: string): string[] {
  const named = files.map((file) => file.trim().replace(/^`|`$/g, '')).filter((file) => isFileName(file))
  return [...new Set(named)].filter((file) => findUngrounded(`\`${file}\``, source).length === 0).slice(0, MAX_FILES)
}

function isFileName(file: string): boolean {
  return file !== '' && file.length <= MAX_FILE_CHARS && /[./\\]/.test(file) && !/[`\p{C}]/u.test(file)
}

/** Among the others, unless there is no room; what is said already takes none. */
function takeIn(
  checked: Checked,
  input: CheckInput,
  known: Known,
  { sound, minor }: Extract<Outcome, { is: 'sound' }>,
): FactRefusal | null {
  const { number } = sound
  const same = duplicateOf(checked, known, sound)
  const isNew = ({ number: one }: SoundFact): boolean => !checked.duplicates.some((two) => two.number === one)
  if (same === null && checked.sound.filter(isNew).length >= input.room)
    return {
      number,
      problem: `This session may have ${Math.max(0, input.room)} more ${input.room === 1 ? 'fact' : 'facts'}; keep those that last longest.`,
    }
  checked.sound.push(sound)
  if (same !== null) checked.duplicates.push(same)
  return minor.length === 0 ? null : { number, problem: sentences(minor), isMinor: true }
}

function duplicateOf({ sound }: Checked, known: Known, { number, fact }: SoundFact): Duplicate | null {
  const isSame = (other: NewFact): boolean => other.type === fact.type && isSameFact(other.text, fact.text)
  const first = known.same(fact.text).find((one) => isLive(one) && one.type === fact.type)
  if (first !== undefined) return { number, of: first.id, text: first.text }
  const before = sound.find((one) => isSame(one.fact))
  return before === undefined ? null : { number, of: String(before.number), text: before.fact.text }
}

function isLive({ state }: Fact): boolean {
  return state === 'fresh' || state === 'stale'
}

function listOf<T>(value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : []
}

function named(words: string): string {
  return `"${words.length > 80 ? `${words.slice(0, 80)}…` : words}"`
}

function sentences(problems: readonly string[]): string {
  return [...new Set(problems)].map((one) => `${one.charAt(0).toUpperCase()}${one.slice(1)}.`).join(' ')
}

/** Nothing stands in the way of saving. */
export function isClean({ refused, questions }: Checked): boolean {
  return refused.length === 0 && questions.length === 0
}

/** `round`: this was so manieth; after the last one what holds is saved, whatever is missing. */
export function renderReport(checked: Checked, round: number): string[] {
  return [
    ...section(
      'Not kept as they are:',
      checked.refused.map(({ number, problem }) => `fact ${number}: ${textOnOneLine(problem)}`),
    ),
    ...section(
      'Said before; they will be joined with what is known, which is fine:',
      checked.duplicates.map(
        ({ number, of, text }) => `fact ${number} is ${textOnOneLine(of)}: ${textOnOneLine(text)}`,
      ),
    ),
    ...section(
      'No fact covers these entries:',
      checked.questions.map(({ entry, excerpt, ask }) => `#${entry} "${textOnOneLine(excerpt)}" ${textOnOneLine(ask)}`),
    ),
    nextStep(checked, round),
  ]
}

function nextStep(checked: Checked, round: number): string {
  const held = checked.sound.length
  if (isClean(checked))
    return `All ${held} hold and everything that carries weight is covered. Call save_facts with the same facts.`
  if (round >= MAX_ROUNDS) return `That was the last round. Call save_facts with what holds; the rest is left out.`
  return `Round ${round} of ${MAX_ROUNDS}. Correct what is not kept, answer every question with a fact or by putting its number into nothingIn, and send the whole list again.`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `- ${line}`)]
}
