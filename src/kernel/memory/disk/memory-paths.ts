/** The paths in a memory directory, of this version and earlier ones. */
import path from 'node:path'
import { list, statOf } from '../../platform/disk/files.ts'

export const FOLDERS = ['', 'sessions', 'sessions/archive', 'archive']

/** All files of a memory, with relative paths and slashes. */
export function pathsIn(dir: string): string[] {
  return FOLDERS.flatMap((folder) => {
    // Checks each directory by a name without a trailing slash: with one, a link would be followed.
    const steps = folder.split('/').map((_, i, all) => path.join(dir, ...all.slice(0, i + 1)))
    if (folder !== '' && steps.some((step) => statOf(step)?.kind !== 'dir')) return []
    const below = path.join(dir, folder)
    return list(below)
      .filter((name) => statOf(path.join(below, name))?.kind === 'file')
      .map((name) => (folder === '' ? name : `${folder}/${name}`))
  })
}
