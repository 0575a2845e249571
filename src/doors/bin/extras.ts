/** All extras. To take one away: delete its lines here and in the two lists beside this one, and its folder. */
import type { Extra } from '../../core/extra.ts'
import { claude } from '../../extras/agents/claude/extra.ts'
import { bundle } from '../../extras/bundle/extra.ts'
import { demo } from '../../extras/demo/extra.ts'
import { embedder } from '../../extras/embedder/extra.ts'
import { migrate } from '../../extras/migrate/extra.ts'
import { page } from '../../extras/page/extra.ts'
import { share } from '../../extras/share/extra.ts'
import { sync } from '../../extras/sync/extra.ts'
import { team } from '../../extras/team/extra.ts'
import { traps } from '../../extras/traps/extra.ts'

/** In the order in which their commands and lines come. */
export const EXTRAS: readonly Extra[] = [claude, page, bundle, share, demo, embedder, migrate, sync, team, traps]
