/** The key of the frames of remembered text: kept at home, so that the same text has the same frame in every process. */
import path from 'node:path'
import { codeOf, create, makeDir, readOwnText, replaceQuickly } from '../../platform/disk/files.ts'
import type { Places } from '../../platform/disk/locate.ts'
import { FRAME_KEY_FILE } from '../../platform/layout.ts'
import { type Frame, type FrameKey, formatFrameKey, frameWith, parseFrameKey } from '../../text/frame.ts'
import { once } from '../../text/once.ts'

/** Where no key can be kept, this process has its own; a session that goes on gets the bytes of its receipt again. */
const ownKey = once(randomKey)

export function frameFor({ keeperDir }: Pick<Places, 'keeperDir'>): Frame {
  const file = path.join(keeperDir, FRAME_KEY_FILE)
  return frameWith(keptKey(file) ?? madeKey(file) ?? ownKey())
}

function keptKey(file: string): FrameKey | null {
  return parseFrameKey(readOwnText(file) ?? '')
}

/** Null: nothing can be written there. Another process may make it at the same time. */
function madeKey(file: string): FrameKey | null {
  try {
    makeDir(path.dirname(file))
    const made = formatFrameKey(ownKey())
    if (!create(file, made) && keptKey(file) === null) replaceQuickly(file, made)
    return keptKey(file)
  } catch (error) {
    if (codeOf(error) === '') throw error
    return null
  }
}

function randomKey(): FrameKey {
  const [low = 0, high = 0] = globalThis.crypto.getRandomValues(new Uint32Array(2))
  return [low, high]
}
