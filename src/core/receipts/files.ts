/** The files of the journal: receipts, hook times, changes for undo, and small records of other slices. */

import type { FileKind } from '../../kernel/memory/file-kind.ts'
import { JOURNAL_DIR } from '../../kernel/platform/layout.ts'

export const RECEIPT_RECORDS: readonly FileKind[] = [
  {
    name: 'journal',
    title: 'receipts, hook times, changes for undo',
    match: (path) => path.startsWith(`${JOURNAL_DIR}/`),
    place: JOURNAL_DIR,
    isKept: false,
    isOurs: true,
  },
]
