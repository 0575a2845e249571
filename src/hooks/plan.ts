/** What to do about an event, decided without touching anything. */
import type { HookEvent } from './host.ts'

export interface Plan {
  /** Capture the event's own session; with the answer the transcript may not hold yet. */
  capture: { answer: string | null; budgetMs: number } | null
  /** Bring the other sessions of the project up to date. */
  catchUpMs: number | null
  /** Start the detached finisher: always, or only if something is left. */
  finisher: 'first' | 'ifBehind' | 'never'
}

const IDLE: Plan = { capture: null, catchUpMs: null, finisher: 'never' }

/** How long each event may take from the user; what is left goes to the finisher. */
const CATCH_UP_MS = 150
const PROMPT_MS = 200
const STOP_MS = 1000
const COMPACT_MS = 5000
/** The host gives all plugins 1.5 s together. */
const END_MS = 700

export function decide(event: HookEvent): Plan {
  switch (event.name) {
    case 'SessionStart':
      return {
        ...IDLE,
        capture: event.source === 'startup' || event.source === 'clear' ? null : { answer: null, budgetMs: STOP_MS },
        catchUpMs: event.source === 'compact' ? null : CATCH_UP_MS,
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
      return IDLE
  }
}
