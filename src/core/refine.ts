/** Transcript lines → session entries: keeps every word of people and Claude and one line per tool use, drops the rest. */
import { fingerprintOfWords } from './fingerprint.ts'
import type { Entry } from './session.ts'
import { commandOf, cut, errorWorth, outputWorth, plainOutput } from './tool-line.ts'
import { type Block, readableString, type TranscriptLine } from './transcript.ts'
import { isCompactionSummary, isRefusal, personsWords, withoutReminders, wordsInResult } from './words.ts'

/** A tool that was started and has no result yet. */
interface StartedTool {
  name: string
  cmd: string
  ts: string
  agent?: string
}

/** A prompt typed while Claude worked. `taken`: handed to Claude, its own line not seen yet. `told`: told from the queue, its line may still come. */
interface QueuedPrompt {
  text: string
  ts: string
  at: 'waiting' | 'taken' | 'told'
  /** It stands in a file that the host did not write. */
  sent?: true
  /** Since when it is so. A line of its own that comes late was written for an earlier time, a new prompt for a later one. */
  since: string
}

/** Everything a later line may refer to; kept with the byte offset, so that reading may stop and go on anywhere. */
export interface RefineState {
  ts: string
  /** The directory the session was started in. */
  base: string
  tools: Record<string, StartedTool>
  queue: QueuedPrompt[]
  /** What Claude said since the last prompt, as fingerprints: recognises an answer told before its line was written. */
  said: string[]
  /** The answer as the Stop hook named it, while the transcript lags behind. */
  answer: { text: string; ts: string } | null
}

export interface RefineOptions {
  outputChars: number
  /** Every text passes through here before it goes anywhere. */
  redact: (text: string) => string
  /** The lines are a subagent's own transcript. */
  agent?: string
  /** The file lies outside of the host's own directories: anybody may have written its prompts, so all of them are `sent`. */
  isForeign?: true
}

/** How far a text is looked at beyond what is kept of it: secrets are found before the cut, which may fall inside one. */
const REDACT_AHEAD = 512
/** Words of people are never cut. */
const WHOLE = Number.MAX_SAFE_INTEGER
const MAX_QUEUE = 64
/** The Stop hook names the last thing said; a few more for blocks written late. */
const MAX_SAID = 4

export const EMPTY_REFINE_STATE: RefineState = { ts: '', base: '', tools: {}, queue: [], said: [], answer: null }

export interface Refined {
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
    // Where it is damaged, the next line names the directory as well.
    if (run.state.base === '') run.state.base = readableString(line.cwd)
    run.isSent = line.isSent
    refineLine(run, options.agent === undefined ? line : { ...line, agent: options.agent })
  }
  return { entries: run.entries, state: run.state }
}

/** What is known but not settled: tools without a result, prompts still in the queue, an answer whose line is not written yet. */
export function openEntries(state: RefineState): Entry[] {
  const tools = Object.values(state.tools).map((tool): Entry => ({ ...toolEntry(tool, null, ''), open: true }))
  const prompts = state.queue
    .filter((prompt) => prompt.at !== 'told' && prompt.text !== '')
    .map(({ ts, text, sent }): Entry => ({ role: 'user', ...(sent === true ? { sent } : {}), ts, text, open: true }))
  const answer: Entry[] = state.answer ? [{ role: 'assistant', ...state.answer, open: true }] : []
  return [...tools, ...prompts, ...answer]
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
      return refineAssistant(run, line.blocks, line.agent)
    case 'user':
      return refineUser(run, line)
    case 'command': {
      const words = personsWords(line.text)
      if (words !== null) tellPerson(run, words)
      return
    }
    case 'queued': {
      const words = line.machine ? null : personsWords(line.text)
      if (words !== null) tellQueued(run, words)
      return
    }
    case 'queue':
      run.state.queue = queueAfter(run, line.operation, line.text)
  }
}

function refineAssistant(run: Run, blocks: readonly Block[], agent: string | null): void {
  // Claude goes on: prompts handed over before this line have arrived, whether or not a line of their own says so.
  if (agent === null) tellTaken(run)
  for (const block of blocks) {
    if (block.type === 'text') tellAssistant(run, agent, block.text)
    else if (block.type === 'use') run.state.tools[block.id] = startTool(run, block, agent)
    else if (block.type === 'result') finishTool(run, block, agent)
  }
}

function refineUser(run: Run, line: Extract<TranscriptLine, { kind: 'user' }>): void {
  const texts: string[] = []
  for (const block of line.blocks) {
    if (block.type === 'result') finishTool(run, block, line.agent)
    else if (block.type === 'text') texts.push(block.text)
  }
  // A subagent's prompt was written by Claude: its start stands in the line of the tool that started it.
  if (line.agent !== null) return
  const whole = texts.join('\n')
  if (line.compacted || isCompactionSummary(whole)) {
    run.entries.push({ role: 'summary', ts: run.state.ts, text: run.options.redact(withoutReminders(whole).trim()) })
    return
  }
  if (line.machine) return
  const words = texts.map(personsWords).filter((text) => text !== null)
  if (words.length > 0) {
    settleLostTools(run)
    tellQueued(run, words.join('\n'))
  }
  if (texts.length === 0 && line.blocks.some((block) => block.type === 'image')) tellPerson(run, '[image]')
}

/**
 * A new turn began: tools of the last one that have no result never will have one (the host was killed). Tools from
 * after the prompt are its own: the host may write a turn's first lines in another order.
 */
function settleLostTools(run: Run): void {
  for (const [id, tool] of Object.entries(run.state.tools)) {
    if (tool.agent !== undefined || tool.ts > run.state.ts) continue
    run.entries.push(toolEntry(tool, null, ''))
    delete run.state.tools[id]
  }
}

/** A person's text that may have been in the queue before: once told from there, it is not told again. */
function tellQueued(run: Run, words: string): void {
  const { state } = run
  if (state.queue.length > 0) {
    const text = run.options.redact(words)
    state.queue = state.queue.filter((prompt) => prompt.at !== 'told' || state.ts <= prompt.since)
    const told = state.queue.findIndex((prompt) => prompt.at === 'told' && prompt.text === text)
    if (told >= 0) {
      state.queue.splice(told, 1)
      return
    }
    // Several queued prompts may arrive joined in one message; of two equal ones each takes its own place in it.
    let rest = `\n${text}\n`
    state.queue = state.queue.filter((prompt) => {
      const at = prompt.text === '' || prompt.at === 'told' ? -1 : rest.indexOf(`\n${prompt.text}\n`)
      if (at >= 0) rest = rest.slice(0, at) + rest.slice(at + prompt.text.length + 1)
      return at < 0
    })
  }
  tellPerson(run, words)
}

function tellPerson(run: Run, words: string, via?: string): void {
  const { state } = run
  // A later prompt and still no line for the announced answer: the announcement is all there will be.
  // A prompt from before the announcement is only written late, and so will be its answer.
  if (state.answer && state.ts > state.answer.ts) {
    run.entries.push({ role: 'assistant', ...state.answer })
    state.answer = null
  }
  state.said = []
  run.entries.push({
    role: 'user',
    ...(via === undefined ? sentMark(run) : { via, ...foreignMark(run) }),
    ts: state.ts,
    text: run.options.redact(words),
  })
}

function sentMark(run: Run): { sent?: true } {
  return run.isSent() ? { sent: true } : foreignMark(run)
}

function foreignMark({ options }: Run): { sent?: true } {
  return options.isForeign === true ? { sent: true } : {}
}

function tellAssistant(run: Run, agent: string | null, said: string): void {
  if (said.trim() === '') return
  const { state } = run
  const text = run.options.redact(said.trim())
  if (agent !== null) {
    run.entries.push({ role: 'subagent', agent: shortAgent(agent), ts: state.ts, text })
    return
  }
  const key = fingerprintOfWords(text)
  state.said.push(key)
  if (state.said.length > MAX_SAID) state.said.shift()
  if (state.answer && fingerprintOfWords(state.answer.text) === key) state.answer = null
  run.entries.push({ role: 'assistant', ts: state.ts, text })
}

function tellTaken(run: Run): void {
  const { state } = run
  if (state.queue.length === 0) return
  state.queue = state.queue.map((prompt) => {
    // A line from before it was taken is only written late.
    if (prompt.at !== 'taken' || state.ts < prompt.since) return prompt
    run.entries.push({ role: 'user', ...sentMark(run), ts: prompt.ts, text: prompt.text })
    return { ...prompt, at: 'told', since: state.ts }
  })
}

function queueAfter(run: Run, operation: string, text: string | null): QueuedPrompt[] {
  const { queue, ts } = run.state
  const words = text === null || isMachineJson(text) ? null : personsWords(text)
  const said = words === null ? '' : run.options.redact(words)
  if (operation === 'enqueue') {
    // Machine text waits in the same queue, with empty words here: it holds a place, so that the order of taking stays right.
    if (text === null) return queue
    return [...queue, { text: said, ts, at: 'waiting' as const, since: ts, ...foreignMark(run) }].slice(-MAX_QUEUE)
  }
  if (operation === 'popAll') return queue.filter((prompt) => prompt.at !== 'waiting')
  if (operation !== 'dequeue' && operation !== 'remove') return queue
  const named = text === null ? -1 : queue.findIndex((prompt) => prompt.at === 'waiting' && prompt.text === said)
  const taken = named >= 0 ? named : queue.findIndex((prompt) => prompt.at === 'waiting')
  return queue.flatMap((prompt, i) =>
    i !== taken ? [prompt] : prompt.text === '' ? [] : [{ ...prompt, at: 'taken' as const, since: ts }],
  )
}

function isMachineJson(text: string): boolean {
  return /^\s*\{"(?:type|taskId|task_id|from|kind)"/.test(text)
}

function startTool(run: Run, block: Extract<Block, { type: 'use' }>, agent: string | null): StartedTool {
  const cmd = run.options.redact(commandOf(block.name, block.input, run.state.base))
  return { name: block.name, cmd, ts: run.state.ts, ...(agent === null ? {} : { agent }) }
}

function finishTool(run: Run, block: Extract<Block, { type: 'result' }>, agent: string | null): void {
  const { state, options } = run
  const known = Object.hasOwn(state.tools, block.id) ? state.tools[block.id] : undefined
  const tool = known ?? { name: 'tool', cmd: '', ts: state.ts, ...(agent === null ? {} : { agent }) }
  delete state.tools[block.id]
  const worth = block.failed
    ? errorWorth(tool.name, options.outputChars)
    : outputWorth(tool.name, tool.cmd, options.outputChars)
  const mayHoldWords = block.failed || tool.name === 'AskUserQuestion' || tool.name === 'ExitPlanMode'
  const ahead = worth + REDACT_AHEAD
  const result = worth > 0 || mayHoldWords ? block.text(mayHoldWords ? WHOLE : ahead) : ''
  const plain = worth === 0 || isRefusal(result) ? '' : plainOutput(cut(result, ahead))
  // Little room is not spent on the directory that all paths have in common.
  const told = worth < options.outputChars && state.base.length > 1 ? plain.replaceAll(`${state.base}/`, '') : plain
  const output = cut(options.redact(told), worth).trim()
  run.entries.push(toolEntry(tool, !block.failed, output))
  const words = agent === null && mayHoldWords ? wordsInResult(tool.name, result, block.failed) : null
  if (words !== null) tellPerson(run, words, tool.name)
}

function toolEntry(tool: StartedTool, ok: boolean | null, output: string): Entry {
  const done = { name: tool.name, cmd: tool.cmd, ok, ...(output === '' ? {} : { output }) }
  return tool.agent === undefined
    ? { role: 'tool', ts: tool.ts, ...done }
    : { role: 'subagent', agent: shortAgent(tool.agent), ts: tool.ts, ...done }
}

function shortAgent(agent: string): string {
  return agent.slice(0, 8)
}
