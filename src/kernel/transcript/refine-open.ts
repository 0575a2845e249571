/** The open items between transcript lines: tool uses without a result, and texts in the host's queue. */
import { cut } from '../text/shorten.ts'
import { isAgentUse } from './agent-report.ts'
import { answersOf, isQuotedIn } from './dialog.ts'
import { aheadOf, keptOutput, outputRoom } from './kept-output.ts'
import type { FinishedTool, QueuedText, StartedTool, ToolOptions } from './refine-state.ts'
import type { Entry } from './session.ts'
import { commandOf, itemsOf } from './tool-line.ts'
import type { Block } from './transcript.ts'
import { isRefused, messagesIn, personsWords, wordsInResult } from './words.ts'

/** People's words are never cut. */
const WHOLE = Number.MAX_SAFE_INTEGER
const DIALOG = 'AskUserQuestion'

export function startedTool(
  { name, input }: Extract<Block, { type: 'use' }>,
  { ts, base, agent }: { ts: string; base: string; agent: string | null },
  { redact }: ToolOptions,
): StartedTool {
  const tool = newTool(name, redact(commandOf(name, input, base)), ts, agent)
  tool.items = itemsOf(name, input)
  if (name === DIALOG && isQuotedIn(input)) tool.isQuoted = true
  if (name === 'Read') {
    tool.offset = lineCount(input.offset)
    tool.limit = lineCount(input.limit)
  }
  if (isAgentUse({ name }) && typeof input.description === 'string')
    tool.title = redact(input.description.trim()) || undefined
  for (const item of tool.items ?? []) if (item.text !== undefined) item.text = redact(item.text)
  return tool
}

function lineCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** All fields, although some are undefined: one object shape for all keeps reading fast. */
export function newTool(name: string, cmd: string, ts: string, agent: string | null): StartedTool {
  return {
    name,
    cmd,
    ts,
    agent: agent ?? undefined,
    items: undefined,
    offset: undefined,
    limit: undefined,
    title: undefined,
    isQuoted: undefined,
    done: undefined,
  }
}

export function finishedTool(
  tool: StartedTool,
  block: Extract<Block, { type: 'result' }>,
  { ts, base, isSent }: { ts: string; base: string; isSent: () => { sent?: true } },
  options: ToolOptions,
): FinishedTool {
  const { name } = tool
  const room = outputRoom(tool, block.failed, options.outputChars)
  const mayHoldWords = block.failed || name === DIALOG || name === 'ExitPlanMode'
  const result = room > 0 || mayHoldWords ? block.text(mayHoldWords ? WHOLE : aheadOf(room)) : ''
  const denial = block.failed ? block.denial() : null
  const refused = denial !== null && isRefused(name, result, denial)
  const kept = refused ? { output: '' } : keptOutput(tool, block, result, base, options)
  const comment = denial?.comment ?? null
  // Claude does not ask the user questions from inside a subagent, but the user may refuse a subagent's tool use.
  const mayBeUsers = tool.agent === undefined ? mayHoldWords : refused
  const said = mayBeUsers ? wordsIn(tool, block, result, { refused, comment }, options.redact) : null
  const task = name === 'TaskCreate' && !block.failed ? /^Task #(\w{1,20})\b/.exec(block.text(80))?.[1] : undefined
  const words = said === null ? undefined : { text: said, ts, ...isSent() }
  const ok = isDialog(tool, block) && said === null ? null : !block.failed
  return { ok, ...kept, refused: refused || undefined, task, words }
}

function isDialog({ name, agent }: StartedTool, { failed }: Extract<Block, { type: 'result' }>): boolean {
  return name === DIALOG && agent === undefined && !failed
}

/** The user's words in a result, redacted. */
function wordsIn(
  tool: StartedTool,
  block: Extract<Block, { type: 'result' }>,
  result: string,
  denied: { refused: boolean; comment: string | null },
  redact: Redact,
): string | null {
  if (isDialog(tool, block))
    return answersOf(result, { recorded: block.answers(), isQuoted: tool.isQuoted === true }, redact)
  const said = wordsInResult(tool.name, result, { failed: block.failed, ...denied })
  return said === null ? null : redact(said)
}

/** Returns the entry of a tool use, followed by the user's words in its result. */
export function toolEntries({ name, cmd, ts, agent, items, offset, limit, title, done }: StartedTool): Entry[] {
  const ok = done?.ok ?? null
  // The fields are written in this order.
  const entry: Extract<Entry, { name: string }> =
    agent === undefined
      ? { role: 'tool', by: 'tool', ts, name, cmd, ok }
      : { role: 'subagent', by: 'tool', agent: shortAgent(agent), ts, name, cmd, ok }
  if (done?.refused) entry.refused = true
  if (done !== undefined && done.output !== '') {
    entry.output = done.output
    if (done.cut) entry.cut = true
  }
  if (done?.ran !== undefined) entry.ran = shortAgent(done.ran)
  const task = done?.task
  const listed = task === undefined ? items : items?.map((item) => ({ id: task, ...item }))
  if (listed !== undefined) entry.items = listed
  if (offset !== undefined) entry.offset = offset
  if (title !== undefined) entry.title = title
  if (limit !== undefined) entry.limit = limit
  return done?.words === undefined ? [entry] : [entry, { role: 'user', by: 'user', via: name, ...done.words }]
}

/**
 * The user approved a plan with "clear context": the host refuses the tool use that showed the plan, and the new transcript begins with that
 * refusal. A comment would be the user's words.
 */
export function isBareRefusal({ agent, done }: StartedTool): boolean {
  return agent === undefined && done?.refused === true && done.words === undefined
}

/** The fields of a prompt that nobody typed as such. */
export function wayOf(via: string | undefined): { via?: string; plan?: true } {
  return via === undefined ? {} : via === 'plan' ? { via, plan: true } : { via }
}

export function shortAgent(agent: string): string {
  return agent.slice(0, 8)
}

type Redact = (text: string) => string

const MAX_QUEUE = 64
const MAX_SENDER = 80

/** Queue lines name no author: a prompt that is stored from the queue authorises nothing. */
export function queuedEntry({ text, from, ts }: QueuedText): Entry {
  return from === undefined
    ? { role: 'user', by: 'machine', via: 'queue', ts, text }
    : { role: 'teammate', by: 'teammate', from, ts, text }
}

/** `over`: texts that no longer fit into the queue and are stored now. */
export function queueAfter(
  queue: readonly QueuedText[],
  line: { operation: string; text: string | null },
  ts: string,
  options: ToolOptions,
): { queue: QueuedText[]; over: QueuedText[] } {
  const after = changed(queue, line, ts, options)
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
  options: ToolOptions,
): QueuedText[] {
  const queued = line.text === null ? null : textInQueue(line.text, options)
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

function textInQueue(text: string, options: ToolOptions): Pick<QueuedText, 'text' | 'from'> {
  const { redact } = options
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

/** Removes a text from the queue when its own line arrives. `wasStored`: the text was already stored from the queue. */
export function takeOutQueued(
  queue: readonly QueuedText[],
  text: string,
  ts: string,
): { queue: QueuedText[]; wasStored: boolean } {
  const left = queue.filter((one) => one.at !== 'told' || ts <= one.since)
  const storedIndex = left.findIndex((one) => one.at === 'told' && one.text === text)
  if (storedIndex >= 0) return { queue: left.toSpliced(storedIndex, 1), wasStored: true }
  // Several queued prompts may arrive joined in one message. Each of two equal prompts matches its own part of the message.
  let rest = `\n${text}\n`
  const others = left.filter((one) => {
    const at = one.text === '' || one.at === 'told' ? -1 : rest.indexOf(`\n${one.text}\n`)
    if (at >= 0) rest = rest.slice(0, at) + rest.slice(at + one.text.length + 1)
    return at < 0
  })
  return { queue: others, wasStored: false }
}
