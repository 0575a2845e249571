/**
 * A session as a story of turns: what was asked, what the user said to it, what came of it, and how it ended. From structure
 * alone. Nothing in it is a state that a later session could change.
 */

import { cut } from '../../kernel/text/shorten.ts'
import { chosenIn } from '../../kernel/transcript/dialog.ts'
import {
  beginsTurn,
  type Entry,
  isBareCommand,
  isOurCall,
  isOurs,
  isPlan,
  type Numbered,
} from '../../kernel/transcript/session.ts'
import { isGitWork } from '../../kernel/transcript/shell.ts'
import { withoutHostText } from '../../kernel/transcript/words.ts'
import { commitsOf, isGitUse, type MadeCommit, pullsOf, type ToolUse } from './story-git.ts'
import { isLook } from './structure-commands.ts'
import { onOneLine } from './structure-text.ts'

/** The user's words about something that Claude wanted to do, or the answer to Claude's question. */
export interface Comment {
  n: number
  kind: 'refused' | 'plan' | 'approved' | 'answer'
  /** What was refused, asked or planned. */
  target: string
  /** Empty: it was refused without a word. */
  text: string
}

export interface StoryTurn {
  /** The entry of its prompt, and its time. */
  n: number
  at: string
  /** The typed words; of a plan that was carried out its heading. Empty: the entries begin inside a turn. */
  asked: string
  /** The approved plan that the host continued with. */
  plan: { heading: string; text: string } | null
  /** Nobody typed it, or nobody knows who did: a program sent it, or it waited in the queue. */
  isOthers: boolean
  comments: Comment[]
  /** The answer that closed the turn; empty: there is none. */
  answer: string
  /** The entry of that answer. */
  answerN: number
  commits: MadeCommit[]
  /** Pull requests that `gh pr create` opened. */
  pulls: string[]
  /** Only git calls that add, commit or push. */
  isGit: boolean
  isInterrupted: boolean
  /** What Claude was about to do or did when the user interrupted it; empty: nothing, or it is not known. */
  stoppedAt: string
  /** The heading of a plan that was shown and neither approved nor refused with a comment. */
  shown: string
  entries: readonly Numbered[]
}

export interface Story {
  id8: string
  turns: StoryTurn[]
  /** No person typed in it: a program ran it. */
  isHeadless: boolean
  branch: string
  /** Of the plans that the host named. */
  slugs: ReadonlySet<string>
  from: string
  to: string
  /** How many prompts were typed. */
  prompts: number
  /** The entries have the numbers of the session file: a line can name them. Not so in the end of a transcript. */
  isNumbered: boolean
}

/** The same prompt typed again begins with the same words. */
const SAME_CHARS = 60
const TO_DO: ReadonlySet<string> = new Set(['TodoWrite', 'TodoRead', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet'])

/** `all`: every entry, also those that are not told: a `/clear` may be the one that names the branch. */
export function storyOf(id8: string, all: readonly Numbered[], isNumbered = true): Story {
  const entries = all.filter(({ entry }) => entry.role !== 'tombstone')
  const turns = withoutRepeats(splitTurns(entries).flatMap(turnOf))
  const prompts = entries.flatMap(({ entry }) => (isPromptOfAnyone(entry) ? [entry] : []))
  const times = entries.flatMap(({ entry }) => ('ts' in entry && entry.ts !== '' ? [entry.ts] : []))
  return {
    id8,
    turns,
    isHeadless: prompts.length > 0 && prompts.every((prompt) => prompt.sent === true),
    branch: branchOf(all),
    slugs: new Set(all.flatMap(({ entry }) => ('slug' in entry && entry.slug !== undefined ? [entry.slug] : []))),
    from: times[0] ?? '',
    to: times.at(-1) ?? '',
    prompts: turns.filter(({ asked, plan }) => asked !== '' || plan !== null).length,
    isNumbered,
  }
}

/** The session and the entry, as a line names them: `1a2b3c4d#5`. */
export function sourceIn({ id8, isNumbered }: Story, n: number): string {
  return isNumbered ? `${id8}#${n}` : id8
}

function isPromptOfAnyone(entry: Entry | { role: 'tombstone' }): entry is Extract<Entry, { role: 'user' }> {
  return entry.role === 'user' && beginsTurn(entry)
}

/** Where its last prompt was typed: somebody may switch branches when the work is over. */
function branchOf(entries: readonly Numbered[]): string {
  let [now, worked] = ['', '']
  for (const { entry } of entries) {
    if (entry.role === 'tombstone') continue
    now = entry.branch ?? now
    if (isPromptOfAnyone(entry) && !isBareCommand(entry.text.trim())) worked = now
  }
  return worked || now
}

function splitTurns(entries: readonly Numbered[]): Numbered[][] {
  const turns: Numbered[][] = []
  for (const numbered of entries) {
    const { entry } = numbered
    const begins = entry.role === 'user' && beginsTurn(entry)
    if (begins || turns.length === 0) turns.push([])
    turns.at(-1)?.push(numbered)
  }
  return turns
}

function turnOf(entries: readonly Numbered[]): StoryTurn[] {
  const [first] = entries
  if (first === undefined) return []
  const prompt = first.entry.role === 'user' && beginsTurn(first.entry) ? first.entry : null
  const words = prompt === null ? '' : withoutHostText(prompt.text).trim()
  // Claude answers about the memory itself: not the work.
  if (isOurCall(words)) return []
  const isWork = entries.some(({ entry }) => entry.role === 'assistant' || entry.role === 'tool')
  if (isBareCommand(words) && !isWork) return []
  const plan = prompt !== null && isPlan(prompt) ? planIn(words) : null
  const uses = entries.flatMap(({ n, entry }) => (entry.role === 'tool' && !isOurs(entry) ? [{ n, entry }] : []))
  // A result without its call: what the host leaves of the session before at the start of one that carries out its plan.
  const work = uses.filter(({ entry }) => !TO_DO.has(entry.name) && (entry.name !== 'tool' || entry.cmd !== ''))
  const closing = closingOf(entries)
  const isCutOff = isInterrupted(entries)
  const turn: StoryTurn = {
    n: first.n,
    at: 'ts' in first.entry ? first.entry.ts : '',
    asked: plan === null ? words : plan.heading,
    plan,
    isOthers: prompt !== null && (prompt.by !== 'user' || prompt.sent === true),
    comments: commentsIn(entries),
    answer: isCutOff ? wholeSentences(closing?.text ?? '') : (closing?.text ?? ''),
    answerN: closing?.n ?? first.n,
    commits: work.flatMap(({ entry }) => commitsOf(entry)),
    pulls: [...new Set(work.flatMap(({ entry }) => pullsOf(entry)))],
    isGit:
      work.length > 0 && work.every(({ entry }) => isGitUse(entry)) && work.some(({ entry }) => isGitWork(entry.cmd)),
    isInterrupted: isCutOff,
    stoppedAt: stoppedAt(entries),
    shown: shownPlan(entries),
    entries,
  }
  const isEmpty = words === '' && closing === null && work.length === 0 && turn.comments.length === 0
  return isEmpty ? [] : [turn]
}

/** A tool use before which a text only announces: not a to-do, and not our own saving. */
export function isWorkUse(entry: Numbered['entry']): boolean {
  return entry.role === 'tool' && !TO_DO.has(entry.name) && !isOurs(entry)
}

/** The last text that no tool use follows. Where Claude saved a memory behind its answer, the answer is the text before that. */
function closingOf(entries: readonly Numbered[]): { text: string; n: number } | null {
  const after = entries.slice(entries.findLastIndex(({ entry }) => isWorkUse(entry)) + 1)
  const said = (some: readonly Numbered[]): { text: string; n: number } | null => {
    const last = some.findLast(({ entry }) => isSaid(entry))
    return last?.entry.role === 'assistant' ? { text: last.entry.text, n: last.n } : null
  }
  const ours = after.findIndex(({ entry }) => isOurs(entry))
  return (ours < 0 ? null : said(after.slice(0, ours))) ?? said(after)
}

export function isSaid(entry: Numbered['entry']): boolean {
  return entry.role === 'assistant' && entry.by !== 'machine' && entry.text.trim() !== ''
}

/** Commands for the host, such as `/exit`, do not count behind the mark. */
function isInterrupted(entries: readonly Numbered[]): boolean {
  const last = entries.findLast(
    ({ entry }) =>
      entry.role === 'assistant' || entry.role === 'tool' || (entry.role === 'user' && entry.via === 'interrupt'),
  )
  return last?.entry.role === 'user'
}

const SENTENCE_END = /^[\s\S]*(?:[.!?…]["'”’)\]*_]*(?=\s|$)|[。！？]|\n)/

/** Without the sentence in which the user interrupted it. */
function wholeSentences(text: string): string {
  const whole = (SENTENCE_END.exec(text)?.[0] ?? '').trimEnd()
  return whole === text.trimEnd() ? text : whole
}

/**
 * The last tool use before the mark of an interruption, if it was refused without a word. The host writes the same lines where the user
 * refuses it and where the user stops it while it runs.
 */
function stoppedAt(entries: readonly Numbered[]): string {
  const at = entries.findLastIndex(({ entry }) => entry.role === 'tool')
  const use = entries[at]?.entry
  return use?.role === 'tool' && isStopped(entries, at) && use.name !== 'ExitPlanMode' && use.name !== 'AskUserQuestion'
    ? targetOf(use)
    : ''
}

/** No word of the user and nothing of Claude's stands between the refusal and the mark. */
function isStopped(entries: readonly Numbered[], at: number): boolean {
  const [use, mark] = [entries[at]?.entry, entries[at + 1]?.entry]
  return use?.role === 'tool' && use.refused === true && mark?.role === 'user' && mark.via === 'interrupt'
}

function planIn(text: string): { heading: string; text: string } {
  const plan = text.replace(/^Implement the following plan:\s*/, '')
  const heading = plan.split('\n').find((line) => /[\p{L}\p{N}]/u.test(line)) ?? ''
  return { heading: headingOf(heading), text: plan }
}

/** `# Plan: Fix the parser` is told as `Fix the parser`. */
export function headingOf(line: string): string {
  return onOneLine(
    line
      .replace(/^#+\s+/, '')
      .replace(/^(?:implementation\s+)?plan:\s+/i, '')
      .replaceAll('**', ''),
  )
}

function commentsIn(entries: readonly Numbered[]): Comment[] {
  return entries.flatMap(({ n, entry }, at): Comment[] => {
    if (entry.role === 'user' && entry.via === 'AskUserQuestion')
      return chosenIn(entry.text).map(({ question, answer }) => ({ n, kind: 'answer', target: question, text: answer }))
    if (entry.role !== 'tool') return []
    const said = entries.slice(at + 1, at + 3).find((one) => one.entry.role === 'user' && one.entry.via === entry.name)
    const text = said !== undefined && 'text' in said.entry ? onOneLine(said.entry.text) : ''
    if (entry.name === 'ExitPlanMode') {
      // Without a word the plan may have been approved elsewhere: nothing is said about it.
      if (text === '') return []
      return [{ n, kind: entry.refused === true ? 'plan' : 'approved', target: planIn(entry.cmd).heading, text }]
    }
    if (entry.refused !== true || entry.name === 'AskUserQuestion' || entry.cmd === '') return []
    if (isStopped(entries, at)) return []
    return [{ n, kind: 'refused', target: targetOf(entry), text }]
  })
}

function targetOf({ name, cmd }: ToolUse): string {
  return name === 'Bash' ? onOneLine(cmd) : `${name} ${onOneLine(cmd)}`
}

/** The last plan of the turn that was neither approved here nor commented on. */
function shownPlan(entries: readonly Numbered[]): string {
  const at = entries.findLastIndex(({ entry }) => entry.role === 'tool' && entry.name === 'ExitPlanMode')
  const plan = entries[at]?.entry
  if (plan?.role !== 'tool' || plan.ok === true) return ''
  const isAnswered = entries.slice(at + 1).some(({ entry }) => entry.role === 'user' && entry.via === 'ExitPlanMode')
  return isAnswered ? '' : planIn(plan.cmd).heading
}

/** A prompt that was typed again after an interruption, perhaps with more words, replaces the first one, if nothing was changed in between. */
function withoutRepeats(turns: readonly StoryTurn[]): StoryTurn[] {
  return turns.filter((turn, i) => {
    const next = turns[i + 1]
    if (next === undefined || turn.answer !== '' || turn.asked === '') return true
    if (turn.comments.some(({ text }) => text !== '')) return true
    const isDone = turn.entries.some(({ entry }) => entry.role === 'tool' && entry.ok === true && !isLooking(entry))
    const isSame = isSamePrompt(turn.asked, next.asked)
    return isDone || !isSame
  })
}

/** Typed again, perhaps with more words. */
export function isSamePrompt(asked: string, next: string): boolean {
  return cut(asked, SAME_CHARS) === cut(next, SAME_CHARS) || (asked.length >= SAME_CHARS && next.includes(asked))
}

const LOOKS: ReadonlySet<string> = new Set(['Read', 'Grep', 'Glob', 'LS', 'Agent', 'Task', ...TO_DO])

function isLooking({ name, cmd }: ToolUse): boolean {
  return LOOKS.has(name) || (name === 'Bash' && isLook(cmd))
}
