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

/** FNV-1a with a final mix, so that similar words do not share their upper bits. */
function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
