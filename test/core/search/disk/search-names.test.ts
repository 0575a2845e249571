import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holdsEach, namesInQuery } from '../../../../src/core/search/disk/search-typo.ts'

describe('names in a query', () => {
  it('are identifiers, paths, files and whatever has a digit', () => {
    expect(namesInQuery('why does (getUserById) in src/auth/session.ts, MAX_AGE and v1.2 fail?')).toEqual([
      'getUserById',
      'src/auth/session.ts',
      'MAX_AGE',
      'v1.2',
    ])
    expect(namesInQuery('what should I change in CLAUDE.md? 040b744')).toEqual(['CLAUDE.md', '040b744'])
  })

  it('are no plain words', () => {
    expect(namesInQuery('Redis and API tokens, 환불 처리. Really? e-mail')).toEqual([])
  })

  it('stand whole, in any case, in one text or another', () => {
    expect(holdsEach(['call getuserbyid()', 'see v1.2'], ['getUserById', 'v1.2'])).toBe(true)
    expect(holdsEach(['getUserByIdFast'], ['getUserById'])).toBe(false)
    expect(holdsEach(['getUserByIdFast, getUserById'], ['getUserById'])).toBe(true)
    expect(holdsEach([], [])).toBe(true)
    expect(holdsEach([], ['a1'])).toBe(false)
  })

  it('are found in the query they come from', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'B', '_', '1', '.', '/', ' ', ',', '환') }), (query) => {
        expect(holdsEach([query], namesInQuery(query))).toBe(true)
      }),
    )
  })
})
