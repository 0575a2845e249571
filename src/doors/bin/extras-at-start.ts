/** What extras do at the start of a session: the hook loads this list only, since each module in it costs every start. */
import type { Extra } from '../../core/extra.ts'
import { migrateAtStart } from '../../extras/migrate/start.ts'
import { trapsAtStart } from '../../extras/traps/start.ts'
import { AGENTS } from './agents.ts'

export const EXTRAS_AT_START: readonly Extra[] = [...AGENTS, migrateAtStart, trapsAtStart]
