/** Redacted texts stay what they were: JSON, lines, entries. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/kernel/platform/config.ts'
import { redactorFor } from '../../../src/kernel/redact/redact.ts'
import { scrubEntries, scrubJson, scrubJsonLines } from '../../../src/kernel/sessions/scrub.ts'
import { formatEntry, parseEntry } from '../../../src/kernel/transcript/session.ts'
import { bash, user } from '../../fixtures/sessions.ts'

const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
const redact = redactorFor(readConfig(null, null).config)

describe('JSON', () => {
  it('loses the secret in a text, and one that only its name tells', () => {
    const { text, count } = scrubJson(`{"a": "the \\"key\\" ${SECRET}", "api_key": "abcd1234efgh5678ijkl"}`, redact)

    expect([count, JSON.parse(text)]).toEqual([
      2,
      { a: expect.stringMatching(/^the "key" \[redacted:/), api_key: expect.stringMatching(/^\[redacted:/) },
    ])
  })

  it('that is broken loses it, too', () => {
    expect(scrubJson(`{"a": "x ${SECRET}", "b": "cut ${SECRET}`, redact).text).not.toContain(SECRET)
  })

  it('stays JSON, without the secret, whatever else it says', () => {
    const value = fc.oneof(fc.string(), fc.constant(SECRET), fc.integer(), fc.constant(null))
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), value), { maxLength: 5 }), (lines) => {
        const given = lines.map((one) => JSON.stringify(one)).join('\n')
        const { text, count } = scrubJsonLines(given, redact)

        expect(text).not.toContain(SECRET)
        expect(
          text
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => typeof JSON.parse(line)),
        ).toEqual(lines.map(() => 'object'))
        if (count === 0) expect(text).toBe(given)
      }),
    )
  })
})

it('a scrubbed entry stays one entry, on its line', () => {
  const lines = [user(`use ${SECRET}`), bash(`curl -H ${SECRET}`, true, `said ${SECRET}`), user('nothing')]
  const { text, count } = scrubEntries(lines.map(formatEntry).join(''), redact)

  expect(count).toBe(3)
  expect(text).not.toContain(SECRET)
  expect(
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => parseEntry(line)?.role),
  ).toEqual(['user', 'tool', 'user'])
})

it('a scrubbed entry has no secret in its branch, plan or working tree', () => {
  const places = { branch: `fix-${SECRET}`, slug: 'merry-cart', tree: SECRET }
  const { text, count } = scrubEntries(formatEntry({ ...user('nothing'), ...places }), redact)

  expect(count).toBe(2)
  expect(text).not.toContain(SECRET)
  expect(parseEntry(text)).toMatchObject({ slug: 'merry-cart', tree: expect.stringMatching(/^\[redacted:/) })
})
