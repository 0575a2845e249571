/** Counts what a Claude Code transcript holds, for `verify`: parses plain JSON, and shares nothing with the parser but the marks of authors. */

import { isObject } from '../../../kernel/platform/json.ts'
import { withoutFrames } from '../../../kernel/text/frame.ts'
import type { Author } from '../../../kernel/transcript/author.ts'
import { answersOf, isQuotedIn } from '../../../kernel/transcript/dialog.ts'
import { commandOf } from '../../../kernel/transcript/tool-line.ts'
import { expected, type Tally, type VerifyKind } from '../../../kernel/transcript/verify.ts'
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
} from '../../../kernel/transcript/words.ts'
import { writtenBy } from './author.ts'
import { answersIn } from './record.ts'

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

type Redact = (text: string) => string

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

function tallyObject(tally: Tally, line: Line, inSubagent: boolean, redact: Redact): void {
  tally.base ||= typeof line.cwd === 'string' ? line.cwd : ''
  const isSide = inSubagent || line.isSidechain === true
  const expect = (kind: VerifyKind, words: string, what: string): void => {
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
      const answers = answersOf(text, { recorded: answersIn(line.toolUseResult), isQuoted }, redact)
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

type Expect = (kind: VerifyKind, words: string, what: string) => void

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
