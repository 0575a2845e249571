/** What is sent of a memory: keys that stay, what changed, what is gone. */
import { describe, expect, it } from 'vitest'
import type { OtherRow } from '../../../src/core/others/others.ts'
import { receivedRow, sentRow, waitingRows } from '../../../src/extras/team/row.ts'

const NOW = '2026-02-01T00:00:00.000Z'

const row = (more: Partial<OtherRow> = {}): OtherRow => ({
  who: 'alice',
  id: 'd001',
  type: 'decision',
  at: '2026-01-13T12:00:00.000Z',
  text: 'Amounts are stored in cents.',
  ...more,
})
const sentOf = (...rows: OtherRow[]): Map<string, string> =>
  new Map(rows.map((one) => sentRow('p', one)).map(({ key, digest }) => [key, digest]))
const keysOf = (rows: readonly OtherRow[], sent = new Map<string, string>()): string[] =>
  waitingRows('p', rows, sent).map(({ key, body }) => (body === null ? `-${key}` : key))

describe('a key', () => {
  it('stays when the text is corrected, and is another one for what was said elsewhere', () => {
    const [key] = keysOf([row()])

    expect(key).toMatch(/^d001-[0-9a-f]{6}$/)
    expect(keysOf([row({ text: 'In tenths of cents.', reason: 'rounding' })])).toEqual([key])
    expect(keysOf([row({ about: '1a2b3c4d#3-3' })])).not.toEqual([key])
    expect(keysOf([row({ at: '2026-01-14T12:00:00.000Z' })])).not.toEqual([key])
  })

  it('of a note or of where a session stands is its id', () => {
    expect(
      keysOf([row({ id: 'n-1a2b3c4d-0-9', type: 'note' }), row({ id: 'stands-1a2b3c4d', type: 'stands' })]),
    ).toEqual(['n-1a2b3c4d-0-9', 'stands-1a2b3c4d'])
  })
})

describe('what waits', () => {
  it('is what is new, changed or gone, each key once', () => {
    const sent = sentOf(row(), row({ id: 'd002' }))
    const [gone] = [...sentOf(row({ id: 'd002' })).keys()]

    expect(keysOf([row(), row({ id: 'd002' })], sent)).toEqual([])
    expect(keysOf([row({ text: 'Corrected.' })], sent)).toEqual([[...sent.keys()][0], `-${gone}`])
    expect(keysOf([row({ text: 'One.' }), row({ text: 'Two.' })])).toHaveLength(1)
    expect(keysOf([], new Map([...sent].map(([key]) => [key, '-'])))).toEqual([])
  })
})

it('a row arrives as it was sent, under its key; a rule or anything else does not', () => {
  const told = row({ reason: 'Floats lose them.', files: ['src/money.ts'], about: '1a2b3c4d#3-3' })
  const { key, body } = sentRow('p', told)

  expect(receivedRow('alice', body ?? '', NOW)).toEqual({ ...told, id: key })
  expect(receivedRow('alice', JSON.stringify({ ...told, type: 'rule' }), NOW)).toBeNull()
  expect(receivedRow('../alice', body ?? '', NOW)).toBeNull()
  expect(receivedRow('alice', 'no JSON', NOW)).toBeNull()
})

it('a time in the future becomes the time of arrival, or none where that is unknown', () => {
  const { body } = sentRow('p', row({ at: '9999-12-31T23:59:59.999Z' }))

  expect(receivedRow('alice', body ?? '', NOW)?.at).toBe(NOW)
  expect(receivedRow('alice', body ?? '', '<9999>')?.at).toBe('')
})
