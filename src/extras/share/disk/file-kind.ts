/** The kind of file that sharing adds: the user's own folder in `shared/`, made from the memory. */
import type { DerivedKind } from '../../../kernel/memory/disk/derived.ts'
import { SHARED_PREFIX } from '../../../kernel/platform/layout.ts'
import { refreshShare } from './share.ts'

export const SHARE_FILES: readonly DerivedKind[] = [
  {
    name: 'share',
    title: 'what you share',
    match: (path) => path.startsWith(SHARED_PREFIX),
    isKept: false,
    renew: refreshShare,
    again: 'memory-keeper share',
  },
]
