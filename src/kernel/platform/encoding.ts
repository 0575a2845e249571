/** The text in the bytes of a file that a person may have saved with any editor. */

interface Decoded {
  text: string
  /** False: some bytes are no text in an encoding that the file proves. They became U+FFFD, and must not be written back. */
  isExact: boolean
}

type Encoding = 'utf8' | 'utf16le' | 'utf16be'

/** Windows editors and PowerShell write them. */
const MARKS: readonly (readonly [Encoding, Buffer])[] = [
  ['utf8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf16le', Buffer.from([0xff, 0xfe])],
  ['utf16be', Buffer.from([0xfe, 0xff])],
]

/** Without the byte order mark. */
export function decodeText(bytes: Buffer): Decoded {
  const [encoding, mark] = MARKS.find(([, one]) => bytes.subarray(0, one.length).equals(one)) ?? [unmarked(bytes), null]
  return decodeAs(encoding, bytes.subarray(mark?.length ?? 0))
}

function decodeAs(encoding: Encoding, bytes: Buffer): Decoded {
  if (encoding === 'utf8') {
    const text = bytes.toString('utf8')
    // The character itself may be part of a text.
    return { text, isExact: !text.includes('\ufffd') || Buffer.from(text).equals(bytes) }
  }
  const isWhole = bytes.length % 2 === 0
  const whole = isWhole ? bytes : bytes.subarray(0, -1)
  const text = (encoding === 'utf16be' ? Buffer.from(whole).swap16() : whole).toString('utf16le')
  // Half of a pair cannot be written in UTF-8, and a NUL is no text.
  return { text, isExact: isWhole && !text.includes('\0') && Buffer.from(text).toString('utf8') === text }
}

/** UTF-16 without a mark is recognised by its NUL bytes: every one is the same half of a character, and the rest is text. */
function unmarked(bytes: Buffer): Encoding {
  const first = bytes.indexOf(0)
  if (first < 0) return 'utf8'
  const encoding = first % 2 === 1 ? 'utf16le' : 'utf16be'
  return decodeAs(encoding, bytes).isExact ? encoding : 'utf8'
}
