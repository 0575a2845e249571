/** Compares a transcript with its session: counts prompts, answers and tool uses, and how many of them are stored. Parses plain JSON, without the refiner. */

import { isObject } from '../platform/json.ts'
import { fingerprintOfWords } from '../text/fingerprint.ts'
import { withoutFrames } from '../text/frame.ts'
import { type Author, writtenBy } from './author.ts'
import { answersOf, isQuotedIn } from './dialog.ts'
import { type Entry, isTool, type Tombstone } from './session.ts'
import { commandOf } from './tool-line.ts'
import {
  feedbackOnPlan,
  isCompactionSummary,
  isRefused,
  type Message,
  messagesIn,
  personsWords,
  type Shape,
  withoutNotices,
  wordsInResult,
} from './words.ts'

export interface Count {
  present: number
  captured: number
}

/** Messages are those of teammates, other sessions and channels. */
export const VERIFY_KINDS = ['prompts', 'answers', 'tools', 'messages'] as const
type Kind = (typeof VERIFY_KINDS)[number]

export interface Verified extends Record<Kind, Count> {
  badLines: number
  /** The first few missing items, so that a person can look them up. */
  missing: string[]
}

interface Line {
  type?: string
  subtype?: string
  operation?: string
  content?: unknown
  timestamp?: string
  cwd?: string
  isSidechain?: boolean
  isCompactSummary?: boolean
  attachment?: { type?: string; prompt?: unknown; messages?: Message[] }
  toolUseResult?: unknown
  permissionDecision?: { source?: string }
  userFeedback?: string
  planContent?: string
  interruptedByShutdown?: boolean
  message?: { content?: unknown }
}

/** A queued text, as stored; empty for text of a machine, which takes a place in the same queue. */
interface Queued {
  kind: 'prompts' | 'messages'
  words: string
  name: string
  taken: boolean
}

/** `mark`: the fingerprint of kind and words; `words`: that of the words alone. `name`: a description for people. */
interface Expected {
  kind: Kind
  mark: string
  words: string
  name: string
}

function expected(kind: Kind, words: string, name: string): Expected {
  return { kind, mark: markOfWords(`${kind}${words}`), words: fingerprintOfWords(words), name }
}

/** Without the escapes in answers of a dialog, which versions before 0.7 did not write. */
const markOfWords = (text: string): string => fingerprintOfWords(text.replaceAll('\\', ''))

/** The contents of a transcript, collected line by line. */
export interface Tally {
  expected: Expected[]
  queued: Queued[]
  tools: Map<string, { name: string; isQuoted: boolean }>
  base: string
  badLines: number
}

type Redact = (text: string) => string

const MISSING_SHOWN = 5

export function newTally(): Tally {
  return { expected: [], queued: [], tools: new Map(), base: '', badLines: 0 }
}

/** Splits several objects glued on one line. `redact`: as when the session was written. `isPaused`: recording was paused at that time. */
export function tallyLine(
  tally: Tally,
  text: string,
  inSubagent: boolean,
  redact: Redact,
  isPaused: (at: string) => boolean = () => false,
): void {
  const trimmed = text.replace(/^\ufeff/, '').trim()
  if (trimmed === '') return
  for (const part of split(trimmed)) {
    if (part === null) tally.badLines++
    else if (!isPaused(part.timestamp ?? ''))
      tallyObject(tally, part, inSubagent, (words) => redact(withoutFrames(words)))
  }
}

/** `forgotten`: the marks of entries that were deleted before they were settled, and so have no tombstone. */
export function compare(
  tally: Tally,
  kept: readonly (Entry | Tombstone)[],
  forgotten: ReadonlyMap<string, unknown> = new Map(),
): Verified {
  const have = new Map<string, number>()
  let removed = 0
  for (const entry of kept) {
    if (entry.role === 'tombstone') removed++
    else add(have, markOf(entry))
  }
  const zero = (): Count => ({ present: 0, captured: 0 })
  const counts = { prompts: zero(), answers: zero(), tools: zero(), messages: zero() }
  const result: Verified = { ...counts, badLines: tally.badLines, missing: [] }
  const queued = tally.queued
    .filter(({ words }) => words !== '')
    .map(({ kind, words, name }) => expected(kind, words, name))
  for (const { kind, mark, words, name } of [...tally.expected, ...queued]) {
    result[kind].present++
    const isThere = take(have, mark)
    // Entries that a person deleted count as stored.
    if (isThere || forgotten.has(words) || removed-- > 0) result[kind].captured++
    else if (result.missing.length < MISSING_SHOWN) result.missing.push(name)
  }
  return result
}

export function isComplete(count: Verified): boolean {
  return VERIFY_KINDS.every((kind) => count[kind].present === count[kind].captured)
}

function tallyObject(tally: Tally, line: Line, inSubagent: boolean, redact: Redact): void {
  tally.base ||= typeof line.cwd === 'string' ? line.cwd : ''
  const isSide = inSubagent || line.isSidechain === true
  const expect = (kind: Kind, words: string, what: string): void => {
    const kept = redact(words)
    // Nothing but remembered text is not stored.
    if (kept !== '') tally.expected.push(expected(kind, kept, `${what} at ${timeOf(line)}`))
  }
  const said = (kind: 'prompts' | 'messages' | null, words: string | null, what: string): void => {
    if (words === null) return
    // Several queued prompts may arrive joined in one message.
    let rest = `\n${redact(words)}\n`
    tally.queued = tally.queued.filter((prompt) => {
      const at = prompt.words === '' ? -1 : rest.indexOf(`\n${prompt.words}\n`)
      if (at >= 0) rest = rest.slice(0, at) + rest.slice(at + prompt.words.length + 1)
      return at < 0
    })
    if (kind !== null) expect(kind, words, what)
  }
  if (line.type === 'user') tallyUser(tally, line, isSide, said, redact)
  else if (line.type === 'assistant') tallyAssistant(tally, line, isSide, expect, redact)
  else if (line.type === 'system' && line.subtype === 'local_command') {
    if (writtenBy('message', { ...line }).author === 'user')
      said('prompts', personsWords(textOf(line.content)), 'a command')
  } else if (line.type === 'attachment' && line.attachment?.type === 'teammate_mailbox') {
    for (const { text } of withoutNotices(line.attachment.messages ?? [])) said('messages', text, 'a message')
  } else if (line.type === 'attachment' && line.attachment?.type === 'queued_command') {
    const { author } = writtenBy('attachment', { ...line.attachment }, { ...line })
    tallyTexts([{ text: textOf(line.attachment.prompt), shape: 'string' }], author, said)
  } else if (line.type === 'queue-operation') tallyQueue(tally, line, redact)
}

/** `kind` null: the host's own text, which is not stored. It may have waited in the queue. */
type Said = (kind: 'prompts' | 'messages' | null, words: string | null, what: string) => void

function tallyUser(tally: Tally, line: Line, isSide: boolean, said: Said, redact: Redact): void {
  const content = line.message?.content
  const isArray = Array.isArray(content)
  const blocks = (isArray ? content : [{ type: 'text', text: content }]) as Record<string, unknown>[]
  for (const block of blocks) {
    if (block?.type !== 'tool_result') continue
    const { name: tool, isQuoted } = tally.tools.get(String(block.tool_use_id)) ?? { name: 'tool', isQuoted: false }
    const text = textOf(block.content)
    const failed = block.is_error === true
    const refused = failed && isRefused(tool, text, { byUser: refusedByUser(line) })
    const comment = refused ? (line.userFeedback ?? null) : null
    if (isSide && !refused) continue
    const what = `a person's words in a result of ${tool}`
    if (tool === 'AskUserQuestion' && !failed) {
      const answers = answersOf(text, { record: line.toolUseResult, isQuoted }, redact)
      if (answers !== null) tally.expected.push(expected('prompts', answers, `${what} at ${timeOf(line)}`))
    } else said('prompts', wordsInResult(tool, text, { failed, refused, comment }), what)
  }
  if (isSide) return
  const texts = blocks
    .filter((block) => block?.type === 'text' && typeof block.text === 'string')
    .map((block) => ({ text: String(block.text), shape: isArray ? ('block' as const) : ('string' as const) }))
  if (line.isCompactSummary || isCompactionSummary(texts.map(({ text }) => text).join('\n'))) return
  const { author } = writtenBy('message', { ...line })
  if (author === 'machine' && line.planContent !== undefined)
    said('prompts', feedbackOnPlan(texts.map(({ text }) => text).join('\n'), line.planContent), 'a comment on a plan')
  tallyTexts(texts, author, said)
}

function refusedByUser({ interruptedByShutdown, toolUseResult, permissionDecision }: Line): boolean | null {
  if (interruptedByShutdown === true) return false
  if (toolUseResult === 'User rejected tool use') return true
  return permissionDecision === undefined ? null : permissionDecision.source === 'user_reject'
}

function tallyTexts(texts: readonly { text: string; shape: Shape }[], author: Author, said: Said): void {
  if (author === 'machine') {
    for (const { text, shape } of texts) said(null, personsWords(text, shape), '')
    return
  }
  const isOthers = author === 'teammate' || author === 'unknown'
  for (const { text } of texts) {
    const messages = messagesIn(text) ?? (isOthers ? [{ text: text.trim() }] : [])
    for (const message of messages) if (message.text !== '') said('messages', message.text, 'a message')
  }
  const words = isOthers ? [] : texts.map(({ text, shape }) => personsWords(text, shape)).filter((one) => one !== null)
  if (words.length > 0) said('prompts', words.join('\n'), 'a prompt')
}

type Expect = (kind: Kind, words: string, what: string) => void

function tallyAssistant(tally: Tally, line: Line, isSide: boolean, expect: Expect, redact: Redact): void {
  const content = line.message?.content
  const blocks = (Array.isArray(content) ? content : [{ type: 'text', text: content }]) as Record<string, unknown>[]
  for (const block of blocks) {
    if (block?.type === 'text' && typeof block.text === 'string') {
      if (block.text.trim() === '') continue
      expect('answers', block.text.trim(), isSide ? "a subagent's text" : 'an answer')
    } else if (typeof block?.type === 'string' && block.type.endsWith('tool_use')) {
      const name = typeof block.name === 'string' ? block.name : 'tool'
      const input = isObject(block.input) ? block.input : {}
      tally.tools.set(String(block.id), { name, isQuoted: name === 'AskUserQuestion' && isQuotedIn(input) })
      expect('tools', `${name} ${redact(commandOf(name, input, tally.base))}`, `${name}`)
    }
  }
}

/** `popAll` removes the texts that still wait; texts that were taken before have reached Claude. */
function tallyQueue(tally: Tally, line: Line, redact: Redact): void {
  const text = textOf(line.content)
  const messages = messagesIn(text)
  const kind = messages === null ? 'prompts' : 'messages'
  const words = messages !== null ? messages[0]?.text : /^\s*\{"/.test(text) ? null : personsWords(text)
  const said = words === null || words === undefined ? '' : redact(words)
  if (line.operation === 'enqueue') {
    if (line.content !== undefined)
      tally.queued.push({ kind, words: said, name: `a queued prompt at ${timeOf(line)}`, taken: false })
  } else if (line.operation === 'popAll') {
    tally.queued = tally.queued.filter((prompt) => prompt.taken)
  } else if (line.operation === 'remove' || line.operation === 'dequeue') {
    const waiting = tally.queued.filter((prompt) => !prompt.taken)
    const named = line.content === undefined ? undefined : waiting.find((prompt) => prompt.words === said)
    const next = named ?? waiting[0]
    tally.queued = tally.queued.map((prompt) => (prompt === next ? { ...prompt, taken: true } : prompt))
  }
}

function markOf(entry: Entry): string {
  if (isTool(entry) && 'cmd' in entry) return markOfWords(`tools${entry.name} ${entry.cmd}`)
  const kind: Kind = entry.role === 'user' ? 'prompts' : entry.role === 'teammate' ? 'messages' : 'answers'
  return markOfWords(`${kind}${'text' in entry ? entry.text : ''}`)
}

function split(text: string): (Line | null)[] {
  try {
    return [JSON.parse(text) as Line]
  } catch {
    const joint = text.search(/\}\{"(?:parentUuid|type)"/)
    if (joint < 0) return [null]
    return [...split(text.slice(0, joint + 1)), ...split(text.slice(joint + 1))]
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block: { text?: unknown } | null) => (typeof block?.text === 'string' ? block.text : ''))
    .filter(Boolean)
    .join('\n')
}

function timeOf(line: Line): string {
  return typeof line.timestamp === 'string' ? line.timestamp : 'an unknown time'
}

function add(marks: Map<string, number>, mark: string): void {
  marks.set(mark, (marks.get(mark) ?? 0) + 1)
}

function take(marks: Map<string, number>, mark: string): boolean {
  const left = marks.get(mark) ?? 0
  if (left > 0) marks.set(mark, left - 1)
  return left > 0
}
