/** What the finisher needs of `share`: what is shared follows what another machine forgot. */
import type { Extra } from '../../core/extra.ts'
import { SHARE_FILES } from './disk/file-kind.ts'

export const shareInBackground: Extra = { name: 'share', fileKinds: SHARE_FILES }
