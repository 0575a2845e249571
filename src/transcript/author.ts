/** Who wrote the words of a transcript line. Decided here, and only here, from the marks that the host puts on the line. No text is read. */
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

/** What every entry of a session says about its author. */
export type By = 'user' | 'assistant' | 'tool' | 'teammate' | 'machine'

/**
 * `unmarked`: the line has no mark, as on every queue line. Its words are kept and authorise nothing.
 * `unknown`: a mark of the host that names somebody, and not the user. Its words are kept as a message of that sender.
 * `machine`: text of the host itself. It is dropped.
 */
export type Author = 'user' | 'teammate' | 'unknown' | 'unmarked' | 'machine'

export interface Marks {
  /** The kind of line: a message, an attachment `queued_command`, or a line that never carries a mark. */
  on: 'message' | 'attachment' | 'queue'
  /** `origin.kind`; undefined: the line has no `origin`. A malformed `origin` is the empty string. */
  origin?: string | undefined
  /** `origin.subkind`: which kind of notification. Undefined: the origin names none. */
  subkind?: string | undefined
  isMeta?: boolean
  /** A schedule fired it: `wakeupSource`, `scheduledTaskId`, or `queuePriority` later. Claude may have written its words. */
  isScheduled?: boolean
  /** The host marks the words as somebody else's, whatever its origin says: a mail, a chat, a text that a program composed. */
  isNotTyped?: boolean
  promptSource?: string | null
  /** What began the turn; null on hosts before 2.1.300 and on lines that begin none. */
  turnOrigin?: string | null
  commandMode?: string | null
}

/** `origin.kind` of the host 2.1.325. A kind that is missing here is `unknown`, so a new one never becomes the user. */
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
/** `origin.subkind` of notifications that carry words of another session or of a chat. All others are the host's own text. */
const MESSAGES = new Set(['peer-send-message', 'projects-relay', 'session-inbox'])
/** `turnOrigin` of turns that the user or a program of theirs began. */
const OWN_TURNS = new Set(['human', 'sdk', 'unknown'])
/** `commandMode` of what somebody typed while Claude worked. */
const TYPED_MODES = new Set(['prompt', 'bash'])

export function authorOf(marks: Marks): Author {
  const { on, isMeta = false, isScheduled = false, isNotTyped = false, promptSource, turnOrigin, commandMode } = marks
  const kind = authorByOrigin(marks)
  // The host marks messages of other sessions as meta, too. Of everybody else a meta line is the host's own text.
  if (kind === 'teammate') return isScheduled ? 'machine' : kind
  if (isMeta || isScheduled || commandMode === 'task-notification') return 'machine'
  if (promptSource === 'system') return kind === 'unknown' ? kind : 'machine'
  if (kind !== null && kind !== 'user') return kind
  if (isNotTyped || isOthers(turnOrigin, OWN_TURNS)) return 'unknown'
  if (kind === 'user' && isOthers(commandMode, TYPED_MODES)) return 'unknown'
  // Older hosts (2.1.51 and before) write no origin. Their messages are typed; what they queue may come from anybody.
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

/** What the host says about a tool use that did not run. `byUser` null: a host before 2.1.300 says nothing. */
export interface Denial {
  byUser: boolean | null
  /** What the user typed with the refusal. */
  comment: string | null
}

/** Who wrote the words of a line. `from`: the sender's name, and `kindOfSender` the kind of sender, where the host names them. */
export interface Written {
  author: Author
  from: string
  kindOfSender: string
}

/** Marks of words that somebody else wrote, whatever their origin says, and whom to name as their sender. */
const NOT_TYPED = {
  textNotTyped: 'a program',
  queueSkipAttachments: 'a program',
  queueTranscriptOnly: 'a program',
  handedOff: 'another session',
  verifiedSlackHumanTurn: 'a chat',
  emailSenderTurn: 'a mail',
} as const satisfies Partial<Record<RareField, string>>

const SENDERS = Object.entries(NOT_TYPED)

/** Of a line that says nothing itself: a tool's result. */
export const NOT_ASKED: Written = { author: 'machine', from: '', kindOfSender: '' }

export function writtenOn(fields: LineFields, rare: RareFields | null): Written {
  const given: Record<string, unknown> = {}
  if (rare !== null)
    for (const [mark] of SENDERS) {
      const raw = rare[mark as RareField]
      if (raw !== undefined) given[mark] = decode(raw)
    }
  return writtenBy(fields.origin && decode(fields.origin), given, {
    on: 'message',
    isMeta: isTrue(fields.isMeta),
    isScheduled:
      rare?.wakeupSource !== undefined ||
      rare?.scheduledTaskId !== undefined ||
      readableString(rare?.queuePriority) === 'later',
    promptSource: decodeString(fields.promptSource),
    turnOrigin: decodeString(rare?.turnOrigin),
  })
}

/**
 * `origin` is the host's mark of who sent a message. One that cannot be read names nobody, which is not the user.
 * `more`: where the marks of words that nobody typed may be.
 */
export function writtenBy(
  origin: unknown,
  more: Readonly<Record<string, unknown>>,
  marks: Omit<Marks, 'origin' | 'subkind' | 'isNotTyped'>,
): Written {
  const { kind, subkind, name, from, server } = isObject(origin) ? origin : {}
  const hasOrigin = origin !== undefined && origin !== null
  const [, sender = ''] = SENDERS.find(([mark]) => isMark(more[mark])) ?? []
  const author = authorOf({
    ...marks,
    ...(hasOrigin ? { origin: typeof kind === 'string' ? kind : '' } : {}),
    ...(typeof subkind === 'string' ? { subkind } : {}),
    isNotTyped: sender !== '',
  })
  const named = [name, from, server].find((one) => typeof one === 'string' && one !== '')
  const isHuman = kind === undefined || kind === 'human'
  const kindOfSender = isHuman
    ? sender || (marks.turnOrigin ?? marks.commandMode ?? '')
    : typeof kind === 'string'
      ? kind
      : ''
  return { author, from: named === undefined ? '' : String(named), kindOfSender }
}

function isMark(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}

/** No tool can write the host's bare string: the error of a tool begins with `Error: `. */
export function denialOf({ toolUseResult }: LineFields, rare: RareFields | null): Denial {
  const { permissionDecision, userFeedback, interruptedByShutdown } = rare ?? {}
  if (isTrue(interruptedByShutdown)) return { byUser: false, comment: null }
  const decision = permissionDecision && decode(permissionDecision)
  const byMark = readableString(toolUseResult) === 'User rejected tool use' ? true : null
  const byUser = byMark ?? (isObject(decision) ? decision.source === 'user_reject' : null)
  return { byUser, comment: byUser === true ? decodeString(userFeedback) : null }
}

/** Empty where it is damaged. */
export function readableString(raw: RawJson | undefined): string {
  try {
    return decodeString(raw) ?? ''
  } catch {
    return ''
  }
}
