/** All words of the store as they were written: for typos, and for beginnings of words. */
import { openToRead } from '../../../platform/disk/files.ts'
import { type Base, indexFile } from './base.ts'

const PIECE_BYTES = 256 * 1024
const NEWLINE = 0x0a

/** Some come more than once. */
export function* readVocabulary(base: Base): Iterable<string> {
  const file = base.dir === null ? null : openToRead(indexFile(base.dir, 'words', base.generation))
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    for (let at = 0; file !== null && at < base.saved.words; ) {
      const read = file.read(piece.subarray(0, Math.min(PIECE_BYTES, base.saved.words - at)), at)
      const end = piece.subarray(0, read).lastIndexOf(NEWLINE) + 1
      if (end === 0) break
      for (const word of piece.toString('utf8', 0, end).split('\n')) if (word !== '') yield word
      at += end
    }
  } finally {
    file?.close()
  }
  yield* base.words
}
