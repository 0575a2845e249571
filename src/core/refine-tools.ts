/** A tool use from its start to its entry: what is kept of its result, and the user's words inside it. */
import type { Entry } from './session.ts'
import { commandOf, cut, errorWorth, outputWorth, plainOutput } from './tool-line.ts'
import type { Block } from './transcript.ts'
import { isRefused, wordsInResult } from './words.ts'

/** `done`: the result has come, and a tool that was called before this one is still running. */
export interface StartedTool {
  name: string
  cmd: string
  ts: string
  agent?: string
  done?: FinishedTool
  /** A finisher was started to wait for its result. */
  waited?: true
}

interface FinishedTool {
  ok: boolean
  refused?: true
  output: string
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
  return { name, cmd: redact(commandOf(name, input, base)), ts, ...(agent === null ? {} : { agent }) }
}

export function finishedTool(
  tool: StartedTool,
  block: Extract<Block, { type: 'result' }>,
  { ts, base }: { ts: string; base: string },
  { outputChars, redact, isForeign }: ToolOptions,
): FinishedTool {
  const { name } = tool
  const worth = block.failed ? errorWorth(name, outputChars) : outputWorth(name, tool.cmd, outputChars)
  const mayHoldWords = block.failed || name === 'AskUserQuestion' || name === 'ExitPlanMode'
  const ahead = worth + REDACT_AHEAD
  const result = worth > 0 || mayHoldWords ? block.text(mayHoldWords ? WHOLE : ahead) : ''
  const refused = block.failed && isRefused(name, result, block.denial)
  const plain = worth === 0 || refused ? '' : plainOutput(cut(result, ahead))
  // Little room is not spent on the directory that all paths have in common.
  const told = worth < outputChars && base.length > 1 ? plain.replaceAll(`${base}/`, '') : plain
  const output = cut(redact(told), worth).trim()
  const isMain = tool.agent === undefined
  const { comment } = block.denial
  const said = isMain && mayHoldWords ? wordsInResult(name, result, { failed: block.failed, refused, comment }) : null
  return {
    ok: !block.failed,
    ...(refused ? { refused: true } : {}),
    output,
    ...(said === null ? {} : { words: { text: redact(said), ts, ...(isForeign ? { sent: true } : {}) } }),
  }
}

/** The entry of a tool use, and behind it the user's words in its result. */
export function toolEntries({ name, cmd, ts, agent, done }: StartedTool): Entry[] {
  const { ok = null, refused, output = '', words } = done ?? {}
  const use = { name, cmd, ok, ...(refused ? { refused } : {}), ...(output === '' ? {} : { output }) }
  const entry: Entry =
    agent === undefined
      ? { role: 'tool', by: 'tool', ts, ...use }
      : { role: 'subagent', by: 'tool', agent: shortAgent(agent), ts, ...use }
  return words === undefined ? [entry] : [entry, { role: 'user', by: 'user', via: name, ...words }]
}

export function shortAgent(agent: string): string {
  return agent.slice(0, 8)
}
