/** The host's queue: texts that wait while Claude works, typed by the user or sent by somebody else. */

import { cut } from '../text/shorten.ts'
import type { Entry } from './session.ts'
import { messagesIn, personsWords } from './words.ts'

/** `taken`: handed to Claude, its own line not seen yet. `told`: stored from the queue, its own line may still come. */
export interface QueuedText {
  /** Empty for text of the host, which holds a place so that the order of taking stays right. */
  text: string
  /** The sender of a message that is not the user's. */
  from?: string
  ts: string
  at: 'waiting' | 'taken' | 'told'
  /** Since when it is so. A line of its own that comes late was written for an earlier time, a new prompt for a later one. */
  since: string
}

type Redact = (text: string) => string

const MAX_QUEUE = 64
const MAX_SENDER = 80

/** No line of the queue names an author: a prompt that is stored from there authorises nothing. */
export function queuedEntry({ text, from, ts }: QueuedText): Entry {
  return from === undefined
    ? { role: 'user', by: 'machine', via: 'queue', ts, text }
    : { role: 'teammate', by: 'teammate', from, ts, text }
}

/** `over`: texts that the queue has no room for and that are stored now. */
export function queueAfter(
  queue: readonly QueuedText[],
  line: { operation: string; text: string | null },
  ts: string,
  redact: Redact,
): { queue: QueuedText[]; over: QueuedText[] } {
  const after = changed(queue, line, ts, redact)
  const over = after.slice(0, Math.max(0, after.length - MAX_QUEUE))
  return {
    queue: after.slice(over.length),
    over: over.filter(({ text, at }) => text !== '' && at !== 'told'),
  }
}

function changed(
  queue: readonly QueuedText[],
  line: { operation: string; text: string | null },
  ts: string,
  redact: Redact,
): QueuedText[] {
  const queued = line.text === null ? null : textInQueue(line.text, redact)
  switch (line.operation) {
    case 'enqueue':
      return queued === null ? [...queue] : [...queue, { ...queued, ts, at: 'waiting' as const, since: ts }]
    case 'popAll':
      return queue.filter((one) => one.at !== 'waiting')
    case 'dequeue':
    case 'remove': {
      const named = queue.findIndex((one) => one.at === 'waiting' && one.text === queued?.text)
      const taken = named >= 0 ? named : queue.findIndex((one) => one.at === 'waiting')
      return queue.flatMap((one, i) =>
        i !== taken ? [one] : one.text === '' ? [] : [{ ...one, at: 'taken' as const, since: ts }],
      )
    }
    default:
      return [...queue]
  }
}

function textInQueue(text: string, redact: Redact): Pick<QueuedText, 'text' | 'from'> {
  const messages = messagesIn(text)
  const [message] = messages ?? []
  if (message !== undefined && messages?.length === 1)
    return { text: redact(message.text), from: senderName(message.from, redact) }
  const words = messages !== null || isMachineJson(text) ? null : personsWords(text)
  return { text: words === null ? '' : redact(words) }
}

export function senderName(from: string, redact: Redact): string {
  return cut(redact(from.replace(/\s+/g, ' ').trim()), MAX_SENDER)
}

function isMachineJson(text: string): boolean {
  return /^\s*\{"(?:type|taskId|task_id|from|kind)"/.test(text)
}

/** Takes a text out of the queue when its own line arrives. `wasTold`: it was stored from the queue before. */
export function takeOutQueued(
  queue: readonly QueuedText[],
  text: string,
  ts: string,
): { queue: QueuedText[]; wasTold: boolean } {
  const left = queue.filter((one) => one.at !== 'told' || ts <= one.since)
  const told = left.findIndex((one) => one.at === 'told' && one.text === text)
  if (told >= 0) return { queue: left.toSpliced(told, 1), wasTold: true }
  // Several queued prompts may arrive joined in one message; of two equal ones each takes its own place in it.
  let rest = `\n${text}\n`
  const others = left.filter((one) => {
    const at = one.text === '' || one.at === 'told' ? -1 : rest.indexOf(`\n${one.text}\n`)
    if (at >= 0) rest = rest.slice(0, at) + rest.slice(at + one.text.length + 1)
    return at < 0
  })
  return { queue: others, wasTold: false }
}
