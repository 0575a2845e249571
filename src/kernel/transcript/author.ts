/** Decides who wrote the text of a transcript line. Only this file decides it, from the marks that the host puts on the line; the text is not read. */
import { isObject } from '../platform/json.ts'
import {
  decode,
  decodeString,
  isTrue,
  type LineFields,
  type RareField,
  type RareFields,
  type RawJson,
} from './raw-line.ts'

/** The author recorded in every session entry. */
export type By = 'user' | 'assistant' | 'tool' | 'teammate' | 'machine'

/**
 * `unmarked`: the line has no mark, like every queue line. Its text is kept and authorises nothing.
 * `unknown`: the host's mark names a sender other than the user. The text is kept as a message of that sender.
 * `machine`: text of the host itself. It is dropped.
 */
export type Author = 'user' | 'teammate' | 'unknown' | 'unmarked' | 'machine'

export interface Marks {
  /** The kind of line: a message, an attachment `queued_command`, or a line that never carries a mark. */
  on: 'message' | 'attachment' | 'queue'
  /** `origin.kind`; undefined: the line has no `origin`. A malformed `origin` gives the empty string. */
  origin?: string | undefined
  /** `origin.subkind`: the kind of notification. Undefined: not given. */
  subkind?: string | undefined
  isMeta?: boolean | undefined
  /** A schedule started it: `wakeupSource`, `scheduledTaskId`, or `queuePriority` later. Claude may have written the text. */
  isScheduled?: boolean | undefined
  /** Other marks of the host say that the user did not type the text: a mail, a chat, a text composed by a program. */
  isNotTyped?: boolean
  promptSource?: string | null | undefined
  /** What started the turn; null on hosts before 2.1.300 and on lines that start none. */
  turnOrigin?: string | null | undefined
  commandMode?: string | null | undefined
}

/** `origin.kind` of the host 2.1.325. A kind that is missing here is `unknown`, so that a new kind never counts as the user. */
const KINDS: Readonly<Record<string, Author>> = {
  human: 'user',
  peer: 'teammate',
  channel: 'teammate',
  coordinator: 'teammate',
  observer: 'teammate',
  'slack-ping': 'teammate',
  'voice-call': 'teammate',
  plugin: 'unknown',
  unclassified: 'unknown',
  'task-notification': 'machine',
  'auto-continuation': 'machine',
  'observer-activity': 'machine',
}
/** `origin.subkind` of notifications that contain text of another session or of a chat. All others are the host's own text. */
const MESSAGES = new Set(['peer-send-message', 'projects-relay', 'session-inbox'])
/** `turnOrigin` of turns that the user, or a program of the user, started. */
const OWN_TURNS = new Set(['human', 'sdk', 'unknown'])
/** `commandMode` of text typed while Claude worked. */
const TYPED_MODES = new Set(['prompt', 'bash'])

export function authorOf(marks: Marks): Author {
  const { on, isMeta = false, isScheduled = false, isNotTyped = false, promptSource, turnOrigin, commandMode } = marks
  const kind = authorByOrigin(marks)
  // The host also marks messages of other sessions as meta. For every other author, a meta line is the host's own text.
  if (kind === 'teammate') return isScheduled ? 'machine' : kind
  if (isMeta || isScheduled || commandMode === 'task-notification') return 'machine'
  if (promptSource === 'system') return kind === 'unknown' ? kind : 'machine'
  if (kind !== null && kind !== 'user') return kind
  if (isNotTyped || isOthers(turnOrigin, OWN_TURNS)) return 'unknown'
  if (kind === 'user' && isOthers(commandMode, TYPED_MODES)) return 'unknown'
  // Older hosts (2.1.51 and before) write no origin. Their messages are typed; their queued texts may come from anyone.
  return kind ?? (on === 'message' ? 'user' : 'unmarked')
}

function isOthers(mark: string | null | undefined, own: ReadonlySet<string>): boolean {
  return typeof mark === 'string' && !own.has(mark)
}

/** Null: the line has no `origin`. */
function authorByOrigin({ origin, subkind }: Marks): Author | null {
  if (origin === undefined) return null
  if (origin === 'task-notification' && subkind !== undefined && MESSAGES.has(subkind)) return 'teammate'
  return Object.hasOwn(KINDS, origin) ? (KINDS[origin] ?? 'unknown') : 'unknown'
}

/** The host's record of a tool use that did not run. `byUser` null: hosts before 2.1.300 do not record it. */
export interface Denial {
  byUser: boolean | null
  /** The comment that the user typed with the refusal. */
  comment: string | null
}

/** The author of a line's text. `from`: the sender's name; `kindOfSender`: the kind of sender; both only if the host names them. */
export interface Written {
  author: Author
  from: string
  kindOfSender: string
}

/** Marks of text that the user did not type, whatever `origin` says, and the name of the sender. */
const NOT_TYPED = {
  textNotTyped: 'a program',
  queueSkipAttachments: 'a program',
  queueTranscriptOnly: 'a program',
  handedOff: 'another session',
  verifiedSlackHumanTurn: 'a chat',
  emailSenderTurn: 'a mail',
} as const satisfies Partial<Record<RareField, string>>

const SENDERS = Object.entries(NOT_TYPED)

/** For a line without text of its own: a tool's result. */
export const NOT_ASKED: Written = { author: 'machine', from: '', kindOfSender: '' }

/** Every mark that a line may carry. */
const LINE_MARKS = ['isMeta', 'origin', 'promptSource'] as const satisfies (keyof LineFields)[]
const RARE_MARKS = [
  ...['wakeupSource', 'scheduledTaskId', 'queuePriority', 'turnOrigin'],
  ...Object.keys(NOT_TYPED),
] as readonly RareField[]

export function writtenOn(fields: LineFields, rare: RareFields | null): Written {
  return writtenBy('message', marksOn(fields, rare))
}

/** The marks of a line, decoded. */
export function marksOn(fields: LineFields, rare: RareFields | null): Record<string, unknown> {
  const marks: Record<string, unknown> = {}
  const take = (name: string, raw: RawJson | undefined): void => {
    if (raw !== undefined) marks[name] = decode(raw)
  }
  for (const name of LINE_MARKS) take(name, fields[name])
  if (rare !== null) for (const name of RARE_MARKS) take(name, rare[name])
  return marks
}

/**
 * `places`: the objects that may carry the host's marks, the innermost first: a queued command, then its line. A mark counts in any of
 * them. An unreadable one names no sender, and therefore not the user.
 */
export function writtenBy(on: 'message' | 'attachment', ...places: Readonly<Record<string, unknown>>[]): Written {
  const all = (name: string): unknown[] => places.map((place) => place[name]).filter((value) => value !== undefined)
  // Of these the line tells what its turn is, not what waited in the queue.
  const text = (name: string): string | null => {
    const value = places[0]?.[name] ?? null
    return value === null || typeof value === 'string' ? value : ''
  }
  const origin = all('origin').find((one) => one !== null)
  const { kind, subkind, name, from, server } = isObject(origin) ? origin : {}
  const [, sender = ''] = SENDERS.find(([mark]) => all(mark).some(isMark)) ?? []
  const [turnOrigin, commandMode] = [text('turnOrigin'), on === 'attachment' ? text('commandMode') : null]
  const author = authorOf({
    on,
    origin: origin === undefined ? undefined : typeof kind === 'string' ? kind : '',
    subkind: typeof subkind === 'string' ? subkind : undefined,
    isMeta: all('isMeta').includes(true),
    isScheduled:
      [...all('wakeupSource'), ...all('scheduledTaskId')].length > 0 || all('queuePriority').includes('later'),
    isNotTyped: sender !== '',
    promptSource: text('promptSource'),
    turnOrigin,
    commandMode,
  })
  const named = [name, from, server].find((one) => typeof one === 'string' && one !== '')
  const isHuman = kind === undefined || kind === 'human'
  const kindOfSender = isHuman ? sender || (turnOrigin ?? commandMode ?? '') : typeof kind === 'string' ? kind : ''
  return { author, from: named === undefined ? '' : String(named), kindOfSender }
}

function isMark(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}

/** A tool cannot imitate the host's bare string: a tool's error begins with `Error: `. */
export function denialOf({ toolUseResult }: LineFields, rare: RareFields | null): Denial {
  const { permissionDecision, userFeedback, interruptedByShutdown } = rare ?? {}
  if (isTrue(interruptedByShutdown)) return { byUser: false, comment: null }
  const decision = permissionDecision && decode(permissionDecision)
  const byMark = readableString(toolUseResult) === 'User rejected tool use' ? true : null
  const byUser = byMark ?? (isObject(decision) ? decision.source === 'user_reject' : null)
  return { byUser, comment: byUser === true ? decodeString(userFeedback) : null }
}

/** Empty if the string is damaged. */
export function readableString(raw: RawJson | undefined): string {
  try {
    return decodeString(raw) ?? ''
  } catch {
    return ''
  }
}
