/** A short, fast, non-cryptographic fingerprint: enough to tell texts and file heads apart, no proof against an attacker. */

/** 53 bits as 14 hex digits. */
export function fingerprint(text: string): string {
  return mix(text, -1)
}

/** The same for the same words, whatever spaces and line breaks are between them. */
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
