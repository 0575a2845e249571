/**
 * Facts from structure alone: decisions from answered questions and approved plans; open issues from unfinished tasks,
 * from a last command that failed, and from dead ends: commands that never passed, and refusals with a
 * comment. The same structure closes them later.
 */

import { isTaskOpen, type Task, tasksIn } from '../../kernel/sessions/delta.ts'
import { shorten } from '../../kernel/text/shorten.ts'
import { beginsTurn, type Numbered } from '../../kernel/transcript/session.ts'
import { speakerOf } from '../knowledge/evidence.ts'
import { addFacts } from '../knowledge/fact-add.ts'
import { type Fact, isLegacy, type NewFact, type Speaker } from '../knowledge/item.ts'
import { allFacts, byKind, type Items, replaceItem } from '../knowledge/items.ts'
import {
  code,
  everPassed,
  type FailedCommand,
  failuresIn,
  isDeadEnd,
  lastFailure,
  passedIn,
} from './structure-commands.ts'
import { type Dialog, dialogsIn } from './structure-dialogs.ts'
import { onOneLine } from './structure-text.ts'
import { turnsOf } from './structure-turns.ts'

const TEXT_CHARS = 300
const REFUSED = 'Refused: '
/** The beginning of the text of a decision by structure. */
export const PLAN_APPROVED = 'Plan approved: '

/**
 * The facts with those that structure finds in one session; `entries` are all its entries so far. At most `max` per
 * session: open issues first, then the newest. Open issues that are settled now are resolved. `hasPassed`: whether a command
 * passed in an earlier session.
 */
export function withStructure(
  facts: Items,
  session: string,
  entries: readonly Numbered[],
  max: number,
  hasPassed: (cmd: string) => boolean = () => false,
): Items {
  const open = issuesIn(session, entries)
  const counted = open.reduce(countAgain, closeSettled(facts, session, entries))
  const own = allFacts(counted).filter((fact) => fact.session === session && fact.by === 'extractive')
  const isKnown = (fact: NewFact): boolean =>
    own.some(({ evidence }) => evidence.entry === fact.evidence.entry && evidence.quote === fact.evidence.quote) ||
    byKind(counted).issues.some((one) => isSameIssue(one, fact)) ||
    (isFailure(fact) && hasPassed(fact.evidence.quote))
  const fresh = [...open, ...decisionsIn(session, entries).reverse()].filter((fact) => !isKnown(fact))
  return addFacts(counted, fresh.slice(0, Math.max(0, max - own.length)))
}

/** An open issue that occurs again in a session stays one issue, with one more place. */
function countAgain(facts: Items, again: NewFact): Items {
  const known = byKind(facts).issues.find((one) => isSameIssue(one, again))
  const place = `${again.session}#${again.evidence.entry}`
  if (known === undefined || place === `${known.session}#${known.evidence.entry}` || known.also?.includes(place))
    return facts
  return replaceItem(facts, known, { ...known, also: [...(known.also ?? []), place], lastAt: again.at })
}

/** The same task or refusal; the same command, whatever its output; or a command of the same program that failed with the same reason. */
function isSameIssue(known: Fact, fact: NewFact): boolean {
  if (known.by !== 'extractive' || known.status !== 'open' || known.state !== 'fresh') return false
  const [quote, other] = [known.evidence.quote, fact.evidence.quote]
  if (!isFailure(known) || !isFailure(fact)) return quote === other && known.text === fact.text
  return quote === other || (quote.split(' ')[0] === other.split(' ')[0] && reasonIn(known) === reasonIn(fact))
}

/** Without a reason: a value that differs in every session. */
function reasonIn({ text, session }: Pick<Fact, 'text' | 'session'>): string {
  return /` fails: (.+)$/.exec(text)?.[1] ?? session
}

function isFailure({ text }: Pick<Fact, 'text'>): boolean {
  return text.startsWith('`')
}

function decisionsIn(session: string, entries: readonly Numbered[]): NewFact[] {
  return dialogsIn(turnsOf(entries)).flatMap((dialog) => {
    const said = decisionOf(dialog)
    if (said === null) return []
    const { text, quote, n } = said
    return [{ ...plainFact(session, entries, text, quote, n), kind: 'decision' as const, status: null }]
  })
}

function decisionOf(dialog: Dialog): { text: string; quote: string; n: number } | null {
  if (dialog.is === 'answer') return { text: `${dialog.question} → ${dialog.answer}`, quote: dialog.quote, n: dialog.n }
  return dialog.is === 'plan' && dialog.state === 'approved' && dialog.heading !== ''
    ? { text: PLAN_APPROVED + dialog.heading, quote: dialog.heading, n: dialog.n }
    : null
}

/** The beginning of the issue's text for a refused tool use. */
function refusedUse(tool: string, target: string): string {
  return `${REFUSED}${tool} ${shorten(onOneLine(target), 80)} – `
}

function issuesIn(session: string, entries: readonly Numbered[]): NewFact[] {
  const issue = (text: string, quote: string, n: number): NewFact => ({
    ...plainFact(session, entries, text, quote, n),
    kind: 'issue',
    status: 'open',
  })
  const tasks = tasksIn(entries).filter(isTaskOpen)
  const refused = dialogsIn(turnsOf(entries)).flatMap((dialog) =>
    dialog.is === 'refusal' && dialog.comment !== '' && !isDoneLater(entries, dialog.n, dialog) ? [dialog] : [],
  )
  return [
    ...tasks.map(({ text, n }) => issue(onOneLine(text), onOneLine(text), n)),
    ...stillFailing(entries).map((failed) => issue(failureText(failed), failed.cmd, failed.n)),
    ...refused.map(({ tool, target, comment, at }) => issue(refusedUse(tool, target) + comment, comment, at)),
  ]
}

/** A refused tool use that was done afterwards was only postponed. */
function isDoneLater(entries: readonly Numbered[], n: number, refused: { tool: string; target: string }): boolean {
  return (
    doneUse(
      entries.filter((one) => one.n > n),
      (use) => use === refusedUse(refused.tool, refused.target),
    ) !== null
  )
}

function doneUse(entries: readonly Numbered[], isIt: (use: string) => boolean): Settled | null {
  const done = entries.find(
    ({ entry }) => entry.role === 'tool' && entry.ok === true && isIt(refusedUse(entry.name, entry.cmd)),
  )
  return done === undefined ? null : { how: 'done later', n: done.n }
}

/** Dead ends, and the very last command if it failed. */
function stillFailing(entries: readonly Numbered[]): FailedCommand[] {
  const last = lastFailure(entries)
  return failuresIn(entries).filter(
    (one) => !everPassed(entries, one.cmd) && (one.n === last?.n || isDeadEnd(entries, one)),
  )
}

function failureText({ cmd, line }: FailedCommand): string {
  return `${code(cmd.replace(/ 2>&1$/, ''))} fails${line === '' ? '' : `: ${line}`}`
}

function plainFact(
  session: string,
  entries: readonly Numbered[],
  text: string,
  quote: string,
  n: number,
): Omit<NewFact, 'kind' | 'status'> {
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
    by: 'extractive',
  }
}

/** Whether a program sent the prompt of this turn: then no person could approve anything. */
function isSentAt(entries: readonly Numbered[], n: number): 'sent' | 'typed' {
  const prompt = entries.findLast((one) => one.n <= n && one.entry.role === 'user' && beginsTurn(one.entry))
  return prompt?.entry.role === 'user' && prompt.entry.sent === true ? 'sent' : 'typed'
}

/** A person chose the answer or approved the plan, whatever the words are. */
function whoseWord(entry: Numbered['entry'], quote: string, how: 'sent' | 'typed'): Speaker {
  const isDialog =
    (entry.role === 'user' && entry.via === 'AskUserQuestion' && entry.by === 'user' && entry.sent !== true) ||
    (entry.role === 'tool' && entry.name === 'ExitPlanMode' && entry.ok === true && how === 'typed')
  return isDialog ? 'user' : speakerOf(entry, quote)
}

/** Closes open issues by structure that this session settles: its task is done or off the list, its command passes. */
function closeSettled(facts: Items, session: string, entries: readonly Numbered[]): Items {
  const tasks = tasksIn(entries)
  let after = facts
  for (const issue of byKind(facts).issues) {
    // Issues that were derived from wording are not tasks.
    const isOurs = issue.by === 'extractive' && !isLegacy(issue)
    if (!isOurs || issue.status !== 'open' || issue.state !== 'fresh') continue
    const later = issue.session === session ? entries.filter(({ n }) => n > issue.evidence.entry) : entries
    const settled = isFailure(issue)
      ? passedAs(later, issue)
      : issue.text.startsWith(REFUSED)
        ? doneUse(later, (use) => issue.text.startsWith(use))
        : doneAs(tasks, issue, session)
    if (settled === null) continue
    const entry = entries.find(({ n }) => n === settled.n)?.entry
    const at = entry !== undefined && 'ts' in entry ? entry.ts : issue.at
    const closedBy = { session, entry: settled.n, at }
    after = replaceItem(after, issue, { ...issue, status: 'resolved', resolution: settled.how, closedBy })
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
