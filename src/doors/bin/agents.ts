/** The agents whose transcripts the hook programs read, as `extras.ts` names them for all others. */
import type { Extra } from '../../core/extra.ts'
import { claudeInHooks } from '../../extras/agents/claude/extra.ts'

export const AGENTS: readonly Extra[] = [claudeInHooks]
