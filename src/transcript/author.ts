/** Who wrote the words of a transcript line. Decided here, and only here, from the marks that the host puts on the line. No text is read. */

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
