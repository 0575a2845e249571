/** Reads one object of a Claude Code transcript as bytes: the positions of its fields and of its message's blocks. Nothing is decoded yet. */
import { decodeString, isString, type RawJson } from '../../../kernel/transcript/raw-json.ts'
import {
  BROKEN,
  type Keys,
  keysOf,
  matchKey,
  nextKey,
  skipObject,
  skipValue,
  startWalk,
  walkArray,
} from '../../../kernel/transcript/scan.ts'

const none = undefined as RawJson | undefined

/** The fields of a line that we use. A literal: one object shape for all lines keeps reading fast. */
const noLineFields = () => ({
  timestamp: none,
  isSidechain: none,
  agentId: none,
  cwd: none,
  gitBranch: none,
  slug: none,
  isMeta: none,
  isCompactSummary: none,
  promptSource: none,
  entrypoint: none,
  origin: none,
  attachment: none,
  subtype: none,
  operation: none,
  content: none,
  toolUseResult: none,
})
export type LineFields = ReturnType<typeof noLineFields>

/** Fields that only few lines have. */
const RARE_FIELDS =
  'wakeupSource scheduledTaskId queuePriority turnOrigin textNotTyped handedOff queueSkipAttachments queueTranscriptOnly verifiedSlackHumanTurn emailSenderTurn planContent permissionDecision userFeedback interruptedByShutdown isApiErrorMessage'
export type RareFields = Partial<Record<Words<typeof RARE_FIELDS>, RawJson>>
export type RareField = keyof RareFields

const noBlockFields = () => ({
  type: none,
  text: none,
  id: none,
  name: none,
  input: none,
  tool_use_id: none,
  content: none,
  is_error: none,
})
export type BlockFields = ReturnType<typeof noBlockFields>

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

export interface RawLine {
  type: string | null
  hasMessage: boolean
  /** The host wrote the message instead of the model. */
  isSynthetic: boolean
  fields: LineFields
  /** Null: the line has no rare field. */
  rare: RareFields | null
  /** The message's content blocks; null: there were none. */
  blocks: BlockFields[] | null
}

function newLine(): RawLine {
  return { type: null, hasMessage: false, isSynthetic: false, fields: noLineFields(), rare: null, blocks: null }
}

/** The fields to read; all others are skipped. */
const LINE_KEYS = keysOf(['type', 'message', ...Object.keys(noLineFields()), ...RARE_FIELDS.split(' ')])
const IS_RARE = new Set(RARE_FIELDS.split(' '))
const MESSAGE_KEYS = keysOf(['content', 'model'])
const BLOCK_KEYS = keysOf(Object.keys(noBlockFields()))
const WORDY_TYPES = ['user', 'assistant', 'attachment', 'queue-operation', 'system']
const TYPES_WITH_WORDS = keysOf(WORDY_TYPES)
/** Attachments that contain text: a queued prompt, and messages of teammates. */
const WORDY_ATTACHMENTS = ['{"type":"queued_command"', '{"type":"teammate_mailbox"']
export const MESSAGE_START = '{"parentUuid":'
/** The beginnings of the objects that we read. They help to find an object inside a damaged line. Content blocks begin differently. */
const OBJECT_STARTS = [MESSAGE_START, ...WORDY_TYPES.map((type) => `{"type":"${type}"`)]
/** Two objects without a line break between them. Inside a string the quote would be escaped, so that this is rare elsewhere. */
export const JOINT = '}{"'
/** Characters that may precede an object that is a value, or one that is glued to another object. */
const IN_PLACE = ':,[} \t\r\n'
/** The model's name in messages of the host. */
const SYNTHETIC = '"<synthetic>"'
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const QUOTE = 0x22
const OPEN_BRACKET = 0x5b
const BLOCK_TYPES = keysOf(['text', 'thinking', 'tool_use', 'tool_result', 'image', 'document'])

/** `next`: the position at which the next object of the same line would begin; null: no object could be read. */
export function readObject(
  bytes: Buffer,
  at: number,
  end: number,
  hasSeam: (from: number) => boolean,
): { raw: RawLine | null; next: number | null } {
  const raw = newLine()
  const walk = startWalk(at)
  // The rest of the line is ignored, unless a second object is glued to it.
  const next = (): number => (hasSeam(at + 1) ? findGlued(bytes, at, end) : null) ?? end
  for (let key = nextKey(walk, bytes, end, LINE_KEYS); key !== null; key = nextKey(walk, bytes, end, LINE_KEYS)) {
    if (key === 'type') raw.type = wordAt(bytes, walk.at, TYPES_WITH_WORDS)
    const isIrrelevant =
      (key === 'type' && raw.type === null) ||
      (key === 'attachment' && !WORDY_ATTACHMENTS.some((start) => startsWith(bytes, walk.at, start)))
    if (isIrrelevant) return { raw: null, next: next() }
    const from = walk.at
    // This is a second copy of the tool's result, the largest part of most transcripts. Everything we need precedes it, unless it is a
    // string: after an error, the fields behind it say who refused the tool use. Its end is looked for only if somebody reads it.
    if (key === 'toolUseResult' && bytes[from] !== QUOTE && isWhole(raw)) {
      raw.fields.toolUseResult = { bytes, from, to: end }
      return { raw, next: next() }
    }
    walk.at = key === 'message' ? readMessage(bytes, from, end, raw) : skipValue(bytes, from, end)
    if (walk.at < 0) break
    if (key === 'type' || key === 'message') continue
    const value = { bytes, from, to: walk.at }
    if (IS_RARE.has(key)) raw.rare = { ...raw.rare, [key as RareField]: value }
    else raw.fields[key as keyof LineFields] = value
  }
  if (walk.at >= 0 && !walk.isBroken) return { raw, next: walk.at }
  return raw.fields.toolUseResult !== undefined && isWhole(raw) ? { raw, next: next() } : { raw: null, next: null }
}

/** The text of a tool's result has been read, whatever follows in the line. */
function isWhole({ hasMessage, type, fields }: RawLine): boolean {
  return hasMessage && type !== null && fields.timestamp !== undefined
}

/** Records the message's content blocks while skipping over it, so that its bytes are read once. */
function readMessage(bytes: Buffer, at: number, end: number, raw: RawLine): number {
  raw.hasMessage = true
  if (bytes[at] !== OPEN_BRACE) return skipValue(bytes, at, end)
  const walk = startWalk(at)
  for (let key = nextKey(walk, bytes, end, MESSAGE_KEYS); key !== null; key = nextKey(walk, bytes, end, MESSAGE_KEYS)) {
    const from = walk.at
    if (key === 'model') {
      raw.isSynthetic = startsWith(bytes, from, SYNTHETIC)
      walk.at = skipValue(bytes, from, end)
    } else if (bytes[from] === OPEN_BRACKET) {
      raw.blocks = []
      walk.at = readBlocks(bytes, from, end, raw.blocks)
    } else {
      walk.at = skipValue(bytes, from, end)
      if (bytes[from] === QUOTE) raw.blocks = [{ ...noBlockFields(), text: { bytes, from, to: walk.at } }]
    }
    if (walk.at < 0) return BROKEN
  }
  return walk.isBroken ? BROKEN : walk.at
}

export function readBlocks(bytes: Buffer, at: number, end: number, blocks: BlockFields[]): number {
  return walkArray(bytes, at, end, (blockAt) => {
    const block = noBlockFields()
    blocks.push(block)
    const walk = startWalk(blockAt)
    for (let key = nextKey(walk, bytes, end, BLOCK_KEYS); key !== null; key = nextKey(walk, bytes, end, BLOCK_KEYS)) {
      const from = walk.at
      walk.at = skipValue(bytes, from, end)
      if (walk.at < 0) return BROKEN
      block[key as keyof BlockFields] = { bytes, from, to: walk.at }
    }
    return walk.isBroken ? BROKEN : walk.at
  })
}

/** Finds another object that is not a value of this one and that is complete. */
function findGlued(bytes: Buffer, at: number, end: number): number | null {
  for (let start = findObjectStart(bytes, at + 1, end); start < end; start = findObjectStart(bytes, start + 1, end)) {
    const isGlued =
      bytes[start - 1] === CLOSE_BRACE || (isInsideString(bytes, start) && startsWith(bytes, start, MESSAGE_START))
    if (isGlued && skipObject(bytes, start, end) !== BROKEN) return start
  }
  return null
}

/** True if an object begins where no value could: neither behind another object nor as a field or an element. */
export function isInsideString(bytes: Buffer, at: number): boolean {
  return !IN_PLACE.includes(String.fromCharCode(bytes[at - 1] ?? OPEN_BRACKET))
}

export function findObjectStart(bytes: Buffer, from: number, end: number): number {
  const line = bytes.subarray(from, end)
  const found = OBJECT_STARTS.map((start) => line.indexOf(start)).filter((at) => at >= 0)
  return found.length === 0 ? end : from + Math.min(...found)
}

/** Returns which of these words the string at this position is; null: none. */
function wordAt(bytes: Buffer, at: number, words: Keys): string | null {
  let close = at + 1
  while (close - at <= words.length && bytes[close] !== QUOTE) close++
  return matchKey(bytes, at + 1, close, words)
}

/** `text` is ASCII. */
function startsWith(bytes: Buffer, at: number, text: string): boolean {
  let i = 0
  while (i < text.length && bytes[at + i] === text.charCodeAt(i)) i++
  return i === text.length
}

/** The type of a block. The usual ones need no decoding. */
export function blockType(raw: RawJson): string | null {
  return (isString(raw) ? matchKey(raw.bytes, raw.from + 1, raw.to - 1, BLOCK_TYPES) : null) ?? decodeString(raw)
}
