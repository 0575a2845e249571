/** A JSON value as the bytes that it is written with, decoded only when somebody reads it. */
import { BROKEN, skipValue } from './scan.ts'

export interface RawJson {
  bytes: Buffer
  from: number
  to: number
}

/** Throws on broken JSON, as JSON.parse does. */
export function decode(raw: RawJson): unknown {
  return JSON.parse(raw.bytes.toString('utf8', raw.from, raw.to))
}

/** A value whose end was not looked for. Undefined: there is none, or it is broken. */
export function decodeOpen(raw: RawJson | undefined): unknown {
  const to = raw === undefined ? BROKEN : skipValue(raw.bytes, raw.from, raw.to)
  if (raw === undefined || to === BROKEN) return undefined
  try {
    return decode({ ...raw, to })
  } catch {
    return undefined
  }
}

/** A string without escapes needs no parser. Null if the value is not a string. */
export function decodeString(raw: RawJson | undefined): string | null {
  if (raw === undefined || raw.bytes[raw.from] !== 0x22) return null
  const inner = raw.bytes.toString('utf8', raw.from + 1, raw.to - 1)
  return inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner
}

/** True if both are written with the same bytes. */
export function isSameJson(a: RawJson, b: RawJson): boolean {
  const length = a.to - a.from
  if (length !== b.to - b.from) return false
  for (let i = 0; i < length; i++) if (a.bytes[a.from + i] !== b.bytes[b.from + i]) return false
  return true
}

export function isTrue(raw: RawJson | undefined): boolean {
  return raw !== undefined && raw.bytes[raw.from] === 0x74
}

export function isString(raw: RawJson): boolean {
  return raw.bytes[raw.from] === 0x22
}

/** The beginning of a string value, about `max` characters; the rest is not decoded. */
export function decodeHead(raw: RawJson, max: number): string {
  const length = raw.to - raw.from
  // In most texts few characters take more than one byte.
  const usual = length > max * 2 ? decodePart(raw, max + max / 4) : ''
  if (usual.length > max) return usual
  // Four bytes are enough for any character; an escaped one takes at most six.
  return length <= max * 6 ? (decodeString(raw) ?? '') : decodePart(raw, max * 3)
}

function decodePart(raw: RawJson, length: number): string {
  const head = raw.bytes.toString('utf8', raw.from + 1, raw.from + 1 + length)
  // Removes an incomplete escape at the end of the head.
  const whole = head
    .replace(/\ufffd+$/, '')
    .replace(/(?:\\u[0-9a-fA-F]{0,3}|\\)$/, (tail, at: number, text: string) => (isEscaped(text, at) ? tail : ''))
  return JSON.parse(`"${whole}"`) as string
}

/** Whether the backslash at this position is itself escaped. */
function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (at - 1 - slashes >= 0 && text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

/** Empty if the string is damaged. */
export function readableString(raw: RawJson | undefined): string {
  try {
    return decodeString(raw) ?? ''
  } catch {
    return ''
  }
}
