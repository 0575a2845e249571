/** Claude Code, the agent that Memory Keeper is a plugin of. It cannot be taken away: the programs of hooks read its transcripts. */
import type { Extra } from '../../../core/extra.ts'
import { isSentThroughout, parseHead } from './head.ts'
import { schedules } from './scheduled.ts'
import { tallyLine } from './tally.ts'
import { createLineParser } from './transcript.ts'

const name = 'claude'

export const claude: Extra = {
  name,
  transcripts: { name, createLineParser, parseHead, isSentThroughout, schedules, tallyLine },
}

/** Hooks verify nothing, and every module that they load costs their users time. */
export const claudeInHooks: Extra = {
  name,
  transcripts: { name, createLineParser, parseHead, isSentThroughout, schedules },
}
