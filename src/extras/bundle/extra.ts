/** Bundle: a whole memory in one file. */
import type { Extra } from '../../core/extra.ts'
import { BUNDLE_COMMANDS } from './commands/bundle.ts'

export const bundle: Extra = { name: 'bundle', commands: BUNDLE_COMMANDS }
