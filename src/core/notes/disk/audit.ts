/** The audit of models' texts: one call judges what is unaudited, and the verdicts confirm, shorten or delete it. */

import path from 'node:path'
import { type Store, stateEffect } from '../../../kernel/memory/disk/store.ts'
import { isToldNote, madeByCode, type Note, notesIn } from '../../../kernel/memory/note.ts'
import { withStands } from '../../../kernel/memory/session-state.ts'
import { sessionIn, withSessions } from '../../../kernel/memory/state.ts'
import { readOwnText } from '../../../kernel/platform/disk/files.ts'
import { splitSentences } from '../../../kernel/text/sentences.ts'
import type { Numbered } from '../../../kernel/transcript/session.ts'
import {
  type AuditClaim,
  auditLines,
  auditRequest,
  parseVerdicts,
  restsOn,
  type Verdict,
} from '../../grounding/audit.ts'
import { settleFacts } from '../../knowledge/disk/facts.ts'
import { readFacts } from '../../knowledge/disk/knowledge.ts'
import { proposeInstructions, sessionsSaidIn } from '../../knowledge/disk/reflection.ts'
import { namesUser } from '../../knowledge/evidence.ts'
import { type FactQuestion, questionsIn } from '../../knowledge/fact-audit.ts'
import type { Extracted, ShownSentence } from '../../knowledge/headless-facts.ts'
import { type CallSurroundings, callModel, locked } from '../../model/disk/model-call.ts'
import { editNoteIn, noteText, removeNoteFrom, whyNotANote } from '../note-check.ts'
import { type ArchiveSummary, formatSummary, standInSummary } from '../summary.ts'
import { claimsByCommand } from './audit-own.ts'
import { readArchive, readSummary } from './memory.ts'
import { type ListedNote, listNotes } from './note-list.ts'

/** The parts of an answer about one piece that are not saved yet: the entries of its sentences, and what is saved only if it is confirmed. */
export interface FreshPiece extends Pick<Extracted, 'stands' | 'rules'> {
  /** The delta's id. */
  id: string
  /** The session's id in the state. */
  session: string
  range: { session: string; from: number; to: number }
  sentences: readonly ShownSentence[]
}

type On =
  | { is: 'sentence'; note: ListedNote; sentence: string }
  | { is: 'fact'; question: FactQuestion }
  | { is: 'stands' }
  | { is: 'rule'; rule: Extracted['rules'][number] }

interface Question {
  on: On
  claim: AuditClaim
}

/** Whether facts or notes wait for an audit. */
export function isAuditOwed(store: Store): boolean {
  return questionsFor(store, null).length > 0
}

/** One call about this piece and, if there is room, about unaudited items of earlier ones. False: the call failed. */
export async function auditAll(
  store: Store,
  around: CallSurroundings,
  fresh: FreshPiece | null,
  of: { isHistory?: boolean } = {},
): Promise<boolean> {
  const questions = questionsFor(store, fresh)
  const audit = around.isLate() ? null : auditRequest(questions.map(({ claim }) => claim))
  const answer = audit === null ? null : await callModel(store, 'audit', audit.request, around, of)
  const isJudged = audit !== null && answer !== null && answer !== 'capped' && answer.ok
  const verdicts = isJudged ? parseVerdicts(audit.asked, answer.structured, answer.text) : new Map<number, Verdict>()
  locked(store, () => settle(store, questions, verdicts, fresh, around.now()))
  return verdicts.size > 0 || audit === null
}

/** This piece first, then the facts of its session, then unaudited items of earlier ones. */
function questionsFor(store: Store, fresh: FreshPiece | null): Question[] {
  const sources = sourcesIn(store)
  const notes = unauditedNotes(store)
  const own = fresh === null ? undefined : notes.find(({ id }) => id === `n-${fresh.id}`)
  const factQuestions = (isFresh: boolean): Question[] =>
    questionsIn(readFacts(store))
      .filter(({ session }) => (session === fresh?.range.session) === isFresh)
      .map((question) => ({ on: { is: 'fact', question }, claim: { ...question, source: sources(question.session) } }))
  return [
    ...(fresh === null ? [] : freshQuestions(fresh, own, sources)),
    ...factQuestions(true),
    ...notes.filter((note) => note !== own).flatMap((note) => noteQuestions(note, [], sources)),
    ...factQuestions(false),
    ...claimsByCommand(store),
    // Without its entries a claim cannot be judged.
  ].filter(({ claim }) => claim.source.lines.length > 0)
}

type Sources = (id8: string) => AuditClaim['source']

/** Claims of one session share their entries. */
function sourcesIn(store: Store): Sources {
  const entriesOf = sessionsSaidIn(store)
  const made = new Map<string, AuditClaim['source']>()
  return (id8) => {
    const source = made.get(id8) ?? { key: id8, lines: auditLines(numbered(entriesOf(id8))) }
    made.set(id8, source)
    return source
  }
}

function numbered(entries: readonly Numbered['entry'][]): Numbered[] {
  return entries.map((entry, n) => ({ n, entry }))
}

function freshQuestions(fresh: FreshPiece, note: ListedNote | undefined, sources: Sources): Question[] {
  const { stands, rules, range, sentences } = fresh
  const source = sources(range.session)
  // What came after the piece says nothing about its end.
  const upToEnd = { key: source.key, lines: source.lines.filter(({ n }) => n < range.to) }
  const ends = upToEnd.lines.map(({ n }) => n).slice(-3)
  const questions: Question[] = note === undefined ? [] : noteQuestions(note, sentences, sources)
  if (stands !== null) {
    const at = [...ends.slice(-1), ...citedIn(stands), ...ends]
    const text = `At the end of this piece: ${stands.text}`
    questions.unshift({ on: { is: 'stands' }, claim: { text, quote: '', source: upToEnd, at } })
  }
  for (const rule of rules) {
    const { quote } = rule
    const at = source.lines.filter((line) => quote !== '' && line.text.includes(quote)).map(({ n }) => n)
    const text = `The user wants, beyond this session: ${rule.text}`
    questions.push({ on: { is: 'rule', rule }, claim: { text, quote, source, at: at.slice(0, 1) } })
  }
  return questions
}

/** The entry of the user first: without it nothing is said about the user. */
function citedIn({ user, entry }: ShownSentence): number[] {
  return [user, entry].flatMap((n) => n ?? [])
}

/** `known`: the sentences with their entries, if the model named them. */
function noteQuestions(note: ListedNote, known: readonly ShownSentence[], sources: Sources): Question[] {
  const all = sources(note.session ?? '')
  const own = { key: all.key, lines: all.lines.filter(({ n }) => n >= note.from && n < note.to) }
  const sentences = known.length > 0 ? known : splitSentences(note.text).map((text) => ({ text, entry: null }))
  return sentences.map((one) => {
    const at = citedIn(one)
    return {
      on: { is: 'sentence', note, sentence: one.text },
      claim: { text: one.text, quote: '', source: at.length === 0 ? own : all, at },
    }
  })
}

/** Oldest first, including archives: a note may be moved into one before it is audited. */
function unauditedNotes(store: Store): ListedNote[] {
  return listNotes(store)
    .notes.filter((note) => !isToldNote(note) && note.session !== null)
    .toReversed()
}

/** Applies verdicts to facts, then notes, then the state. Items without a verdict wait for the next audit. */
function settle(
  store: Store,
  questions: readonly Question[],
  verdicts: ReadonlyMap<number, Verdict>,
  fresh: FreshPiece | null,
  now: string,
): void {
  const judged = questions.map(({ on, claim }, i) => ({
    on,
    verdict: on.is === 'sentence' && isAboutUserByOthers(claim) ? ('no' as const) : verdicts.get(i),
  }))
  const facts = judged.flatMap(({ on, verdict }) =>
    on.is === 'fact' && verdict !== undefined ? [{ question: on.question, verdict }] : [],
  )
  settleFacts(store, facts, now)
  const sentences = judged.flatMap(({ on, verdict }) => (on.is === 'sentence' ? [{ ...on, verdict }] : []))
  for (const note of new Set(sentences.map((one) => one.note)))
    settleNote(
      store,
      note,
      sentences.filter((one) => one.note === note),
    )
  if (fresh === null) return
  const rules = judged.flatMap(({ on, verdict }) => (on.is === 'rule' && verdict !== 'no' ? [on.rule] : []))
  // A proposed rule waits for the user's approval, whatever an audit says.
  proposeInstructions(store, fresh.id, rules, now)
  if (fresh.stands !== null && judged.some(({ on, verdict }) => on.is === 'stands' && verdict === 'yes'))
    saveStands(store, fresh, fresh.stands)
}

/** A sentence that names the user, but rests on what somebody else said. */
function isAboutUserByOthers(claim: AuditClaim): boolean {
  return namesUser(claim.text) && !restsOn(claim, ({ text }) => USERS_LINE.test(text))
}

/** As `renderNumbered` begins an entry in which the user speaks; no text can begin one. */
const USERS_LINE = /^#\d+ (?:\[User\]|\[Tool: (?:AskUserQuestion|ExitPlanMode)\] (?!\()|\[Tool: [^\]]*\] \(refused)/

function saveStands(store: Store, { session: id, range }: FreshPiece, { text }: ShownSentence): void {
  const state = store.readState()
  const session = sessionIn(state, id)
  if (session === undefined) return
  const stands = { text, to: range.to, by: 'headless' as const }
  store.perform([stateEffect(withSessions(state, [[id, withStands(session, stands)]]))])
}

/** Only sentences with a yes stay; a note that loses all of them is rewritten by structure, one about no session removed. */
function settleNote(
  store: Store,
  { file, ...note }: ListedNote,
  sentences: readonly { sentence: string; verdict: Verdict | undefined }[],
): void {
  if (sentences.some(({ verdict }) => verdict === undefined)) return
  const memory = readOwnText(path.join(store.dir, file)) ?? ''
  const known = notesIn(memory).find(({ id }) => id === note.id)
  // Somebody changed the note meanwhile.
  if (known === undefined || isToldNote(known) || known.text !== note.text) return
  const text = sentences.flatMap(({ sentence, verdict }) => (verdict === 'yes' ? [sentence] : [])).join(' ')
  const { unaudited: _, ...audited } = { ...note, text }
  const isLost = text === '' || (note.session !== null && whyNotANote(text) !== null)
  const after =
    isLost && note.session === null
      ? removeNoteFrom(memory, note.id)
      : editNoteIn(memory, note.id, isLost ? byStructure(store, audited) : audited, store.config.timezone)?.memory
  if (typeof after === 'string') store.perform([{ do: 'write', path: file, text: after }])
}

function byStructure(store: Store, note: Note): Note {
  const entries = numbered(sessionsSaidIn(store)(note.session ?? ''))
  return madeByCode({ ...note, text: noteText(entries.slice(note.from, note.to)) })
}

export function unauditedSummaries(store: Store): { file: string; path: string; summary: ArchiveSummary }[] {
  return store.readState().rotatedFiles.flatMap(({ file, summary: name, summaryGenerated }) => {
    const summary = summaryGenerated ? readSummary(store, name) : null
    return summary?.unaudited === true ? [{ file, path: name, summary }] : []
  })
}

/** Each statement of an archive's summary is judged by the notes of the archive; one without a yes is deleted. False: the last call failed. */
export async function auditSummaries(store: Store, around: CallSurroundings): Promise<boolean> {
  for (const { file, path: name, summary } of unauditedSummaries(store)) {
    const notes = notesIn(readArchive(store, file) ?? '').filter(isToldNote)
    const source = {
      key: file,
      lines: notes.map(({ at, text }, n) => ({ n, text: `#${n} [Note of ${at.slice(0, 10)}]: ${text}` })),
    }
    const texts = statementsOf(summary)
    const audit = around.isLate() ? null : auditRequest(texts.map((text) => ({ text, quote: '', source, at: [] })))
    if (audit === null) return true
    const answer = await callModel(store, 'audit', audit.request, around)
    if (answer === 'capped' || !answer.ok) return false
    const verdicts = parseVerdicts(audit.asked, answer.structured, answer.text)
    const isTrue = (text: string): boolean => verdicts.get(texts.indexOf(text)) === 'yes'
    const overall = splitSentences(summary.overallSummary).filter(isTrue).join(' ')
    const { unaudited: _, ...kept } = summary
    const after: ArchiveSummary = {
      ...kept,
      themes: summary.themes.filter((theme) => isTrue(themeText(theme))),
      keyDecisions: summary.keyDecisions.filter((decision) => isTrue(decisionText(decision))),
      issues: summary.issues.filter((issue) => isTrue(issueText(issue))),
      overallSummary:
        overall === '' ? standInSummary(file, summary.generatedAt, notes, readFacts(store)).overallSummary : overall,
    }
    locked(store, () => store.perform([{ do: 'write', path: name, text: formatSummary(after) }]))
  }
  return true
}

function statementsOf({ themes, keyDecisions, issues, overallSummary }: ArchiveSummary): string[] {
  return [
    ...splitSentences(overallSummary),
    ...keyDecisions.map(decisionText),
    ...issues.map(issueText),
    ...themes.map(themeText),
  ]
}

function themeText({ name, summary }: ArchiveSummary['themes'][number]): string {
  return `${name}: ${summary}`
}

function decisionText({ decision, reason }: ArchiveSummary['keyDecisions'][number]): string {
  return reason === '' ? `(decision) ${decision}` : `(decision) ${decision} Reason: ${reason}`
}

function issueText({ issue, status }: ArchiveSummary['issues'][number]): string {
  return `(${status} issue) ${issue}`
}
