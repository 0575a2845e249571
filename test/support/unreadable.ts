/** Files that nobody may read: the tests may run as root, whom no mode keeps from reading. */
import fs from 'node:fs'
import { vi } from 'vitest'

/** Of these files no byte can be read, wherever they are moved to, until `vi.restoreAllMocks()`. */
export function hideFiles(files: readonly string[]): void {
  const hidden = new Set(files.filter((file) => fs.existsSync(file)).map((file) => fs.statSync(file).ino))
  const refuse = (file: unknown, syscall: string): void => {
    const ino = typeof file === 'string' ? fs.statSync(file, { throwIfNoEntry: false })?.ino : undefined
    if (ino === undefined || !hidden.has(ino)) return
    const error = new Error(`EACCES: permission denied, ${syscall} '${file}'`)
    throw Object.assign(error, { code: 'EACCES', syscall, path: file })
  }
  const open = fs.openSync
  vi.spyOn(fs, 'openSync').mockImplementation((...args: Parameters<typeof fs.openSync>) => {
    refuse(args[0], 'open')
    return open(...args)
  })
  const access = fs.accessSync
  vi.spyOn(fs, 'accessSync').mockImplementation((...args: Parameters<typeof fs.accessSync>) => {
    refuse(args[0], 'access')
    access(...args)
  })
}
