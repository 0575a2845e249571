/** What an arriving file is: of an earlier version, or of today's kinds by its name, whatever folder it is in. */

import { kindNamed } from '../../core/files.ts'
import type { FileKind } from '../../kernel/memory/file-kind.ts'
import { earlierKind } from './files.ts'

/** Of our own kinds these are read from another memory. */
const READ: readonly string[] = ['state', 'delta']
/** No kind of earlier versions: names without a meaning for a memory of another place. */
const UNKNOWN: readonly string[] = ['text', 'raw-backup', 'settled']

export function arrivingKind(path: string): FileKind | null {
  const kind = earlierKind(path) ?? kindNamed(path)
  return kind === null || UNKNOWN.includes(kind.name) ? null : kind
}

/** `own`: useless to another version; `unknown`: no kind of ours. */
export function arrivingName(path: string): string {
  const kind = arrivingKind(path)
  if (kind === null) return 'unknown'
  return kind.isOurs === true && !READ.includes(kind.name) ? 'own' : kind.name
}
