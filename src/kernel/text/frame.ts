/**
 * The frame of remembered text: a tag whose name ends with eight characters that only the holder of the key can make. Whoever writes
 * a text that is remembered cannot know them, so no text can close its frame or open another one.
 */

import { tagsOf } from './tags.ts'

/** The two halves of a key. */
export type FrameKey = readonly [number, number]

export type FrameName = 'memory-keeper' | 'memory-keeper-recall'

/** The lines with the first and the last line of their frame: the same lines give the same frame. */
export type Frame = (name: FrameName, lines: readonly string[]) => string[]

export function frameWith(key: FrameKey): Frame {
  return (name, lines) => {
    const tag = `${name}-${sealOf(key, [name, ...lines].join('\n'))}`
    return [`<${tag}>`, ...lines, `</${tag}>`]
  }
}

/** Sixteen hex digits; null: something else. */
export function parseFrameKey(text: string): FrameKey | null {
  const [, some = '', others = ''] = /^([0-9a-f]{8})([0-9a-f]{8})\s*$/.exec(text) ?? []
  return some === '' ? null : [Number.parseInt(some, 16), Number.parseInt(others, 16)]
}

export function formatFrameKey(key: FrameKey): string {
  return `${key.map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')}\n`
}

/** Letters and digits that do not look alike; five bits each. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789'

function sealOf(key: FrameKey, text: string): string {
  const [low, high] = halfSipHash(key, text)
  let seal = ''
  for (let i = 0; i < 4; i++) seal += (SIGNS[(low >>> (5 * i)) & 31] ?? '') + (SIGNS[(high >>> (5 * i)) & 31] ?? '')
  return seal
}

const OPENED = /<(memory-keeper(?:-recall)?-[a-z2-9]{8})>/g

/**
 * The text without our frames and what they contain: what was remembered once is not remembered again. `isCut`: the text may end in the
 * middle of one.
 */
export function withoutFrames(text: string, isCut = false): string {
  if (!text.includes('<memory-keeper-')) return text
  const tags = tagsOf(text)
  let [rest, done] = ['', 0]
  for (const { index, 0: open, 1: tag = '' } of text.matchAll(OPENED)) {
    if (index < done) continue
    const closed = tags.closed(tag, index + open.length)
    if (closed < 0 && !isCut) continue
    rest += text.slice(done, index)
    done = closed < 0 ? text.length : closed + tag.length + 3
  }
  return done === 0 ? text : (rest + text.slice(done)).trim()
}

/** HalfSipHash-2-4 with 64 bits, over pairs of UTF-16 units: a keyed hash that is small enough for a hook. */
export function halfSipHash([k0, k1]: FrameKey, text: string): readonly [number, number] {
  let [v0, v1, v2, v3] = [k0, k1 ^ 0xee, k0 ^ 0x6c796765, k1 ^ 0x74656462]
  const round = (): void => {
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
  }
  const take = (word: number): void => {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }
  for (let i = 0; i < text.length; i += 2) take(text.charCodeAt(i) | ((text.charCodeAt(i + 1) || 0) << 16))
  take(text.length)
  v2 ^= 0xee
  for (let i = 0; i < 4; i++) round()
  const low = v1 ^ v3
  v1 ^= 0xdd
  for (let i = 0; i < 4; i++) round()
  return [low, v1 ^ v3]
}
