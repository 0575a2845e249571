import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  BROKEN,
  keysOf,
  matchKey,
  nextKey,
  skipObject,
  skipSpace,
  skipValue,
  startWalk,
  walkArray,
} from '../../../src/kernel/transcript/scan.ts'

function fieldsOf(text: string, names: readonly string[]): Record<string, unknown> {
  const bytes = Buffer.from(text)
  const fields: [string, unknown][] = []
  const walk = startWalk(0)
  const wanted = keysOf(names)
  for (
    let key = nextKey(walk, bytes, bytes.length, wanted);
    key !== null;
    key = nextKey(walk, bytes, bytes.length, wanted)
  ) {
    const from = walk.at
    walk.at = skipValue(bytes, from, bytes.length)
    fields.push([key, JSON.parse(bytes.toString('utf8', from, walk.at))])
  }
  expect(walk.isBroken).toBe(false)
  expect(walk.at).toBe(Buffer.from(text.trimEnd()).length)
  return Object.fromEntries(fields)
}

/** Keys as the host has them: ASCII, nothing to escape. */
const key = fc.stringMatching(/^[A-Za-z_$][\w$-]{0,20}$/).filter((name) => name !== '__proto__')
const object = fc.dictionary(key, fc.jsonValue({ maxDepth: 4 }), { noNullPrototype: true })

describe('nextKey', () => {
  it('agrees with JSON.parse about keys and values, pretty-printed or not', () => {
    fc.assert(
      fc.property(object, fc.constantFrom(0, 1, 2, '\t', '\r\n'), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(fieldsOf(text, Object.keys(value))).toEqual(JSON.parse(text))
      }),
      { numRuns: 300 },
    )
  })

  it('steps over values that hold quotes, braces and backslashes, short and long', () => {
    for (const tail of ['\\', '"', '\\"', '{"a":"', '}{', ']']) {
      for (const length of [0, 1, 44, 45, 46, 47, 48, 49, 200]) {
        const value = { first: 'x'.repeat(length) + tail, type: 'user', nested: [{ q: tail }, tail] }
        expect(fieldsOf(JSON.stringify(value), ['type', 'first'])).toEqual({ type: 'user', first: value.first })
      }
    }
  })

  it('hears only of the keys it asks for', () => {
    expect(fieldsOf('{"a":1,"ab":2,"abc":{"a":3}}', ['ab'])).toEqual({ ab: 2 })
  })

  it('tells a key before it looks at what follows', () => {
    const bytes = Buffer.from('{"a":1,"b":2,"broken')
    const walk = startWalk(0)
    expect(nextKey(walk, bytes, bytes.length, keysOf(['b']))).toBe('b')
    expect([walk.at, walk.isBroken]).toEqual([11, false])
  })

  it('takes no beginning of an object for a whole one', () => {
    fc.assert(
      fc.property(object, (value) => {
        const bytes = Buffer.from(JSON.stringify(value))
        for (let cut = 0; cut < bytes.length; cut++) {
          expect(skipObject(bytes.subarray(0, cut), 0, cut)).toBe(BROKEN)
        }
      }),
      { numRuns: 60 },
    )
  })

  it.each(['', ' ', '[]', '"a"', '{a:1}', '{"a" 1}', '{"a":1 "b":2}', '{"a":}', '{"a":1,}', '{"a":tr"ue}'])(
    'calls %j broken',
    (text) => {
      const bytes = Buffer.from(text)
      expect(skipObject(bytes, 0, bytes.length)).toBe(BROKEN)
    },
  )

  it('ends on random bytes, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom('', '{', '{"a":', '{"a":[{'), (random, start) => {
        const bytes = Buffer.concat([Buffer.from(start), random])
        const end = skipObject(bytes, 0, bytes.length)
        expect(end === BROKEN || (end > 0 && end <= bytes.length)).toBe(true)
      }),
    )
  })
})

describe('walkArray', () => {
  it('visits the objects of an array and steps over the rest', () => {
    const text = '[ {"a":1}, "s", [ {"no":1} ], 5 , {"b":"]"} ]'
    const bytes = Buffer.from(text)
    const seen: string[] = []
    const end = walkArray(bytes, 0, bytes.length, (at) => {
      const to = skipValue(bytes, at, bytes.length)
      seen.push(bytes.toString('utf8', at, to))
      return to
    })
    expect([end, seen]).toEqual([bytes.length, ['{"a":1}', '{"b":"]"}']])
  })

  it('is broken when the array does not end', () => {
    const bytes = Buffer.from('[{"a":1}')
    expect(walkArray(bytes, 0, bytes.length, (at) => skipValue(bytes, at, bytes.length))).toBe(BROKEN)
  })
})

describe('keys and spaces', () => {
  it('matches a key only as a whole', () => {
    const keys = keysOf(['type', 'text'])
    const bytes = Buffer.from('text typo tex')
    expect(matchKey(bytes, 0, 4, keys)).toBe('text')
    expect(matchKey(bytes, 5, 9, keys)).toBeNull()
    expect(matchKey(bytes, 10, 13, keys)).toBeNull()
  })

  it('steps over the four spaces of JSON and no other', () => {
    expect(skipSpace(Buffer.from(' \t\r\nx'), 0, 5)).toBe(4)
    expect(skipSpace(Buffer.from('\u000bx'), 0, 2)).toBe(0)
    expect(skipSpace(Buffer.from('   x'), 0, 2)).toBe(2)
  })
})
