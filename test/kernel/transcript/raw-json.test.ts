import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decode,
  decodeHead,
  decodeString,
  isString,
  isTrue,
  type RawJson,
} from '../../../src/kernel/transcript/raw-json.ts'

function raw(value: unknown, pad = ''): RawJson {
  const text = JSON.stringify(value)
  const bytes = Buffer.from(`${pad}${text}${pad}`)
  const from = Buffer.byteLength(pad)
  return { bytes, from, to: from + Buffer.byteLength(text) }
}

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string())

describe('decode', () => {
  it('gives back any JSON value, wherever it stands in the bytes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '"x",'), (value, pad) => {
        expect(decode(raw(value, pad))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('decodes strings with and without escapes, lone surrogates too', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeString(raw(text))).toBe(text)
      }),
    )
    expect(decodeString(raw('\ud800 \ud83d'))).toBe('\ud800 \ud83d')
  })

  it('has no string where there is none', () => {
    for (const value of [1, true, null, [], {}]) expect(decodeString(raw(value))).toBeNull()
    expect(decodeString(undefined)).toBeNull()
  })

  it('tells true and strings from everything else', () => {
    expect([true, false, 'true', null].map((value) => isTrue(raw(value)))).toEqual([true, false, false, false])
    expect(isTrue(undefined)).toBe(false)
    expect(['', 1, {}].map((value) => isString(raw(value)))).toEqual([true, false, false])
  })
})

describe('decodeHead', () => {
  it('is a beginning of the text, long enough, and whole when the text is short', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 80 }), (piece, max, times) => {
        const text = piece.repeat(times)
        const head = decodeHead(raw(text), max)
        expect(text.startsWith(head)).toBe(true)
        expect(head.length).toBeGreaterThanOrEqual(Math.min(text.length, Math.floor(max / 2) - 1))
        if (text.length <= max / 2) expect(head).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  it('cuts inside no escape, wherever the cut falls', () => {
    for (const piece of ['\\', '\n', '\u0001', '\\u0041', '"', 'é', '漢', '😀', '\\\\n']) {
      for (let shift = 0; shift < 14; shift++) {
        const text = 'a'.repeat(shift) + piece.repeat(200)
        expect(text.startsWith(decodeHead(raw(text), 10)), `${piece} ${shift}`).toBe(true)
      }
    }
  })
})
