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
  isMeta?: boolean
  /** A schedule fired it: `wakeupSource`, `scheduledTaskId`, or `queuePriority` later. Claude may have written its words. */
  isScheduled?: boolean
  promptSource?: string | null
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
  'scheduled-trigger': 'machine',
  'auto-continuation': 'machine',
  'observer-activity': 'machine',
}

export function authorOf({
  on,
  origin,
  isMeta = false,
  isScheduled = false,
  promptSource,
  commandMode,
}: Marks): Author {
  const kind = origin === undefined ? null : Object.hasOwn(KINDS, origin) ? (KINDS[origin] ?? 'unknown') : 'unknown'
  // The host marks messages of other sessions as meta, too. Of everybody else a meta line is the host's own text.
  if (isMeta) return kind === 'teammate' ? 'teammate' : 'machine'
  if (isScheduled || commandMode === 'task-notification') return 'machine'
  if (promptSource === 'system') return kind === 'teammate' || kind === 'unknown' ? kind : 'machine'
  if (kind !== null) return kind
  // Older hosts (2.1.51 and before) write no origin. Their messages are typed; what they queue may come from anybody.
  return on === 'message' ? 'user' : 'unmarked'
}
