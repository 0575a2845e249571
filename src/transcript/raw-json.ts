/** A JSON value still in bytes: decoded when asked for, and only as far as asked for. */

export interface RawJson {
  bytes: Buffer
  from: number
  to: number
}

/** Throws on broken JSON, as JSON.parse does. */
export function decode(raw: RawJson): unknown {
  return JSON.parse(raw.bytes.toString('utf8', raw.from, raw.to))
}

/** A string value without escapes needs no parser. Null when it is no string. */
export function decodeString(raw: RawJson | undefined): string | null {
  if (raw === undefined || raw.bytes[raw.from] !== 0x22) return null
  const inner = raw.bytes.toString('utf8', raw.from + 1, raw.to - 1)
  return inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner
}

export function isTrue(raw: RawJson | undefined): boolean {
  return raw !== undefined && raw.bytes[raw.from] === 0x74
}

export function isString(raw: RawJson): boolean {
  return raw.bytes[raw.from] === 0x22
}

/** The beginning of a string value, about `max` characters, without decoding the rest. */
export function decodeHead(raw: RawJson, max: number): string {
  // Four bytes hold any character; an escaped one takes at most six.
  if (raw.to - raw.from <= max * 6) return decodeString(raw) ?? ''
  const head = raw.bytes.toString('utf8', raw.from + 1, raw.from + 1 + max * 3)
  // Nothing half an escape: cut before the last backslash that has no complete escape behind it.
  const whole = head
    .replace(/\ufffd+$/, '')
    .replace(/(?:\\u[0-9a-fA-F]{0,3}|\\)$/, (tail, at: number, text: string) => (isEscaped(text, at) ? tail : ''))
  return JSON.parse(`"${whole}"`) as string
}

/** Whether the backslash at this position is itself the second half of an escape. */
function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (at - 1 - slashes >= 0 && text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}
