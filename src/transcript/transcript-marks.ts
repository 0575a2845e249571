/** The host's marks on one transcript line: who wrote its words, and who refused a tool use. */
import { isObject } from '../platform/json.ts'
import { type Author, authorOf, type Marks } from './author.ts'
import { decode, decodeString, isTrue, type RawJson } from './raw-json.ts'
import type { LineFields, RareField, RareFields } from './raw-line.ts'

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
