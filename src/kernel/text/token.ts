/** A token has 32 bits: the hash of the word's stem in the upper 26, the hash of its written form in the lower 6. */

const FORM_BITS = 6
/** Mask of the stem's bits. */
export const STEM = ~((1 << FORM_BITS) - 1)

export function tokenOf(stem: string, form: string): number {
  return ((hash(stem) & STEM) | (hash(form) >>> (32 - FORM_BITS))) >>> 0
}

/** The part that all forms of a word share; the search index looks up this value. */
export function stemOf(token: number): number {
  return (token & STEM) >>> 0
}

/** The token of a word of two UTF-16 units that is its own stem. */
export function pairToken(one: number, other: number): number {
  const h = mixed(Math.imul(Math.imul(BASIS ^ one, PRIME) ^ other, PRIME))
  return ((h & STEM) | (h >>> (32 - FORM_BITS))) >>> 0
}

/** FNV-1a with a final mix, so that similar words do not share their upper bits. */
function hash(text: string): number {
  let h = BASIS
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), PRIME)
  return mixed(h)
}

const BASIS = 0x811c9dc5
const PRIME = 0x01000193

function mixed(sum: number): number {
  let h = sum
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
