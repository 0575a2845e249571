/** The lines of a transcript as every agent's reader gives them: what people and the model said and did, each with its author. */
import type { Denial, Written } from './author.ts'
import type { Recorded } from './dialog.ts'
import type { RawJson } from './raw-json.ts'
import type { Message, Shape } from './words.ts'

/** The parts of a content block that we use. */
export type Block =
  /** `shape`: the text is the whole content of the message, or one of several blocks. */
  | { type: 'text'; text: string; shape: Shape }
  | { type: 'image' }
  | { type: 'use'; id: string; name: string; input: Record<string, unknown> }
  /** `bytes`: of its text as it is written, so never fewer than it has characters. `answers`: null: the host records none. */
  | {
      type: 'result'
      id: string
      failed: boolean
      bytes: number
      denial: () => Denial
      answers: () => Recorded | null
      report: () => Report
      text: (maxChars: number) => string
    }

/** What a subagent handed back, as the host recorded it. */
export interface Report {
  /** The agent's id. */
  ran: string | undefined
  /** Empty: it is not recorded, or the agent works in the background. */
  text: string
}

/** What every line says about itself. */
export interface LineOrigin {
  ts: string | null
  /** Set inside a subagent: its id, or `side` if an old version gives none. */
  agent: string | null
  cwd: RawJson | undefined
  branch: RawJson | undefined
  /** The host's name for the plan that is being made or carried out. */
  slug: RawJson | undefined
  /** Whether a program wrote the prompts of this line's host; computed for few lines only. */
  isSent: () => boolean
}

export type TranscriptLine =
  /** `plan`: the approved plan with which the host continues in a new context. */
  | ({ kind: 'user'; blocks: Block[]; compacted: boolean; plan: string | null } & Written & LineOrigin)
  /** `isHosts`: the host wrote it in place of Claude, for example an API error. */
  | ({ kind: 'assistant'; blocks: Block[]; isHosts: boolean } & LineOrigin)
  /** A slash command that never became a message. */
  | ({ kind: 'command'; text: string } & Written & LineOrigin)
  /** Text handed to Claude in the middle of a turn, usually a prompt typed while Claude worked. */
  | ({ kind: 'queued'; text: string } & Written & LineOrigin)
  /** Messages of teammates, handed over in the middle of a turn. */
  | ({ kind: 'mailbox'; messages: Message[] } & LineOrigin)
  | ({ kind: 'queue'; operation: string; text: string | null } & LineOrigin)
