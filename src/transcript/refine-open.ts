/** What is open between the lines of a transcript: a tool use without its result, and texts in the host's queue. */
import { cut } from '../text/shorten.ts'
import type { Entry, TaskItem } from './session.ts'
import { commandOf, errorWorth, itemsOf, outputWorth, plainOutput } from './tool-line.ts'
import type { Block } from './transcript.ts'
import { isRefused, messagesIn, personsWords, wordsInResult } from './words.ts'

/** `done`: the result has come, and a tool that was called before this one is still running. */
export interface StartedTool {
  name: string
  cmd: string
  ts: string
  agent?: string
  items?: TaskItem[]
  done?: FinishedTool
  /** A finisher was started to wait for its result. */
  waited?: true
}

interface FinishedTool {
  ok: boolean
  refused?: true
  output: string
  cut?: true
  /** The number that a new task got. */
  task?: string
  /** The user's words inside the result, and when they came. */
  words?: { text: string; ts: string; sent?: true }
}

export interface ToolOptions {
  outputChars: number
  /** Every text passes through here before it goes anywhere. */
  redact: (text: string) => string
  /** The file lies outside of the host's own directories. Anybody may have written its prompts, so all of them are `sent`. */
  isForeign?: true
}

/** How far a text is looked at beyond what is kept of it: secrets are found before the cut, which may fall inside one. */
const REDACT_AHEAD = 512
/** Words of people are never cut. */
const WHOLE = Number.MAX_SAFE_INTEGER

export function startedTool(
  { name, input }: Extract<Block, { type: 'use' }>,
  { ts, base, agent }: { ts: string; base: string; agent: string | null },
  { redact }: ToolOptions,
): StartedTool {
  const items = itemsOf(name, input)?.map(({ text, ...item }) => ({
    ...item,
    ...(text === undefined ? {} : { text: redact(text) }),
  }))
  return {
    name,
    cmd: redact(commandOf(name, input, base)),
    ts,
    ...(agent === null ? {} : { agent }),
    ...(items === undefined ? {} : { items }),
  }
}

export function finishedTool(
  tool: StartedTool,
  block: Extract<Block, { type: 'result' }>,
  { ts, base, isSent }: { ts: string; base: string; isSent: () => boolean },
  { outputChars, redact }: ToolOptions,
): FinishedTool {
  const { name } = tool
  const worth = block.failed ? errorWorth(name, outputChars) : outputWorth(name, tool.cmd, outputChars)
  const mayHoldWords = block.failed || name === 'AskUserQuestion' || name === 'ExitPlanMode'
  const ahead = worth + REDACT_AHEAD
  const result = worth > 0 || mayHoldWords ? block.text(mayHoldWords ? WHOLE : ahead) : ''
  const denial = block.failed ? block.denial() : null
  const refused = denial !== null && isRefused(name, result, denial)
  const plain = worth === 0 || refused ? '' : plainOutput(cut(result, ahead))
  // Little room is not spent on the directory that all paths have in common.
  const told = worth < outputChars && base.length > 1 ? plain.replaceAll(`${base}/`, '') : plain
  const clean = redact(told)
  const output = cut(clean, worth).trim()
  // What was looked at may end before the output does, although nothing of it is left out here.
  const isCut = output !== '' && (clean.length > worth || plainOutput(block.text(WHOLE)).length > plain.length)
  const comment = denial?.comment ?? null
  // Nobody asks the user questions from inside a subagent, but they may refuse what it does.
  const mayBeUsers = tool.agent === undefined ? mayHoldWords : refused
  const said = mayBeUsers ? wordsInResult(name, result, { failed: block.failed, refused, comment }) : null
  return {
    ok: !block.failed,
    ...(refused ? { refused: true } : {}),
    output,
    ...(isCut ? { cut: true } : {}),
    ...newTask(name, block),
    ...(said === null ? {} : { words: { text: redact(said), ts, ...(isSent() ? { sent: true } : {}) } }),
  }
}

function newTask(name: string, block: Extract<Block, { type: 'result' }>): { task?: string } {
  const number = name === 'TaskCreate' && !block.failed ? /^Task #(\w{1,20})\b/.exec(block.text(80))?.[1] : undefined
  return number === undefined ? {} : { task: number }
}

/** The entry of a tool use, and behind it the user's words in its result. */
export function toolEntries({ name, cmd, ts, agent, items, done }: StartedTool): Entry[] {
  const { ok = null, refused, output = '', cut: isCut, task, words } = done ?? {}
  const told = output === '' ? {} : { output, ...(isCut ? { cut: isCut } : {}) }
  const numbered = task === undefined ? items : items?.map((item) => ({ id: task, ...item }))
  const listed = numbered === undefined ? {} : { items: numbered }
  const use = { name, cmd, ok, ...(refused ? { refused } : {}), ...told, ...listed }
  const entry: Entry =
    agent === undefined
      ? { role: 'tool', by: 'tool', ts, ...use }
      : { role: 'subagent', by: 'tool', agent: shortAgent(agent), ts, ...use }
  return words === undefined ? [entry] : [entry, { role: 'user', by: 'user', via: name, ...words }]
}

export function shortAgent(agent: string): string {
  return agent.slice(0, 8)
}

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
