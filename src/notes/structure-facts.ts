/**
 * Facts from structure alone: decisions from answered questions, approved plans and refusals with a comment; open issues
 * from tasks that were left undone and from commands that never passed. The same structure closes them later.
 */
import { speakerOf } from '../knowledge/evidence.ts'
import { allFacts, type Fact, type Facts, isLegacy, type NewFact, type Speaker } from '../knowledge/fact.ts'
import { addFacts } from '../knowledge/fact-add.ts'
import { replaceFact } from '../knowledge/fact-list.ts'
import type { Numbered } from '../sessions/numbered.ts'
import { isTaskOpen, type Task, tasksIn } from '../sessions/tasks.ts'
import { shorten } from '../text/shorten.ts'
import { code, type FailedCommand, failuresIn, isTakenUpLater, lastFailure, passedIn } from './structure-commands.ts'
import { type Dialog, dialogsIn } from './structure-dialogs.ts'
import { onOneLine } from './structure-text.ts'
import { turnsOf } from './structure-turns.ts'

const TEXT_CHARS = 300
/** A command that failed so often and never passed is a dead end; one failure may have been a try. */
const DEAD_END = 2
const FAILS = ' fails'

/**
 * The facts with what structure finds in one session: `entries` are all of it, as far as it goes. At most `max` of one
 * session, what is open first, then the newest. What was open and is settled now is resolved.
 */
export function withStructure(facts: Facts, session: string, entries: readonly Numbered[], max: number): Facts {
  const closed = closeSettled(facts, session, entries)
  const open = issuesIn(session, entries)
  const decided = decisionsIn(session, entries)
  const own = allFacts(closed).filter((fact) => fact.session === session && fact.author === 'extractive')
  const isKnown = (fact: NewFact): boolean =>
    own.some(({ evidence }) => evidence.entry === fact.evidence.entry && evidence.quote === fact.evidence.quote) ||
    closed.issues.some((one) => isSameIssue(one, fact))
  const fresh = [...open, ...decided.reverse()].filter((fact) => !isKnown(fact))
  return addFacts(closed, fresh.slice(0, Math.max(0, max - own.length)))
}

function isSameIssue({ evidence, status, author, state }: Fact, fact: NewFact): boolean {
  return author === 'extractive' && status === 'open' && state === 'fresh' && evidence.quote === fact.evidence.quote
}

function decisionsIn(session: string, entries: readonly Numbered[]): NewFact[] {
  return dialogsIn(turnsOf(entries)).flatMap((dialog) => {
    const said = decisionOf(dialog)
    if (said === null) return []
    const { text, quote, n } = said
    return [{ ...plainFact(session, entries, text, quote, n), type: 'decision' as const, status: null }]
  })
}

function decisionOf(dialog: Dialog): { text: string; quote: string; n: number } | null {
  if (dialog.is === 'answer') return { text: `${dialog.question} → ${dialog.answer}`, quote: dialog.quote, n: dialog.n }
  if (dialog.is === 'plan')
    return dialog.state === 'approved' && dialog.heading !== ''
      ? { text: `Plan approved: ${dialog.heading}`, quote: dialog.heading, n: dialog.n }
      : null
  if (dialog.comment === '') return null
  const target = `${dialog.tool} ${shorten(dialog.target, 80)}`
  return { text: `Refused: ${target} – ${dialog.comment}`, quote: dialog.comment, n: dialog.at }
}

function issuesIn(session: string, entries: readonly Numbered[]): NewFact[] {
  const issue = (text: string, quote: string, n: number): NewFact => ({
    ...plainFact(session, entries, text, quote, n),
    type: 'issue',
    status: 'open',
  })
  const tasks = tasksIn(entries).filter(isTaskOpen)
  return [
    ...tasks.map(({ text, n }) => issue(onOneLine(text), onOneLine(text), n)),
    ...stillFailing(entries).map((failed) => issue(failureText(failed), failed.cmd, failed.n)),
  ]
}

/** Dead ends, and the last command of all if it failed. */
function stillFailing(entries: readonly Numbered[]): FailedCommand[] {
  const last = lastFailure(entries)
  return failuresIn(entries).filter(
    (one) => one.passed === null && (one.n === last?.n || (one.times >= DEAD_END && !isTakenUpLater(entries, one))),
  )
}

function failureText({ cmd, line }: FailedCommand): string {
  return `${code(cmd)}${FAILS}${line === '' ? '' : `: ${line}`}`
}

function plainFact(
  session: string,
  entries: readonly Numbered[],
  text: string,
  quote: string,
  n: number,
): Omit<NewFact, 'type' | 'status'> {
  const entry = entries.find((one) => one.n === n)?.entry
  return {
    text: shorten(onOneLine(text), TEXT_CHARS),
    reason: null,
    resolution: null,
    at: entry !== undefined && 'ts' in entry ? entry.ts : '',
    session,
    evidence: { entry: n, quote, by: entry === undefined ? 'tool' : whoseWord(entry, quote, isSentAt(entries, n)) },
    files: [],
    concept: null,
    state: 'fresh',
    author: 'extractive',
  }
}

/** Whether a program sent the prompt of this turn: then nobody sat there to approve anything. */
function isSentAt(entries: readonly Numbered[], n: number): 'sent' | 'typed' {
  const prompt = entries.findLast((one) => one.n <= n && one.entry.role === 'user' && one.entry.via === undefined)
  return prompt?.entry.role === 'user' && prompt.entry.sent === true ? 'sent' : 'typed'
}

/** A person chose the answer and approved the plan, whatever their words are in. */
function whoseWord(entry: Numbered['entry'], quote: string, how: 'sent' | 'typed'): Speaker {
  const isDialog =
    (entry.role === 'user' && entry.via === 'AskUserQuestion' && entry.by === 'user' && entry.sent !== true) ||
    (entry.role === 'tool' && entry.name === 'ExitPlanMode' && entry.ok === true && how === 'typed')
  return isDialog ? 'user' : speakerOf(entry, quote)
}

/** Open issues by structure that this session settles: its task is done or off the list, its command passes. */
function closeSettled(facts: Facts, session: string, entries: readonly Numbered[]): Facts {
  const tasks = tasksIn(entries)
  let after = facts
  for (const issue of facts.issues) {
    // What phrases made in 0.5 is no task.
    const isOurs = issue.author === 'extractive' && !isLegacy(issue)
    if (!isOurs || issue.status !== 'open' || issue.state !== 'fresh') continue
    const later = issue.session === session ? entries.filter(({ n }) => n > issue.evidence.entry) : entries
    const settled = issue.text.startsWith('`') ? passedAs(later, issue) : doneAs(tasks, issue, session)
    if (settled === null) continue
    const entry = entries.find(({ n }) => n === settled.n)?.entry
    const at = entry !== undefined && 'ts' in entry ? entry.ts : issue.at
    const closedBy = { session, entry: settled.n, at }
    after = replaceFact(after, issue, { ...issue, status: 'resolved', resolution: settled.how, closedBy })
  }
  return after
}

interface Settled {
  how: string
  n: number
}

function passedAs(entries: readonly Numbered[], { evidence }: Fact): Settled | null {
  const passed = passedIn(entries, evidence.quote)
  return passed === null ? null : { how: `passed: ${code(passed.cmd)}`, n: passed.n }
}

function doneAs(tasks: readonly Task[], issue: Fact, session: string): Settled | null {
  const task = tasks.find(({ text }) => onOneLine(text) === issue.evidence.quote)
  if (task !== undefined) return isTaskOpen(task) ? null : { how: 'marked as done', n: task.n }
  const last = tasks.at(-1)
  return issue.session === session && last !== undefined ? { how: 'taken off the list', n: last.n } : null
}
