/** The kinds of files that others write: in `shared/` of the project, and what other machines and teammates sent. */

import { type FileKind, nameIn } from '../../kernel/memory/file-kind.ts'
import { OTHERS_PREFIX, otherUnits, readShared, sharerOf } from './documents.ts'
import { isOthersFile } from './others.ts'

export const OTHERS_FILES: readonly FileKind[] = [
  {
    name: 'shared',
    title: 'shared with your team',
    match: (path) => sharerOf(path) !== null,
    units: readShared,
    isKept: false,
  },
  {
    name: 'others',
    title: 'what your other machines and teammates remember of it',
    match: (path) => path.startsWith(OTHERS_PREFIX) && isOthersFile(nameIn(path)),
    units: (_, text) => otherUnits(text),
  },
]
