/** A short, fast, non-cryptographic fingerprint: it distinguishes texts and file heads but does not resist an attacker. */

/** 53 bits as 14 hex digits. */
export function fingerprint(text: string): string {
  return mix(text, -1)
}

export function isFingerprint(text: string): boolean {
  return /^[0-9a-f]{14}$/.test(text)
}

/** Ignores spaces, line breaks and control characters. */
export function fingerprintOfWords(text: string): string {
  return mix(text, 0x20)
}

/** Two rounds of multiply-xor over the UTF-16 units above `skipUpTo`. */
function mix(text: string, skipUpTo: number): string {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit <= skipUpTo) continue
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, '0')
}

/** A comment in the file lists the fingerprint ("mark") of each line we wrote. A line without a mark was written or changed by a person. */
const MARKS = /^<!-- ours:((?: [0-9a-f]{6})*) -->$/
const MARK_DIGITS = 6

export function markOf(line: string): string {
  return fingerprint(line.trim()).slice(-MARK_DIGITS)
}

/** Returns the text, then the comment with the marks of its lines. */
export function withMarks(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const marks = ['<!-- ours:', ...lines.map(markOf), '-->'].join(' ')
  return [text.trimEnd(), '', marks, ''].join('\n')
}

/** Returns the lines that a person wrote. A text without marks is older than the marks; it returns no lines. */
export function handLines(text: string): string[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const found = lines.flatMap((line) => MARKS.exec(line.trim())?.[1]?.trim() ?? [])
  const marks = new Set(found.flatMap((one) => one.split(' ')))
  return found.length === 0 ? [] : byHand(lines, (line) => MARKS.test(line.trim()) || marks.has(markOf(line)))
}

/** Returns the lines that are not ours. An empty line separates lines that were not adjacent. */
export function byHand(lines: readonly string[], isOurs: (line: string) => boolean): string[] {
  const hand: string[] = []
  let isApart = false
  for (const line of lines) {
    const isHand = line.trim() !== '' && !isOurs(line)
    if (isHand) hand.push(...(isApart && hand.length > 0 ? [''] : []), line.trimEnd())
    isApart = !isHand
  }
  return hand
}
