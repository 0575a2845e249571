/**
 * Turns transcript lines into session entries: keeps all text of people and Claude and one line per tool use, drops the rest.
 * This file has more than 300 lines because every kind of line changes the same state.
 */
import { fingerprintOfWords } from '../text/fingerprint.ts'
import { withoutFrames } from '../text/frame.ts'
import { keptNotice, reportEntry, reportsIn } from './agent-report.ts'
import type { Written } from './author.ts'
import { markPlace, type SeenPlace } from './places.ts'
import { readableString } from './raw-json.ts'
import {
  finishedTool,
  isBareRefusal,
  newTool,
  queueAfter,
  queuedEntry,
  senderName,
  shortAgent,
  startedTool,
  takeOutQueued,
  toolEntries,
  wayOf,
} from './refine-open.ts'
import type { RefineState, StartedTool, ToolOptions } from './refine-state.ts'
import type { Entry } from './session.ts'
import type { Block, TranscriptLine } from './transcript.ts'
import {
  feedbackOnPlan,
  isCompactionSummary,
  isHostText,
  isInterruption,
  isPlanIn,
  type Message,
  messagesIn,
  personsWords,
  withoutNotices,
  withoutReminders,
} from './words.ts'

export interface RefineOptions extends ToolOptions {
  /** The lines are a subagent's own transcript. */
  agent?: string
  /** The user had paused recording at that time. */
  isPaused?: (at: string) => boolean
}

/** The Stop hook reports the last text; a few more cover blocks that are written late. */
const MAX_SAID = 4

interface Refined {
  entries: Entry[]
  /** Refusals of another file's tool uses: left out, but versions before 0.7 stored them. */
  orphans: Entry[]
  state: RefineState
}

export function refine(before: RefineState, lines: Iterable<TranscriptLine>, options: RefineOptions): Refined {
  const entries: Entry[] = []
  const run: Run = {
    entries,
    orphans: [],
    state: { ...before, queue: [...before.queue] },
    tools: new Map(Object.entries(before.tools).map(([id, tool]) => [id, { ...tool }])),
    said: [...before.said],
    options: {
      ...options,
      redact: (text, printed) => options.redact(withoutFrames(text), printed),
      isStored: (report) => entries.some((one) => one.role === 'subagent' && 'text' in one && one.text === report),
    },
    isSent: () => false,
    isFirst: false,
    isMidTurn: false,
    seen: { branch: undefined, slug: undefined, cwd: undefined },
  }
  for (const line of lines) {
    run.state.ts = line.ts ?? run.state.ts
    if (options.isPaused?.(run.state.ts)) continue
    run.isFirst = run.state.base === ''
    // If the directory is damaged, the next line names it as well.
    if (run.state.base === '') run.state.base = readableString(line.cwd)
    run.isSent = line.isSent
    run.isMidTurn = false
    const before = run.entries.length
    refineLine(run, options.agent === undefined ? line : { ...line, agent: options.agent })
    if (run.entries.length > before) run.state.orphan = ''
    if (options.agent === undefined) markPlace(run, before, line, options.redact)
  }
  const said = run.said.map((one) => (typeof one === 'string' ? one : fingerprintOfWords(one.text)))
  return {
    entries: run.entries,
    orphans: run.orphans,
    state: { ...run.state, tools: Object.fromEntries(run.tools), said },
  }
}

/** Sets the Stop hook's answer, unless a line of this turn already contains it. */
export function expectAnswer(
  state: RefineState,
  text: string,
  ts: string,
  redact: (text: string) => string,
): RefineState {
  const answer = redact(withoutFrames(text).trim())
  if (answer === '' || state.said.includes(fingerprintOfWords(answer))) return state
  return { ...state, answer: { text: answer, ts } }
}

/** One pass over some lines; its state is a private copy. */
interface Run {
  entries: Entry[]
  orphans: Entry[]
  /** Without `tools` and `said`, which are collected in a form that is faster to change. */
  state: Omit<RefineState, 'tools' | 'said'>
  tools: Map<string, StartedTool>
  /** Fingerprints from before, then Claude's texts: only the last few are ever needed. */
  said: (string | { text: string })[]
  options: RefineOptions
  /** Whether a program sent the prompt of the current line. */
  isSent: () => boolean
  /** No line of the conversation precedes the current one. */
  isFirst: boolean
  /** A tool's result stands in the current line, too: other tools of the turn may still run. */
  isMidTurn: boolean
  seen: SeenPlace
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
      const { queue, over } = queueAfter(run.state.queue, line, run.state.ts, run.options)
      run.state.queue = queue
      run.entries.push(...over.map(queuedEntry))
    }
  }
}

function refineAssistant(run: Run, { blocks, agent, isHosts }: Extract<TranscriptLine, { kind: 'assistant' }>): void {
  // Claude continues: prompts taken before this line have arrived, even if no line of their own confirms it.
  if (agent === null) tellTaken(run)
  for (const block of blocks) {
    if (block.type === 'text') tellAssistant(run, agent, block.text, isHosts ? 'machine' : 'assistant')
    else if (block.type === 'use')
      run.tools.set(block.id, startedTool(block, { ts: run.state.ts, base: run.state.base, agent }, run.options))
    else if (block.type === 'result') finishTool(run, block, agent)
  }
}

function refineUser(run: Run, line: Extract<TranscriptLine, { kind: 'user' }>): void {
  const texts: Text[] = []
  for (const block of line.blocks) {
    if (block.type === 'result') {
      finishTool(run, block, line.agent)
      run.isMidTurn = true
    } else if (block.type === 'text') texts.push(block)
  }
  // Claude wrote a subagent's prompt; its beginning is in the entry of the tool that started the subagent.
  if (line.agent !== null) return
  // Nothing but results of tools.
  if (texts.length === 0 && line.author === 'machine' && !line.compacted) return
  const whole = texts.map(({ text }) => text).join('\n')
  if (line.compacted || isCompactionSummary(whole)) {
    const text = run.options.redact(withoutReminders(whole).trim())
    run.entries.push({ role: 'summary', by: 'machine', ts: run.state.ts, text })
    return
  }
  // Another sender starts a turn as the user does.
  const isOthers = line.author === 'teammate' || line.author === 'unknown'
  if (texts.length > 0 && isOthers) settleLostTools(run)
  const interruption = isOthers ? undefined : texts.find(({ text }) => isInterruption(text))
  if (interruption !== undefined) tellInterruption(run, interruption.text.trim())
  if (line.plan !== null && isPlanIn(whole, line.plan) && !isOthers)
    return tellPlan(run, texts, feedbackOnPlan(whole, line.plan))
  tellTexts(run, line, texts)
  if (line.author === 'user' && texts.length === 0 && line.blocks.some((block) => block.type === 'image'))
    tellPerson(run, '[image]', { by: 'user' })
}

type Text = Pick<Extract<Block, { type: 'text' }>, 'text' | 'shape'>

/** Stores the texts of a line under their author. A tag in the text can only take authorship away from the user. */
function tellTexts(run: Run, line: Written, texts: readonly Text[]): void {
  const { author } = line
  if (author === 'machine') {
    for (const { text } of texts) tellReports(run, text)
    return dropQueued(run, texts)
  }
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
  const said = words.join('\n')
  if (author === 'user' && isHostText(said)) return tellQueued(run, said, { by: 'machine', via: 'host' })
  if (author === 'user') settleLostTools(run)
  tellQueued(run, said, author === 'user' ? { by: 'user' } : { by: 'machine', via: 'queue' })
}

/** The reports of agents that worked in the background. */
function tellReports(run: Run, given: string): void {
  const reports = reportsIn(given).map((one) => keptNotice(one, run.options))
  run.entries.push(...reports.filter(({ text }) => text !== '').map((one) => reportEntry(one, run.state.ts)))
}

/** The host's mark. The user's next prompt begins a turn, this does not. */
function tellInterruption(run: Run, text: string): void {
  // It belongs to a refusal that belongs to another file.
  const isOrphan = run.state.orphan !== ''
  run.state.orphan = ''
  run.isMidTurn = false
  if (isOrphan) return
  settleLostTools(run)
  run.entries.push({ role: 'user', by: 'machine', via: 'interrupt', ts: run.state.ts, text })
}

/** Claude wrote the plan, and the host writes it again as the first prompt of a new context. Only the comment is the user's. */
function tellPlan(run: Run, texts: readonly Text[], feedback: string | null): void {
  const words = texts.map(({ text, shape }) => personsWords(text, shape)).filter((text) => text !== null)
  if (words.length > 0) {
    settleLostTools(run)
    tellQueued(run, words.join('\n'), { by: 'machine', via: 'plan' })
  }
  if (feedback !== null) tellPerson(run, run.options.redact(feedback), { by: 'user', via: 'ExitPlanMode' })
}

/** The host's own text may have waited in the queue, which does not name an author. */
function dropQueued(run: Run, texts: readonly Text[]): void {
  if (run.state.queue.length === 0) return
  for (const { text, shape } of texts) {
    const words = personsWords(text, shape)
    if (words !== null) wasStored(run, run.options.redact(words))
  }
}

const BY = { teammate: 'teammate', unknown: 'machine' } as const

/**
 * A new turn began: tools of the previous turn without a result will never get one (the host was killed). Tools that are
 * newer than the prompt belong to the new turn: the host may write the first lines of a turn in another order.
 */
function settleLostTools(run: Run): void {
  if (run.isMidTurn) return
  for (const [id, tool] of run.tools) {
    if (tool.agent !== undefined || tool.ts > run.state.ts) continue
    tellTool(run, tool)
    run.tools.delete(id)
  }
}

/** The text may have been stored from the queue before; then it is not stored again. */
function tellQueued(run: Run, said: string, written: WrittenBy): void {
  const words = run.options.redact(said)
  if (!wasStored(run, words)) tellPerson(run, words, written)
}

function tellMessage(run: Run, { from, text }: Message, by: 'teammate' | 'machine'): void {
  const words = run.options.redact(text)
  if (words === '' || wasStored(run, words)) return
  beginTurn(run)
  const sender = senderName(from, run.options.redact)
  run.entries.push({ role: 'teammate', by, from: sender, ts: run.state.ts, text: words })
}

function wasStored({ state }: Run, text: string): boolean {
  if (state.queue.length === 0) return false
  const { queue, wasStored } = takeOutQueued(state.queue, text, state.ts)
  state.queue = queue
  return wasStored
}

interface WrittenBy {
  by: 'user' | 'machine'
  via?: string
}

/** `text` is already redacted. */
function tellPerson(run: Run, text: string, { by, via }: WrittenBy): void {
  beginTurn(run)
  const { ts } = run.state
  const sent = sentMark(run)
  // A spread object is slow, and most prompts are typed.
  if (via === undefined && sent.sent === undefined) run.entries.push({ role: 'user', by, ts, text })
  else run.entries.push({ role: 'user', by, ...wayOf(via), ...sent, ts, text })
}

function beginTurn(run: Run): void {
  const { state } = run
  // A later prompt arrived and the reported answer still has no line: store the reported text.
  // A prompt from before the report was only written late, and so will be its answer.
  if (state.answer && state.ts > state.answer.ts) {
    run.entries.push({ role: 'assistant', by: 'assistant', ...state.answer })
    state.answer = null
  }
  run.said = []
}

function sentMark({ isSent, options }: Run): { sent?: true } {
  return options.isForeign === true || isSent() ? { sent: true } : {}
}

function tellAssistant(run: Run, agent: string | null, said: string, by: 'assistant' | 'machine'): void {
  const { state } = run
  const text = run.options.redact(said.trim())
  if (text === '') return
  if (agent !== null) {
    run.entries.push({ role: 'subagent', by, agent: shortAgent(agent), ts: state.ts, text })
    return
  }
  run.said.push({ text })
  if (run.said.length > MAX_SAID) run.said.shift()
  if (state.answer && fingerprintOfWords(state.answer.text) === fingerprintOfWords(text)) state.answer = null
  run.entries.push({ role: 'assistant', by, ts: state.ts, text })
}

function tellTaken(run: Run): void {
  const { state } = run
  if (state.queue.length === 0) return
  state.queue = state.queue.map((prompt) => {
    // A line from before the prompt was taken was only written late.
    if (prompt.at !== 'taken' || state.ts < prompt.since) return prompt
    run.entries.push({ ...queuedEntry(prompt), ...(prompt.from === undefined ? sentMark(run) : {}) })
    return { ...prompt, at: 'told', since: state.ts }
  })
}

function finishTool(run: Run, block: Extract<Block, { type: 'result' }>, agent: string | null): void {
  const { state, options, tools } = run
  const known = tools.get(block.id)
  const tool = known ?? newTool('tool', '', state.ts, agent)
  tool.done = finishedTool(tool, block, { ts: state.ts, base: state.base, isSent: () => sentMark(run) }, options)
  if (known === undefined && (run.isFirst || state.orphan !== '') && isBareRefusal(tool)) {
    run.orphans.push(...toolEntries(tool))
    state.orphan = state.ts || 'unknown'
  } else if (known === undefined) tellTool(run, tool)
  else tellFinished(run, known.agent)
}

/** Parallel tools are stored in the order of their calls: a result waits for the tools that were called before it. */
function tellFinished(run: Run, agent: string | undefined): void {
  // Old hosts give all subagents the same name: their tools have no order.
  const isOrdered = agent !== 'side'
  for (const [id, tool] of run.tools) {
    if (tool.agent !== agent) continue
    if (tool.done !== undefined) {
      tellTool(run, tool)
      run.tools.delete(id)
    } else if (isOrdered) return
  }
}

function tellTool(run: Run, tool: StartedTool): void {
  for (const entry of toolEntries(tool)) {
    if (entry.role === 'user' && tool.agent === undefined) beginTurn(run)
    run.entries.push(entry)
  }
}
