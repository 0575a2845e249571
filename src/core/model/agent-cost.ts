/** What it costs where Claude itself is asked for the notes, in the user's own session. */
import type { Config } from '../../kernel/platform/config.ts'
import { wayOf } from './headless.ts'

/**
 * What the agent reads, each text counted once, by our estimate of tokens. Of the host's requests to it: its system text 1,800, the tools
 * 4,800, the skill and our instructions 700, its own calls with their answers 500 for a note and 2,500 with facts; and the piece, which it
 * gets for each of the two: 5,000 tokens after 25 tool uses (the median of 21 in real sessions), 18,000 at most. As steps of a block each of the
 * two is an agent of its own.
 */
const READ = { note: '13,000 to 26,000', both: '20,000 to 45,000', steps: '28,000 to 52,000' } as const

/** Null: with these settings Claude is not asked. */
export function agentCost(
  settings: Pick<Config, 'summarizer' | 'enforcement' | 'saveInterval' | 'maxFactsPerSession'>,
): string | null {
  const { summarizer, enforcement, saveInterval, maxFactsPerSession } = settings
  const way = wayOf({ summarizer, enforcement, isModelNoticed: true, pausedUntil: null, now: '' })
  if (way !== 'agent' || enforcement === 'off') return null
  const isAsked = enforcement === 'remind'
  const read = summarizer === 'extractive' || maxFactsPerSession === 0 ? 'note' : isAsked ? 'both' : 'steps'
  const when = isAsked ? 'with your next prompt' : 'before a turn ends'
  const more =
    read === 'steps' ? 'a request of your conversation for each step' : 'one more request of your conversation'
  const instead = summarizer === 'agent' ? 'summarizer auto' : 'enforcement remind'
  return `Memory Keeper: Claude itself is asked for the notes, ${when} after every ${saveInterval} tool uses: ${more}, and a small Haiku agent that reads ${READ[read]} tokens, counted against the limits of a subscription. In the background instead: /memory-keeper:run config set ${instead}`
}
