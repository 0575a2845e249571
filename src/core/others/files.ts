/** The kinds of files that others write: in `shared/` of the project, and what other machines and teammates sent. */

import { type FileKind, nameIn } from '../../kernel/memory/file-kind.ts'
import { OTHERS_PREFIX } from '../../kernel/platform/layout.ts'
import { otherUnits, readShared, sharerOf } from './documents.ts'
import { isOthersFile } from './others.ts'

export const OTHERS_FILES: readonly FileKind[] = [
  {
    name: 'shared',
    match: (path) => sharerOf(path) !== null,
    units: readShared,
  },
  {
    name: 'others',
    match: (path) => path.startsWith(OTHERS_PREFIX) && isOthersFile(nameIn(path)),
    units: otherUnits,
  },
]
