/** Share: a part of this memory in the project, for the team, by git. */
import type { Extra } from '../../core/extra.ts'
import { shareInBackground } from './background.ts'
import { SHARE_COMMANDS } from './commands/share.ts'

export const share: Extra = { ...shareInBackground, commands: SHARE_COMMANDS }
