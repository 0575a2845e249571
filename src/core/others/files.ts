/** The kinds of files that others write: in `shared/` of the project, and what other machines and teammates sent. */

import type { FileKind } from '../../kernel/memory/file-kind.ts'
import { otherUnits, readShared, sharerOf } from './documents.ts'

export const OTHERS_FILES: readonly FileKind[] = [
  {
    name: 'shared',
    match: (path) => sharerOf(path) !== null,
    units: readShared,
  },
  {
    name: 'others',
    // Below the directory of this project's others, or from above it, as the index names it.
    match: (path) => /^(?:others\/)?(?:machine|team)\/[\w-]+\.jsonl$/.test(path),
    units: otherUnits,
  },
]
