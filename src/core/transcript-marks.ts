/** The host's marks on one transcript line: who wrote its words, and who refused a tool use. */
import { type Author, authorOf, type Marks } from './author.ts'
import { decode, decodeString, isTrue, type RawJson } from './raw-json.ts'
import type { LineFields } from './raw-line.ts'

/** What the host says about a tool use that did not run. `byUser` null: a host before 2.1.300 says nothing. */
export interface Denial {
  byUser: boolean | null
  /** What the user typed with the refusal. */
  comment: string | null
}

/** Who wrote the words of a line. `from`: the sender's name, and `kind` the kind of sender, where the host names them. */
export interface Written {
  author: Author
  from: string
  kindOfSender: string
}

export function writtenOn(fields: LineFields): Written {
  return writtenBy(fields.origin && decode(fields.origin), {
    on: 'message',
    isMeta: isTrue(fields.isMeta),
    isScheduled:
      fields.wakeupSource !== undefined ||
      fields.scheduledTaskId !== undefined ||
      readableString(fields.queuePriority) === 'later',
    promptSource: decodeString(fields.promptSource),
  })
}

/** `origin` is the host's mark of who sent a message. One that cannot be read names nobody, which is not the user. */
export function writtenBy(origin: unknown, marks: Omit<Marks, 'origin'>): Written {
  if (origin === undefined || origin === null) return { author: authorOf(marks), from: '', kindOfSender: '' }
  const { kind, name, from, server } = isRecord(origin) ? origin : {}
  const named = [name, from, server].find((one) => typeof one === 'string' && one !== '')
  const kindOfSender = typeof kind === 'string' ? kind : ''
  return {
    author: authorOf({ ...marks, origin: kindOfSender }),
    from: named === undefined ? '' : String(named),
    kindOfSender,
  }
}

/** No tool can write the host's bare string: the error of a tool begins with `Error: `. */
export function denialOf({
  toolUseResult,
  permissionDecision,
  userFeedback,
  interruptedByShutdown,
}: LineFields): Denial {
  if (isTrue(interruptedByShutdown)) return { byUser: false, comment: null }
  const decision = permissionDecision && decode(permissionDecision)
  const byMark = readableString(toolUseResult) === 'User rejected tool use' ? true : null
  const byUser = byMark ?? (isRecord(decision) ? decision.source === 'user_reject' : null)
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

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
