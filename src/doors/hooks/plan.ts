/** Decides what to do about an event, without any side effect. */
import type { HookEvent } from './host.ts'

export interface Plan {
  /** Capture the event's own session, with the answer that the transcript may not contain yet. */
  capture: { answer: string | null; budgetMs: number } | null
  /** Catch up the other sessions of the project. */
  catchUpMs: number | null
  /** Start the detached finisher: always, or only if something is left. */
  finisher: 'first' | 'ifBehind' | 'never'
}

const IDLE: Plan = { capture: null, catchUpMs: null, finisher: 'never' }

/** The time limit of each event; the rest goes to the finisher. */
const START_MS = 200
/** The part of it for the ends of transcripts, at a start that cannot read all of them. */
export const TAILS_MS = 100
const PROMPT_MS = 200
const STOP_MS = 1000
const COMPACT_MS = 5000
/** The host gives all plugins together 1.5 s. */
const END_MS = 700

export function decide(event: HookEvent): Plan {
  switch (event.name) {
    case 'SessionStart':
      return {
        ...IDLE,
        capture: event.source === 'startup' || event.source === 'clear' ? null : { answer: null, budgetMs: START_MS },
        catchUpMs: event.source === 'compact' ? null : START_MS,
        finisher: 'ifBehind',
      }
    case 'UserPromptSubmit':
      return { ...IDLE, capture: { answer: null, budgetMs: PROMPT_MS }, finisher: 'ifBehind' }
    case 'Stop':
      return { ...IDLE, capture: { answer: event.answer, budgetMs: STOP_MS }, finisher: 'ifBehind' }
    case 'PreCompact':
      return { ...IDLE, capture: { answer: null, budgetMs: COMPACT_MS }, finisher: 'ifBehind' }
    case 'SubagentStop':
    case 'PostToolUse':
      return { ...IDLE, capture: { answer: null, budgetMs: STOP_MS }, finisher: 'ifBehind' }
    case 'SessionEnd':
      return { ...IDLE, capture: { answer: null, budgetMs: END_MS }, finisher: 'first' }
    case 'UserPromptExpansion':
    case 'PreToolUse':
    case 'PermissionRequest':
    case 'PostToolUseFailure':
      return IDLE
  }
}
