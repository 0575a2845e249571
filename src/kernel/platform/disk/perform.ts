/** Performs one effect below a directory. */
import path from 'node:path'
import type { Effect } from '../effect.ts'
import { KeeperError } from '../error.ts'
import type { Disk } from './files.ts'

export function performOne(dir: string, effect: Effect, to: Disk): void {
  const file = path.resolve(dir, effect.path)
  if (!file.startsWith(dir + path.sep)) {
    throw new KeeperError('outside', `${effect.path} is outside of ${dir}: refused`)
  }
  switch (effect.do) {
    case 'write':
      return to.replace(file, effect.text)
    case 'writeBytes':
      return to.replace(file, Buffer.from(effect.bytes.buffer, effect.bytes.byteOffset, effect.bytes.byteLength))
    case 'append':
      return to.append(file, effect.text)
    case 'appendAt':
      return to.appendAt(file, effect.at, effect.text)
    case 'remove':
      return to.remove(file)
  }
}
