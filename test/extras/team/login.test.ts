/** The watch over the login: what a server may say, in whatever pieces it comes. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { watchLogin } from '../../../src/extras/team/login.ts'
import { authentication, READY } from '../../support/fake-postgres.ts'

const SASL = authentication(10, 'SCRAM-SHA-256\0\0')
const ROUNDS = authentication(11, 'r=abc,s=c2FsdA==,i=4096')
const FINAL = authentication(12, 'v=xyz')
const DONE = authentication(0)
/** Bytes of a row that look like a question for the password. */
const ROW = Buffer.concat([Buffer.from([68, 0, 0, 0, 13]), authentication(3)])

const allowed: readonly Buffer[][] = [
  [DONE, READY, ROW],
  [SASL, ROUNDS, FINAL, DONE, READY, ROW, ROW],
]
const refused: readonly Buffer[][] = [
  [authentication(3)],
  [DONE, READY, ROW, authentication(3)],
  [SASL, authentication(5, 'salt')],
  [SASL, ROUNDS, DONE],
  [SASL, FINAL, DONE],
  [ROUNDS],
  [SASL, ROUNDS, FINAL, DONE, READY, ROW, SASL],
  [SASL, authentication(11, 'r=abc,s=c2FsdA==,i=1,i=4096')],
  [SASL, authentication(11, 'r=abc,s=c2FsdA==')],
  [Buffer.from([82, 0, 0, 0, 4]), authentication(3)],
  [Buffer.from([82, 127, 0, 0, 0])],
]

it('the verdict of the watch over a login does not depend on the pieces in which bytes arrive', () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })
  const cases = fc.constantFrom(
    ...allowed.map((one) => ({ one, is: true })),
    ...refused.map((one) => ({ one, is: false })),
  )
  fc.assert(
    fc.property(cases, pieces, ({ one, is }, sizes) => {
      const bytes = Buffer.concat(one)
      const isSafe = watchLogin()
      let verdict = true
      for (let at = 0, n = 0; at < bytes.length && verdict; n++) {
        const size = sizes[n % sizes.length] ?? 1
        verdict = isSafe(bytes.subarray(at, at + size))
        at += size
      }
      expect(verdict).toBe(is)
    }),
    { numRuns: 600 },
  )
})
