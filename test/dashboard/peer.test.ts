/** Whose program is at the other end, from the table that Linux keeps. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isOwnEnd } from '../../src/dashboard/guard.ts'

const OURS = 0x1f90
const PEER = 0xc350
const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'

function row(own: number, other: number, state: string, uid: number, inode: number): string {
  const address = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return `   0: ${address(own)} ${address(other)} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0 100 0 0 10 0`
}

const LISTENING = row(OURS, 0, '0A', 1000, 11)
const table = (...rows: string[]): string => [HEAD, LISTENING, ...rows].join('\n')

describe('the other end of a connection', () => {
  const ours = row(OURS, PEER, '01', 1000, 13)
  const elsewhere = row(PEER, OURS, '01', 1000, 12).replaceAll('0100007F', '0100000A')

  it.each([
    ['the user’s own', true, table(row(PEER, OURS, '01', 1000, 12), ours)],
    ['the administrator’s', true, table(row(PEER, OURS, '01', 0, 12))],
    ['another user’s', false, table(row(PEER, OURS, '01', 1001, 12), ours)],
    ['one that nobody holds any more', false, table(row(PEER, OURS, '06', 0, 0))],
    ['one that is not told', false, table()],
    ['one of the same ports between other addresses', false, table(elsewhere)],
    ['another user’s beside such a one', false, table(elsewhere, row(PEER, OURS, '01', 1001, 13))],
    ['any, where the system does not tell of us', true, ''],
    ['any, where the table is empty', true, HEAD],
  ])('is %s: %s', (_, isOwn, text) => {
    expect(isOwnEnd(text, PEER, OURS, 1000)).toBe(isOwn)
  })

  it('is found among any others, and nothing in the table makes it fail', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.nat(65_535), fc.nat(4_000), (noise, port, uid) => {
        const own = row(port, OURS, '01', uid, 12)
        expect(isOwnEnd(table(...noise, own), port, OURS, uid)).toBe(true)
        expect(isOwnEnd(table(...noise, own), port, OURS, uid + 1)).toBe(uid === 0)
      }),
    )
  })
})
