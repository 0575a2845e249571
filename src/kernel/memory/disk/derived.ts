/** A kind of file that is made from the memory, and made again after something was forgotten or redacted. */
import type { FileKind } from '../file-kind.ts'
import type { Store } from './store.ts'

export interface DerivedKind extends FileKind {
  renew(store: Store): void
  /** The command that does the same, for people. */
  again: string
}

export function isDerived(kind: FileKind): kind is DerivedKind {
  return 'renew' in kind
}
