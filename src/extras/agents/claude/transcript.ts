/** Claude Code's transcript format: reads from bytes the lines that contain text or actions of people and Claude. */

import { isObject } from '../../../kernel/platform/json.ts'
import { parseInstant } from '../../../kernel/platform/time.ts'
import type { LineParser, ParsedLine } from '../../../kernel/transcript/agent.ts'
import { NOT_ASKED } from '../../../kernel/transcript/author.ts'
import { decode, decodeString, isTrue, type RawJson, readableString } from '../../../kernel/transcript/raw-json.ts'
import { skipSpace } from '../../../kernel/transcript/scan.ts'
import type { LineOrigin, TranscriptLine } from '../../../kernel/transcript/transcript.ts'
import type { Message } from '../../../kernel/transcript/words.ts'
import { marksOn, writtenBy, writtenOn } from './author.ts'
import { cleaned, readableBlocks } from './blocks.ts'
import { isForPrograms } from './head.ts'
import {
  type BlockFields,
  findObjectStart,
  isInsideString,
  JOINT,
  type LineFields,
  MESSAGE_START,
  type RareFields,
  type RawLine,
  readObject,
} from './raw-line.ts'

const MAX_RECOVERIES = 16

/** Returns a function that reads all objects of one line (the host sometimes glues two) and counts unreadable ones. */
export function createLineParser(bytes: Buffer): LineParser {
  const jointFrom = lookAhead(bytes, JOINT)
  const messageFrom = lookAhead(bytes, MESSAGE_START)
  return (start, end) => {
    const hasSeam = (from: number): boolean => jointFrom(start) < end || messageFrom(from) < end
    return parseObjects(bytes, start, end, hasSeam)
  }
}

/** The next position of a text. Must be called with growing positions, so that the bytes are searched once for all lines. */
function lookAhead(bytes: Buffer, text: string): (from: number) => number {
  const wanted = Buffer.from(text)
  let at = -1
  return (from) => {
    if (at < from) {
      at = bytes.indexOf(wanted, from)
      if (at < 0) at = Number.POSITIVE_INFINITY
    }
    return at
  }
}

/** `hasSeam`: whether a second object may begin in the rest of the line. */
function parseObjects(bytes: Buffer, start: number, end: number, hasSeam: (from: number) => boolean): ParsedLine {
  const lines: TranscriptLine[] = []
  let bad = 0
  let recoveries = 0
  let at = skipSpace(bytes, start, end)
  while (at < end) {
    const { raw, next } = readObject(bytes, at, end, hasSeam)
    const line = raw && interpret(raw)
    if (line === 'unreadable' || next === null) {
      bad++
      if (++recoveries > MAX_RECOVERIES) break
      at = findObjectStart(bytes, at + 1, end)
      continue
    }
    if (line) lines.push(line)
    at = skipSpace(bytes, next, end)
    // The object was cut off: the host was killed while writing, and the next line follows directly.
    if (at < end && isInsideString(bytes, next)) bad++
  }
  return { lines, bad }
}

function interpret(raw: RawLine): TranscriptLine | null | 'unreadable' {
  try {
    return interpretFields(raw)
  } catch {
    return repair(raw)
  }
}

/** Removes raw control characters inside strings (a zero-filled disk block, a broken writer), so that the line can still be read. */
function repair(raw: RawLine): TranscriptLine | null | 'unreadable' {
  try {
    const [fields, rare] = [cleanAll(raw.fields), raw.rare && cleanAll(raw.rare)]
    return interpretFields({ ...raw, fields, rare, blocks: raw.blocks?.map(cleanAll) ?? null })
  } catch {
    return 'unreadable'
  }
}

function cleanAll<T extends LineFields | RareFields | BlockFields>(fields: T): T {
  const clean = Object.entries(fields).map(([key, value]) => [key, value && cleaned(value as RawJson)])
  return Object.fromEntries(clean) as T
}

/** Most lines are written out: an object that is spread into another costs more than reading the line. */
function interpretFields({ type, fields, rare, blocks: raw, isSynthetic }: RawLine): TranscriptLine | null {
  const ts = parseInstant(decodeString(fields.timestamp))
  const agent = isTrue(fields.isSidechain) ? decodeString(fields.agentId) || 'side' : null
  const { cwd, gitBranch: branch, slug } = fields
  const isSent = (): boolean => isSentBy(fields)
  const origin = (): LineOrigin => ({ ts, agent, cwd, branch, slug, isSent })
  switch (type) {
    case 'user': {
      if (raw === null) return null
      const blocks = readableBlocks(raw, fields, rare)
      const says = blocks.some((block) => block.type !== 'result')
      const { author, from, kindOfSender } = says ? writtenOn(fields, rare) : NOT_ASKED
      const compacted = isTrue(fields.isCompactSummary)
      const plan = rare === null ? null : decodeString(rare.planContent)
      return { kind: type, blocks, author, from, kindOfSender, compacted, plan, ts, agent, cwd, branch, slug, isSent }
    }
    case 'assistant': {
      if (raw === null) return null
      const blocks = readableBlocks(raw, fields, rare)
      const isHosts = isSynthetic || isTrue(rare?.isApiErrorMessage)
      return { kind: type, blocks, isHosts, ts, agent, cwd, branch, slug, isSent }
    }
    case 'attachment': {
      const queued = (fields.attachment ? decode(fields.attachment) : {}) as Record<string, unknown>
      if (queued.type === 'teammate_mailbox') return { kind: 'mailbox', messages: mailOf(queued.messages), ...origin() }
      const written = writtenBy('attachment', queued, marksOn(fields, rare))
      return { kind: 'queued', text: textOf(queued.prompt), ...written, ...origin() }
    }
    case 'queue-operation': {
      const text = fields.content ? textOf(decode(fields.content)) : null
      return { kind: 'queue', operation: decodeString(fields.operation) ?? '', text, ...origin() }
    }
    case 'system':
      if (decodeString(fields.subtype) !== 'local_command') return null
      return { kind: 'command', text: decodeString(fields.content) ?? '', ...writtenOn(fields, rare), ...origin() }
    default:
      return null
  }
}

/**
 * `claude -p`, SDKs and actions run for a program, without a person. Editors use the same entry point but name themselves.
 * Old hosts name no entry point: a person typed.
 */
function isSentBy({ entrypoint, promptSource }: LineFields): boolean {
  const from = readableString(entrypoint)
  return from === '' ? readableString(promptSource) === 'sdk' : isForPrograms(from)
}

function mailOf(messages: unknown): Message[] {
  if (!Array.isArray(messages)) return []
  return messages.flatMap((one: unknown) =>
    isObject(one) && typeof one.text === 'string' ? [{ from: String(one.from ?? ''), text: one.text }] : [],
  )
}

/** A string, or the text blocks of an array. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.map((block: unknown) => (typeof block === 'string' ? block : isObject(block) ? block.text : ''))
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n')
}
