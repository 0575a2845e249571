/** One object of a transcript in bytes: where its fields and its message's blocks are, nothing decoded yet. */
import { BROKEN, type Keys, keysOf, matchKey, nextKey, skipObject, skipValue, startWalk, walkArray } from './scan.ts'

/** The fields of a line as far as they matter. */
const LINE_FIELDS =
  'timestamp isSidechain agentId cwd gitBranch isMeta isCompactSummary promptSource entrypoint origin attachment subtype operation content toolUseResult'
export type LineFields = Fields<typeof LINE_FIELDS>

/** Fields that few lines have. */
const RARE_FIELDS =
  'wakeupSource scheduledTaskId queuePriority turnOrigin textNotTyped handedOff queueSkipAttachments queueTranscriptOnly verifiedSlackHumanTurn emailSenderTurn planContent permissionDecision userFeedback interruptedByShutdown isApiErrorMessage'
export type RareFields = Partial<Fields<typeof RARE_FIELDS>>
export type RareField = keyof RareFields

const BLOCK_FIELDS = 'type text id name input tool_use_id content is_error'
export type BlockFields = Fields<typeof BLOCK_FIELDS>

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text
type Fields<Names extends string> = Record<Words<Names>, RawJson | undefined>

/** Copied for each line and block: one shape for all keeps reading fast. */
function emptyFields<const Names extends string>(names: Names): Fields<Names> {
  return Object.fromEntries(names.split(' ').map((name) => [name, undefined])) as Fields<Names>
}

const EMPTY_LINE = emptyFields(LINE_FIELDS)
const EMPTY_BLOCK = emptyFields(BLOCK_FIELDS)

export interface RawLine {
  type: string | null
  hasMessage: boolean
  /** The host wrote the message in the model's place. */
  isSynthetic: boolean
  fields: LineFields
  /** Null: the line has none of them. */
  rare: RareFields | null
  /** The message's content, read on the way; null: there was none. */
  blocks: BlockFields[] | null
}

function newLine(): RawLine {
  return { type: null, hasMessage: false, isSynthetic: false, fields: { ...EMPTY_LINE }, rare: null, blocks: null }
}

/** Fields worth noting; every other field is stepped over. */
const LINE_KEYS = keysOf(`type message ${LINE_FIELDS} ${RARE_FIELDS}`.split(' '))
const MESSAGE_KEYS = keysOf(['content', 'model'])
const BLOCK_KEYS = keysOf(BLOCK_FIELDS.split(' '))
const WORDY_TYPES = ['user', 'assistant', 'attachment', 'queue-operation', 'system']
const TYPES_WITH_WORDS = keysOf(WORDY_TYPES)
/** Attachments that hold words: a queued prompt, and messages of teammates. */
const WORDY_ATTACHMENTS = ['{"type":"queued_command"', '{"type":"teammate_mailbox"']
export const MESSAGE_START = '{"parentUuid":'
/** How the objects begin that matter here: where a lost one may be found again inside a damaged line. Content blocks begin otherwise. */
const OBJECT_STARTS = [MESSAGE_START, ...WORDY_TYPES.map((type) => `{"type":"${type}"`)]
/** Two objects without a line break between them. Inside a string the quote would be escaped, so this is rare elsewhere. */
export const JOINT = '}{"'
/** What may stand before an object that is a value, or before one that is glued to a whole one. */
const IN_PLACE = ':,[} \t\r\n'
/** The model's name in messages of the host. */
const SYNTHETIC = '"<synthetic>"'
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const QUOTE = 0x22
const OPEN_BRACKET = 0x5b

/** `next` is where the following object of the same line would begin; null: no object could be read here. */
export function readObject(
  bytes: Buffer,
  at: number,
  end: number,
  hasSeam: (from: number) => boolean,
): { raw: RawLine | null; next: number | null } {
  const raw = newLine()
  const walk = startWalk(at)
  // The rest of the line is dropped, unless a second object is glued to it.
  const next = (): number => (hasSeam(at + 1) ? findGlued(bytes, at, end) : null) ?? end
  for (let key = nextKey(walk, bytes, end, LINE_KEYS); key !== null; key = nextKey(walk, bytes, end, LINE_KEYS)) {
    if (key === 'type') raw.type = wordAt(bytes, walk.at, TYPES_WITH_WORDS)
    const isIrrelevant =
      (key === 'type' && raw.type === null) ||
      (key === 'attachment' && !WORDY_ATTACHMENTS.some((start) => startsWith(bytes, walk.at, start)))
    if (isIrrelevant) return { raw: null, next: next() }
    // A second copy of the tool's result, the largest part of most transcripts. All that matters stands before it, unless
    // it is a string: behind an error stands who refused the tool use.
    if (key === 'toolUseResult' && bytes[walk.at] !== QUOTE && isWhole(raw)) return { raw, next: next() }
    const from = walk.at
    walk.at = key === 'message' ? readMessage(bytes, from, end, raw) : skipValue(bytes, from, end)
    if (walk.at < 0) break
    if (key === 'type' || key === 'message') continue
    const value = { bytes, from, to: walk.at }
    if (key in raw.fields) raw.fields[key as keyof LineFields] = value
    else raw.rare = { ...raw.rare, [key as RareField]: value }
  }
  if (walk.at >= 0 && !walk.isBroken) return { raw, next: walk.at }
  return raw.fields.toolUseResult !== undefined && isWhole(raw) ? { raw, next: next() } : { raw: null, next: null }
}

/** The words of a tool's result are there, whatever follows in the line. */
function isWhole({ hasMessage, type, fields }: RawLine): boolean {
  return hasMessage && type !== null && fields.timestamp !== undefined
}

/** Notes the message's content blocks while stepping over it: its bytes are passed once. */
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
      if (bytes[from] === QUOTE) raw.blocks = [{ ...EMPTY_BLOCK, text: { bytes, from, to: walk.at } }]
    }
    if (walk.at < 0) return BROKEN
  }
  return walk.isBroken ? BROKEN : walk.at
}

export function readBlocks(bytes: Buffer, at: number, end: number, blocks: BlockFields[]): number {
  return walkArray(bytes, at, end, (blockAt) => {
    const block = { ...EMPTY_BLOCK }
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

/** Another object counts when it is none of the values of this one and ends in time. */
function findGlued(bytes: Buffer, at: number, end: number): number | null {
  for (let start = findObjectStart(bytes, at + 1, end); start < end; start = findObjectStart(bytes, start + 1, end)) {
    const isGlued =
      bytes[start - 1] === CLOSE_BRACE || (isInsideString(bytes, start) && startsWith(bytes, start, MESSAGE_START))
    if (isGlued && skipObject(bytes, start, end) !== BROKEN) return start
  }
  return null
}

/** Whether an object begins where no value could: neither behind another object nor as a field or an element. */
export function isInsideString(bytes: Buffer, at: number): boolean {
  return !IN_PLACE.includes(String.fromCharCode(bytes[at - 1] ?? OPEN_BRACKET))
}

export function findObjectStart(bytes: Buffer, from: number, end: number): number {
  const line = bytes.subarray(from, end)
  const found = OBJECT_STARTS.map((start) => line.indexOf(start)).filter((at) => at >= 0)
  return found.length === 0 ? end : from + Math.min(...found)
}

/** Which of these words the string value is that starts here; null: none. */
function wordAt(bytes: Buffer, at: number, words: Keys): string | null {
  const close = bytes.indexOf(0x22, at + 1)
  return close < 0 ? null : matchKey(bytes, at + 1, close, words)
}

function startsWith(bytes: Buffer, at: number, text: string): boolean {
  return bytes.toString('latin1', at, at + text.length) === text
}

export interface RawJson {
  bytes: Buffer
  from: number
  to: number
}

/** Throws on broken JSON, as JSON.parse does. */
export function decode(raw: RawJson): unknown {
  return JSON.parse(raw.bytes.toString('utf8', raw.from, raw.to))
}

/** A string value without escapes needs no parser. Null when it is no string. */
export function decodeString(raw: RawJson | undefined): string | null {
  if (raw === undefined || raw.bytes[raw.from] !== 0x22) return null
  const inner = raw.bytes.toString('utf8', raw.from + 1, raw.to - 1)
  return inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner
}

export function isTrue(raw: RawJson | undefined): boolean {
  return raw !== undefined && raw.bytes[raw.from] === 0x74
}

export function isString(raw: RawJson): boolean {
  return raw.bytes[raw.from] === 0x22
}

/** The beginning of a string value, about `max` characters, without decoding the rest. */
export function decodeHead(raw: RawJson, max: number): string {
  // Four bytes hold any character; an escaped one takes at most six.
  if (raw.to - raw.from <= max * 6) return decodeString(raw) ?? ''
  const head = raw.bytes.toString('utf8', raw.from + 1, raw.from + 1 + max * 3)
  // Nothing half an escape: cut before the last backslash that has no complete escape behind it.
  const whole = head
    .replace(/\ufffd+$/, '')
    .replace(/(?:\\u[0-9a-fA-F]{0,3}|\\)$/, (tail, at: number, text: string) => (isEscaped(text, at) ? tail : ''))
  return JSON.parse(`"${whole}"`) as string
}

/** Whether the backslash at this position is itself the second half of an escape. */
function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (at - 1 - slashes >= 0 && text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}
