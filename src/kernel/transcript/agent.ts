/** An agent: whose transcripts we read, and how its lines become ours. Each is a row; the program that is running says which rows there are. */
import type { TranscriptLine } from './transcript.ts'
import type { Tally } from './verify.ts'

/** Reads what is between two positions of the bytes: one line as the agent wrote it. */
export type LineParser = (start: number, end: number) => ParsedLine

export interface ParsedLine {
  /** An agent may write several at once, or one that says nothing. */
  lines: TranscriptLine[]
  /** How many could not be read. */
  bad: number
}

export interface TranscriptHead {
  cwd: string | null
  sessionId: string | null
}

export interface Agent {
  name: string
  createLineParser: (bytes: Buffer) => LineParser
  /** The launch directory and session id in a transcript's first lines. */
  parseHead: (bytes: Buffer) => TranscriptHead
  /** Whether these lines were written for programs alone. */
  isSentThroughout: (bytes: Buffer) => boolean
  /** Whether a line of a transcript gives this order to a schedule, or is such an order. */
  schedules: (line: string, order: string) => boolean
  /** Left out where nothing is verified: it is as long as the parser, and shares nothing with it. */
  tallyLine?: TallyLine
}

/** Counts what a line holds. `redact`: as when the session was written. `isPaused`: recording was paused at that time. */
export type TallyLine = (
  tally: Tally,
  line: string,
  inSubagent: boolean,
  redact: (text: string) => string,
  isPaused?: (at: string) => boolean,
) => void

let used: readonly Agent[] = []

/** Called once by each program that reads transcripts. */
export function useAgents(rows: readonly Agent[]): void {
  used = rows
}

/** The only one so far. Without it nothing would be captured, and nobody would know: a program that has forgotten it must not go on. */
export function theAgent(): Agent {
  const [agent] = used
  if (agent === undefined) throw new Error('this program reads transcripts, but knows no agent')
  return agent
}

export function theTally(): TallyLine {
  const { tallyLine } = theAgent()
  if (tallyLine === undefined) throw new Error('this program verifies, but its agent cannot count')
  return tallyLine
}
