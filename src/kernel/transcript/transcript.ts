/** Claude Code's transcript format: reads from bytes the lines that contain text or actions of people and Claude. */

import { isObject } from '../platform/json.ts'
import { parseInstant } from '../platform/time.ts'
import {
  type Denial,
  denialOf,
  marksOn,
  NOT_ASKED,
  readableString,
  type Written,
  writtenBy,
  writtenOn,
} from './author.ts'
import {
  type BlockFields,
  blockType,
  decode,
  decodeHead,
  decodeOpen,
  decodeString,
  findObjectStart,
  isInsideString,
  isString,
  isTrue,
  JOINT,
  type LineFields,
  MESSAGE_START,
  type RareFields,
  type RawJson,
  type RawLine,
  readBlocks,
  readObject,
} from './raw-line.ts'
import { keysOf, nextKey, skipSpace, skipValue, startWalk } from './scan.ts'
import type { Message, Shape } from './words.ts'

/** The parts of a content block that we use. */
export type Block =
  /** `shape`: the text is the whole content of the message, or one of several blocks. */
  | { type: 'text'; text: string; shape: Shape }
  | { type: 'image' }
  | { type: 'use'; id: string; name: string; input: Record<string, unknown> }
  /** `bytes`: of its text as it is written, so never fewer than it has characters. `record`: the host's own, beside the text for Claude. */
  | {
      type: 'result'
      id: string
      failed: boolean
      bytes: number
      denial: () => Denial
      record: () => unknown
      text: (maxChars: number) => string
    }

interface Origin {
  ts: string | null
  /** Set inside a subagent: its id, or `side` if an old version gives none. */
  agent: string | null
  cwd: RawJson | undefined
  branch: RawJson | undefined
  /** The host's name for the plan that is being made or carried out. */
  slug: RawJson | undefined
  /** Whether a program wrote the prompts of this line's host; computed for few lines only. */
  isSent: () => boolean
}

export type TranscriptLine =
  /** `plan`: the approved plan with which the host continues in a new context. */
  | ({ kind: 'user'; blocks: Block[]; compacted: boolean; plan: string | null } & Written & Origin)
  /** `isHosts`: the host wrote it in place of Claude, for example an API error. */
  | ({ kind: 'assistant'; blocks: Block[]; isHosts: boolean } & Origin)
  /** A slash command that never became a message. */
  | ({ kind: 'command'; text: string } & Written & Origin)
  /** Text handed to Claude in the middle of a turn, usually a prompt typed while Claude worked. */
  | ({ kind: 'queued'; text: string } & Written & Origin)
  /** Messages of teammates, handed over in the middle of a turn. */
  | ({ kind: 'mailbox'; messages: Message[] } & Origin)
  | ({ kind: 'queue'; operation: string; text: string | null } & Origin)

export interface ParsedLine {
  lines: TranscriptLine[]
  bad: number
}

const MAX_RECOVERIES = 16
const WRITING_TOOLS = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])
const PATH_KEYS = keysOf(['file_path', 'notebook_path', 'path'])
const OPEN_BRACKET = 0x5b

/** Returns a function that reads all objects of one line (the host sometimes glues two) and counts unreadable ones. */
export function createLineParser(bytes: Buffer): (start: number, end: number) => ParsedLine {
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

/** The launch directory and session id in a transcript's first lines. */
export function parseHead(bytes: Buffer): { cwd: string | null; sessionId: string | null } {
  const text = bytes.toString('utf8')
  return { cwd: firstString(text, 'cwd'), sessionId: firstString(text, 'sessionId') }
}

/** Whether these lines were written for programs alone: each entry point that they name is one, and at least one is named. */
export function isSentThroughout(bytes: Buffer): boolean {
  const named = [...bytes.toString('latin1').matchAll(/"entrypoint":"([^"\\]{1,80})"/g)]
  return named.length > 0 && named.every(([, from = '']) => isProgram(from))
}

function firstString(text: string, key: string): string | null {
  const match = new RegExp(`"${key}":("(?:[^"\\\\]|\\\\.){1,4096}")`).exec(text)
  try {
    return match?.[1] ? (JSON.parse(match[1]) as string) : null
  } catch {
    return null
  }
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

function cleaned({ bytes, from, to }: RawJson): RawJson {
  const clean = Buffer.from(bytes.toString('utf8', from, to).replace(/[\u0000-\u001f]+/g, ' '))
  return { bytes: clean, from: 0, to: clean.length }
}

/** Most lines are written out: an object that is spread into another costs more than reading the line. */
function interpretFields({ type, fields, rare, blocks: raw, isSynthetic }: RawLine): TranscriptLine | null {
  const ts = parseInstant(decodeString(fields.timestamp))
  const agent = isTrue(fields.isSidechain) ? decodeString(fields.agentId) || 'side' : null
  const { cwd, gitBranch: branch, slug } = fields
  const isSent = (): boolean => isSentBy(fields)
  const origin = (): Origin => ({ ts, agent, cwd, branch, slug, isSent })
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
  return from === '' ? readableString(promptSource) === 'sdk' : isProgram(from)
}

function isProgram(entrypoint: string): boolean {
  return /^sdk|github/i.test(entrypoint)
}

function mailOf(messages: unknown): Message[] {
  if (!Array.isArray(messages)) return []
  return messages.flatMap((one: unknown) =>
    isObject(one) && typeof one.text === 'string' ? [{ from: String(one.from ?? ''), text: one.text }] : [],
  )
}

function readableBlocks(raw: readonly BlockFields[], line: LineFields, rare: RareFields | null): Block[] {
  const blocks: Block[] = []
  for (const fields of raw) {
    const block = readBlock(fields, line, rare)
    if (block !== null) blocks.push(block)
  }
  return blocks
}

/** Null for blocks that are not kept, such as thinking. */
function readBlock(fields: BlockFields, line: LineFields, rare: RareFields | null): Block | null {
  // A message that is a plain string is a text block without a type.
  const type = fields.type ? blockType(fields.type) : 'text'
  if (type === 'text')
    return { type: 'text', text: decodeString(fields.text) ?? '', shape: fields.type ? 'block' : 'string' }
  if (type === 'image' || type === 'document') return { type: 'image' }
  const result = decodeString(fields.tool_use_id)
  if (result !== null) {
    return {
      type: 'result',
      id: result,
      failed: isTrue(fields.is_error),
      bytes: fields.content === undefined ? 0 : fields.content.to - fields.content.from,
      denial: () => denialOf(line, rare),
      record: () => decodeOpen(line.toolUseResult),
      text: (max) => readableText(fields.content, max),
    }
  }
  if (!type?.endsWith('tool_use')) return null
  const id = decodeString(fields.id) ?? ''
  const name = decodeString(fields.name) ?? 'tool'
  const input = fields.input ? readInput(name, fields.input) : {}
  return { type: 'use', id, name, input: isObject(input) ? input : {} }
}

/** For tools that write files only the path is kept: the new contents are not decoded. */
function readInput(name: string, raw: RawJson): unknown {
  if (!WRITING_TOOLS.has(name)) return decode(raw)
  const input: Record<string, unknown> = {}
  const walk = startWalk(raw.from)
  for (
    let key = nextKey(walk, raw.bytes, raw.to, PATH_KEYS);
    key !== null;
    key = nextKey(walk, raw.bytes, raw.to, PATH_KEYS)
  ) {
    const from = walk.at
    walk.at = skipValue(raw.bytes, from, raw.to)
    input[key] = decodeString({ bytes: raw.bytes, from, to: walk.at })
  }
  if (walk.isBroken) throw new SyntaxError('broken input')
  return input
}

/** Results are decoded later than the line. Damage in one must not lose more than this result. */
function readableText(content: RawJson | undefined, max: number): string {
  if (content === undefined) return ''
  for (const value of [() => content, () => cleaned(content)]) {
    try {
      return resultText(value(), max)
    } catch {
      // Broken JSON: try again without control characters.
    }
  }
  return ''
}

/** A result is a string or an array of blocks; only text blocks are used. */
function resultText(content: RawJson, max: number): string {
  if (isString(content)) return decodeHead(content, max)
  if (content.bytes[content.from] !== OPEN_BRACKET) return ''
  const blocks: BlockFields[] = []
  readBlocks(content.bytes, content.from, content.to, blocks)
  const texts = blocks.map(({ text }) => (text && isString(text) ? decodeHead(text, max) : ''))
  return texts.filter((text) => text !== '').join('\n')
}

/** A string, or the text blocks of an array. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.map((block: unknown) => (typeof block === 'string' ? block : isObject(block) ? block.text : ''))
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n')
}
