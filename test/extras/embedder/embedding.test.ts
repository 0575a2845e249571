import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clip, cosine, fuse } from '../../../src/extras/embedder/embedding.ts'
import { isEmbedderPlace } from '../../../src/kernel/platform/config.ts'

const vector = (...numbers: number[]): Float32Array => Float32Array.from(numbers)
const vectors = fc
  .array(fc.float({ min: -8, max: 8, noNaN: true }), { minLength: 4, maxLength: 4 })
  .map((numbers) => Float32Array.from(numbers))
const descending = fc
  .array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 60 })
  .map((scores) => scores.sort((a, b) => b - a))

describe('where an embedder may be', () => {
  it.each([
    '',
    'http://127.0.0.1:11434/v1',
    'http://localhost:1234/v1',
    'http://[::1]:8080',
    'http://127.1/v1',
    'https://embeddings.example.com/v1',
  ])('%j is allowed', (place) => {
    expect(isEmbedderPlace(place)).toBe(true)
  })

  it.each([
    'http://embeddings.example.com/v1',
    'http://192.168.1.5:11434/v1',
    'http://127.0.0.1.example.com/v1',
    'http://localhost.example.com',
    'http://0.0.0.0:11434',
    'https://user:password@example.com/v1',
    'http://',
    'https://exa mple.com',
    'ftp://127.0.0.1/model',
    'file:///models/potion',
    '/models/potion-base-8M',
    'C:\\models\\potion',
    'models/potion',
    './potion',
    '~/potion',
    '\\\\server\\share\\potion',
    '/models/\npotion',
    ' ',
  ])('%j is refused', (place) => {
    expect(isEmbedderPlace(place)).toBe(false)
  })
})

describe('a text for a model', () => {
  it('is cut at a thousand characters, never through the middle of one', () => {
    expect(clip('short')).toBe('short')
    expect(clip('x'.repeat(5000))).toHaveLength(1000)
    expect(clip(`${'x'.repeat(999)}😀`)).toBe('x'.repeat(999))
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 900, maxLength: 1100 }), (text) => {
        expect(text.startsWith(clip(text))).toBe(true)
        expect(Buffer.from(clip(text)).toString()).toBe(clip(text))
      }),
    )
  })
})

describe('likeness', () => {
  it('is 1 for the same direction, 0 for a right angle, -1 for the opposite, 0 for nothing', () => {
    expect(cosine(vector(1, 2), vector(2, 4))).toBeCloseTo(1)
    expect(cosine(vector(1, 0), vector(0, 7))).toBe(0)
    expect(cosine(vector(1, 2), vector(-1, -2))).toBeCloseTo(-1)
    expect(cosine(vector(0, 0), vector(1, 2))).toBe(0)
    expect(cosine(vector(Number.NaN, 1), vector(1, 2))).toBe(0)
    expect(cosine(vector(Number.POSITIVE_INFINITY, 1), vector(1, 2))).toBe(0)
  })

  it('is the same both ways and does not depend on length', () => {
    fc.assert(
      fc.property(vectors, vectors, fc.integer({ min: 1, max: 9 }), (a, b, times) => {
        expect(cosine(a, b)).toBeCloseTo(cosine(b, a), 6)
        expect(
          cosine(
            a.map((value) => value * times),
            b,
          ),
        ).toBeCloseTo(cosine(a, b), 5)
        expect(Math.abs(cosine(a, b))).toBeLessThanOrEqual(1 + 1e-6)
      }),
    )
  })
})

describe('the order by words and meaning', () => {
  it('lets meaning decide between hits whose words are worth nearly the same', () => {
    expect(fuse([10, 9.9, 2], [0.1, 0.8, 0.3])).toEqual([1, 0, 2])
  })

  it('lets words decide where they differ much', () => {
    expect(fuse([10, 3, 2], [0.5, 0.8, 0.1])).toEqual([0, 1, 2])
  })

  it('is that of the words where all are alike, or nothing is known', () => {
    expect(fuse([3, 2, 1], [0.4, 0.4, 0.4])).toEqual([0, 1, 2])
    expect(fuse([3, 2, 1], [])).toEqual([0, 1, 2])
    expect(fuse([], [])).toEqual([])
  })

  it('has each hit once, and leaves those without a likeness where they were', () => {
    fc.assert(
      fc.property(
        descending,
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 60 }),
        (scores, alike) => {
          const likeness = alike.slice(0, scores.length)
          const order = fuse(scores, likeness)
          expect(order.toSorted((a, b) => a - b)).toEqual(scores.map((_, at) => at))
          expect(order.slice(likeness.length)).toEqual(scores.map((_, at) => at).slice(likeness.length))
        },
      ),
    )
  })

  it('never puts a hit behind another that is worse by words and by meaning', () => {
    fc.assert(
      fc.property(descending, fc.infiniteStream(fc.double({ min: -1, max: 1, noNaN: true })), (scores, stream) => {
        const likeness = scores.map(() => Number(stream.next().value))
        const place = new Map(fuse(scores, likeness).map((at, position) => [at, position]))
        for (let a = 0; a < scores.length; a++)
          for (let b = a + 1; b < scores.length; b++)
            if ((likeness[a] ?? 0) >= (likeness[b] ?? 0)) expect(place.get(a)).toBeLessThan(place.get(b) ?? 0)
      }),
    )
  })
})
