/** What a copy of a memory in a file contains, and how it is restored. */

import { isInFileCopy, kindNamed } from '../../core/files.ts'
import { SESSIONS_DIR, STATE_FILE } from '../../kernel/platform/layout.ts'

export interface CopyFile {
  /** With slashes; relative to the memory. */
  path: string
  text: string
}

/** The files of a memory, without those that belong to this machine or place. */
export interface MemoryTexts {
  paths: readonly string[]
  /** Null: there is no file. Compressed sessions are unpacked; of the state only the portable part is returned. */
  textOf: (path: string) => string | null
}

/** What a copy in a file contains. `clean` removes secrets from a text. */
export function fileCopy({ paths, textOf }: MemoryTexts, clean: (path: string, text: string) => string): CopyFile[] {
  return filePaths(paths).flatMap((path): CopyFile[] => {
    const text = textOf(path)
    return text === null ? [] : [{ path, text: clean(path, text) }]
  })
}

/** If a session exists in both forms, the plain one is used. */
function filePaths(paths: readonly string[]): string[] {
  const all = new Set(paths)
  return paths.filter((path) => isInFileCopy(path) && (plainPath(path) === path || !all.has(plainPath(path))))
}

/** For a compressed session: the path of its plain form. */
function plainPath(path: string): string {
  return kindNamed(path)?.isPacked === true
    ? `${SESSIONS_DIR}/${path.slice(path.lastIndexOf('/') + 1, -'.gz'.length)}`
    : path
}

/**
 * How a copy in a file is restored. `exact`: the memory here has nothing that the copy lacks (an empty memory, or the remains of a killed
 * import), so that missing files are written unchanged, the state last. `joined`: the copy is merged like an earlier memory of the user.
 */
export function planBack(files: readonly CopyFile[], here: MemoryTexts): { is: 'exact' | 'joined'; files: CopyFile[] } {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const isPart = filePaths(here.paths).every((path) => path === STATE_FILE || here.textOf(path) === texts.get(path))
  const others = files.filter(({ path }) => path !== STATE_FILE)
  if (!isPart) return { is: 'joined', files: others.map(({ path, text }) => ({ path: plainPath(path), text })) }
  const missing = [...others, ...files.filter(({ path }) => path === STATE_FILE)]
  return { is: 'exact', files: missing.filter(({ path, text }) => here.textOf(path) !== text) }
}
