import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { once } from '../../src/text/once.ts'

describe('what is made once', () => {
  it('is made when it is first asked for, and then no more', () => {
    let times = 0
    const made = once(() => {
      times++
      return undefined
    })
    expect(times).toBe(0)
    expect([made(), made(), times]).toEqual([undefined, undefined, 1])
  })

  it('is always the same', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const made = once(() => ({ value }))
        expect(made()).toBe(made())
      }),
    )
  })
})
