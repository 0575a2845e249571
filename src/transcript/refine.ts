/**
 * Transcript lines → session entries: keeps every word of people and Claude and one line per tool use, drops the rest.
 * One file of more than 300 lines, because every kind of line changes the same state.
 */
import { fingerprintOfWords } from '../text/fingerprint.ts'
import { readableString, type Written } from './author.ts'
import type { RawJson } from './raw-line.ts'
import {
  finishedTool,
  type QueuedText,
  queueAfter,
  queuedEntry,
  type StartedTool,
  senderName,
  shortAgent,
  startedTool,
  type ToolOptions,
  takeOutQueued,
  toolEntries,
} from './refine-open.ts'
import type { Entry } from './session.ts'
import type { Block, TranscriptLine } from './transcript.ts'
import {
  feedbackOnPlan,
  isCompactionSummary,
  type Message,
  messagesIn,
  personsWords,
  withoutNotices,
  withoutReminders,
} from './words.ts'

/** Everything a later line may refer to; kept with the byte offset, so that reading may stop and go on anywhere. */
export interface RefineState {
  ts: string
  /** The directory the session was started in. */
  base: string
  /** The git branch, by the newest line that an entry came from. */
  branch: string
  tools: Record<string, StartedTool>
  queue: QueuedText[]
  /** What Claude said since the last prompt, as fingerprints: recognises an answer told before its line was written. */
  said: string[]
  /** The answer as the Stop hook named it, while the transcript lags behind. */
  answer: { text: string; ts: string } | null
}

export interface RefineOptions extends ToolOptions {
  /** The lines are a subagent's own transcript. */
  agent?: string
  /** The user wanted nothing recorded at that time. */
  isPaused?: (at: string) => boolean
}

/** The Stop hook names the last thing said; a few more for blocks written late. */
const MAX_SAID = 4

export const EMPTY_REFINE_STATE: RefineState = {
  ts: '',
  base: '',
  branch: '',
  tools: {},
  queue: [],
  said: [],
  answer: null,
}

interface Refined {
  entries: Entry[]
  state: RefineState
}

export function refine(before: RefineState, lines: Iterable<TranscriptLine>, options: RefineOptions): Refined {
  const run: Run = {
    entries: [],
    state: { ...before, tools: { ...before.tools }, queue: [...before.queue], said: [...before.said] },
    options,
    isSent: () => false,
  }
  for (const line of lines) {
    run.state.ts = line.ts ?? run.state.ts
    if (options.isPaused?.(run.state.ts)) continue
    // Where it is damaged, the next line names the directory as well.
    if (run.state.base === '') run.state.base = readableString(line.cwd)
    run.isSent = line.isSent
    const before = run.entries.length
    refineLine(run, options.agent === undefined ? line : { ...line, agent: options.agent })
    markBranch(run, before, line.branch)
  }
  return { entries: run.entries, state: run.state }
}

/** The first entry on another branch than the one before says which. */
function markBranch({ entries, state, options }: Run, from: number, raw: RawJson | undefined): void {
  const first = entries[from]
  if (first === undefined || options.agent !== undefined) return
  const branch = options.redact(readableString(raw))
  // Without git there is none, and a detached HEAD has no name.
  if (branch === '' || branch === 'HEAD' || branch === state.branch) return
  state.branch = branch
  entries[from] = { ...first, branch }
}

/** What is known but not settled: tools without a result, texts still in the queue, an answer whose line is not written yet. */
export function openEntries(state: RefineState): Entry[] {
  const tools = Object.values(state.tools)
    .flatMap(toolEntries)
    .map((entry): Entry => ({ ...entry, open: true }))
  const queued = state.queue
    .filter((prompt) => prompt.at !== 'told' && prompt.text !== '')
    .map((prompt): Entry => ({ ...queuedEntry(prompt), open: true }))
  const answer: Entry[] = state.answer ? [{ role: 'assistant', by: 'assistant', ...state.answer, open: true }] : []
  return [...tools, ...queued, ...answer]
}

/** The Stop hook's answer, when no line of this turn has said it yet. */
export function expectAnswer(
  state: RefineState,
  text: string,
  ts: string,
  redact: (text: string) => string,
): RefineState {
  const answer = redact(text.trim())
  if (answer === '' || state.said.includes(fingerprintOfWords(answer))) return state
  return { ...state, answer: { text: answer, ts } }
}

/** One pass over some lines: the state is a copy that belongs to this pass. */
interface Run {
  entries: Entry[]
  state: RefineState
  options: RefineOptions
  /** Whether a program sent the prompts, by the line that is read. */
  isSent: () => boolean
}

function refineLine(run: Run, line: TranscriptLine): void {
  switch (line.kind) {
    case 'assistant':
      return refineAssistant(run, line)
    case 'user':
      return refineUser(run, line)
    case 'command': {
      const words = line.author === 'user' ? personsWords(line.text) : null
      if (words !== null) tellPerson(run, run.options.redact(words), { by: 'user' })
      return
    }
    case 'mailbox':
      for (const message of withoutNotices(line.messages)) tellMessage(run, message, 'teammate')
      return
    case 'queued':
      return tellTexts(run, line, [{ text: line.text, shape: 'string' }])
    case 'queue': {
      const { queue, over } = queueAfter(run.state.queue, line, run.state.ts, run.options.redact)
      run.state.queue = queue
      run.entries.push(...over.map(queuedEntry))
    }
  }
}

function refineAssistant(run: Run, { blocks, agent, isHosts }: Extract<TranscriptLine, { kind: 'assistant' }>): void {
  // Claude goes on: prompts handed over before this line have arrived, whether or not a line of their own says so.
  if (agent === null) tellTaken(run)
  for (const block of blocks) {
    if (block.type === 'text') tellAssistant(run, agent, block.text, isHosts ? 'machine' : 'assistant')
    else if (block.type === 'use')
      run.state.tools[block.id] = startedTool(block, { ts: run.state.ts, base: run.state.base, agent }, run.options)
    else if (block.type === 'result') finishTool(run, block, agent)
  }
}

function refineUser(run: Run, line: Extract<TranscriptLine, { kind: 'user' }>): void {
  const texts: Text[] = []
  for (const block of line.blocks) {
    if (block.type === 'result') finishTool(run, block, line.agent)
    else if (block.type === 'text') texts.push(block)
  }
  // A subagent's prompt was written by Claude: its start stands in the line of the tool that started it.
  if (line.agent !== null) return
  const whole = texts.map(({ text }) => text).join('\n')
  if (line.compacted || isCompactionSummary(whole)) {
    const text = run.options.redact(withoutReminders(whole).trim())
    run.entries.push({ role: 'summary', by: 'machine', ts: run.state.ts, text })
    return
  }
  const feedback = line.author === 'machine' && line.plan !== null ? feedbackOnPlan(whole, line.plan) : null
  if (feedback !== null) tellPerson(run, run.options.redact(feedback), { by: 'user', via: 'ExitPlanMode' })
  // Another sender begins a turn as the user does.
  if (texts.length > 0 && (line.author === 'teammate' || line.author === 'unknown')) settleLostTools(run)
  tellTexts(run, line, texts)
  if (line.author === 'user' && texts.length === 0 && line.blocks.some((block) => block.type === 'image'))
    tellPerson(run, '[image]', { by: 'user' })
}

type Text = Pick<Extract<Block, { type: 'text' }>, 'text' | 'shape'>

/** The words of a line under the name of whoever wrote them. A wrapper of the host can only take words away from the user. */
function tellTexts(run: Run, line: Written, texts: readonly Text[]): void {
  const { author } = line
  if (author === 'machine') return dropQueued(run, texts)
  const messages = texts.map(({ text }) => messagesIn(text))
  if (author === 'teammate' || author === 'unknown') {
    texts.forEach(({ text }, i) => {
      for (const message of messages[i] ?? [{ from: '', text: text.trim() }])
        tellMessage(run, { ...message, from: line.from || message.from || line.kindOfSender }, BY[author])
    })
    return
  }
  for (const message of messages.flatMap((some) => some ?? [])) tellMessage(run, message, 'teammate')
  const words = texts.map(({ text, shape }) => personsWords(text, shape)).filter((text) => text !== null)
  if (words.length === 0) return
  if (author === 'user') settleLostTools(run)
  tellQueued(run, words.join('\n'), author === 'user' ? { by: 'user' } : { by: 'machine', via: 'queue' })
}

/** The host's own text may have waited in the queue, which does not say whose it is. */
function dropQueued(run: Run, texts: readonly Text[]): void {
  if (run.state.queue.length === 0) return
  for (const { text, shape } of texts) {
    const words = personsWords(text, shape)
    if (words !== null) wasTold(run, run.options.redact(words))
  }
}

const BY = { teammate: 'teammate', unknown: 'machine' } as const

/**
 * A new turn began: tools of the last one that have no result never will have one (the host was killed). Tools from
 * after the prompt are its own: the host may write a turn's first lines in another order.
 */
function settleLostTools(run: Run): void {
  for (const [id, tool] of Object.entries(run.state.tools)) {
    if (tool.agent !== undefined || tool.ts > run.state.ts) continue
    tellTool(run, tool)
    delete run.state.tools[id]
  }
}

/** Words that may have been in the queue before: once stored from there, they are not stored again. */
function tellQueued(run: Run, said: string, written: WrittenBy): void {
  const words = run.options.redact(said)
  if (!wasTold(run, words)) tellPerson(run, words, written)
}

function tellMessage(run: Run, { from, text }: Message, by: 'teammate' | 'machine'): void {
  const words = run.options.redact(text)
  if (words === '' || wasTold(run, words)) return
  beginTurn(run)
  const sender = senderName(from, run.options.redact)
  run.entries.push({ role: 'teammate', by, from: sender, ts: run.state.ts, text: words })
}

function wasTold({ state }: Run, text: string): boolean {
  if (state.queue.length === 0) return false
  const { queue, wasTold } = takeOutQueued(state.queue, text, state.ts)
  state.queue = queue
  return wasTold
}

interface WrittenBy {
  by: 'user' | 'machine'
  via?: string
}

/** `text` is redacted. */
function tellPerson(run: Run, text: string, { by, via }: WrittenBy): void {
  beginTurn(run)
  const how = via === undefined ? {} : { via }
  run.entries.push({ role: 'user', by, ...how, ...sentMark(run), ts: run.state.ts, text })
}

function beginTurn(run: Run): void {
  const { state } = run
  // A later prompt and still no line for the announced answer: the announcement is all there will be.
  // A prompt from before the announcement is only written late, and so will be its answer.
  if (state.answer && state.ts > state.answer.ts) {
    run.entries.push({ role: 'assistant', by: 'assistant', ...state.answer })
    state.answer = null
  }
  state.said = []
}

function sentMark({ isSent, options }: Run): { sent?: true } {
  return options.isForeign === true || isSent() ? { sent: true } : {}
}

function tellAssistant(run: Run, agent: string | null, said: string, by: 'assistant' | 'machine'): void {
  if (said.trim() === '') return
  const { state } = run
  const text = run.options.redact(said.trim())
  if (agent !== null) {
    run.entries.push({ role: 'subagent', by, agent: shortAgent(agent), ts: state.ts, text })
    return
  }
  const key = fingerprintOfWords(text)
  state.said.push(key)
  if (state.said.length > MAX_SAID) state.said.shift()
  if (state.answer && fingerprintOfWords(state.answer.text) === key) state.answer = null
  run.entries.push({ role: 'assistant', by, ts: state.ts, text })
}

function tellTaken(run: Run): void {
  const { state } = run
  if (state.queue.length === 0) return
  state.queue = state.queue.map((prompt) => {
    // A line from before it was taken is only written late.
    if (prompt.at !== 'taken' || state.ts < prompt.since) return prompt
    run.entries.push({ ...queuedEntry(prompt), ...(prompt.from === undefined ? sentMark(run) : {}) })
    return { ...prompt, at: 'told', since: state.ts }
  })
}

function finishTool(run: Run, block: Extract<Block, { type: 'result' }>, agent: string | null): void {
  const { state, options } = run
  const known = Object.hasOwn(state.tools, block.id) ? state.tools[block.id] : undefined
  const tool = known ?? { name: 'tool', cmd: '', ts: state.ts, ...(agent === null ? {} : { agent }) }
  const isSent = (): boolean => sentMark(run).sent === true
  const done = finishedTool(tool, block, { ts: state.ts, base: state.base, isSent }, options)
  if (known === undefined) return tellTool(run, { ...tool, done })
  state.tools[block.id] = { ...tool, done }
  tellFinished(run, known.agent)
}

/** Parallel tools are stored in the order of their calls: a result waits for the tools that were called before it. */
function tellFinished(run: Run, agent: string | undefined): void {
  // Old hosts give all subagents one name: there is no order between them.
  const isOrdered = agent !== 'side'
  const { tools } = run.state
  // This runs once per tool use: no list of all of them is made.
  for (const id in tools) {
    const tool = tools[id]
    if (tool === undefined || tool.agent !== agent) continue
    if (tool.done !== undefined) {
      tellTool(run, tool)
      delete tools[id]
    } else if (isOrdered) return
  }
}

function tellTool(run: Run, tool: StartedTool): void {
  for (const entry of toolEntries(tool)) {
    if (entry.role === 'user' && tool.agent === undefined) beginTurn(run)
    run.entries.push(entry)
  }
}
