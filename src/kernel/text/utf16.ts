/** The UTF-16 units of a text: as an array, and those of scripts without spaces. */

/** A longer text gets an array of its own, which is not kept. */
const KEPT = 32 * 1024

let kept: Room | null = null

interface Room {
  bytes: Buffer
  units: Uint16Array
}

/** A loop reads an array several times faster than the text itself. A zero follows the last unit. Valid until the next call. */
export function utf16Of(text: string): Uint16Array {
  kept ??= roomFor(KEPT)
  const { bytes, units } = text.length < KEPT ? kept : roomFor(text.length + 1)
  // All systems that Node runs on store the lower byte first, except some mainframes.
  bytes.write(text, 'utf16le')
  units[text.length] = 0
  return units
}

function roomFor(count: number): Room {
  const bytes = Buffer.alloc(count * 2)
  return { bytes, units: new Uint16Array(bytes.buffer, bytes.byteOffset, count) }
}

/** Hangul, kana, Han, Thai, Lao, Burmese, Khmer: scripts that attach particles to words or have no spaces at all. */
export function isUnspaced(unit: number): boolean {
  return (
    (unit >= 0x3040 && unit <= 0x30ff && unit !== 0x30fb) ||
    (unit >= 0x3400 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3) ||
    (unit >= 0x1100 && unit <= 0x11ff) ||
    (unit >= 0x3130 && unit <= 0x318f) ||
    (unit >= 0xf900 && unit <= 0xfaff) ||
    (unit >= 0xff66 && unit <= 0xff9f) ||
    (unit >= 0x0e00 && unit <= 0x0eff) ||
    (unit >= 0x1000 && unit <= 0x109f) ||
    (unit >= 0x1780 && unit <= 0x17ff) ||
    // Han repetition marks and the Han zero.
    (unit >= 0x3005 && unit <= 0x3007)
  )
}

/** Returns the number of UTF-16 units of an unspaced character at this position: 2 for Han beyond the first plane, else 1 or 0. */
export function unspacedAt(text: string, at: number): number {
  // Reading beyond the end of a string makes later reads slow.
  if (at >= text.length) return 0
  const unit = text.charCodeAt(at)
  if (unit < 0x80) return 0
  if (isUnspaced(unit)) return 1
  const low = text.charCodeAt(at + 1)
  return unit >= 0xd840 && unit <= 0xd888 && low >= 0xdc00 && low <= 0xdfff ? 2 : 0
}
