/** Text in the encodings of Windows editors: what the bytes prove is decoded, and everything else is known not to be text. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeText } from '../../../src/kernel/platform/encoding.ts'

const TEXTS = [
  '# Memory\n\nDepths in metres.\n',
  'Grüße aus Köln\r\n',
  '항구의 수심은 미터로 적는다.\n',
  '港の深さ\n',
  '',
]

const bigEndian = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

it('a text in UTF-8 or UTF-16 with its mark is read as it is', () => {
  const anyText = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(anyText, (text) => {
      const clean = text.replaceAll('\0', '').replace(/^\ufeff+/, '')
      const exact = { text: clean, isExact: true }
      expect(decodeText(Buffer.from(clean))).toEqual(exact)
      expect(decodeText(Buffer.from(`\ufeff${clean}`))).toEqual(exact)
      expect(decodeText(Buffer.from(`\ufeff${clean}`, 'utf16le'))).toEqual(exact)
      expect(decodeText(bigEndian(`\ufeff${clean}`))).toEqual(exact)
    }),
  )
})

it('UTF-16 without a mark is recognised by its NUL bytes', () => {
  for (const text of TEXTS) {
    expect(decodeText(Buffer.from(text, 'utf16le'))).toEqual({ text, isExact: true })
    expect(decodeText(bigEndian(text))).toEqual({ text, isExact: true })
  }
})

it('other bytes are known to be no text', () => {
  const latin1 = Buffer.from('Grüße', 'latin1')
  const cp949 = Buffer.from([0xc7, 0xd7, 0xb1, 0xb8, 0x0a])
  const halfOfAPair = Buffer.from('\ufeffA\ud83d', 'utf16le')
  const oneByteMore = Buffer.concat([Buffer.from('\ufeffdepths', 'utf16le'), Buffer.from('x')])
  for (const bytes of [latin1, cp949, halfOfAPair, oneByteMore]) expect(decodeText(bytes).isExact).toBe(false)
})

it('U+FFFD in a text is text', () => {
  expect(decodeText(Buffer.from('A sign: \ufffd.'))).toEqual({ text: 'A sign: \ufffd.', isExact: true })
})
