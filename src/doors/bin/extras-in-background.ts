/** What extras do in the background: the finisher and the MCP server load no more of them. In the order in which their steps come. */
import type { Extra } from '../../core/extra.ts'
import { claude } from '../../extras/agents/claude/extra.ts'
import { embedder } from '../../extras/embedder/extra.ts'
import { migrateInBackground } from '../../extras/migrate/background.ts'
import { shareInBackground } from '../../extras/share/background.ts'
import { syncInBackground } from '../../extras/sync/background.ts'
import { teamInBackground } from '../../extras/team/background.ts'
import { trapsInBackground } from '../../extras/traps/background.ts'

export const BACKGROUND_EXTRAS: readonly Extra[] = [
  claude,
  shareInBackground,
  embedder,
  migrateInBackground,
  syncInBackground,
  teamInBackground,
  trapsInBackground,
]
