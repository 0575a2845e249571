/** What it costs where Claude itself is asked for the notes, in the user's own session. */
import type { Config } from '../../kernel/platform/config.ts'
import { wayOf } from './headless.ts'

/**
 * What the agent reads, each text counted once, by our estimate of tokens. Of the host's requests to it: its system text 1,800, the tools
 * 3,600, the skill and our instructions 700, its own calls with their answers 500 for a note and 2,000 with facts; and the piece: 5,000
 * tokens after 25 tool uses (the median of 21 in real sessions), 18,000 at most; with facts 800 to 2,000 more for numbers and what is known.
 */
const READ = { note: '12,000 to 25,000', both: '14,000 to 28,000' } as const

/** Null: with these settings Claude is not asked. */
export function agentCost(
  settings: Pick<Config, 'summarizer' | 'enforcement' | 'saveInterval' | 'maxFactsPerSession'>,
): string | null {
  const { summarizer, enforcement, saveInterval, maxFactsPerSession } = settings
  const way = wayOf({ summarizer, enforcement, isModelNoticed: true, pausedUntil: null, now: '' })
  if (way !== 'agent' || enforcement === 'off') return null
  const read = summarizer === 'extractive' || maxFactsPerSession === 0 ? 'note' : 'both'
  const when = enforcement === 'remind' ? 'with your next prompt' : 'before a turn ends'
  const instead = summarizer === 'agent' ? 'summarizer auto' : 'enforcement remind'
  return `Memory Keeper: Claude itself is asked for the notes, ${when} after every ${saveInterval} tool uses: one more request of your conversation, and a small Haiku agent that reads ${READ[read]} tokens, counted against the limits of a subscription. In the background instead: /memory-keeper:run config set ${instead}`
}
