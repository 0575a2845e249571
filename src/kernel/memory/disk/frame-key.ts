/** The key of the frames of remembered text: kept at home, so that the same text has the same frame in every process. */
import path from 'node:path'
import { codeOf, create, makeDir, readOwnText, replaceQuickly } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { FRAME_KEY_FILE } from '../../platform/layout.ts'
import { type Frame, type FrameKey, formatFrameKey, frameWith, parseFrameKey } from '../../text/frame.ts'
import { once } from '../../text/once.ts'

/** Where no key can be kept, this process has its own; a session that goes on gets the bytes of its receipt again. */
const ownKey = once(randomKey)

/** The key is made with the first frame. */
export function frameFor({ homeDir }: Pick<Places, 'homeDir'>): Frame {
  const frame = once(() => frameWith(keyIn(path.join(homeDir, FRAME_KEY_FILE))))
  return (name, lines) => frame()(name, lines)
}

/** Made before it is read: a start is prepared only if nothing that was looked at changes meanwhile. */
function keyIn(file: string): FrameKey {
  const made = formatFrameKey(ownKey())
  tryTo(
    () => create(file, made),
    () => makeDir(path.dirname(file)),
  )
  const kept = parseFrameKey(readOwnText(file) ?? '')
  if (kept === null) tryTo(() => replaceQuickly(file, made))
  return kept ?? ownKey()
}

/** Where nothing can be written, nothing is kept. */
function tryTo(work: () => unknown, before?: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (codeOf(error) === '') throw error
    if (codeOf(error) === 'ENOENT' && before !== undefined)
      tryTo(() => {
        before()
        work()
      })
  }
}

function randomKey(): FrameKey {
  const [low = 0, high = 0] = globalThis.crypto.getRandomValues(new Uint32Array(2))
  return [low, high]
}
