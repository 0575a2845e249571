/** What is kept of a tool's result: an agent's report, both ends of a failure, the beginning of everything else. */

import { bothEnds } from '../text/ends.ts'
import { withoutFrames } from '../text/frame.ts'
import { cut } from '../text/shorten.ts'
import { isAgentUse, keptReport } from './agent-report.ts'
import type { KeptOutput, StartedTool, ToolOptions } from './refine-state.ts'
import {
  errorWorth,
  isShell,
  isTellingFailure,
  outputWorth,
  plainOutput,
  tidyOutput,
  unwrappedOutput,
} from './tool-line.ts'
import type { Block } from './transcript.ts'

type ResultBlock = Extract<Block, { type: 'result' }>

/** Redaction reads this many characters more than are kept: a secret may be cut by the limit. */
const REDACT_AHEAD = 512
/** Of a failed command: this share of the limit from the beginning, and from the end, where tests and compilers report. */
const FAILED_SHARES = { head: 1 / 3, tail: 5 / 3 }

/** How much of the beginning has to be decoded; 0: nothing. `isFailed`: then all of it is read. */
export function outputRoom({ name, cmd }: StartedTool, isFailed: boolean, max: number): number {
  return isFailed ? errorWorth(name, max) : outputWorth(name, cmd, max)
}

export function aheadOf(room: number): number {
  return room + REDACT_AHEAD
}

/** `result`: as much of the text as is looked at; of a failure all of it. */
export function keptOutput(
  tool: StartedTool,
  block: ResultBlock,
  result: string,
  base: string,
  options: ToolOptions,
): KeptOutput {
  const room = outputRoom(tool, block.failed, options.outputChars)
  if (room === 0) return { output: '' }
  if (isAgentUse(tool) && !block.failed) return keptReport(block, options)
  return block.failed && isTellingFailure(tool.name)
    ? { output: keptEnds(tool, result, options) }
    : keptHead(tool, block, result, base, options)
}

function keptHead(
  tool: StartedTool,
  block: ResultBlock,
  result: string,
  base: string,
  { outputChars, redact }: ToolOptions,
): KeptOutput {
  const room = outputRoom(tool, block.failed, outputChars)
  const ahead = aheadOf(room)
  const plain = withoutFrames(unwrappedOutput(cut(result, ahead)), block.bytes > ahead)
  // A short output does not repeat the directory that all paths share.
  const shorter = room < outputChars && base.length > 1 && plain !== '' ? plain.replaceAll(`${base}/`, '') : plain
  // Redaction needs the indentation: a block below a name is known by it.
  const clean = tidyOutput(redact(shorter, printedBy(tool, block.failed)))
  const output = cut(clean, room).trim()
  // What was looked at may end before the output does, although nothing of it is left out here.
  const mayEnd = block.bytes > ahead
  const isCut =
    output !== '' &&
    (clean.length > room ||
      (mayEnd && plainOutput(block.text(Number.MAX_SAFE_INTEGER)).length > tidyOutput(plain).length))
  return { output, cut: isCut || undefined }
}

/** Only a shell's command says what it prints: an agent's task or a search is prose about something. */
function printedBy({ name, cmd }: StartedTool, failed: boolean): { command: string; failed: boolean } | undefined {
  return isShell(name) ? { command: cmd, failed } : undefined
}

/** All of it is redacted before anything is left out: a secret that begins in the gap has no beginning in what is kept. */
function keptEnds(tool: StartedTool, result: string, { outputChars, redact }: ToolOptions): string {
  const plain = withoutFrames(unwrappedOutput(result))
  const clean = tidyOutput(redact(plain, printedBy(tool, true)))
  return bothEnds(clean, Math.round(outputChars * FAILED_SHARES.head), Math.round(outputChars * FAILED_SHARES.tail))
}
