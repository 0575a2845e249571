/** The kinds of files that extras add. Programs that walk all kinds call this before anything else; a search needs none of them. */
import { addFileKinds } from '../../core/files.ts'
import { EARLIER_FILES } from '../../extras/migrate/files.ts'
import { SHARE_FILES } from '../../extras/share/disk/file-kind.ts'

export function useExtraFiles(): void {
  addFileKinds([...EARLIER_FILES, ...SHARE_FILES])
}
