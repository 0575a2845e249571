/** Demo: the whole memory cycle on sample sessions. */
import type { Extra } from '../../core/extra.ts'
import { DEMO_COMMANDS } from './commands/demo.ts'

export const demo: Extra = { name: 'demo', commands: DEMO_COMMANDS }
